//! Transport mode as the control unit sees it: one TCCB, whose DCWs run through one chain.

use halftrack_program::command::{CommandClass, PREFIX, PREFIX_READ, class};
use halftrack_program::{
    DataPort, DcwView, DeviceStatus, OperationEnd, SENSE_BYTES, Transfer, with_check_word,
};
use halftrack_volume::Tracks;

use crate::access::{Access, Direction};
use crate::chain::INVALID_PARAMETER;
use crate::domain::Imbedded;
use crate::eckd_device::EckdDevice;
use crate::interrogation;
use crate::phase::Phase;
use crate::program_check::{ProgramCheckReason, Refusal};
use crate::sense::{Message, UnitCheck};
use crate::transport_operation::Operation;

/// The execution of a DCW list.
struct Run<'d, T> {
    device: &'d mut EckdDevice<T>,
    direction: Direction,
    /// Bytes of user data moved.
    moved: u32,
    /// Number of bytes with inserted check words and their padding.
    link_bytes: u32,
    /// Whether the device requested data that did not come.
    starved: bool,
}

/// How a DCW ended: with status, with unit check and whether it wrote, or with a program check.
enum DcwEnd {
    Status(DeviceStatus),
    UnitCheck(UnitCheck, bool),
    ProgramCheck(ProgramCheckReason),
}

impl<T: Tracks> EckdDevice<T> {
    /// Executes the DCWs of `tccb`, header to trailer, whose data move in the direction of `transfer`.
    #[inline]
    pub(crate) fn execute_dcws<P: DataPort>(
        &mut self,
        tccb: &[u8],
        transfer: Transfer,
        port: &mut P,
    ) -> OperationEnd {
        if let Some(answered) = interrogation::answer(tccb, transfer, port) {
            return answered.unwrap_or_else(|refusal| refused(refusal, 0));
        }
        let operation = match Operation::parse(tccb, transfer) {
            Ok(operation) => operation,
            Err(refusal) => return refused(refusal, 0),
        };
        let mut run =
            Run { device: self, direction: operation.direction, moved: 0, link_bytes: 0, starved: false };
        let mut status = DeviceStatus::NORMAL_END;
        let mut sense = None;
        let mut offset = 0;
        let mut dcws = operation.dcws.clone().flatten();
        for dcw in dcws.by_ref() {
            offset = dcw.offset;
            let before = run.moved;
            let end = match run.device.take_event() {
                Some(event) => DcwEnd::UnitCheck(event, false),
                None => run.dcw(&dcw, port),
            };
            match end {
                DcwEnd::Status(end) => status = end,
                DcwEnd::UnitCheck(reason, writes) => {
                    sense = Some(run.device.unit_check(reason, writes));
                    status = DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK);
                }
                DcwEnd::ProgramCheck(reason) => return refused((reason, Some(offset)), operation.data_count),
            }
            // The data of the next DCW would not come from where the program put them.
            let short = run.moved - before < dcw.data_count;
            if short || status != DeviceStatus::NORMAL_END {
                break;
            }
        }
        let residual = operation.data_count - run.moved;
        let normal = status == DeviceStatus::NORMAL_END;
        let complete = normal && residual == 0;
        if normal && run.starved || complete && !operation.transport_count_is(run.link_bytes) {
            return refused((ProgramCheckReason::TransportCount, None), operation.data_count);
        }
        let moved_bytes = run.moved;
        let is_last = dcws.next().is_none();
        if is_last
            && sense.is_none()
            && let Err(reason) = self.chain.ends_unchained()
        {
            sense = Some(self.unit_check(reason, false));
            status = DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK);
        }
        OperationEnd { status, moved_bytes, residual, dcw_offset: Some(offset), program_check: None, sense }
    }
}

/// Ends a refused TCCB with unit check.
fn refused((reason, dcw_offset): Refusal, residual: u32) -> OperationEnd {
    OperationEnd {
        status: DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
        moved_bytes: 0,
        residual,
        dcw_offset,
        program_check: Some(reason.code()),
        sense: None::<[u8; SENSE_BYTES]>,
    }
}

impl<T: Tracks> Run<'_, T> {
    #[inline]
    fn dcw<P: DataPort>(&mut self, dcw: &DcwView<'_>, port: &mut P) -> DcwEnd {
        let has_data = dcw.data_count > 0;
        if let Some(access) = Access::of(dcw.command) {
            return if has_data && access.direction() != self.direction {
                DcwEnd::ProgramCheck(ProgramCheckReason::TransferDirection)
            } else if matches!(access, Access::Search { .. }) {
                // There is no DCW that a satisfied search could skip.
                DcwEnd::UnitCheck(UnitCheck::CommandReject(Message::InvalidCommand), false)
            } else {
                self.access(access, &mut Phase::of_dcw(port, dcw.data_count))
            };
        }
        let (command, direction) = match (dcw.command, class(dcw.command)) {
            (PREFIX_READ, _) => (PREFIX, Some(Direction::Read)),
            (command, CommandClass::Control) => (command, has_data.then_some(Direction::Write)),
            (command, _) => (command, None),
        };
        if direction.is_some_and(|direction| direction != self.direction) {
            return DcwEnd::ProgramCheck(ProgramCheckReason::TransferDirection);
        }
        match self.device.control(command, dcw.control_data) {
            Ok(()) if has_data => self.imbedded_data(dcw.data_count, port),
            Ok(()) => DcwEnd::Status(DeviceStatus::NORMAL_END),
            Err(reason) => DcwEnd::UnitCheck(reason, false),
        }
    }

    /// Treats the data of a control command as data of the command that it imbeds.
    #[inline]
    fn imbedded_data<P: DataPort>(&mut self, data_count: u32, port: &mut P) -> DcwEnd {
        let rejected = DcwEnd::UnitCheck(INVALID_PARAMETER, false);
        let Some(domain) = self.device.chain.domain else {
            return rejected;
        };
        match (domain.imbedded(), domain.imbedded_direction()) {
            (Some(imbedded), Some(direction)) if direction == self.direction => {
                self.imbedded(imbedded, &mut Phase::of_dcw(port, data_count))
            }
            (Some(_), Some(_)) => DcwEnd::ProgramCheck(ProgramCheckReason::TransferDirection),
            _ => rejected,
        }
    }

    /// Runs the imbedded command unit by unit over one data count.
    #[inline]
    fn imbedded<P: DataPort>(&mut self, imbedded: Imbedded, phase: &mut Phase<'_, P>) -> DcwEnd {
        let Some(access) = Access::of(imbedded.command) else {
            return DcwEnd::UnitCheck(INVALID_PARAMETER, false);
        };
        for unit in 1..=imbedded.units {
            let before = self.moved;
            let end = self.access(access, phase);
            let bytes = self.moved - before;
            if imbedded.check_words && unit < imbedded.units {
                self.link_bytes += with_check_word(bytes) - bytes;
            }
            if !matches!(end, DcwEnd::Status(DeviceStatus::NORMAL_END)) {
                return end;
            }
            if imbedded.check_words && unit < imbedded.units && !phase.take_check_word() {
                return DcwEnd::UnitCheck(UnitCheck::DataCheck, access.writes());
            }
        }
        DcwEnd::Status(DeviceStatus::NORMAL_END)
    }

    /// Moves one unit of a transfer.
    #[inline]
    fn access<P: DataPort>(&mut self, access: Access, phase: &mut Phase<'_, P>) -> DcwEnd {
        let before = phase.moved();
        let result = self.device.access(access, phase);
        let bytes = phase.moved() - before;
        self.moved += bytes;
        self.link_bytes += bytes;
        self.starved |= phase.starved();
        match result {
            Ok(span) => DcwEnd::Status(span.status),
            Err(reason) => DcwEnd::UnitCheck(reason, access.writes()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::*;
    use halftrack_program::command::{
        DEVICE_RESERVE, NO_OPERATION, READ_DATA, READ_DEVICE_CHARACTERISTICS, SEARCH_ID_EQUAL,
        SUSPEND_MULTIPATH_RECONNECTION, WRITE_DATA, WRITE_TRACK_DATA, multi_track,
    };
    use halftrack_program::{
        ChainEnd, Dcw, Device, ExtendedAuxiliary, FileMask, Grouping, LocateRecordExtended, Model,
        Operation as ShapeOperation, Positioning, ProgramShape, RecordAddress, ServiceAction, Tcat, Tccb,
        TransportProgram, transport_program,
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

    /// Executes a TCCB on 4 KiB records; how it ended, and what came.
    fn run(tccb: &[u8], transfer: Transfer) -> (OperationEnd, Vec<u8>) {
        let mut port = match transfer {
            Transfer::Read => Port::taking(1 << 20),
            _ => Port::counting(1 << 20),
        };
        let end = Unit::new(MemoryTracks::of_4k()).execute_operation(tccb, transfer, &mut port);
        (end, port.taken)
    }

    fn execute(tccb: &Tccb, transfer: Transfer) -> OperationEnd {
        run(&tccb.emit().unwrap(), transfer).0
    }

    fn is_normal(end: &OperationEnd) -> bool {
        end.status == DeviceStatus::NORMAL_END && end.program_check.is_none()
    }

    fn check(end: OperationEnd) -> (ProgramCheckReason, Option<u16>) {
        use ProgramCheckReason::*;
        assert_eq!((end.status.0, end.sense), (0x0E, None));
        let code = end.program_check.unwrap_or_else(|| panic!("no program check: {end:?}"));
        let reason = [TccbLength, Header, DcwList, TransferDirection, TransportCount]
            .into_iter()
            .find(|reason| reason.code() == code);
        (reason.unwrap(), end.dcw_offset)
    }

    fn unit_check(end: OperationEnd) -> UnitCheck {
        assert_eq!((end.status.0, end.program_check), (0x0E, None));
        reason_of(end.sense)
    }

    fn block(dcws: Vec<Dcw>, transport_count: u32) -> Tccb {
        let tcat = Tcat { transport_count, ..Tcat::default() };
        Tccb { action: ServiceAction::Normal, priority: 0, dcws, tcat }
    }

    #[test]
    fn reads_of_the_workloads_end_normally() {
        for (records, record) in [(1, 1), (1, 12), (32, 5), (32, 6)] {
            let outcome = execute(&program(ShapeOperation::Read, records, record).tccb, Transfer::Read);
            assert!(is_normal(&outcome), "{outcome:?}");
            assert_eq!((outcome.moved_bytes, outcome.residual), (u32::from(records) * 4096, 0));
            assert_eq!(outcome.dcw_offset, Some(0));
        }
    }

    #[test]
    fn reads_bring_the_octets_of_their_records() {
        let tccb = program(ShapeOperation::Read, 2, 12).tccb.emit().unwrap();
        let (_, octets) = run(&tccb, Transfer::Read);
        assert_eq!(octets, [[12; 4096], [1; 4096]].concat());
    }

    #[test]
    fn writes_leave_the_octets_in_their_records() {
        let tccb = program(ShapeOperation::UpdateWrite, 2, 12).tccb.emit().unwrap();
        let mut unit = Unit::new(MemoryTracks::of_4k());
        let octets = [[0xAA; 4096], [0xBB; 4096]].concat();
        let mut port = Port::sending(&octets).in_runs_of(1000);
        assert!(is_normal(&unit.execute_operation(&tccb, Transfer::Write, &mut port)));
        assert_eq!(unit.end_chain(ChainEnd::Broken), None);
        assert_eq!(unit.tracks().commits, 1);
        assert_eq!(unit.tracks_mut().records(track(100, 3))[12][8..], octets[..4096]);
        assert_eq!(unit.tracks_mut().records(track(100, 4))[1][8..], octets[4096..]);
    }

    #[test]
    fn a_write_whose_data_do_not_come_is_refused() {
        let tccb = program(ShapeOperation::UpdateWrite, 2, 12).tccb.emit().unwrap();
        let mut unit = Unit::new(MemoryTracks::of_4k());
        let end = unit.execute_operation(&tccb, Transfer::Write, &mut Port::sending(&[0xAA; 4096]));
        assert_eq!(check(end).0, ProgramCheckReason::TransportCount);
        assert_eq!(unit.tracks_mut().records(track(100, 4))[1][8..], [1; 4096]);
    }

    #[test]
    fn reads_of_the_device_are_dcws_too_and_searches_are_not() {
        let plain = |command, data_count| Dcw { command, control_data: Vec::new(), data_count };
        let identify = block(vec![plain(READ_DEVICE_CHARACTERISTICS, 64)], 68);
        let (end, octets) = run(&identify.emit().unwrap(), Transfer::Read);
        assert!(is_normal(&end));
        assert_eq!((octets.len(), octets[..2].to_vec()), (64, vec![0x39, 0x90]));
        let search = execute(&block(vec![plain(SEARCH_ID_EQUAL, 5)], 12), Transfer::Write);
        assert_eq!(unit_check(search), UnitCheck::CommandReject(Message::InvalidCommand));
        let long =
            block(vec![plain(READ_DEVICE_CHARACTERISTICS, 80), plain(READ_DEVICE_CHARACTERISTICS, 64)], 148);
        let end = execute(&long, Transfer::Read);
        assert_eq!(
            (end.moved_bytes, end.residual, end.dcw_offset),
            (64, 80, Some(0)),
            "the next does not run"
        );
    }

    #[test]
    fn writes_count_their_check_words() {
        let program = program(ShapeOperation::UpdateWrite, 32, 5);
        let outcome = execute(&program.tccb, Transfer::Write);
        assert!(is_normal(&outcome), "{outcome:?}");
        assert_eq!((outcome.moved_bytes, outcome.residual), (131_072, 0));
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
        assert!(is_normal(&outcome));
        assert_eq!((outcome.moved_bytes, outcome.residual), (8192, 4096));
    }

    #[test]
    fn a_unit_check_tells_the_residual() {
        let mut protected = program(ShapeOperation::Read, 32, 5).tccb;
        protected.dcws[0].control_data[27] = 4;
        let outcome = execute(&protected, Transfer::Read);
        assert_eq!(unit_check(outcome), UnitCheck::FileProtected);
        assert_eq!((outcome.moved_bytes, outcome.residual), (20 * 4096, 12 * 4096), "tracks 3 and 4 moved");
        assert_eq!(outcome.status.0, 0x0E);
    }

    #[test]
    fn a_prefix_and_plain_dcws_run_through_one_chain() {
        let locate = locate(READ_DATA_DOMAIN, 3, 12, 2);
        let prefix = Dcw { command: PREFIX, control_data: prefix(read_extent(), locate), data_count: 0 };
        let read = Dcw { command: multi_track(READ_DATA), control_data: Vec::new(), data_count: 4096 };
        let list = vec![prefix, read.clone(), read.clone()];
        let outcome = execute(&block(list.clone(), 8196), Transfer::Read);
        assert!(is_normal(&outcome), "{outcome:?}");
        assert_eq!((outcome.moved_bytes, outcome.dcw_offset), (8192, Some(80)));
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
    fn an_operation_that_ends_inside_its_domain_ends_with_incomplete_domain() {
        let dcw = |command, data_count| Dcw { command, control_data: Vec::new(), data_count };
        let prefixed = |locate| Dcw {
            control_data: prefix(extent(FileMask::UPDATE_WRITES_ONLY), locate),
            ..dcw(PREFIX, 0)
        };
        let reads = |records| vec![prefixed(locate(READ_DATA_DOMAIN, 3, 1, records)), dcw(READ_DATA, 4096)];
        assert!(is_normal(&execute(&block(reads(1), 4100), Transfer::Read)));
        let end = execute(&block(reads(2), 4100), Transfer::Read);
        assert_eq!((end.moved_bytes, end.residual, end.dcw_offset), (4096, 0, Some(72)));
        assert_eq!(unit_check(end), UnitCheck::IncompleteDomain);
        let positioned =
            execute(&block(vec![prefixed(locate(READ_DATA_DOMAIN, 3, 1, 2))], 4), Transfer::None);
        assert!(is_normal(&positioned), "{positioned:?}");
        let write = |bytes| {
            let locate = of_length(bytes, locate(WRITE_DATA_DOMAIN, 3, 1, 1));
            execute(&block(vec![prefixed(locate), dcw(WRITE_DATA, 4096)], 4100), Transfer::Write)
        };
        assert!(is_normal(&write(4096)));
        assert_eq!(unit_check(write(80)), UnitCheck::InvalidTrackFormat);
    }

    #[test]
    fn the_places_and_orientations_of_commands_hold_for_dcws() {
        let dcw = |command, data_count| Dcw { command, control_data: Vec::new(), data_count };
        let reserved = |before: Vec<Dcw>| {
            execute(&block([before, vec![dcw(DEVICE_RESERVE, 32)]].concat(), 36), Transfer::Read)
        };
        assert!(is_normal(&reserved(Vec::new())));
        assert!(is_normal(&reserved(vec![dcw(SUSPEND_MULTIPATH_RECONNECTION, 0)])));
        let sequence = UnitCheck::CommandReject(Message::InvalidSequence);
        assert_eq!(unit_check(reserved(vec![dcw(NO_OPERATION, 0)])), sequence);
        let mut tccb = program(ShapeOperation::Read, 1, 1).tccb;
        assert_eq!(tccb.dcws[0].control_data[44], 0x0C);
        tccb.dcws[0].control_data[44] = 0x8C;
        let outcome = execute(&tccb, Transfer::Read);
        assert_eq!(unit_check(outcome), UnitCheck::CommandReject(Message::InvalidParameter));
    }

    #[test]
    fn without_data_the_transport_count_is_0_or_4() {
        let no_operation = Dcw { command: 0x03, control_data: Vec::new(), data_count: 0 };
        for (count, normal) in [(0, true), (4, true), (8, false)] {
            let outcome = execute(&block(vec![no_operation.clone()], count), Transfer::None);
            assert_eq!(is_normal(&outcome), normal, "{count}");
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
        assert_eq!((outcome.moved_bytes, outcome.residual), (2 * 49_152, 49_152));
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
            let outcome = run(&bytes, Transfer::Read).0;
            assert_eq!(outcome.status.0, 0x0E);
            check(outcome)
        };
        assert_eq!(changed(&|bytes| bytes.clear()), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes.truncate(95)), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes.push(0)), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes[7] = 88), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes[7] = 83), (ProgramCheckReason::TccbLength, None));
        assert_eq!(changed(&|bytes| bytes[0] = 0), (ProgramCheckReason::Header, None));
        assert_eq!(changed(&|bytes| bytes[9] = 0xFD), (ProgramCheckReason::Header, None), "no action");
        assert_eq!(changed(&|bytes| bytes[9] = 0xFF), (ProgramCheckReason::TransferDirection, None));
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
                let outcome = run(&bytes, transfer).0;
                prop_assert!(outcome.moved_bytes == 0 || outcome.program_check.is_none());
            }
        }
    }
}
