//! The content that every record must have by the programs that wrote and read it; kept at the host, separately from the
//! volumes.

use std::collections::{BTreeMap, BTreeSet};

use halftrack_engine::RandomStream;
use halftrack_exchange::Program;
use halftrack_program::{Operation, ProgramShape, Protocol};
use halftrack_record::{CorruptRecord, DataSummary, FoundBy};
use halftrack_wire::{Iu, IuData};
use halftrack_workload::{RecordId, UNWRITTEN};

use super::volumes::Volumes;
use crate::wiring::data_layout::{DataLayout, Region, VolumeId, address};

/// Records tried for one that is free before an I/O goes to the spare tracks.
const MOST_PROBES: u32 = 4096;

/// The state of a record that an I/O of the run has touched.
#[derive(Debug)]
struct RecordState {
    /// Writes of which one is in the record: one, or more after a write that did not end normally.
    may_hold: Vec<u32>,
    readers: u32,
    /// A write is under way, or was damaged on purpose: no other I/O goes there.
    closed: bool,
}

impl Default for RecordState {
    fn default() -> Self {
        Self { may_hold: vec![UNWRITTEN], readers: 0, closed: false }
    }
}

/// The data of one I/O.
#[derive(Debug, Clone, Copy)]
struct Transfer {
    volume: VolumeId,
    shape: ProgramShape,
    start: (u32, u8),
    /// Number of the write.
    generation: u32,
    /// It has its records for itself, so what they hold is known.
    verified: bool,
    /// An octet of it is to be changed on the way.
    damage: bool,
}

impl Transfer {
    fn writes(&self) -> bool {
        self.shape.operation == Operation::UpdateWrite
    }

    fn records(&self, region: &Region) -> impl Iterator<Item = RecordId> + use<> {
        let (region, start, volume) = (*region, self.start, self.volume);
        (0..self.shape.records).map(move |offset| {
            let (track, record) = region.behind(start, offset);
            RecordId { volume, track, record }
        })
    }
}

/// The ledger of a run.
#[derive(Debug)]
pub(crate) struct DataLedger {
    choice: RandomStream,
    records: BTreeMap<RecordId, RecordState>,
    /// By slot of the I/O.
    transfers: Vec<Option<Transfer>>,
    generations: u32,
    to_damage: u32,
    /// Records that a damaged write went to: no I/O may write over the evidence.
    kept: BTreeSet<RecordId>,
    summary: DataSummary,
}

impl DataLedger {
    /// Makes a ledger of untouched volumes; `to_damage` I/Os will be damaged on the way.
    pub(crate) fn new(layout: &DataLayout, to_damage: u32) -> Self {
        Self {
            choice: RandomStream::new(layout.seed, "data records"),
            records: BTreeMap::new(),
            transfers: Vec::new(),
            generations: UNWRITTEN,
            to_damage,
            kept: BTreeSet::new(),
            summary: DataSummary { to_corrupt: to_damage, ..DataSummary::default() },
        }
    }

    /// Returns the program of I/O `io`, which reads or writes `shape` on `volume`. Its records are chosen when it is first
    /// tried.
    ///
    /// # Errors
    /// Errors of the program's builder; the shape has a plan, so that there are none.
    pub(crate) fn program(
        &mut self,
        layout: &DataLayout,
        io: u32,
        volume: VolumeId,
        shape: &ProgramShape,
        protocol: Protocol,
    ) -> Result<Program, halftrack_exchange::program::ProgramError> {
        let slot = io as usize;
        if self.transfers.len() <= slot {
            self.transfers.resize(slot + 1, None);
        }
        let transfer = match self.transfers[slot] {
            Some(transfer) => transfer,
            None => self.choose(layout, volume, shape),
        };
        self.transfers[slot] = Some(transfer);
        let of = layout.volume(volume);
        let data = if transfer.writes() {
            let mut octets = Vec::with_capacity(shape.data_bytes() as usize);
            for record in transfer.records(of.region(shape.record_bytes)) {
                layout.pattern.append(record, transfer.generation, shape.record_bytes, &mut octets);
            }
            IuData::Bytes(octets)
        } else {
            IuData::None
        };
        Program::at(shape, protocol, &address(&of.geometry, transfer.start), &of.geometry, &data)
    }

    fn choose(&mut self, layout: &DataLayout, volume: VolumeId, shape: &ProgramShape) -> Transfer {
        let region = layout.volume(volume).region(shape.record_bytes);
        let starts = region.starts(shape.records);
        let first = self.choice.below(starts.into()) as u32;
        let mut transfer = Transfer {
            volume,
            shape: *shape,
            start: region.spare(),
            generation: UNWRITTEN,
            verified: false,
            damage: false,
        };
        if transfer.writes() {
            self.generations += 1;
            transfer.generation = self.generations;
        }
        for probe in 0..starts.min(MOST_PROBES) {
            let start = region.start(shape.records, (first + probe) % starts);
            if self.claim(&Transfer { start, ..transfer }, region) {
                let damage = self.to_damage > 0;
                self.to_damage -= u32::from(damage);
                return Transfer { start, verified: true, damage, ..transfer };
            }
        }
        self.summary.unverified_ios += 1;
        transfer
    }

    /// Takes the records of a transfer: for itself when it writes, together with other readers when it reads. False,
    /// and nothing is taken, when another I/O is in the way.
    fn claim(&mut self, transfer: &Transfer, region: &Region) -> bool {
        let writes = transfer.writes();
        let free = |state: &RecordState| !state.closed && (state.readers == 0 || !writes);
        if !transfer.records(region).all(|id| self.records.get(&id).is_none_or(free)) {
            return false;
        }
        for id in transfer.records(region) {
            let state = self.records.entry(id).or_default();
            if writes {
                state.closed = true;
                state.may_hold.push(transfer.generation);
            } else {
                state.readers += 1;
            }
        }
        true
    }

    /// Changes an octet of an IU of `io` on its way, if the run damages I/Os and the IU has user data.
    pub(crate) fn damage(&mut self, io: u32, iu: &mut Iu) {
        let Some(Some(transfer)) = self.transfers.get_mut(io as usize) else { return };
        let user_bytes = iu.data_bytes().min(u32::from(transfer.shape.record_bytes));
        if !transfer.damage || user_bytes == 0 {
            return;
        }
        if let IuData::Bytes(octets) = &mut iu.data {
            let at = self.choice.below(user_bytes.into()) as usize;
            octets[at] ^= 1 << self.choice.below(8);
            transfer.damage = false;
            self.summary.corrupted += 1;
            if transfer.writes() {
                let (track, record) = transfer.start;
                self.kept.insert(RecordId { volume: transfer.volume, track, record });
            }
        }
    }

    /// Compares what `io` has read.
    pub(crate) fn read(&mut self, layout: &DataLayout, io: u32, octets: &[u8]) {
        let Some(Some(transfer)) = self.transfers.get(io as usize).copied() else { return };
        if transfer.writes() || !transfer.verified {
            return;
        }
        let of = layout.volume(transfer.volume);
        let bytes = transfer.shape.record_bytes;
        let mut found = octets.chunks(usize::from(bytes));
        for id in transfer.records(of.region(bytes)) {
            self.summary.records_read += 1;
            if !self.holds(layout, id, bytes, found.next().unwrap_or_default()) {
                self.summary.corrupt.push(corrupt(layout, id, FoundBy::Read));
            }
        }
    }

    /// Returns true when `octets` are what the record may hold.
    fn holds(&self, layout: &DataLayout, id: RecordId, bytes: u16, octets: &[u8]) -> bool {
        let holds = |&generation: &u32| layout.pattern.first_difference(id, generation, octets).is_none();
        octets.len() == usize::from(bytes)
            && self.records.get(&id).is_some_and(|state| state.may_hold.iter().any(holds))
    }

    /// Ends I/O `io`: its records are free again, and after a normal end they hold what it wrote.
    pub(crate) fn over(&mut self, layout: &DataLayout, io: u32, normal: bool) {
        let Some(transfer) = self.transfers.get_mut(io as usize).and_then(Option::take) else { return };
        if !transfer.verified {
            return;
        }
        for id in transfer.records(layout.volume(transfer.volume).region(transfer.shape.record_bytes)) {
            let kept = self.kept.contains(&id);
            let Some(state) = self.records.get_mut(&id) else { continue };
            if !transfer.writes() {
                state.readers -= 1;
                continue;
            }
            state.closed = kept;
            if normal {
                state.may_hold = vec![transfer.generation];
                self.summary.records_written += 1;
            }
        }
    }

    /// Compares every record that was touched with what is on the volumes, and gives the summary of the run.
    pub(crate) fn finish(mut self, layout: &DataLayout, volumes: &Volumes) -> DataSummary {
        let records: Vec<RecordId> = self.records.keys().copied().collect();
        for id in records {
            let of = layout.volume(id.volume);
            let Some(region) = of.region_of_track(id.track) else { continue };
            self.summary.records_scanned += 1;
            let holds = match volumes.record(layout, id) {
                Some(octets) => self.holds(layout, id, region.record_bytes, &octets),
                // The I/O has not come to the volume yet.
                None => self.records[&id].may_hold.contains(&UNWRITTEN),
            };
            if !holds {
                self.summary.corrupt.push(corrupt(layout, id, FoundBy::Scan));
            }
        }
        self.summary
    }
}

fn corrupt(layout: &DataLayout, id: RecordId, found_by: FoundBy) -> CorruptRecord {
    let at = address(&layout.volume(id.volume).geometry, (id.track, id.record));
    CorruptRecord {
        device: layout.volume(id.volume).device,
        cylinder: at.cylinder,
        head: at.head,
        record: at.record,
        found_by,
    }
}
