//! A program in storage that reads and writes: an operating system's use of a subchannel, nothing left out.
//! Each channel program has its place, in which only seek, search and sector change from start to start:
//!
//! ```text
//! +0 ORB | +40 CCWs or TCW | +80 parameters or TCCB | +200 TSB
//! ```

use halftrack_program::command::READ_TRACK;
use halftrack_program::{
    BuildError, CCW_BYTES, Ccw, CcwFlags, CcwFormat, CommandProgram, ConditionCode, Device, Geometry,
    Grouping, IRB_BYTES, IdawFormat, KEY_OF_ALL, MainStorage, ORB_BYTES, Operation, Orb, OrbFlags,
    OrbProgram, Pmcw, Positioning, ProgramShape, RecordAddress, Storage, Subchannel, TrackAddress,
    command_program, transport_program,
};
use thiserror::Error;

use crate::bench_error::BenchError;

use super::content::{BLOCK_BYTES, fill, is_record, tag};

/// Where the interruption-response block is stored.
const IRB: usize = 0x0800;
/// Where the first channel program lies, and how far the next one is.
const PROGRAMS: usize = 0x1000;
const PROGRAM_BYTES: usize = 0x0400;
/// Offsets in the place of a channel program.
const WORDS: usize = 0x40;
const PARAMETERS: usize = 0x80;
const PARAMETERS_BYTES: usize = 0x20;
const TSB: usize = 0x200;
/// Where the data area begins, and how long it is.
const DATA: usize = 0x0001_0000;
const DATA_BYTES: usize = 0x0001_0000;

/// Offsets in parameters: the extent in Define Extent, seek, search and sector in both forms of Locate Record.
const EXTENT: usize = 8;
const TARGET: usize = 4;
/// Define Extent and Locate Record Extended in a Prefix, and the Prefix in a TCCB with one DCW.
const PREFIX_DEFINE_EXTENT: usize = 12;
const PREFIX_LOCATE_RECORD: usize = 44;
const TCCB_PREFIX: usize = 16 + 8;

/// Seek CCHH, search CCHHR and sector, as a Locate Record has them.
pub type Target = [u8; 10];

/// A record that was not read or written as it should have been.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("CCHHR {:02X}{:02X}{:02X}{:02X}{:02X} was not read as it was written, or its program ended otherwise than normally",
        .target[4], .target[5], .target[6], .target[7], .target[8])]
pub struct WrongRecord {
    target: Target,
}

impl WrongRecord {
    /// Fails for what is not `right`.
    #[inline]
    pub fn unless(right: bool, target: &Target) -> Result<(), Self> {
        if right { Ok(()) } else { Err(Self { target: *target }) }
    }
}

impl From<WrongRecord> for BenchError {
    fn from(wrong: WrongRecord) -> Self {
        Self::Failed(wrong.to_string())
    }
}

/// A channel program that the guest can start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Program {
    /// Define Extent, Locate Record, Read Data.
    Read,
    /// One DCW: Prefix Read.
    TransportRead,
    /// Define Extent, Locate Record, Read Track.
    ReadTrack,
    /// Define Extent, Locate Record, Write Data.
    Write,
}

impl Program {
    const ALL: [Self; 4] = [Self::Read, Self::TransportRead, Self::ReadTrack, Self::Write];

    const fn place(self) -> usize {
        PROGRAMS + self as usize * PROGRAM_BYTES
    }

    /// Returns the place of seek, search and sector.
    const fn target(self) -> usize {
        let parameters = match self {
            Self::TransportRead => TCCB_PREFIX + PREFIX_LOCATE_RECORD,
            Self::Read | Self::ReadTrack | Self::Write => PARAMETERS_BYTES,
        };
        self.place() + PARAMETERS + parameters + TARGET
    }

    const fn shape(self) -> ProgramShape {
        let operation = if matches!(self, Self::Write) { Operation::UpdateWrite } else { Operation::Read };
        let grouping = if matches!(self, Self::ReadTrack) { Grouping::TrackData } else { Grouping::Records };
        ProgramShape {
            operation,
            record_bytes: BLOCK_BYTES as u16,
            records: 1,
            grouping,
            positioning: Positioning::DefineExtentLocateRecord,
        }
    }
}

/// Storage, a subchannel, and the device at its end.
#[derive(Debug)]
pub struct Guest<D> {
    storage: MainStorage,
    subchannel: Subchannel,
    device: D,
}

impl<D: Device> Guest<D> {
    /// Makes a guest with all channel programs in place.
    ///
    /// # Errors
    /// A geometry that has no room for a record.
    pub fn new(geometry: &Geometry, device: D) -> Result<Self, BuildError> {
        let storage = MainStorage::new(DATA + DATA_BYTES);
        let mut guest = Self { storage, subchannel: Subchannel::new(Pmcw::ONE_PATH), device };
        let start = RecordAddress { cylinder: 0, head: 0, record: 1 };
        for program in Program::ALL {
            if program == Program::TransportRead {
                guest.place_transport(program, &start, geometry)?;
            } else {
                let built = command_program(&program.shape(), &start, geometry)?;
                guest.place_command(program, built, geometry);
            }
        }
        Ok(guest)
    }

    fn put(&mut self, at: usize, octets: &[u8]) {
        self.storage.bytes_mut()[at..at + octets.len()].copy_from_slice(octets);
    }

    fn put_orb(&mut self, program: Program, words: OrbProgram) {
        let orb = Orb {
            interruption_parameter: 0,
            key: KEY_OF_ALL,
            path_mask: 0xFF,
            program: words,
            priorities: None,
        };
        self.put(program.place(), &orb.emit());
    }

    /// Makes the extent at `at` the whole device.
    fn put_extent(&mut self, at: usize, geometry: &Geometry) {
        self.put(at + EXTENT, &[0; 4]);
        let last = TrackAddress::new(geometry.cylinders() - 1, geometry.heads() - 1);
        self.put(at + EXTENT + 4, &last.map_or([0; 4], TrackAddress::to_cchh));
    }

    fn place_command(&mut self, program: Program, mut built: CommandProgram, geometry: &Geometry) {
        if let (Program::ReadTrack, Some(last)) = (program, built.ccws.last_mut()) {
            (last.command, last.count, last.flags) = (READ_TRACK, u16::MAX, CcwFlags::SUPPRESS_LENGTH.0);
        }
        for (index, ccw) in built.ccws.iter().enumerate() {
            let parameters = program.place() + PARAMETERS + index * PARAMETERS_BYTES;
            self.put(parameters, &ccw.parameters);
            let address = if ccw.parameters.is_empty() { DATA } else { parameters } as u32;
            let word = Ccw { command: ccw.command, flags: CcwFlags(ccw.flags), count: ccw.count, address };
            let emitted = word.emit(CcwFormat::One).expect("an address below 2 GiB");
            self.put(program.place() + WORDS + index * CCW_BYTES, &emitted);
        }
        self.put_extent(program.place() + PARAMETERS, geometry);
        let words = OrbProgram::Command {
            flags: OrbFlags::PREFETCH,
            ccw_format: CcwFormat::One,
            idaw_format: IdawFormat::TwoWith4K,
            address: (program.place() + WORDS) as u32,
        };
        self.put_orb(program, words);
    }

    fn place_transport(
        &mut self,
        program: Program,
        start: &RecordAddress,
        geometry: &Geometry,
    ) -> Result<(), BuildError> {
        let built = transport_program(&program.shape(), start, geometry)?;
        let mut tcw = built.tcw;
        tcw.input_address = DATA as u64;
        tcw.tccb_address = (program.place() + PARAMETERS) as u64;
        tcw.tsb_address = (program.place() + TSB) as u64;
        self.put(program.place() + WORDS, &tcw.emit());
        let tccb = built.tccb.emit().expect("one DCW fits a TCCB");
        self.put(program.place() + PARAMETERS, &tccb);
        self.put_extent(program.place() + PARAMETERS + TCCB_PREFIX + PREFIX_DEFINE_EXTENT, geometry);
        self.put_orb(program, OrbProgram::Transport { address: (program.place() + WORDS) as u32 });
        Ok(())
    }

    /// Starts `program` and tests its subchannel; returns true when it ended with channel end and device end alone.
    #[inline]
    pub fn run(&mut self, program: Program, target: &Target) -> bool {
        self.put(program.target(), target);
        let orb = self.storage.fetch_array::<ORB_BYTES>(program.place() as u64, KEY_OF_ALL);
        let Ok(Ok(orb)) = orb.map(|octets| Orb::parse(&octets)) else {
            return false;
        };
        let started = self.subchannel.start(&orb, &mut self.storage, &mut self.device, &mut ());
        let (tested, irb) = self.subchannel.test();
        self.put(IRB, &irb.emit());
        let status: &[u8; IRB_BYTES] = self.storage.bytes()[IRB..].first_chunk().expect("storage is longer");
        started == ConditionCode::Done && tested == ConditionCode::Done && status[8..10] == [0x0C, 0x00]
    }

    /// Reads record `record` and compares its first octets.
    ///
    /// # Errors
    /// Another ending than channel end and device end alone; other octets.
    #[inline]
    pub fn read(&mut self, program: Program, target: &Target, record: u64) -> Result<(), WrongRecord> {
        self.clear(0);
        let right = self.run(program, target) && self.data().starts_with(&tag(record));
        WrongRecord::unless(right, target)
    }

    /// Reads record `record` and compares every octet.
    ///
    /// # Errors
    /// As [`Guest::read`].
    pub fn read_and_compare(
        &mut self,
        program: Program,
        target: &Target,
        record: u64,
    ) -> Result<(), WrongRecord> {
        self.storage.bytes_mut()[DATA..DATA + BLOCK_BYTES].fill(0);
        let right = self.run(program, target) && is_record(record, &self.data()[..BLOCK_BYTES]);
        WrongRecord::unless(right, target)
    }

    /// Writes the octets of record `record` at `target`.
    ///
    /// # Errors
    /// Another ending than channel end and device end alone.
    pub fn write(&mut self, target: &Target, record: u64) -> Result<(), WrongRecord> {
        let place = self.storage.bytes_mut()[DATA..].first_chunk_mut().expect("storage is longer");
        fill(record, place);
        WrongRecord::unless(self.run(Program::Write, target), target)
    }

    /// Clears the eight octets at `offset` of the data area, so that what is found there afterwards was moved there.
    #[inline]
    pub fn clear(&mut self, offset: usize) {
        self.put(DATA + offset, &[0; 8]);
    }

    /// Returns the data area.
    pub fn data(&self) -> &[u8] {
        &self.storage.bytes()[DATA..]
    }
}
