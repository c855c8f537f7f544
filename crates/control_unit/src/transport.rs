//! Transport mode as the control unit sees it: one TCCB, whose DCWs run through one chain.

use halftrack_program::command::{CommandClass, PREFIX, PREFIX_READ, class};
use halftrack_program::{
    Dcw, DeviceStatus, PlacedDcw, ServiceAction, TCAH_BYTES, TCAT_BYTES, Tcah, Tcat, Transfer, parse_dcws,
    transport_count, with_check_word,
};

use crate::access::Access;
use crate::chain::Chain;
use crate::data_phase::Direction;
use crate::domain::Imbedded;
use crate::ending::Ending;
use crate::sense::{Message, UnitCheck};
use crate::tracks::Tracks;

/// Why a control unit refuses a TCCB: a device-detected program check. The codes of the transport-status
/// block are from general knowledge of the architecture, not from a table at hand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProgramCheckReason {
    /// 3: the length of the TCCB contradicts its header.
    TccbLength,
    /// 4: the header is wrong.
    Header,
    /// 5: the DCW list is wrong.
    DcwList,
    /// 6: the data do not go the way that the commands need.
    TransferDirection,
    /// 7: the transport count is not that of the data and their check words.
    TransportCount,
}

impl ProgramCheckReason {
    /// Reason code of the transport-status block.
    pub const fn code(self) -> u8 {
        match self {
            Self::TccbLength => 3,
            Self::Header => 4,
            Self::DcwList => 5,
            Self::TransferDirection => 6,
            Self::TransportCount => 7,
        }
    }
}

/// How a transport-mode operation ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TransportEnding {
    /// As its last DCW ended.
    Device(Ending),
    /// The TCCB was refused.
    ProgramCheck(ProgramCheckReason),
}

impl TransportEnding {
    /// The device status; a refused TCCB ends with unit check.
    pub const fn device_status(&self) -> DeviceStatus {
        match self {
            Self::Device(ending) => ending.device_status(),
            Self::ProgramCheck(_) => DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
        }
    }

    /// Whether the operation ended normally.
    pub const fn is_normal(&self) -> bool {
        matches!(self, Self::Device(Ending::Normal))
    }
}

/// What came of a transport-mode operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TransportOutcome {
    /// How it ended.
    pub ending: TransportEnding,
    /// Bytes of user data that moved, check words not counted.
    pub data_bytes: u32,
    /// Bytes of the DCWs' data counts that did not move.
    pub residual: u32,
    /// Offset in the transport-command area of the last DCW executed, or of the one at fault.
    pub dcw_offset: Option<u16>,
}

/// A refusal and the DCW at fault.
type Refusal = (ProgramCheckReason, Option<u16>);

/// Executes the TCCB `tccb`, header to trailer, whose data go as `transfer` says.
pub fn execute_dcws(tracks: &impl Tracks, tccb: &[u8], transfer: Transfer) -> TransportOutcome {
    let operation = match Operation::parse(tccb, transfer) {
        Ok(operation) => operation,
        Err(refusal) => return refused(refusal, 0),
    };
    let mut run = Run { chain: Chain::new(), direction: operation.direction, moved: 0, link_bytes: 0 };
    let mut ending = Ending::Normal;
    let mut offset = 0;
    for placed in &operation.dcws {
        offset = placed.offset;
        match run.dcw(tracks, &placed.dcw) {
            Ok(end) => ending = end,
            Err(reason) => return refused((reason, Some(offset)), operation.data_count),
        }
        if !ending.is_normal() {
            break;
        }
    }
    let residual = operation.data_count - run.moved;
    let complete = ending.is_normal() && residual == 0;
    if complete && !operation.transport_count_is(run.link_bytes) {
        return refused((ProgramCheckReason::TransportCount, None), operation.data_count);
    }
    TransportOutcome {
        ending: TransportEnding::Device(ending),
        data_bytes: run.moved,
        residual,
        dcw_offset: Some(offset),
    }
}

fn refused((reason, dcw_offset): Refusal, residual: u32) -> TransportOutcome {
    TransportOutcome { ending: TransportEnding::ProgramCheck(reason), data_bytes: 0, residual, dcw_offset }
}

/// A TCCB that is well formed.
struct Operation {
    dcws: Vec<PlacedDcw>,
    direction: Direction,
    /// Sum of the data counts.
    data_count: u32,
    tcat: Tcat,
}

impl Operation {
    fn parse(tccb: &[u8], transfer: Transfer) -> Result<Self, Refusal> {
        let tcah = Tcah::parse(tccb).map_err(|error| match error.field {
            "length" | "TCAL" => (ProgramCheckReason::TccbLength, None),
            _ => (ProgramCheckReason::Header, None),
        })?;
        if tcah.action != ServiceAction::Normal {
            return Err((ProgramCheckReason::Header, None));
        }
        let end = TCAH_BYTES + tcah.area_bytes();
        if tccb.len() != end + TCAT_BYTES {
            return Err((ProgramCheckReason::TccbLength, None));
        }
        let tcat = Tcat::parse(&tccb[end..]).map_err(|_| (ProgramCheckReason::TccbLength, None))?;
        let dcws = parse_dcws(&tccb[TCAH_BYTES..end])
            .map_err(|error| (ProgramCheckReason::DcwList, Some(error.offset)))?;
        let data_count = dcws
            .iter()
            .try_fold(0_u32, |sum, placed| sum.checked_add(placed.dcw.data_count))
            .ok_or((ProgramCheckReason::DcwList, None))?;
        let direction = match transfer {
            Transfer::None => Direction::None,
            Transfer::Read => Direction::Read,
            Transfer::Write => Direction::Write,
            // The bidirectional facility is not offered.
            Transfer::Bidirectional => return Err((ProgramCheckReason::TransferDirection, None)),
        };
        if (direction == Direction::None) != (data_count == 0) {
            return Err((ProgramCheckReason::TransferDirection, None));
        }
        let operation = Self { dcws, direction, data_count, tcat };
        let least =
            direction != Direction::Write || operation.tcat.transport_count >= transport_count(data_count);
        let exact = direction == Direction::Write || operation.transport_count_is(data_count);
        if least && exact { Ok(operation) } else { Err((ProgramCheckReason::TransportCount, None)) }
    }

    /// Whether the transport count is that of `link_bytes`, inserted check words included. Without data, 0
    /// is taken too.
    fn transport_count_is(&self, link_bytes: u32) -> bool {
        let count = self.tcat.transport_count;
        count == transport_count(link_bytes) || link_bytes == 0 && count == 0
    }
}

/// The execution of a DCW list.
struct Run {
    chain: Chain,
    direction: Direction,
    /// Bytes of user data moved.
    moved: u32,
    /// The same with inserted check words and their padding.
    link_bytes: u32,
}

impl Run {
    fn dcw(&mut self, tracks: &impl Tracks, dcw: &Dcw) -> Result<Ending, ProgramCheckReason> {
        if let Some(access) = Access::of(dcw.command) {
            if dcw.data_count > 0 && access.direction() != self.direction {
                return Err(ProgramCheckReason::TransferDirection);
            }
            return Ok(self.transfer(tracks, dcw.command, dcw.data_count));
        }
        match (dcw.command, class(dcw.command)) {
            (PREFIX_READ, _) if self.direction != Direction::Read => {
                Err(ProgramCheckReason::TransferDirection)
            }
            (PREFIX_READ, _) => self.control_with_data(tracks, PREFIX, dcw),
            (_, CommandClass::Control) if dcw.data_count > 0 && self.direction != Direction::Write => {
                Err(ProgramCheckReason::TransferDirection)
            }
            (command, _) => self.control_with_data(tracks, command, dcw),
        }
    }

    /// A control command, and the command that it imbeds when there are data to move.
    fn control_with_data(
        &mut self,
        tracks: &impl Tracks,
        command: u8,
        dcw: &Dcw,
    ) -> Result<Ending, ProgramCheckReason> {
        let ending = self.chain.control(tracks, command, &dcw.control_data);
        if !ending.is_normal() || dcw.data_count == 0 {
            return Ok(ending);
        }
        let Some(domain) = self.chain.domain else {
            return Ok(self.invalid_parameter(tracks));
        };
        match (domain.imbedded(), domain.imbedded_direction()) {
            (Some(imbedded), Some(direction)) if direction == self.direction => {
                Ok(self.imbedded(tracks, imbedded, dcw.data_count))
            }
            (Some(_), Some(_)) => Err(ProgramCheckReason::TransferDirection),
            _ => Ok(self.invalid_parameter(tracks)),
        }
    }

    fn invalid_parameter(&self, tracks: &impl Tracks) -> Ending {
        self.chain.unit_check(tracks, UnitCheck::CommandReject(Message::InvalidParameter))
    }

    /// Runs the imbedded command unit by unit over one data count.
    fn imbedded(&mut self, tracks: &impl Tracks, imbedded: Imbedded, data_count: u32) -> Ending {
        let mut left = data_count;
        for unit in 1..=imbedded.units {
            let before = self.moved;
            let ending = self.transfer(tracks, imbedded.command, left);
            let bytes = self.moved - before;
            left -= bytes;
            if imbedded.check_words && unit < imbedded.units {
                self.link_bytes += with_check_word(bytes) - bytes;
            }
            if !ending.is_normal() {
                return ending;
            }
        }
        Ending::Normal
    }

    /// One unit of a transfer of at most `count` bytes.
    fn transfer(&mut self, tracks: &impl Tracks, command: u8, count: u32) -> Ending {
        let phase = match Access::of(command).map(Access::direction) {
            Some(Direction::Write) => self.chain.begin_write(tracks, command, count),
            _ => self.chain.begin_read(tracks, command, count),
        };
        match phase {
            Ok(phase) => {
                self.moved += phase.data_bytes;
                self.link_bytes += phase.data_bytes;
                phase.ending
            }
            Err(ending) => ending,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::{READ_DATA, WRITE_TRACK_DATA, multi_track};
    use halftrack_program::{
        ExtendedAuxiliary, Grouping, LocateRecordExtended, Model, Operation as ShapeOperation, Positioning,
        ProgramShape, RecordAddress, Tccb, TransportProgram, transport_program,
    };
    use proptest::prelude::*;

    fn program(operation: ShapeOperation, records: u16, record: u8) -> TransportProgram {
        let shape = ProgramShape {
            operation,
            record_bytes: 4096,
            records,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        let start = RecordAddress { cylinder: 100, head: 3, record };
        transport_program(&shape, &start, &halftrack_program::Geometry::of(Model::Model3)).unwrap()
    }

    fn execute(tccb: &Tccb, transfer: Transfer) -> TransportOutcome {
        execute_dcws(&MixedTracks::of_4k(), &tccb.emit().unwrap(), transfer)
    }

    fn check(outcome: TransportOutcome) -> (ProgramCheckReason, Option<u16>) {
        match outcome.ending {
            TransportEnding::ProgramCheck(reason) => (reason, outcome.dcw_offset),
            TransportEnding::Device(ending) => panic!("no program check: {ending:?}"),
        }
    }

    fn unit_check(outcome: TransportOutcome) -> UnitCheck {
        match outcome.ending {
            TransportEnding::Device(Ending::UnitCheck(sense)) => sense.reason(),
            other => panic!("no unit check: {other:?}"),
        }
    }

    fn block(dcws: Vec<Dcw>, transport_count: u32) -> Tccb {
        let tcat = Tcat { transport_count, ..Tcat::default() };
        Tccb { action: ServiceAction::Normal, priority: 0, dcws, tcat }
    }

    #[test]
    fn reads_of_the_workloads_end_normally() {
        for (records, record) in [(1, 1), (1, 12), (32, 5), (32, 6)] {
            let outcome = execute(&program(ShapeOperation::Read, records, record).tccb, Transfer::Read);
            assert!(outcome.ending.is_normal(), "{outcome:?}");
            assert_eq!((outcome.data_bytes, outcome.residual), (u32::from(records) * 4096, 0));
            assert_eq!(outcome.dcw_offset, Some(0));
        }
    }

    #[test]
    fn writes_count_their_check_words() {
        let program = program(ShapeOperation::UpdateWrite, 32, 5);
        let outcome = execute(&program.tccb, Transfer::Write);
        assert!(outcome.ending.is_normal(), "{outcome:?}");
        assert_eq!((outcome.data_bytes, outcome.residual), (131_072, 0));
        let mut without = program.tccb;
        without.tcat.transport_count -= 8;
        assert_eq!(check(execute(&without, Transfer::Write)).0, ProgramCheckReason::TransportCount);
    }

    #[test]
    fn a_read_past_what_the_domain_holds_leaves_a_residual() {
        let mut long = program(ShapeOperation::Read, 2, 11).tccb;
        long.dcws[0].data_count += 4096;
        long.tcat.transport_count += 4096;
        let outcome = execute(&long, Transfer::Read);
        assert!(outcome.ending.is_normal());
        assert_eq!((outcome.data_bytes, outcome.residual), (8192, 4096));
    }

    #[test]
    fn a_unit_check_tells_the_residual() {
        let mut protected = program(ShapeOperation::Read, 32, 5).tccb;
        protected.dcws[0].control_data[27] = 4;
        let outcome = execute(&protected, Transfer::Read);
        assert_eq!(unit_check(outcome), UnitCheck::FileProtected);
        assert_eq!((outcome.data_bytes, outcome.residual), (20 * 4096, 12 * 4096), "tracks 3 and 4 moved");
        assert_eq!(outcome.ending.device_status().0, 0x0E);
    }

    #[test]
    fn a_prefix_and_plain_dcws_run_through_one_chain() {
        let locate = locate(READ_DATA_DOMAIN, 3, 12, 2);
        let prefix = Dcw { command: PREFIX, control_data: prefix(read_extent(), locate), data_count: 0 };
        let read = Dcw { command: multi_track(READ_DATA), control_data: Vec::new(), data_count: 4096 };
        let list = vec![prefix, read.clone(), read.clone()];
        let outcome = execute(&block(list.clone(), 8196), Transfer::Read);
        assert!(outcome.ending.is_normal(), "{outcome:?}");
        assert_eq!((outcome.data_bytes, outcome.dcw_offset), (8192, Some(80)));
        assert_eq!(
            check(execute(&block(list, 8200), Transfer::Read)),
            (ProgramCheckReason::TransportCount, None)
        );
        assert_eq!(
            unit_check(execute(&block(vec![read], 4100), Transfer::Read)),
            UnitCheck::CommandReject(Message::InvalidSequence)
        );
    }

    #[test]
    fn without_data_the_transport_count_is_0_or_4() {
        let no_operation = Dcw { command: 0x03, control_data: Vec::new(), data_count: 0 };
        for (count, normal) in [(0, true), (4, true), (8, false)] {
            let outcome = execute(&block(vec![no_operation.clone()], count), Transfer::None);
            assert_eq!(outcome.ending.is_normal(), normal, "{count}");
        }
    }

    #[test]
    fn data_go_the_way_that_the_commands_need() {
        let read = program(ShapeOperation::Read, 1, 1).tccb;
        let write = program(ShapeOperation::UpdateWrite, 1, 1).tccb;
        let direction = ProgramCheckReason::TransferDirection;
        assert_eq!(check(execute(&read, Transfer::Write)), (direction, Some(0)));
        assert_eq!(check(execute(&write, Transfer::Read)), (direction, Some(0)));
        assert_eq!(check(execute(&read, Transfer::None)), (direction, None));
        assert_eq!(check(execute(&read, Transfer::Bidirectional)), (direction, None));
        let mut imbeds_write = read;
        imbeds_write.dcws[0].control_data[46] = WRITE_TRACK_DATA;
        assert_eq!(check(execute(&imbeds_write, Transfer::Read)), (direction, Some(0)));
    }

    #[test]
    fn data_need_an_imbedded_command() {
        let mut none = program(ShapeOperation::Read, 1, 1).tccb;
        none.dcws[0].control_data[45] &= !ExtendedAuxiliary::IMBEDDED_COMMAND_VALID.0;
        let rejected = UnitCheck::CommandReject(Message::InvalidParameter);
        assert_eq!(unit_check(execute(&none, Transfer::Read)), rejected);
        let mut unknown = program(ShapeOperation::Read, 1, 1).tccb;
        unknown.dcws[0].control_data[46] = 0xA7;
        assert_eq!(unit_check(execute(&unknown, Transfer::Read)), rejected);
    }

    #[test]
    fn an_imbedded_count_limits_the_units() {
        let limited = LocateRecordExtended {
            auxiliary: ExtendedAuxiliary::IMBEDDED_COMMAND_VALID | ExtendedAuxiliary::IMBEDDED_COUNT_VALID,
            imbedded_command: 0xA6,
            imbedded_count: 2,
            ..locate(READ_TRACKS_DOMAIN, 3, 1, 3)
        };
        let dcw = |locate| Dcw {
            command: PREFIX_READ,
            control_data: prefix(read_extent(), locate),
            data_count: 3 * 49_152,
        };
        let outcome = execute(&block(vec![dcw(limited.clone())], 3 * 49_152 + 4), Transfer::Read);
        assert_eq!((outcome.data_bytes, outcome.residual), (2 * 49_152, 49_152));
        let over = LocateRecordExtended { imbedded_count: 4, ..limited };
        let outcome = execute(&block(vec![dcw(over)], 3 * 49_152 + 4), Transfer::Read);
        assert_eq!(unit_check(outcome), UnitCheck::CommandReject(Message::InvalidParameter));
    }

    #[test]
    fn malformed_blocks_are_program_checks() {
        let good = program(ShapeOperation::Read, 1, 1).tccb.emit().unwrap();
        let changed = |change: &dyn Fn(&mut Vec<u8>)| {
            let mut bytes = good.clone();
            change(&mut bytes);
            let outcome = execute_dcws(&MixedTracks::of_4k(), &bytes, Transfer::Read);
            assert_eq!(outcome.ending.device_status().0, 0x0E);
            check(outcome)
        };
        assert_eq!(changed(&|bytes| bytes.clear()), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes.truncate(95)), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes.push(0)), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes[7] = 88), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes[7] = 83), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes[0] = 0), (ProgramCheckReason::Header, None));
        assert_eq!(changed(&|bytes| bytes[9] = 0xFF), (ProgramCheckReason::Header, None), "interrogate");
        assert_eq!(changed(&|bytes| bytes[17] = 0x40), (ProgramCheckReason::DcwList, Some(0)));
        assert_eq!(changed(&|bytes| bytes[19] = 60), (ProgramCheckReason::DcwList, Some(0)));
        assert_eq!(changed(&|bytes| bytes[95] = 0), (ProgramCheckReason::TransportCount, None));
    }

    proptest! {
        #[test]
        fn any_bytes_end_somehow(
            changes in prop::collection::vec((0..96_usize, any::<u8>()), 0..4),
            write in any::<bool>(), records in 1..40_u16,
        ) {
            let operation = if write { ShapeOperation::UpdateWrite } else { ShapeOperation::Read };
            let mut bytes = program(operation, records, 7).tccb.emit().unwrap();
            for (offset, value) in changes {
                bytes[offset] = value;
            }
            for transfer in [Transfer::None, Transfer::Read, Transfer::Write, Transfer::Bidirectional] {
                let outcome = execute_dcws(&MixedTracks::of_4k(), &bytes, transfer);
                prop_assert!(outcome.data_bytes == 0 || !matches!(outcome.ending, TransportEnding::ProgramCheck(_)));
            }
        }
    }
}
