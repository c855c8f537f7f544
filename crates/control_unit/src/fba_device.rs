//! A fixed-block device with its control unit: the commands of a channel on blocks.
//!
//! ```text
//! Define Extent (63) ──► Locate (43) ── blocks to go ──► Read (42), Write (41)
//! Read IPL (02) does both for the whole device
//! ```

use halftrack_program::command::*;
use halftrack_program::{
    ChainEnd, DataPort, Device, DeviceEnd, DeviceStatus, Octets, OperationEnd, SENSE_BYTES, Transfer,
};
use halftrack_volume::{Blocks, TrackFault};

use crate::chain::{AGAINST_FILE_MASK, COUNT_TOO_SMALL, INVALID_PARAMETER, INVALID_SEQUENCE};
use crate::fba_parameters::{
    BLOCK_DEFINE_EXTENT_BYTES, BlockExtent, LOCATE_BYTES, Located, block_characteristics, block_sense_id,
};
use crate::path_group::SET_PATH_GROUP_BYTES;
use crate::path_state::PathState;
use crate::phase::{Phase, Scratch, Span};
use crate::sense::{Message, Sense, UnitCheck};

/// Locate: 8 bytes.
const LOCATE: u8 = 0x43;
/// Write: as many blocks as located.
const WRITE: u8 = 0x41;
/// Read: as many blocks as located.
const READ: u8 = 0x42;

const INVALID_COMMAND: UnitCheck = UnitCheck::CommandReject(Message::InvalidCommand);

/// A device over `B`.
#[derive(Debug, Clone)]
pub struct FbaDevice<B> {
    blocks: B,
    extent: Option<BlockExtent>,
    located: Option<Located>,
    scratch: Scratch,
    /// The chain has written.
    written: bool,
    reserved: bool,
    path: PathState,
}

impl<B: Blocks> FbaDevice<B> {
    /// Creates a device with these blocks, before its first chain.
    pub fn new(blocks: B) -> Self {
        Self {
            blocks,
            extent: None,
            located: None,
            scratch: Scratch::default(),
            written: false,
            reserved: false,
            path: PathState::default(),
        }
    }

    /// Returns the blocks.
    pub fn blocks(&self) -> &B {
        &self.blocks
    }

    /// Returns the blocks, for what is no command of a channel.
    pub fn blocks_mut(&mut self) -> &mut B {
        &mut self.blocks
    }

    /// Gives the blocks back.
    pub fn into_blocks(self) -> B {
        self.blocks
    }

    /// Ends the next command over the path with this unit check, unless another is pending there.
    pub fn present(&mut self, event: UnitCheck) {
        self.path.present(event);
    }

    /// Comes over another path: what the device keeps for the path so far changes places with `path`.
    pub fn swap_path(&mut self, path: &mut PathState) {
        std::mem::swap(&mut self.path, path);
    }

    /// Returns what the device keeps for the path over which the last chain came.
    pub fn path(&self) -> &PathState {
        &self.path
    }

    /// Returns whether the path, or its group, has the device reserved.
    pub fn is_reserved(&self) -> bool {
        self.reserved
    }

    /// Sets the device reserved to this path or its group, or not. The owner of several paths decides which one it
    /// is.
    pub fn set_reserved(&mut self, reserved: bool) {
        self.reserved = reserved;
    }

    fn command<P: DataPort>(&mut self, command: u8, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        let mut give = |bytes: &[u8]| {
            phase.give(Octets::Bytes(bytes));
            Ok(Span::of(bytes.len() as u32))
        };
        match command {
            NO_OPERATION => Ok(Span::IMMEDIATE),
            SENSE => give(&self.path.sense.take().unwrap_or_default()),
            SENSE_ID => give(&block_sense_id()),
            READ_DEVICE_CHARACTERISTICS => {
                give(&block_characteristics(self.blocks.block_bytes(), self.blocks.blocks()))
            }
            // Nothing is logged.
            READ_AND_RESET_BUFFERED_LOG => give(&[0; SENSE_BYTES]),
            DEVICE_RESERVE | UNCONDITIONAL_RESERVE | DEVICE_RELEASE => {
                self.reserved = command != DEVICE_RELEASE;
                give(&[0; SENSE_BYTES])
            }
            // Our choice: a path of a host with a path group is in that group at every device.
            SENSE_PATH_GROUP_ID => give(&self.path.group.sense(self.reserved)),
            SET_PATH_GROUP_ID => self.set_path_group(phase),
            DEFINE_EXTENT => self.define_extent(phase),
            LOCATE => self.locate(phase),
            READ => self.read(phase),
            WRITE => self.write(phase),
            READ_IPL => self.read_ipl(phase),
            _ => Err(INVALID_COMMAND),
        }
    }

    fn set_path_group<P: DataPort>(&mut self, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        let mut parameters = [0; SET_PATH_GROUP_BYTES];
        let taken = phase.take_into(&mut parameters);
        self.path.group.set(&parameters[..taken])?;
        Ok(Span::of(SET_PATH_GROUP_BYTES as u32))
    }

    fn define_extent<P: DataPort>(&mut self, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        let mut parameters = [0; BLOCK_DEFINE_EXTENT_BYTES];
        if phase.take_into(&mut parameters) < parameters.len() {
            return Err(COUNT_TOO_SMALL);
        }
        if self.extent.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        let extent = BlockExtent::parse(&parameters, self.blocks.block_bytes(), self.blocks.blocks());
        self.extent = Some(extent.ok_or(INVALID_PARAMETER)?);
        Ok(Span::of(BLOCK_DEFINE_EXTENT_BYTES as u32))
    }

    fn locate<P: DataPort>(&mut self, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        let mut parameters = [0; LOCATE_BYTES];
        if phase.take_into(&mut parameters) < parameters.len() {
            return Err(COUNT_TOO_SMALL);
        }
        let extent = self.extent.ok_or(INVALID_SEQUENCE)?;
        let located = extent.locate(&parameters)?;
        if located.writes && extent.inhibits_writes() {
            return Err(AGAINST_FILE_MASK);
        }
        self.located = Some(located);
        Ok(Span::of(LOCATE_BYTES as u32))
    }

    fn read<P: DataPort>(&mut self, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        let mut located = self.located.filter(|located| !located.writes).ok_or(INVALID_SEQUENCE)?;
        let device_bytes = located.blocks_left * u32::from(self.blocks.block_bytes());
        let mut goes_on = true;
        while goes_on && located.blocks_left > 0 {
            let block = self.blocks.read(located.block).map_err(UnitCheck::from_fault)?;
            let taken = phase.give(Octets::Bytes(block));
            goes_on = taken as usize == block.len();
            // A block of which the program took nothing stays for the next Read.
            if taken > 0 {
                located.pass_one();
            }
        }
        self.located = Some(located).filter(|located| located.blocks_left > 0);
        Ok(Span::of(device_bytes))
    }

    fn write<P: DataPort>(&mut self, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        let mut located = self.located.filter(|located| located.writes).ok_or(INVALID_SEQUENCE)?;
        if self.blocks.write_inhibited() {
            return Err(UnitCheck::WriteInhibited);
        }
        self.written = true;
        let block_bytes = u32::from(self.blocks.block_bytes());
        let device_bytes = located.blocks_left * block_bytes;
        let mut goes_on = true;
        while goes_on && located.blocks_left > 0 {
            let blocks = &mut self.blocks;
            let sent = self.scratch.gather(phase, block_bytes, |octets| {
                if !octets.is_empty() {
                    blocks.write(located.block, octets.bytes().unwrap_or_default())?;
                }
                Ok(octets.len())
            });
            let sent = sent.map_err(UnitCheck::from_fault)?;
            goes_on = sent == block_bytes;
            if sent > 0 {
                located.pass_one();
            }
        }
        self.located = Some(located).filter(|located| located.blocks_left > 0);
        Ok(Span::of(device_bytes))
    }

    fn read_ipl<P: DataPort>(&mut self, phase: &mut Phase<'_, P>) -> Result<Span, UnitCheck> {
        if self.extent.is_some() {
            return Err(INVALID_SEQUENCE);
        }
        self.extent = Some(BlockExtent::whole_device(self.blocks.blocks()).ok_or(UnitCheck::EquipmentCheck)?);
        self.located = Some(Located { block: 0, blocks_left: 1, writes: false });
        self.read(phase)
    }

    /// Returns the ending of a chain whose blocks could not be made safe, in the place of the one that it had reached.
    pub fn fail_chain(&mut self, fault: TrackFault) -> DeviceEnd {
        self.unit_check(UnitCheck::from_fault(fault), 0)
    }

    fn unit_check(&mut self, reason: UnitCheck, moved_bytes: u32) -> DeviceEnd {
        let sense = *Sense::of_blocks(reason).bytes();
        self.path.sense = Some(sense);
        DeviceEnd {
            status: DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
            moved_bytes,
            device_bytes: moved_bytes,
            immediate: false,
            sense: Some(sense),
        }
    }
}

impl<B: Blocks> Device for FbaDevice<B> {
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd {
        if command != SENSE {
            self.path.sense = None;
        }
        let mut phase = Phase::of_command(port);
        let result = match self.path.take_event() {
            Some(event) => Err(event),
            None => self.command(command, &mut phase),
        };
        let moved_bytes = phase.moved();
        match result {
            Ok(span) => DeviceEnd {
                status: span.status,
                moved_bytes,
                device_bytes: span.device_bytes,
                immediate: span.immediate,
                sense: None,
            },
            Err(reason) => self.unit_check(reason, moved_bytes),
        }
    }

    /// Refuses the operation: the device has no transport mode.
    fn execute_operation(&mut self, _: &[u8], _: Transfer, _: &mut impl DataPort) -> OperationEnd {
        let reason = self.path.take_event().unwrap_or(INVALID_COMMAND);
        let end = self.unit_check(reason, 0);
        OperationEnd {
            status: end.status,
            moved_bytes: 0,
            residual: 0,
            dcw_offset: None,
            program_check: None,
            sense: end.sense,
        }
    }

    fn end_chain(&mut self, _: ChainEnd) -> Option<DeviceEnd> {
        let committed = if std::mem::take(&mut self.written) { self.blocks.commit() } else { Ok(()) };
        (self.extent, self.located) = (None, None);
        committed.err().map(|fault| self.unit_check(UnitCheck::from_fault(fault), 0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::{Port, reason};

    /// A hundred blocks, each full of its number.
    #[derive(Clone)]
    struct Hundred {
        blocks: Vec<[u8; 512]>,
        write_inhibited: bool,
        commit_fails: bool,
    }

    impl Blocks for Hundred {
        fn blocks(&self) -> u32 {
            self.blocks.len() as u32
        }

        fn write_inhibited(&self) -> bool {
            self.write_inhibited
        }

        fn read(&mut self, block: u32) -> Result<&[u8], TrackFault> {
            self.blocks.get(block as usize).map(|block| &block[..]).ok_or(TrackFault::NoTrack)
        }

        fn write(&mut self, block: u32, octets: &[u8]) -> Result<(), TrackFault> {
            let place = self.blocks.get_mut(block as usize).ok_or(TrackFault::NoTrack)?;
            place.fill(0);
            place[..octets.len()].copy_from_slice(octets);
            Ok(())
        }

        fn commit(&mut self) -> Result<(), TrackFault> {
            if self.commit_fails { Err(TrackFault::Medium) } else { Ok(()) }
        }
    }

    type Unit = FbaDevice<Hundred>;

    fn unit() -> Unit {
        let blocks = (0..100).map(|number| [number; 512]).collect();
        FbaDevice::new(Hundred { blocks, write_inhibited: false, commit_fails: false })
    }

    fn read(unit: &mut Unit, command: u8, count: usize) -> (DeviceEnd, Vec<u8>) {
        let mut port = Port::taking(count);
        (unit.execute(command, &mut port), port.taken)
    }

    fn send(unit: &mut Unit, command: u8, octets: &[u8]) -> DeviceEnd {
        unit.execute(command, &mut Port::sending(octets).in_runs_of(100))
    }

    /// Returns the extent parameters: location on the device, first and last relative block.
    fn extent(mask: u8, location: u32, first: u32, last: u32) -> Vec<u8> {
        let words = [location, first, last].map(u32::to_be_bytes).concat();
        [&[mask, 0, 0x02, 0x00], &words[..]].concat()
    }

    fn locate(operation: u8, blocks: u16, block: u32) -> Vec<u8> {
        [&[operation, 0], &blocks.to_be_bytes()[..], &block.to_be_bytes()[..]].concat()
    }

    fn located(mask: u8, operation: u8, blocks: u16, block: u32) -> Unit {
        let mut unit = unit();
        assert_eq!(send(&mut unit, DEFINE_EXTENT, &extent(mask, 10, 100, 119)).status.0, 0x0C);
        assert_eq!(send(&mut unit, LOCATE, &locate(operation, blocks, block)).status.0, 0x0C);
        unit
    }

    #[test]
    fn blocks_are_read_where_the_extent_lies() {
        let mut unit = located(0x40, 6, 2, 105);
        let (end, octets) = read(&mut unit, READ, 1024);
        assert_eq!((end.status.0, end.moved_bytes, end.device_bytes), (0x0C, 1024, 1024));
        assert_eq!(octets, [[15; 512], [16; 512]].concat());
        assert_eq!(reason(read(&mut unit, READ, 512).0), INVALID_SEQUENCE, "none is left");
    }

    #[test]
    fn reads_go_on_block_by_block() {
        let mut unit = located(0x40, 6, 3, 100);
        let (end, octets) = read(&mut unit, READ, 512);
        assert_eq!((end.moved_bytes, end.device_bytes, octets[0]), (512, 1536, 10));
        let (end, octets) = read(&mut unit, READ, 100);
        assert_eq!((end.moved_bytes, end.device_bytes, octets[0]), (100, 1024, 11));
        assert_eq!(read(&mut unit, READ, 512).1, [12; 512]);
    }

    #[test]
    fn blocks_are_written_and_committed_once() {
        let mut unit = located(0xC0, 1, 3, 100);
        let end = send(&mut unit, WRITE, &[0xAB; 1000]);
        assert_eq!((end.status.0, end.moved_bytes, end.device_bytes), (0x0C, 1000, 1536));
        assert_eq!(unit.blocks().blocks[10], [0xAB; 512]);
        assert_eq!(unit.blocks().blocks[11][..], [[0xAB; 488].as_slice(), &[0; 24]].concat());
        assert_eq!(unit.blocks().blocks[12], [12; 512]);
        let mut failing = unit.clone();
        failing.blocks.commit_fails = true;
        assert_eq!(reason(failing.end_chain(ChainEnd::Unchained).unwrap()), UnitCheck::EquipmentCheck);
        assert_eq!(unit.end_chain(ChainEnd::Unchained), None);
        assert_eq!(reason(send(&mut unit, LOCATE, &locate(6, 1, 0))), INVALID_SEQUENCE, "a new chain");
    }

    #[test]
    fn commands_stand_where_they_may() {
        let mut unit = unit();
        assert_eq!(reason(read(&mut unit, READ, 512).0), INVALID_SEQUENCE);
        assert_eq!(reason(send(&mut unit, WRITE, &[0; 512])), INVALID_SEQUENCE);
        assert_eq!(reason(send(&mut unit, LOCATE, &locate(6, 1, 0))), INVALID_SEQUENCE);
        assert_eq!(send(&mut unit, DEFINE_EXTENT, &extent(0x40, 0, 0, 99)).status.0, 0x0C);
        assert_eq!(reason(send(&mut unit, DEFINE_EXTENT, &extent(0x40, 0, 0, 99))), INVALID_SEQUENCE);
        assert_eq!(reason(send(&mut unit, LOCATE, &locate(1, 1, 0))), AGAINST_FILE_MASK);
        assert_eq!(send(&mut unit, LOCATE, &locate(6, 1, 0)).status.0, 0x0C);
        assert_eq!(reason(send(&mut unit, WRITE, &[0; 512])), INVALID_SEQUENCE, "located for reading");
        for command in [READ_DATA, SEEK, 0x00] {
            assert_eq!(reason(send(&mut unit, command, &[0; 16])), INVALID_COMMAND, "{command:#04x}");
        }
    }

    #[test]
    fn parameters_are_checked() {
        let define = |octets: &[u8]| {
            let end = send(&mut unit(), DEFINE_EXTENT, octets);
            if end.sense.is_some() { Some(reason(end)) } else { None }
        };
        assert_eq!(define(&extent(0x40, 0, 0, 99)), None);
        assert_eq!(define(&extent(0x40, 0, 0, 99)[..15]), Some(COUNT_TOO_SMALL));
        assert_eq!(define(&extent(0x70, 0, 0, 99)), Some(INVALID_PARAMETER), "reserved bits");
        assert_eq!(define(&extent(0x40, 0, 0, 100)), Some(INVALID_PARAMETER), "past the device");
        assert_eq!(define(&extent(0x40, u32::MAX, 0, 0)), Some(INVALID_PARAMETER));
        assert_eq!(define(&extent(0x40, 0, 5, 4)), Some(INVALID_PARAMETER));
        let mut odd = extent(0x40, 0, 0, 99);
        odd[3] = 1;
        assert_eq!(define(&odd), Some(INVALID_PARAMETER), "another block size");
        let find = |octets: &[u8]| {
            let mut unit = unit();
            send(&mut unit, DEFINE_EXTENT, &extent(0xC0, 10, 100, 119));
            reason(send(&mut unit, LOCATE, octets))
        };
        assert_eq!(find(&locate(6, 1, 119)[..7]), COUNT_TOO_SMALL);
        assert_eq!(find(&locate(7, 1, 100)), INVALID_PARAMETER);
        assert_eq!(find(&locate(6, 0, 100)), INVALID_PARAMETER);
        assert_eq!(find(&locate(6, 1, 99)), UnitCheck::FileProtected);
        assert_eq!(find(&locate(6, 2, 119)), UnitCheck::FileProtected);
    }

    #[test]
    fn a_write_inhibited_device_says_so() {
        let mut unit = located(0xC0, 5, 1, 100);
        unit.blocks.write_inhibited = true;
        assert_eq!(reason(send(&mut unit, WRITE, &[0; 512])), UnitCheck::WriteInhibited);
    }

    #[test]
    fn read_ipl_reads_block_zero_and_opens_the_device() {
        let mut unit = unit();
        assert_eq!(read(&mut unit, READ_IPL, 512).1, [0; 512]);
        assert_eq!(send(&mut unit, LOCATE, &locate(6, 1, 99)).status.0, 0x0C);
        assert_eq!(read(&mut unit, READ, 512).1, [99; 512]);
        assert_eq!(reason(read(&mut unit, READ_IPL, 512).0), INVALID_SEQUENCE);
    }

    #[test]
    fn the_device_says_what_it_is() {
        let mut unit = unit();
        assert_eq!(read(&mut unit, SENSE_ID, 64).1, [0xFF, 0x63, 0x10, 0x80, 0x93, 0x36, 0x10]);
        let characteristics = read(&mut unit, READ_DEVICE_CHARACTERISTICS, 64).1;
        assert_eq!((characteristics.len(), &characteristics[4..6]), (32, &[2, 0][..]));
        assert_eq!(characteristics[14..18], 100_u32.to_be_bytes());
        for command in
            [READ_AND_RESET_BUFFERED_LOG, DEVICE_RESERVE, DEVICE_RELEASE, UNCONDITIONAL_RESERVE, SENSE]
        {
            assert_eq!(read(&mut unit, command, 64).1, [0; 32], "{command:#04x}");
        }
        let end = send(&mut unit, NO_OPERATION, &[0]);
        assert_eq!((end.status.0, end.device_bytes, end.immediate), (0x0C, 0, true));
    }

    #[test]
    fn sense_is_kept_and_transport_mode_refused() {
        let mut unit = unit();
        let refused = unit.execute_operation(&[], Transfer::Read, &mut Port::taking(1));
        assert_eq!(refused.status.0, 0x0E);
        assert_eq!(read(&mut unit, SENSE, 32).1, refused.sense.unwrap());
        assert_eq!(read(&mut unit, SENSE, 32).1, [0; 32]);
    }
}
