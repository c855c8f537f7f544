//! Laws of the SCSI target for any commands, and for any order of what its initiators do. The tests of `scsi` run the committed
//! corpora and random octets through the same functions.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use halftrack_base::Time;
use halftrack_scsi::{
    AccessState, BlockFault, Identity, LogicalBlocks, LogicalUnit, Lun, Masking, Nexus, Request,
    ReservationStore, Response, SavedReservations, ScsiStatus, Space, Target, TargetPort, TaskAttribute,
    TaskId, TaskManagement, Transfer, Transmit,
};

const BLOCKS: u64 = 64;
const UNITS: u32 = 2;
const DEPTH: usize = 4;
/// Blocks of a thin unit that have space at most.
const SPACE_BLOCKS: usize = 40;
const FUNCTIONS: [TaskManagement; 5] = [
    TaskManagement::AbortTaskSet,
    TaskManagement::ClearTaskSet,
    TaskManagement::LogicalUnitReset,
    TaskManagement::TargetReset,
    TaskManagement::ClearAca,
];
const STATES: [AccessState; 4] = [
    AccessState::ActiveOptimized,
    AccessState::ActiveNonOptimized,
    AccessState::Standby,
    AccessState::Unavailable,
];

/// Blocks that hold the target to the contract of the trait: whole blocks within the unit, and at least one.
#[derive(Debug)]
struct StrictBlocks {
    block_bytes: usize,
    octets: Vec<u8>,
    /// Blocks that have space, of a thin unit.
    mapped: Option<Vec<bool>>,
}

impl StrictBlocks {
    fn new(block_bytes: usize, is_thin: bool) -> Self {
        let mapped = is_thin.then(|| vec![false; BLOCKS as usize]);
        Self { block_bytes, octets: vec![0; BLOCKS as usize * block_bytes], mapped }
    }

    fn range(&self, first: u64, bytes: usize) -> std::ops::Range<usize> {
        assert!(bytes > 0 && bytes.is_multiple_of(self.block_bytes), "{bytes} bytes are no whole blocks");
        let blocks = (bytes / self.block_bytes) as u64;
        assert!(first < BLOCKS && blocks <= BLOCKS - first, "{blocks} blocks at {first} leave the unit");
        let begin = first as usize * self.block_bytes;
        begin..begin + bytes
    }

    fn used(&self) -> usize {
        self.mapped.as_ref().map_or(0, |mapped| mapped.iter().filter(|one| **one).count())
    }
}

impl LogicalBlocks for StrictBlocks {
    fn block_bytes(&self) -> u32 {
        self.block_bytes as u32
    }

    fn blocks(&self) -> u64 {
        BLOCKS
    }

    fn has_write_cache(&self) -> bool {
        true
    }

    fn space(&self) -> Option<Space> {
        let used = self.used();
        let available = SPACE_BLOCKS.saturating_sub(used) as u64;
        self.mapped.is_some().then_some(Space { used: used as u64, available })
    }

    fn mapped_run(&self, first: u64) -> (bool, u64) {
        let Some(mapped) = &self.mapped else { return (true, BLOCKS - first) };
        let rest = &mapped[first as usize..];
        (rest[0], rest.iter().take_while(|one| **one == rest[0]).count() as u64)
    }

    fn read(&mut self, first: u64, octets: &mut [u8]) -> Result<(), BlockFault> {
        let range = self.range(first, octets.len());
        octets.copy_from_slice(&self.octets[range]);
        Ok(())
    }

    fn write(&mut self, first: u64, octets: &[u8]) -> Result<(), BlockFault> {
        let range = self.range(first, octets.len());
        if let Some(mapped) = &mut self.mapped {
            let blocks = range.start / self.block_bytes..range.end / self.block_bytes;
            let before = mapped.clone();
            mapped[blocks].fill(true);
            if self.used() > SPACE_BLOCKS {
                self.mapped = Some(before);
                return Err(BlockFault::NoSpace);
            }
        }
        self.octets[range].copy_from_slice(octets);
        Ok(())
    }

    fn unmap(&mut self, first: u64, blocks: u64) -> Result<(), BlockFault> {
        assert!(blocks <= BLOCKS, "{blocks} blocks leave the unit");
        let range = self.range(first, blocks as usize * self.block_bytes);
        if let Some(mapped) = &mut self.mapped {
            mapped[range.start / self.block_bytes..range.end / self.block_bytes].fill(false);
        }
        self.octets[range].fill(0);
        Ok(())
    }

    fn flush(&mut self) -> Result<(), BlockFault> {
        Ok(())
    }
}

/// Storage that fails when a step determines it.
#[derive(Debug, Clone, Default)]
struct Storage(Arc<AtomicBool>);

impl ReservationStore for Storage {
    fn store(&mut self, _: Option<&SavedReservations>) -> Result<(), BlockFault> {
        if self.0.load(Ordering::Relaxed) { Err(BlockFault::Internal) } else { Ok(()) }
    }
}

fn target(block_bytes: usize, storage: &Storage) -> Target<StrictBlocks> {
    let mut masking = Masking::default();
    let units = (0..UNITS).map(|number| {
        masking.show_to_everybody(lun(number), number as usize);
        let identity = Identity {
            vendor: *b"HALFTRCK",
            product: *b"FIXED BLOCK     ",
            revision: *b"0001",
            serial: "FUZZ".to_owned(),
            identifier: [0x60 + number as u8; 16],
        };
        let mut unit = LogicalUnit::new(StrictBlocks::new(block_bytes, number == 0), identity, DEPTH);
        unit.set_reservation_store(Box::new(storage.clone()), None);
        unit
    });
    let units = units.collect();
    let port = |relative_id| TargetPort { relative_id, name: relative_id.into(), group: relative_id };
    Target::new(vec![port(1), port(2)], units, masking)
}

fn lun(number: u32) -> Lun {
    Lun::of_number(number).expect("a small number")
}

fn nexus(octet: u8) -> Nexus {
    Nexus { initiator: u64::from(octet & 3), target_port: 1 + u16::from(octet >> 2 & 1) }
}

/// Returns as many octets as there are, up to `count`.
fn take<'a>(octets: &mut &'a [u8], count: usize) -> &'a [u8] {
    let (head, rest) = octets.split_at(count.min(octets.len()));
    *octets = rest;
    head
}

/// Checks that sense and status belong together, and that data-in fits.
fn assert_sound(response: &Response, room: u32) {
    let is_check = response.status == ScsiStatus::CHECK_CONDITION;
    assert_eq!(response.sense.is_empty(), !is_check, "{response:?}");
    assert!(response.data_in.len() <= room as usize, "{} bytes in {room}", response.data_in.len());
    assert!(response.data_in.is_empty() || response.status == ScsiStatus::GOOD, "{:?}", response.status);
    if is_check {
        let sense = &response.sense;
        let at = if sense[0] & 0x7F >= 0x72 { [1, 2] } else { [2, 12] };
        assert_ne!(at.map(|place| sense[place]), [0x04, 0x44], "a command left the unit or its contract");
    }
}

/// Sends one command after the other: head of five octets, CDB, data-out. Each ends once before the next, whatever its octets,
/// and stays within its unit.
pub fn scsi_cdb(octets: &[u8]) {
    let mut rest = octets;
    let block_bytes = if take(&mut rest, 1).first().is_some_and(|first| first & 1 != 0) { 4096 } else { 512 };
    let mut target = target(block_bytes, &Storage::default());
    admit_all(&mut target);
    for tag in 0.. {
        let [address, cdb_bytes, direction, high, low] = *take(&mut rest, 5) else { return };
        let cdb = take(&mut rest, usize::from(cdb_bytes % 36));
        let bytes = u32::from(u16::from_be_bytes([high, low]));
        let transfer = match direction % 3 {
            0 => Transfer::None,
            1 => Transfer::In(bytes),
            _ => Transfer::Out(bytes),
        };
        let data = take(&mut rest, usize::from(direction >> 2));
        let data: Vec<u8> =
            data.iter().copied().chain(std::iter::repeat(address)).take(bytes as usize).collect();
        let task = TaskId { nexus: nexus(address), tag };
        let lun = if address & 0x80 == 0 { lun(u32::from(address >> 3) % 3) } else { Lun([address; 8]) };
        let request = Request { task, lun, attribute: TaskAttribute::Simple, cdb, transfer };
        target.handle_command(Time::from_ps(tag), &request);
        let mut ends = 0;
        while let Some(transmit) = target.poll_transmit() {
            match transmit {
                Transmit::DataOut { task: of, bytes: wanted } => {
                    assert!(of == task && wanted > 0 && wanted <= bytes && ends == 0);
                    // Too little data at times.
                    let given = if direction == 0xFE { wanted / 2 } else { wanted };
                    target.handle_data_out(Time::from_ps(tag), task, &data[..given as usize]);
                }
                Transmit::Response { task: of, response } => {
                    assert_eq!(of, task);
                    assert_sound(&response, if let Transfer::In(room) = transfer { room } else { 0 });
                    ends += 1;
                }
                Transmit::Aborted { .. } => panic!("no task is open"),
            }
        }
        assert_eq!(ends, 1, "{cdb:02X?} ended {ends} times");
    }
}

/// Takes the first unit attention of each nexus, so that the commands that follow are carried out.
fn admit_all(target: &mut Target<StrictBlocks>) {
    for (octet, unit) in (0..8).flat_map(|octet| [(octet, 0), (octet, 1)]) {
        let task = TaskId { nexus: nexus(octet), tag: u64::MAX };
        let (attribute, transfer) = (TaskAttribute::Simple, Transfer::None);
        target
            .handle_command(Time::ZERO, &Request { task, lun: lun(unit), attribute, cdb: &[0; 6], transfer });
        while target.poll_transmit().is_some() {}
    }
}

/// Lets initiators do anything in any order, three octets for each step. Every task ends once, and none is left at the end.
pub fn scsi_state(octets: &[u8]) {
    let mut initiators = Initiators::new();
    for step in octets.chunks_exact(3) {
        initiators.step([step[0], step[1], step[2]]);
        initiators.receive();
    }
    initiators.finish();
}

/// Tasks as their initiators see them.
struct Initiators {
    target: Target<StrictBlocks>,
    storage: Storage,
    now: u64,
    open: BTreeSet<TaskId>,
    /// Tasks that wait for so many bytes.
    waiting: Vec<(TaskId, u32)>,
}

impl Initiators {
    fn new() -> Self {
        let storage = Storage::default();
        let target = target(512, &storage);
        Self { target, storage, now: 0, open: BTreeSet::new(), waiting: Vec::new() }
    }

    fn step(&mut self, [action, one, two]: [u8; 3]) {
        self.now += 1;
        let now = Time::from_ps(self.now);
        match action % 16 {
            0..=6 => self.command(TaskId { nexus: nexus(one), tag: self.now }, one, two, action >> 4),
            // A tag that is in use: its task is given up.
            7 => {
                if let Some((task, _)) = self.chosen(two) {
                    self.open.remove(&task);
                    self.waiting.retain(|waiting| waiting.0 != task);
                    self.command(task, one, two, action >> 4);
                }
            }
            8..=10 => {
                if let Some((task, bytes)) = self.chosen(one) {
                    let bytes = if action == 0x8A { bytes / 2 } else { bytes };
                    self.waiting.retain(|waiting| waiting.0 != task);
                    self.target.handle_data_out(now, task, &data(two, bytes as usize));
                }
            }
            11 => {
                let task = self.open.iter().nth(usize::from(one) % self.open.len().max(1)).copied();
                if let Some(task) = task {
                    assert!(self.target.handle_abort(now, task), "{task:?} is open at its initiator only");
                    self.open.remove(&task);
                    self.waiting.retain(|waiting| waiting.0 != task);
                }
            }
            12 => {
                let function = FUNCTIONS[usize::from(two) % FUNCTIONS.len()];
                let unit = lun(u32::from(two >> 4) % (UNITS + 1));
                self.target.handle_task_management(now, nexus(one), unit, function);
            }
            13 => self.target.handle_nexus_loss(now, nexus(one)),
            14 => {
                let mut masking = Masking::default();
                (0..UNITS).filter(|unit| one >> unit & 1 != 0).for_each(|unit| {
                    masking.show_to_everybody(lun(unit), unit as usize);
                });
                self.target.set_masking(now, masking);
            }
            _ if one & 1 == 0 => self.storage.0.store(one & 2 != 0, Ordering::Relaxed),
            _ => self.target.set_access_state(1 + u16::from(one >> 1 & 1), STATES[usize::from(two) % 4]),
        }
    }

    fn chosen(&self, octet: u8) -> Option<(TaskId, u32)> {
        self.waiting.get(usize::from(octet) % self.waiting.len().max(1)).copied()
    }

    fn command(&mut self, task: TaskId, one: u8, two: u8, attribute: u8) {
        let attribute = match attribute {
            0 => TaskAttribute::HeadOfQueue,
            1 => TaskAttribute::Ordered,
            _ => TaskAttribute::Simple,
        };
        let (cdb, transfer) = command(two, one >> 4);
        let request = Request { task, lun: lun(u32::from(one >> 3 & 1)), attribute, cdb: &cdb, transfer };
        self.open.insert(task);
        self.target.handle_command(Time::from_ps(self.now), &request);
    }

    /// Takes the output of the target.
    fn receive(&mut self) {
        while let Some(transmit) = self.target.poll_transmit() {
            match transmit {
                Transmit::DataOut { task, bytes } => {
                    assert!(self.open.contains(&task), "data of {task:?} after its end");
                    self.waiting.push((task, bytes));
                }
                Transmit::Response { task, .. } | Transmit::Aborted { task } => {
                    assert!(self.open.remove(&task), "{task:?} ends twice");
                    self.waiting.retain(|waiting| waiting.0 != task);
                }
            }
        }
    }

    fn finish(mut self) {
        while let Some((task, bytes)) = self.waiting.pop() {
            self.target.handle_data_out(Time::from_ps(self.now), task, &data(0, bytes as usize));
            self.receive();
        }
        assert!(self.open.is_empty(), "{:?} have no end", self.open);
    }
}

/// Returns data-out: the list of PERSISTENT RESERVE OUT, whose first bytes are keys, is the begin of any.
fn data(octet: u8, bytes: usize) -> Vec<u8> {
    let mut data = vec![0; bytes.max(24)];
    (data[7], data[15], data[20]) = (octet & 3, octet >> 2 & 3, octet >> 4 & 1);
    data.truncate(bytes);
    data
}

/// Returns a command that changes something, or finds it.
fn command(which: u8, option: u8) -> (Vec<u8>, Transfer) {
    let ten = |opcode: u8, blocks: u8| vec![opcode, 0, 0, 0, 0, option, 0, 0, blocks, 0];
    match which % 20 {
        0..=3 => (ten(0x2A, 2), Transfer::Out(1024)),
        4 => (ten(0x28, 2), Transfer::In(1024)),
        5 => (vec![0x16, 0, 0, 0, 0, 0], Transfer::None),
        6 => (vec![0x17, 0, 0, 0, 0, 0], Transfer::None),
        7..=12 => {
            let kind = [1, 3, 5, 6, 7, 8][usize::from(option) % 6];
            (vec![0x5F, which % 7, kind, 0, 0, 0, 0, 0, 24, 0], Transfer::Out(24))
        }
        13 => (vec![0x5E, option % 4, 0, 0, 0, 0, 0, 1, 0, 0], Transfer::In(256)),
        14 => (vec![0x15, 0x10, 0, 0, 24, 0], Transfer::Out(24)),
        15 => (vec![0x1B, 0, 0, 0, option & 1, 0], Transfer::None),
        16 => (ten(0x42, 24), Transfer::Out(24)),
        17 => (vec![0xA4, 0x0A, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0], Transfer::Out(8)),
        18 => (ten(0x35, 0), Transfer::None),
        _ => (vec![0; 6], Transfer::None),
    }
}
