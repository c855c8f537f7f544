//! DCW lists of the workloads, of channels and of hosts that do it wrong.

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
    assert_eq!((end.moved_bytes, end.residual, end.dcw_offset), (64, 80, Some(0)), "the next does not run");
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
    let prefixed =
        |locate| Dcw { control_data: prefix(extent(FileMask::UPDATE_WRITES_ONLY), locate), ..dcw(PREFIX, 0) };
    let reads = |records| vec![prefixed(locate(READ_DATA_DOMAIN, 3, 1, records)), dcw(READ_DATA, 4096)];
    assert!(is_normal(&execute(&block(reads(1), 4100), Transfer::Read)));
    let end = execute(&block(reads(2), 4100), Transfer::Read);
    assert_eq!((end.moved_bytes, end.residual, end.dcw_offset), (4096, 0, Some(72)));
    assert_eq!(unit_check(end), UnitCheck::IncompleteDomain);
    let positioned = execute(&block(vec![prefixed(locate(READ_DATA_DOMAIN, 3, 1, 2))], 4), Transfer::None);
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
