//! The devices of a control unit, by image and unit address, and what they keep between exchanges.

use std::path::{Path, PathBuf};

use halftrack_control_unit::{PathGroupId, PathState};
use halftrack_engine::{Prefetch, SimTime};
use halftrack_exchange::{BusyKind, Opened, Units};
use halftrack_program::Target;
use halftrack_volume::layout::LayoutError;
use halftrack_volume::{CkdVolume, FileMedium, Mode, OpenError, Opening, Tracks, Volume};
use halftrack_wire::{FcFrame, WorldWideName};

use super::look_ahead::located;
use super::shared_volume::{SharedVolume, VolumeHome};
use super::unit_device::UnitDevice;

/// A channel path as a device knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathKey {
    /// Which port of the control unit.
    pub port: u16,
    /// Port name of the channel.
    pub host: WorldWideName,
    /// Channel image.
    pub channel_image: u8,
}

/// Who has a volume reserved: a path group, or a path that is in none. It lasts until it is released, by whomever with
/// Unconditional Reserve, though every path of the group be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Group(PathGroupId),
    Path(PathKey),
}

#[derive(Debug)]
struct VolumeSlot {
    file: PathBuf,
    home: VolumeHome,
    reservation: Option<Holder>,
    /// The trouble that was told last: a volume that is fenced has the same at every I/O.
    told: Option<String>,
}

#[derive(Debug)]
struct UnitSlot {
    /// Gone while an exchange has it.
    device: Option<UnitDevice>,
    volume: usize,
    /// The path whose state the device has.
    path: PathKey,
    /// The states of the others.
    others: Vec<(PathKey, PathState)>,
}

/// A volume and the unit addresses at which it is found.
#[derive(Debug, Clone)]
pub struct UnitVolume {
    /// Control-unit image.
    pub image: u8,
    /// Unit address of the base device.
    pub unit_address: u8,
    /// Unit addresses of its aliases.
    pub aliases: Vec<u8>,
    /// First file of the image.
    pub file: PathBuf,
    /// What is promised of writes.
    pub mode: Mode,
}

/// Why a volume cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It has fixed blocks.
    #[error("{}: a volume of fixed blocks; a FICON control unit serves count-key-data volumes", .0.display())]
    FixedBlocks(PathBuf),
}

/// The devices of a control unit.
#[derive(Debug)]
pub struct UnitTable {
    volumes: Vec<VolumeSlot>,
    slots: Vec<UnitSlot>,
    /// One more than the place among the slots, by image and unit address.
    places: Vec<Option<Box<[u16; 256]>>>,
    /// Volumes that gather writes.
    gathering: Vec<usize>,
    discards_journals: bool,
    ending: bool,
}

impl Default for UnitTable {
    /// No devices yet.
    fn default() -> Self {
        Self {
            volumes: Vec::new(),
            slots: Vec::new(),
            places: vec![None; 256],
            gathering: Vec::new(),
            discards_journals: false,
            ending: false,
        }
    }
}

impl UnitTable {
    /// Volumes opened from now on are as their images are; what journals beside them hold is lost.
    pub fn discard_journals(&mut self) {
        self.discards_journals = true;
    }

    /// Opens a volume and adds its devices, whose addresses are free.
    ///
    /// # Errors
    /// Why it cannot be served; the others are as they were.
    pub fn open_volume(&mut self, volume: &UnitVolume) -> Result<(), UnitError> {
        let opening = Opening { mode: volume.mode, discards_journal: self.discards_journals };
        match Volume::open(&volume.file, opening)? {
            Volume::Ckd(tracks) => self.add(volume, tracks),
            Volume::Fba(_) => return Err(UnitError::FixedBlocks(volume.file.clone())),
        }
        Ok(())
    }

    fn add(&mut self, volume: &UnitVolume, tracks: CkdVolume<FileMedium>) {
        let geometry = *tracks.geometry();
        let home = VolumeHome::new(tracks);
        let places = self.places[usize::from(volume.image)].get_or_insert_with(|| Box::new([0; 256]));
        for address in std::iter::once(&volume.unit_address).chain(&volume.aliases) {
            let place = self.slots.len();
            // 256 images of 256 addresses, less the one place that means none.
            places[usize::from(*address)] = u16::try_from(place + 1).unwrap_or(0);
            let device = UnitDevice::new(place, SharedVolume::new(home.clone(), geometry));
            self.slots.push(UnitSlot {
                device: Some(device),
                volume: self.volumes.len(),
                path: PathKey::default(),
                others: Vec::new(),
            });
        }
        if volume.mode == Mode::WriteBack {
            self.gathering.push(self.volumes.len());
        }
        self.volumes.push(VolumeSlot { file: volume.file.clone(), home, reservation: None, told: None });
    }

    /// The images that have devices.
    pub fn images(&self) -> impl Iterator<Item = u8> {
        let images = self.places.iter().enumerate().filter(|(_, places)| places.is_some());
        images.map(|(image, _)| image as u8)
    }

    /// Volumes and devices, aliases counted.
    pub fn counts(&self) -> (usize, usize) {
        (self.volumes.len(), self.slots.len())
    }

    /// The control unit is about to end: exchanges that begin are answered busy.
    pub fn begin_ending(&mut self) {
        self.ending = true;
    }

    /// The devices as exchanges of a port see them. `hosts` has the names of the channels that are logged in.
    pub fn of_port<'a>(&'a mut self, port: u16, hosts: &'a [(u32, WorldWideName)]) -> PortUnits<'a> {
        PortUnits { table: self, port, hosts }
    }

    /// A logical path is gone, or the channel starts anew: sense that was kept for it is forgotten.
    pub fn forget_path(&mut self, path: PathKey) {
        for slot in &mut self.slots {
            if slot.path == path
                && let Some(device) = &mut slot.device
            {
                let mut state = PathState::default();
                device.unit_mut().swap_path(&mut state);
                state.forget_sense();
                device.unit_mut().swap_path(&mut state);
            }
            let state = slot.others.iter_mut().find(|(key, _)| *key == path);
            if let Some((_, state)) = state {
                state.forget_sense();
            }
        }
    }

    /// Makes every volume safe in its files and gives them up.
    ///
    /// # Errors
    /// The volumes whose files failed; the others are closed all the same.
    pub fn close(self) -> Result<(), Vec<(PathBuf, LayoutError)>> {
        let mut failed = Vec::new();
        for volume in self.volumes {
            if let Some(tracks) = volume.home.take()
                && let Err(error) = tracks.close()
            {
                failed.push((volume.file, error));
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    /// Makes safe what volumes in write-back mode have gathered for too long; to be called often, with the time.
    /// Returns when it is to be called at the latest, if something waits. A volume that fails is fenced: its next I/O
    /// ends with unit check, and [`UnitTable::take_troubles`] has the reason.
    pub fn flush_due(&mut self, now: SimTime) -> Option<SimTime> {
        let mut earliest = None::<SimTime>;
        for volume in self.gathering.iter().filter_map(|number| self.volumes.get(*number)) {
            let Some(mut tracks) = volume.home.take() else { continue };
            let due = tracks.flush_due(now).unwrap_or(None);
            earliest = earliest.into_iter().chain(due).min();
            volume.home.set(Some(tracks));
        }
        earliest
    }

    /// Why volumes failed for the files under them, since the last call: what the status of a command cannot tell. Of a
    /// volume that goes on to fail for the same reason it is told once.
    pub fn take_troubles(&mut self, mut tell: impl FnMut(&Path, LayoutError)) {
        for volume in &mut self.volumes {
            let Some(mut tracks) = volume.home.take() else { continue };
            if let Some(trouble) = tracks.take_trouble() {
                let words = trouble.to_string();
                if volume.told.as_ref() != Some(&words) {
                    volume.told = Some(words);
                    tell(&volume.file, trouble);
                }
            }
            volume.home.set(Some(tracks));
        }
    }

    #[inline]
    fn place(&self, image: u8, address: u8) -> Option<usize> {
        let places = self.places.get(usize::from(image))?.as_deref()?;
        usize::from(places[usize::from(address)]).checked_sub(1)
    }

    /// A device will read a record soon.
    #[inline]
    fn prefetch(&self, image: u8, address: u8, target: &Target) -> Option<Prefetch> {
        let slot = self.slots.get(self.place(image, address)?)?;
        let home = &self.volumes.get(slot.volume)?.home;
        let volume = home.take()?;
        let prefetch = volume.prefetch(target.seek, target.record);
        home.set(Some(volume));
        Some(prefetch)
    }

    fn open(&mut self, image: u8, address: u8, path: PathKey) -> Opened<UnitDevice> {
        let Some(slot) = self.place(image, address).and_then(|place| self.slots.get_mut(place)) else {
            return Opened::AddressException;
        };
        if self.ending {
            return Opened::Busy(BusyKind::ControlUnit);
        }
        let Some(mut device) = slot.device.take() else { return Opened::Busy(BusyKind::Device) };
        if slot.path != path {
            change_path(&mut slot.path, &mut slot.others, path, &mut device);
        }
        let unit = device.unit_mut();
        let reservation = self.volumes[slot.volume].reservation;
        let own = reservation.is_some_and(|holder| holder.is(path, unit.path().group()));
        unit.set_reserved(own);
        device.set_foreign(reservation.is_some() && !own);
        Opened::Device(device)
    }

    fn close_device(&mut self, mut device: UnitDevice) {
        let Some(slot) = self.slots.get_mut(device.place()) else { return };
        let is_foreign = device.is_foreign();
        let unit = device.unit_mut();
        let reservation = &mut self.volumes[slot.volume].reservation;
        if unit.is_reserved() {
            let group = unit.path().group();
            let keeps = reservation.is_some_and(|holder| holder.is(slot.path, group));
            if !keeps {
                *reservation = Some(group.map_or(Holder::Path(slot.path), Holder::Group));
            }
        } else if !is_foreign {
            *reservation = None;
        }
        slot.device = Some(device);
    }
}

impl Holder {
    fn is(&self, path: PathKey, group: Option<PathGroupId>) -> bool {
        match self {
            Self::Group(holder) => group.as_ref() == Some(holder),
            Self::Path(holder) => *holder == path,
        }
    }
}

/// Gives the device the state of another path.
fn change_path(
    current: &mut PathKey,
    others: &mut Vec<(PathKey, PathState)>,
    path: PathKey,
    device: &mut UnitDevice,
) {
    let found = others.iter().position(|(key, _)| *key == path);
    let mut state = found.map_or_else(PathState::default, |at| others.swap_remove(at).1);
    device.unit_mut().swap_path(&mut state);
    if state != PathState::default() {
        others.push((*current, state));
    }
    *current = path;
}

/// The devices of a control unit as exchanges of one of its ports see them.
#[derive(Debug)]
pub struct PortUnits<'a> {
    table: &'a mut UnitTable,
    port: u16,
    hosts: &'a [(u32, WorldWideName)],
}

impl PortUnits<'_> {
    /// A frame has come whose turn is later: what it will read.
    #[inline]
    pub fn look_ahead(&self, frame: &FcFrame<'_>) -> Prefetch {
        let prefetch = located(frame).and_then(|(address, target)| {
            self.table.prefetch(address.control_unit_image, address.device, &target)
        });
        prefetch.unwrap_or_default()
    }
}

impl Units for PortUnits<'_> {
    type Device = UnitDevice;

    #[inline]
    fn open(&mut self, image: u8, address: u8, peer: u32, channel_image: u8) -> Opened<UnitDevice> {
        let host = self.hosts.iter().find(|(address, _)| *address == peer);
        let host = host.map_or(WorldWideName::default(), |(_, name)| *name);
        self.table.open(image, address, PathKey { port: self.port, host, channel_image })
    }

    #[inline]
    fn close(&mut self, device: UnitDevice) {
        self.table.close_device(device);
    }
}

#[cfg(test)]
mod tests {
    use halftrack_exchange::device::{Device as _, DeviceCommand};
    use halftrack_program::command::{
        DEVICE_RELEASE, DEVICE_RESERVE, NO_OPERATION, SENSE_PATH_GROUP_ID, SET_PATH_GROUP_ID,
        UNCONDITIONAL_RESERVE,
    };
    use halftrack_program::{ChainEnd, Geometry};
    use halftrack_volume::{NewFormat, VolumeDevice, create};
    use halftrack_wire::IuData;
    use tempfile::TempDir;

    use super::*;

    const HOSTS: [(u32, WorldWideName); 2] = [(1, WorldWideName(0xA1)), (2, WorldWideName(0xA2))];

    /// A volume at 10, with an alias at 80.
    fn table() -> (TempDir, UnitTable) {
        table_of(Mode::Sync)
    }

    fn table_of(mode: Mode) -> (TempDir, UnitTable) {
        let directory = tempfile::tempdir().unwrap();
        let device = VolumeDevice::Ckd(Geometry::with_cylinders(1).unwrap());
        let volume = volume_in(directory.path(), mode);
        create(&volume.file, device, NewFormat::Plain, None).unwrap();
        let mut table = UnitTable::default();
        table.open_volume(&volume).unwrap();
        (directory, table)
    }

    fn volume_in(directory: &Path, mode: Mode) -> UnitVolume {
        let file = directory.join("work01.ckd");
        UnitVolume { image: 1, unit_address: 0x10, aliases: vec![0x80], file, mode }
    }

    /// Executes a command from host `peer` at an address; its status and what it read.
    fn execute(
        table: &mut UnitTable,
        address: u8,
        peer: u32,
        command: u8,
        parameters: &[u8],
    ) -> (u8, Vec<u8>) {
        let mut units = table.of_port(0, &HOSTS);
        let Opened::Device(mut device) = units.open(1, address, peer, 0) else { panic!("no device") };
        let data = &IuData::None;
        let ending = device.execute(&DeviceCommand { command, count: 32, parameters, data });
        assert_eq!(device.end_chain(ChainEnd::Unchained), None);
        units.close(device);
        let read = match ending.data {
            IuData::Bytes(octets) => octets,
            _ => Vec::new(),
        };
        (ending.device_status, read)
    }

    const NORMAL: u8 = 0x0C;
    const BUSY: u8 = 0x10;

    #[test]
    fn what_is_not_there_is_an_address_exception_and_what_is_in_use_is_busy() {
        let (_directory, mut table) = table();
        let mut units = table.of_port(0, &HOSTS);
        assert!(matches!(units.open(0, 0x10, 1, 0), Opened::AddressException));
        assert!(matches!(units.open(1, 0x11, 1, 0), Opened::AddressException));
        let Opened::Device(base) = units.open(1, 0x10, 1, 0) else { panic!("no device") };
        assert!(matches!(units.open(1, 0x10, 2, 0), Opened::Busy(BusyKind::Device)));
        let Opened::Device(alias) = units.open(1, 0x80, 2, 0) else {
            panic!("an alias goes beside its base")
        };
        units.close(alias);
        units.close(base);
        assert!(matches!(units.open(1, 0x10, 2, 0), Opened::Device(_)));
        table.begin_ending();
        let units = &mut table.of_port(0, &HOSTS);
        assert!(matches!(units.open(1, 0x80, 2, 0), Opened::Busy(BusyKind::ControlUnit)));
    }

    #[test]
    fn a_reservation_keeps_others_out_until_it_is_released_or_taken_away() {
        let (_directory, mut table) = table();
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
        assert_eq!(
            execute(&mut table, 0x80, 2, NO_OPERATION, &[]).0,
            BUSY,
            "the alias is of the same volume"
        );
        assert_eq!(execute(&mut table, 0x80, 1, NO_OPERATION, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RELEASE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, DEVICE_RESERVE, &[]).0, NORMAL);
        table.forget_path(PathKey { port: 0, host: HOSTS[1].1, channel_image: 0 });
        assert_eq!(execute(&mut table, 0x10, 1, NO_OPERATION, &[]).0, BUSY, "it outlives its path");
        assert_eq!(execute(&mut table, 0x10, 1, UNCONDITIONAL_RESERVE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
    }

    #[test]
    fn a_path_group_shares_its_reservation_and_every_path_knows_its_own_state() {
        let (_directory, mut table) = table();
        let group: Vec<u8> = std::iter::once(0x80).chain([7; 11]).collect();
        assert_eq!(execute(&mut table, 0x10, 1, SET_PATH_GROUP_ID, &group).0, NORMAL);
        assert_eq!(
            execute(&mut table, 0x10, 2, SENSE_PATH_GROUP_ID, &[]).1[0],
            0x00,
            "path 2 is in no group"
        );
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RELEASE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, SET_PATH_GROUP_ID, &group).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
        assert_eq!(
            execute(&mut table, 0x10, 2, SENSE_PATH_GROUP_ID, &[]).1[0],
            0xF8,
            "grouped, reserved, multipath"
        );
    }

    /// A chain of host 1 that formats track 1 with one record; its status.
    fn format(table: &mut UnitTable) -> u8 {
        const DEFINE_EXTENT: u8 = 0x63;
        const LOCATE_RECORD: u8 = 0x47;
        const WRITE_COUNT_KEY_AND_DATA: u8 = 0x1D;
        let mut units = table.of_port(0, &HOSTS);
        let Opened::Device(mut device) = units.open(1, 0x10, 1, 0) else { panic!("no device") };
        // Any write; extended CKD.
        let extent = [0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14];
        let locate = [0x03, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
        let data = IuData::Bytes([&[0, 0, 0, 1, 1, 0, 0, 4][..], b"DATA"].concat());
        let none = IuData::None;
        let mut status = 0;
        for (command, parameters, data) in [
            (DEFINE_EXTENT, &extent[..], &none),
            (LOCATE_RECORD, &locate[..], &none),
            (WRITE_COUNT_KEY_AND_DATA, &[], &data),
        ] {
            let count = if parameters.is_empty() { 12 } else { 16 };
            status = device.execute(&DeviceCommand { command, count, parameters, data }).device_status;
            if status != NORMAL {
                break;
            }
        }
        let end = if status == NORMAL { ChainEnd::Unchained } else { ChainEnd::Broken };
        if let Some(ending) = device.end_chain(end) {
            status = ending.device_status;
        }
        units.close(device);
        status
    }

    fn at_ms(ms: u64) -> SimTime {
        SimTime::ZERO + halftrack_engine::SimDuration::from_ms(ms)
    }

    #[test]
    fn what_a_volume_gathered_is_in_its_file_though_no_io_comes() {
        let (directory, mut table) = table_of(Mode::WriteBack);
        let file = directory.path().join("work01.ckd");
        let before = std::fs::read(&file).unwrap();
        assert_eq!(table.flush_due(at_ms(5)), None, "nothing waits");
        assert_eq!(format(&mut table), NORMAL);
        assert!(std::fs::read(&file).unwrap() == before);
        let due = table.flush_due(at_ms(10)).unwrap();
        assert!(due > at_ms(10) && due <= at_ms(1010), "{due:?}");
        assert_eq!(table.flush_due(due), None);
        assert!(std::fs::read(&file).unwrap() != before, "it is there while the control unit idles");
        table.take_troubles(|_, trouble| panic!("{trouble}"));
    }

    #[test]
    fn a_full_disk_ends_the_next_io_with_unit_check_and_is_told_once() {
        let (directory, table) = table_of(Mode::WriteBack);
        let journal = directory.path().join("work01.ckd.journal");
        assert!(table.close().is_ok());
        std::os::unix::fs::symlink("/dev/full", &journal).unwrap();
        let mut table = UnitTable::default();
        table.open_volume(&volume_in(directory.path(), Mode::WriteBack)).unwrap();
        assert_eq!(format(&mut table), NORMAL, "it is gathered");
        let due = table.flush_due(at_ms(0)).unwrap();
        assert_eq!(table.flush_due(due), None);
        let mut told = Vec::new();
        for _ in 0..3 {
            assert_eq!(format(&mut table) & 0x02, 0x02, "unit check");
            table.take_troubles(|_, trouble| told.push(trouble.to_string()));
        }
        assert!(told.iter().all(|words| words.contains("No space left on device")), "{told:?}");
        assert!((1..=2).contains(&told.len()), "{told:?}");
        let failed = table.close().unwrap_err();
        assert!(failed[0].1.to_string().contains("No space left on device"));
    }

    #[test]
    fn a_volume_of_fixed_blocks_is_refused_and_one_in_use_too() {
        let (directory, mut table) = table();
        let file = directory.path().join("blocks.fba");
        create(&file, VolumeDevice::Fba { blocks: 64 }, NewFormat::Plain, None).unwrap();
        let mut volume =
            UnitVolume { image: 1, unit_address: 0, aliases: Vec::new(), file, mode: Mode::Sync };
        assert!(matches!(table.open_volume(&volume), Err(UnitError::FixedBlocks(_))));
        volume.file = directory.path().join("work01.ckd");
        assert!(matches!(table.open_volume(&volume), Err(UnitError::Open(OpenError::InUse { .. }))));
        assert_eq!(table.counts(), (1, 2));
        assert_eq!(table.images().collect::<Vec<_>>(), [1]);
        assert!(table.close().is_ok());
    }
}
