//! Operations over areas of every kind, and every ending of their own.

use super::*;
use crate::dcw::Dcw;
use crate::main_storage::StorageKey;
use crate::orb::OrbProgram;
use crate::pmcw::TransportSupport;
use crate::rig::{Answer, PROGRAM, Rig, pattern, transport_scsw};
use crate::scsw::{FcxStatus, StatusQualifier, TransportScsw, TransportScswFlags};
use crate::subchannel::ConditionCode;
use crate::tccb::{Tcat, Tccb, transport_count};
use crate::tidaw::{Tidaw, TidawFlags};

const TCCB: u64 = 0x1400;
const TSB: u64 = 0x1600;
const INTERROGATE: u64 = 0x1800;
const DATA: u64 = 0x1_0000;
const LIST: u64 = 0x8000;

const LAST: u8 = 0x80;
const SKIP: u8 = 0x40;
const TTIC: u8 = 0x10;
const CHECK_WORD: u8 = 0x08;

fn tccb(action: ServiceAction, data_count: u32) -> Vec<u8> {
    let dcw = Dcw { command: 0x86, control_data: vec![1, 2, 3, 4], data_count };
    let tcat = Tcat { transport_count: transport_count(data_count), ..Tcat::default() };
    Tccb { action, priority: 0, dcws: vec![dcw], tcat }.emit().unwrap()
}

fn tcw(transfer: Transfer, count: u32) -> Tcw {
    Tcw {
        flags: TcwFlags(0),
        tccb_length: 12 + 4,
        transfer,
        output_address: DATA,
        input_address: DATA,
        tsb_address: TSB,
        tccb_address: TCCB,
        output_count: if transfer == Transfer::Write { count } else { 0 },
        input_count: if transfer == Transfer::Read { count } else { 0 },
        interrogate_address: 0,
    }
}

/// Returns a rig with the TCW and its TCCB.
fn rig(tcw: &Tcw) -> Rig {
    let mut rig = Rig::new();
    rig.put(u64::from(PROGRAM), &tcw.emit());
    rig.put(TCCB, &tccb(ServiceAction::Normal, tcw.input_count + tcw.output_count));
    rig.put(TSB, &[0xEE; 64]);
    rig
}

fn put_tidaws(rig: &mut Rig, at: u64, tidaws: &[(u8, u32, u64)]) {
    for (index, (flags, count, address)) in tidaws.iter().enumerate() {
        let tidaw = Tidaw { flags: TidawFlags(*flags), count: *count, address: *address };
        rig.put(at + 16 * index as u64, &tidaw.emit());
    }
}

/// Returns a rig whose data are a list.
fn listed(transfer: Transfer, count: u32, tidaws: &[(u8, u32, u64)]) -> Rig {
    let flags = TcwFlags::INPUT_TIDAWS | TcwFlags::OUTPUT_TIDAWS;
    let mut rig = rig(&Tcw { flags, input_address: LIST, output_address: LIST, ..tcw(transfer, count) });
    put_tidaws(&mut rig, LIST, tidaws);
    rig
}

fn stored(rig: &Rig) -> Tsb {
    Tsb::parse(rig.at(TSB, TSB_BYTES)).unwrap()
}

/// Returns the device status, subchannel status, and whether the TSB was stored.
fn status_of(scsw: &TransportScsw) -> (u8, u8, bool) {
    let is_stored = scsw.fcx_status == FcxStatus::TSB_VALID;
    (scsw.device_status.0, scsw.subchannel_status.0, is_stored)
}

#[test]
fn a_read_moves_its_octets_and_stores_its_ending() {
    let mut rig = rig(&tcw(Transfer::Read, 4096));
    let scsw = rig.run_transport();
    assert_eq!((status_of(&scsw), scsw.controls.to_bits()), ((0x0C, 0, true), 0x4007));
    assert_eq!((scsw.tcw_address, scsw.key), (PROGRAM, 0));
    assert_eq!(rig.at(DATA, 4097), [&pattern(4096)[..], &[0]].concat());
    assert_eq!(rig.device.tccb, tccb(ServiceAction::Normal, 4096));
    assert_eq!(rig.at(TSB, 12), [32, 0xC1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(rig.device.chains_ended, 1);
}

#[test]
fn a_write_of_a_contiguous_area() {
    let mut rig = rig(&tcw(Transfer::Write, 5000));
    rig.put(DATA, &pattern(5000));
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0, true));
    assert_eq!(rig.device.commands, [(1, pattern(5000))]);
}

#[test]
fn an_operation_without_data() {
    let mut rig = rig(&tcw(Transfer::None, 0));
    rig.device.answers.push_back(Answer::Gives(pattern(4)));
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0, true));
    assert_eq!((rig.at(DATA, 1), stored(&rig).residual_count), (&[0][..], 4));
}

#[test]
fn what_did_not_move_is_in_the_tsb() {
    let mut rig = rig(&tcw(Transfer::Read, 4000));
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0, true));
    let tsb = stored(&rig);
    assert_eq!((tsb.residual_count, tsb.dcw_offset), (96, 0));
    assert_eq!(tsb.flags, TsbFlags::DCW_OFFSET_VALID | TsbFlags::COUNT_VALID);
}

#[test]
fn a_unit_check_has_its_sense_in_the_tsb_and_the_irb() {
    let mut rig = rig(&tcw(Transfer::Read, 4096));
    rig.device.answers.push_back(Answer::Presents(0x0E, Some([0x80; 32])));
    let orb = rig.orb_of(OrbProgram::Transport { address: PROGRAM });
    rig.start(&orb);
    let irb = rig.subchannel.test().1;
    let scsw = transport_scsw(&irb);
    assert_eq!((status_of(&scsw), scsw.controls.to_bits()), ((0x0E, 0, true), 0x4017));
    assert_eq!((irb.sense, scsw.flags), (Some([0x80; 32]), TransportScswFlags::EXTENDED_CONTROL));
    let tsb = stored(&rig);
    let area = TsbArea::Io { times: TsbTimes::default(), sense: [0x80; 32] };
    assert_eq!((tsb.length, tsb.area), (LENGTH_WITH_SENSE, area));
}

#[test]
fn a_program_check_of_the_device_is_of_format_2() {
    let mut rig = rig(&tcw(Transfer::Read, 4096));
    let end = OperationEnd {
        status: DeviceStatus(0x0E),
        moved_bytes: 0,
        residual: 4096,
        dcw_offset: Some(8),
        program_check: Some(5),
        sense: Some([0x80; 32]),
    };
    rig.device.operation_end = Some(end);
    rig.device.answers.push_back(Answer::Immediate);
    assert_eq!(status_of(&rig.run_transport()), (0x0E, 0x20, true));
    let tsb = stored(&rig);
    let area = TsbArea::ProgramCheck { reason: 5, qualifier: [0; 16], sense: [0x80; 32] };
    assert_eq!((tsb.dcw_offset, tsb.residual_count, tsb.area), (8, 4096, area));
}

#[test]
fn a_busy_device_has_not_taken_the_operation() {
    let mut rig = rig(&tcw(Transfer::Read, 4096));
    rig.device.answers.push_back(Answer::Presents(0x10, None));
    let scsw = rig.run_transport();
    assert_eq!((status_of(&scsw), scsw.deferred), ((0x10, 0, false), DeferredCondition::StatusPending));
    assert_eq!(rig.at(TSB, 1), [0xEE]);
}

#[test]
fn a_wrong_tcw_never_reaches_the_device() {
    for (what, offset, octet) in [
        ("format", 0, 0x40),
        ("flags", 1, 0x08),
        ("both directions", 5, 0x13),
        ("a direction without a count", 5, 0x11),
        ("TSB address", 31, 0x04),
        ("reserved", 50, 1),
    ] {
        let mut octets = tcw(Transfer::Read, 4096).emit();
        octets[offset] = octet;
        let mut rig = rig(&tcw(Transfer::Read, 4096));
        rig.put(u64::from(PROGRAM), &octets);
        let scsw = rig.run_transport();
        assert_eq!((status_of(&scsw), scsw.controls.to_bits()), ((0, 0x20, false), 0x4017), "{what}");
        assert_eq!((rig.device.commands.len(), rig.device.chains_ended), (0, 1), "{what}");
    }
}

#[test]
fn control_blocks_that_cannot_be_reached() {
    let far = 0x100_0000;
    let mut rig_of_far_tccb = rig(&Tcw { tccb_address: far, ..tcw(Transfer::Read, 4096) });
    assert_eq!(status_of(&rig_of_far_tccb.run_transport()), (0, 0x20, false));
    let mut rig_of_far_tsb = rig(&Tcw { tsb_address: far, ..tcw(Transfer::Read, 4096) });
    assert_eq!(status_of(&rig_of_far_tsb.run_transport()), (0x0C, 0x20, false), "the operation was executed");
    let mut protected = rig(&tcw(Transfer::Read, 4096));
    protected.key = 3;
    protected.storage.set_key(u64::from(PROGRAM), StorageKey::new(4, true)).unwrap();
    assert_eq!(status_of(&protected.run_transport()), (0, 0x10, false));
}

#[test]
fn data_that_break_off_end_the_operation_where_they_do() {
    let mut rig = rig(&Tcw { input_address: DATA + 2048, ..tcw(Transfer::Read, 4096) });
    rig.key = 3;
    for address in [0x1000, DATA] {
        rig.storage.set_key(address, StorageKey::new(3, true)).unwrap();
    }
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0x10, true));
    assert_eq!(stored(&rig).residual_count, 2048);
    assert_eq!(rig.at(DATA + 2048, 2049), [&pattern(2048)[..], &[0]].concat());
    let mut rig = self::rig(&Tcw { output_address: 0x100_0000, ..tcw(Transfer::Write, 4096) });
    assert_eq!(status_of(&rig.run_transport()), (0, 0x20, false), "a write does not begin");
    assert_eq!(rig.device.commands.len(), 0);
}

#[test]
fn tidaws_scatter_skip_and_jump() {
    let list = [(0, 4096, DATA), (SKIP, 9000, u64::MAX), (TTIC, 0, 0x9000)];
    let mut rig = listed(Transfer::Read, 13_196, &list);
    put_tidaws(&mut rig, 0x9000, &[(LAST, 100, DATA + 0x2000)]);
    rig.device.answers.push_back(Answer::Gives(pattern(13_196)));
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0, true));
    let octets = pattern(13_196);
    assert_eq!(rig.at(DATA, 4097), [&octets[..4096], &[0]].concat());
    assert_eq!(rig.at(DATA + 0x2000, 101), [&octets[13_096..], &[0]].concat());
}

#[test]
fn check_words_count_as_output_and_are_not_the_device_s() {
    // 4097 octets of a track, 3 of padding and 4 of check word, then a track of 100.
    let list = [(0, 4096, DATA), (CHECK_WORD, 1, DATA + 0x1000), (LAST, 100, DATA + 0x2000)];
    let mut rig = listed(Transfer::Write, 4097 + 3 + 4 + 100, &list);
    rig.put(DATA, &pattern(0x3000));
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0, true));
    let octets = pattern(0x3000);
    assert_eq!(rig.device.commands[0].1, [&octets[..4097], &octets[0x2000..0x2064]].concat());
    let mut rig = listed(Transfer::Write, 4097 + 100, &list);
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0x20, true), "no count for the check word");
}

#[test]
fn tidaws_keep_their_rules() {
    let last = (LAST, 4, DATA + 0x1000);
    for (what, first) in [
        ("no count", (0, 0, DATA)),
        ("a page crossed", (0, 4096, DATA + 1)),
        ("last too early", (LAST, 4096, DATA)),
        ("data-transfer interruption", (0x20, 4096, DATA)),
        ("a check word in input", (CHECK_WORD, 4096, DATA)),
        ("a transfer with other flags", (TTIC | SKIP, 0, 0x9000)),
        ("a transfer to a transfer", (TTIC, 0, LIST)),
        ("a transfer to nowhere", (TTIC, 0, 0x100_0000)),
    ] {
        let mut rig = listed(Transfer::Read, 4100, &[first, last]);
        assert_eq!(
            (status_of(&rig.run_transport()), rig.device.commands.len()),
            ((0, 0x20, false), 0),
            "{what}"
        );
    }
    let first = (0, 4096, DATA);
    for (what, last) in [
        ("not marked as the last", (0, 4, DATA + 0x1000)),
        ("longer than the count", (LAST, 5, DATA + 0x1000)),
        ("last before the count", (LAST, 3, DATA + 0x1000)),
    ] {
        let mut rig = listed(Transfer::Read, 4100, &[first, last]);
        rig.device.answers.push_back(Answer::Gives(pattern(4100)));
        assert_eq!(status_of(&rig.run_transport()), (0x0C, 0x20, true), "{what}");
        assert_eq!(stored(&rig).residual_count, 4, "{what}");
    }
}

#[test]
fn a_list_does_not_cross_a_page_by_itself() {
    let read = tcw(Transfer::Read, 4100);
    let mut rig = rig(&Tcw { flags: TcwFlags::INPUT_TIDAWS, input_address: LIST + 4080, ..read });
    put_tidaws(&mut rig, LIST + 4080, &[(0, 4096, DATA), (LAST, 4, DATA + 0x1000)]);
    rig.device.answers.push_back(Answer::Gives(pattern(4100)));
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0x20, true));
    let mut odd = self::rig(&Tcw { flags: TcwFlags::INPUT_TIDAWS, input_address: LIST + 8, ..read });
    assert_eq!(status_of(&odd.run_transport()), (0, 0x20, false));
}

#[test]
fn a_tccb_of_pieces() {
    let flags = TcwFlags::TCCB_TIDAWS;
    let mut rig = rig(&Tcw { flags, tccb_address: LIST, ..tcw(Transfer::Read, 4096) });
    let octets = tccb(ServiceAction::Normal, 4096);
    rig.put(0x2_0000, &octets[..20]);
    rig.put(0x2_2000, &octets[20..]);
    put_tidaws(&mut rig, LIST, &[(0, 20, 0x2_0000), (LAST, octets.len() as u32 - 20, 0x2_2000)]);
    assert_eq!(status_of(&rig.run_transport()), (0x0C, 0, true));
    assert_eq!(rig.device.tccb, octets);
    put_tidaws(&mut rig, LIST, &[(CHECK_WORD, 20, 0x2_0000)]);
    assert_eq!(status_of(&rig.run_transport()), (0, 0x20, false), "a check word in a TCCB");
}

#[test]
fn what_has_no_transport_mode_says_so() {
    let mut rig = rig(&tcw(Transfer::Read, 4096));
    rig.subchannel.set_transport_support(TransportSupport { has_device: false, paths: 0xFF });
    let scsw = rig.run_transport();
    assert_eq!((status_of(&scsw), scsw.qualifier), ((0, 0x20, false), StatusQualifier::DEVICE_NOT_CAPABLE));
    rig.subchannel.set_transport_support(TransportSupport { has_device: true, paths: 0x7F });
    let scsw = rig.run_transport();
    assert_eq!((status_of(&scsw), scsw.qualifier), ((0, 0x20, false), StatusQualifier::PATH_NOT_CAPABLE));
    assert_eq!(rig.device.commands.len(), 0);
}

/// Returns a rig whose operation can be interrogated, started.
fn interrogated(action: ServiceAction) -> Rig {
    let mut rig = rig(&Tcw { interrogate_address: INTERROGATE as u32, ..tcw(Transfer::Read, 4096) });
    let interrogation = Tcw { tsb_address: TSB + 64, tccb_address: TCCB + 256, ..tcw(Transfer::None, 0) };
    rig.put(INTERROGATE, &interrogation.emit());
    rig.put(TCCB + 256, &tccb(action, 0));
    let orb = rig.orb_of(OrbProgram::Transport { address: PROGRAM });
    assert_eq!(rig.start(&orb), ConditionCode::Done);
    rig
}

fn interrogate(rig: &mut Rig) -> ConditionCode {
    rig.subchannel.interrogate(&mut rig.storage, &mut rig.device, &mut ())
}

#[test]
fn an_interrogation_is_answered_in_its_tsb() {
    let mut rig = interrogated(ServiceAction::Interrogate);
    rig.device.answers.push_back(Answer::Gives(vec![0, 0xE0, 1, 2, 3, 0, 0, 0, 9]));
    assert_eq!(interrogate(&mut rig), ConditionCode::Done);
    let scsw = transport_scsw(&rig.subchannel.test().1);
    assert_eq!((status_of(&scsw), scsw.flags), ((0x0C, 0, true), TransportScswFlags::INTERROGATE_COMPLETE));
    assert_eq!((scsw.interrogate_failed, scsw.controls.to_bits()), (false, 0x400F));
    let TsbArea::Interrogate(answer) = Tsb::parse(rig.at(TSB + 64, TSB_BYTES)).unwrap().area else {
        panic!("no answer");
    };
    assert_eq!((answer.flags, answer.control_unit_state, answer.device_state), (0xE0, 1, 2));
    assert_eq!((answer.operation_state, answer.state_information[0]), (3, 9));
    assert_eq!(interrogate(&mut rig), ConditionCode::Busy, "nothing is left to ask about");
}

#[test]
fn a_tccb_that_does_not_interrogate_fails_the_interrogation() {
    let mut rig = interrogated(ServiceAction::Normal);
    assert_eq!(interrogate(&mut rig), ConditionCode::Done);
    let scsw = transport_scsw(&rig.subchannel.test().1);
    assert!(scsw.interrogate_failed && scsw.flags == TransportScswFlags::INTERROGATE_COMPLETE);
    assert_eq!(rig.device.commands.len(), 1, "the operation, and nothing else");
    assert_eq!(interrogate(&mut Rig::new()), ConditionCode::Busy);
}
