//! All logical units, who sees them, and what waits for its port.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::os::unix::fs::FileTypeExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack_base::Time;
use halftrack_exchange::fcp::{ScsiEnding, ScsiProgress, TaskTag};
use halftrack_scsi::{
    Identity, LogicalBlocks, LogicalUnit, Lun, Masking, Nexus, Response, Sense, Target, TargetPort, TaskId,
    Transmit, VolumeBlocks,
};
use halftrack_volume::{Disk, Mode, OpenError, Opening, Volume};
use halftrack_wire::WorldWideName;

use super::lun_blocks::LunBlocks;
use super::raw_blocks::RawBlocks;
use super::reservation_file::{self, ReservationFile, StoreFailures};

/// Commands that a unit has at a time. Our choice.
const DEPTH: usize = 256;
/// Bytes of a block of an image.
const IMAGE_BLOCK_BYTES: u32 = 512;
/// Sense key of a unit attention.
const UNIT_ATTENTION: u8 = 0x06;

/// An FCP port, as its logical units have it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FcpPort {
    /// Place among all ports of the control unit.
    pub number: u16,
    /// Port name.
    pub name: WorldWideName,
}

/// A logical unit, as it is to be served.
#[derive(Debug, Clone)]
pub struct LunVolume {
    /// Logical unit number.
    pub number: u32,
    /// Image, raw file or block device.
    pub file: PathBuf,
    /// Durability of writes.
    pub mode: Mode,
    /// Bytes of a block: 512 or 4096.
    pub block_bytes: u32,
    /// A raw file gives the space of unmapped blocks back.
    pub is_thin: bool,
    /// Places of the ports at which it is seen.
    pub ports: Vec<u16>,
    /// Ports of initiators that see it; none: all do.
    pub hosts: Option<Vec<WorldWideName>>,
}

/// Why a logical unit cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum LunError {
    /// The image cannot be opened.
    #[error(transparent)]
    Image(#[from] OpenError),
    /// The raw file cannot be opened.
    #[error("{}: {error}", path.display())]
    Raw {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// It has tracks.
    #[error("{} is a CKD volume, which has no blocks", .0.display())]
    Tracks(PathBuf),
    /// Its size is no multiple of the block.
    #[error("{} has {blocks} blocks of 512 bytes, which are no multiple of {block_bytes} bytes", path.display())]
    Size {
        /// The file.
        path: PathBuf,
        /// Blocks of 512 bytes.
        blocks: u64,
        /// Bytes of a block.
        block_bytes: u32,
    },
    /// The number has no form.
    #[error("LUN {0} is above 16777215")]
    Number(u32),
}

#[derive(Debug)]
struct LunSlot {
    number: u32,
    file: PathBuf,
    /// Failure that was reported last.
    reported: Option<String>,
}

/// The logical units of a control unit.
#[derive(Debug)]
pub struct LunTable {
    pub(super) target: Target<LunBlocks>,
    slots: Vec<LunSlot>,
    /// Names of the initiators by port and address.
    hosts: BTreeMap<(u16, u32), WorldWideName>,
    /// Progress of commands that waited or were ended, by port.
    progress: BTreeMap<u16, VecDeque<(TaskTag, ScsiProgress)>>,
    /// Failures of files of reservations.
    failures: StoreFailures,
    /// Units that gather writes.
    gathers: bool,
}

impl Default for LunTable {
    fn default() -> Self {
        Self {
            target: Target::new(Vec::new(), Vec::new(), Masking::default()),
            slots: Vec::new(),
            hosts: BTreeMap::new(),
            progress: BTreeMap::new(),
            failures: StoreFailures::default(),
            gathers: false,
        }
    }
}

impl LunTable {
    /// Opens the units behind these ports; `node` is the name of the control unit. Persistent reservations that were stored
    /// are there again.
    ///
    /// # Errors
    /// The places of those that cannot be served, and why.
    pub fn open(
        node: WorldWideName,
        ports: &[FcpPort],
        volumes: &[LunVolume],
        discards_journals: bool,
    ) -> Result<Self, Vec<(usize, LunError)>> {
        let (mut units, mut slots, mut failed) = (Vec::new(), Vec::new(), Vec::new());
        let failures = StoreFailures::default();
        for (place, volume) in volumes.iter().enumerate() {
            match open_unit(node, volume, discards_journals, &failures) {
                Ok((unit, slot)) => {
                    units.push(unit);
                    slots.push(slot);
                }
                Err(error) => failed.push((place, error)),
            }
        }
        if !failed.is_empty() {
            return Err(failed);
        }
        let masking = masking(volumes);
        let target_ports = ports.iter().map(|port| TargetPort {
            relative_id: relative_id(port.number),
            name: port.name.0,
            group: 1,
        });
        Ok(Self {
            target: Target::new(target_ports.collect(), units, masking),
            slots,
            failures,
            gathers: volumes.iter().any(|volume| volume.mode == Mode::WriteBack),
            ..Self::default()
        })
    }

    /// Returns whether there are none.
    pub fn is_empty(&self) -> bool {
        self.slots.is_empty()
    }

    /// Returns the number, the file, the blocks and the bytes of a block of each unit.
    pub fn units(&self) -> impl Iterator<Item = (u32, &Path, u64, u32)> {
        self.slots.iter().zip(self.target.units()).map(|(slot, unit)| {
            let blocks = unit.blocks();
            (slot.number, slot.file.as_path(), blocks.blocks(), blocks.block_bytes())
        })
    }

    /// Puts the files of all images on a disk that admits each change; raw files stay where they are.
    pub fn set_disk(&mut self, disk: &Arc<dyn Disk>) {
        self.target.units_mut().iter_mut().for_each(|unit| unit.blocks_mut().set_disk(disk));
    }

    /// Notes the name of an initiator that has logged in at a port.
    pub(super) fn admit(&mut self, port: u16, address: u32, name: WorldWideName) {
        self.hosts.insert((port, address), name);
    }

    /// Drops what is of the nexus of an initiator at a port.
    pub(super) fn lose(&mut self, now: Time, port: u16, address: u32) {
        if let Some(nexus) = self.nexus(port, address) {
            self.target.handle_nexus_loss(now, nexus);
            // Its tasks are gone, with their exchanges.
            while let Some(output) = self.target.poll_transmit() {
                self.deliver(output, None);
            }
        }
        self.hosts.remove(&(port, address));
    }

    pub(super) fn nexus(&self, port: u16, address: u32) -> Option<Nexus> {
        let name = self.hosts.get(&(port, address))?;
        Some(Nexus { initiator: name.0, target_port: relative_id(port) })
    }

    /// Returns the progress of a command of `own`; that of others is kept for their ports.
    pub(super) fn collect(&mut self, own: TaskId) -> ScsiProgress {
        let mut found = ScsiProgress::Waits;
        while let Some(output) = self.target.poll_transmit() {
            if let Some(progress) = self.deliver(output, Some(own)) {
                found = progress;
            }
        }
        found
    }

    /// Keeps what is for others, after a function of task management.
    pub(super) fn distribute(&mut self) {
        while let Some(output) = self.target.poll_transmit() {
            self.deliver(output, None);
        }
    }

    fn deliver(&mut self, output: Transmit, own: Option<TaskId>) -> Option<ScsiProgress> {
        let (task, progress) = match output {
            Transmit::DataOut { task, bytes } => (task, ScsiProgress::DataOut(bytes)),
            Transmit::Response { task, response } => (task, ScsiProgress::Ended(Self::ending(response))),
            Transmit::Aborted { task } => (task, ScsiProgress::Aborted),
        };
        if Some(task) == own {
            return Some(progress);
        }
        let port = number_of(task.nexus.target_port);
        let is_it =
            |((of, _), name): &(&(u16, u32), &WorldWideName)| *of == port && name.0 == task.nexus.initiator;
        if let Some(((_, address), _)) = self.hosts.iter().find(is_it) {
            let tag = (*address, task.tag as u16);
            self.progress.entry(port).or_default().push_back((tag, progress));
        }
        None
    }

    /// Returns the end of a command.
    fn ending(response: Response) -> ScsiEnding {
        let Response { status, sense, data_in, residual } = response;
        let wants_confirmation = Sense::key_of(&sense) == Some(UNIT_ATTENTION);
        ScsiEnding { status, sense, data: data_in, residual, retry_delay: 0, wants_confirmation }
    }

    pub(super) fn poll_progress(&mut self, port: u16) -> Option<(TaskTag, ScsiProgress)> {
        self.progress.get_mut(&port)?.pop_front()
    }

    /// Returns whether commands of a port have progress that it has not taken.
    #[inline]
    pub fn has_progress(&self, port: u16) -> bool {
        !self.progress.is_empty() && self.progress.get(&port).is_some_and(|waiting| !waiting.is_empty())
    }

    /// Makes safe what units in write-back mode have gathered for too long. Returns when it is to be called at the latest, if
    /// something waits.
    pub fn flush_due(&mut self, now: Time) -> Option<Time> {
        if !self.gathers {
            return None;
        }
        let units = self.target.units_mut().iter_mut();
        units.filter_map(|unit| unit.blocks_mut().flush_due(now)).min()
    }

    /// Reports failures of files since the last call; one that goes on for the same reason once.
    pub fn take_troubles(&mut self, mut notify: impl FnMut(&Path, &dyn std::fmt::Display)) {
        for (slot, unit) in self.slots.iter_mut().zip(self.target.units_mut()) {
            let Some(trouble) = unit.blocks_mut().take_failure() else { continue };
            if slot.reported.as_ref() != Some(&trouble) {
                notify(&slot.file, &trouble);
                slot.reported = Some(trouble);
            }
        }
        for (file, error) in self.failures.take() {
            notify(&file, &error);
        }
    }

    /// Makes every unit safe in its files and gives them up.
    ///
    /// # Errors
    /// The units whose files failed; the others are closed all the same.
    pub fn close(self) -> Vec<(PathBuf, String)> {
        let units = self.target.into_units().into_iter().zip(self.slots);
        let close = |(unit, slot): (LogicalUnit<LunBlocks>, LunSlot)| {
            unit.into_blocks().close().err().map(|error| (slot.file, error))
        };
        units.filter_map(close).collect()
    }
}

/// Returns the relative id of a port, which counts from 1.
const fn relative_id(port: u16) -> u16 {
    port.saturating_add(1)
}

/// Returns the place of a port.
const fn number_of(relative_id: u16) -> u16 {
    relative_id.saturating_sub(1)
}

/// Returns who sees which unit. A host that is named somewhere has a view of its own, with what all see.
fn masking(volumes: &[LunVolume]) -> Masking {
    let mut masking = Masking::default();
    let named: std::collections::BTreeSet<_> =
        volumes.iter().filter_map(|volume| volume.hosts.as_ref()).flatten().copied().collect();
    for (unit, volume) in volumes.iter().enumerate() {
        let Some(lun) = Lun::of_number(volume.number) else { continue };
        for &port in &volume.ports {
            let target_port = relative_id(port);
            if volume.hosts.is_none() {
                masking.show_at(target_port, lun, unit);
            }
            let sees = |host: &&WorldWideName| volume.hosts.as_ref().is_none_or(|hosts| hosts.contains(host));
            for host in named.iter().filter(sees) {
                masking.show(Nexus { initiator: host.0, target_port }, lun, unit);
            }
        }
    }
    masking
}

fn open_unit(
    node: WorldWideName,
    volume: &LunVolume,
    discards_journal: bool,
    failures: &StoreFailures,
) -> Result<(LogicalUnit<LunBlocks>, LunSlot), LunError> {
    let path = &volume.file;
    Lun::of_number(volume.number).ok_or(LunError::Number(volume.number))?;
    let raw = |error| LunError::Raw { path: path.clone(), error };
    let is_device = path.metadata().is_ok_and(|found| found.file_type().is_block_device());
    let blocks = if volume.is_thin || is_device {
        let opened = RawBlocks::open(path, volume.mode, volume.block_bytes, volume.is_thin);
        LunBlocks::Raw(opened.map_err(raw)?)
    } else {
        let opening = Opening { mode: volume.mode, discards_journal };
        let Volume::Fba(image) = Volume::open(path, opening)? else {
            return Err(LunError::Tracks(path.clone()));
        };
        let group = volume.block_bytes / IMAGE_BLOCK_BYTES;
        let blocks = u64::from(halftrack_volume::Blocks::blocks(&image));
        if !blocks.is_multiple_of(group.into()) {
            return Err(LunError::Size { path: path.clone(), blocks, block_bytes: volume.block_bytes });
        }
        LunBlocks::Volume(Box::new(VolumeBlocks::new(image, group)))
    };
    let reservations = reservation_file::place_of(path);
    let saved = reservation_file::load(&reservations);
    let saved = saved.map_err(|error| LunError::Raw { path: reservations.clone(), error })?;
    let mut unit = LogicalUnit::new(blocks, identity(node, volume.number), DEPTH);
    unit.set_reservation_store(Box::new(ReservationFile::new(reservations, failures.clone())), saved);
    let slot = LunSlot { number: volume.number, file: path.clone(), reported: None };
    Ok((unit, slot))
}

/// Returns the names of a unit. Our choice: the identifier has the name of the node, but for its format, and the number.
fn identity(node: WorldWideName, number: u32) -> Identity {
    let mut identifier = [0; 16];
    identifier[..8].copy_from_slice(&(node.0 & 0x0FFF_FFFF_FFFF_FFFF | 0x6000_0000_0000_0000).to_be_bytes());
    identifier[8..].copy_from_slice(&u64::from(number).to_be_bytes());
    Identity {
        vendor: *b"HALFTRCK",
        product: *b"LOGICAL UNIT    ",
        revision: *b"0001",
        serial: format!("{:012X}{number:04X}", node.0 & 0xFFFF_FFFF_FFFF),
        identifier,
    }
}
