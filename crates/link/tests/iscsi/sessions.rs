//! The gateway itself: sessions, PDUs that are not valid, octets of no meaning.

use crate::gateway::pdu::{DATA_BYTES_MAX, FINAL, Pdu, answer, request};
use crate::initiator::{IMMEDIATE, Initiator};
use crate::rig::Rig;

const READY: [u8; 6] = [0; 6];
const RESERVE: [u8; 6] = [0x16, 0, 0, 0, 0, 0];
const WRITE: [u8; 10] = [0x2A, 0, 0, 0, 0, 0, 0, 0, 2, 0];
const OUT: u8 = 0x20;
const GOOD: [u8; 4] = [0; 4];
const NEW: [u8; 4] = [2, 6, 0x29, 0];
const LOST: [u8; 4] = [2, 6, 0x29, 7];
const CONFLICT: [u8; 4] = [0x18, 0, 0, 0];

fn log_in(rig: &Rig, name: &str, port: u8) -> Initiator {
    Initiator::log_in(rig.gateway.address(1), name, port)
}

#[test]
fn a_lost_connection_is_a_lost_nexus() {
    let rig = Rig::start();
    let (mut one, mut other) = (log_in(&rig, "iqn.a", 0), log_in(&rig, "iqn.a", 1));
    assert_eq!((one.run(0, &READY), other.run(0, &READY)), (NEW, NEW));
    assert_eq!((one.run(0, &RESERVE), other.run(0, &READY)), (GOOD, CONFLICT));
    drop(one);
    while other.run(0, &READY) == CONFLICT {}
    let mut one = log_in(&rig, "iqn.a", 0);
    assert_eq!((one.run(0, &READY), one.run(0, &RESERVE)), (LOST, GOOD));
    // The same initiator port again: its old session ends.
    let mut again = log_in(&rig, "iqn.a", 0);
    assert_eq!((again.run(0, &READY), other.run(0, &READY)), (LOST, GOOD));
    assert_eq!(one.receive(), None);
    drop(rig.gateway.stop());
}

#[test]
fn numbers_outside_the_window_are_dropped_and_others_wait_for_their_turn() {
    let rig = Rig::start();
    let mut one = log_in(&rig, "iqn.a", 0);
    let mut echo =
        |number: u32, tag: u32| one.send(Pdu::new(request::NOP_OUT, FINAL, tag).with_word(24, number));
    for (number, tag) in [(0, 90), (1 + 64, 91), (3, 3), (2, 2), (2, 92), (1, 1)] {
        echo(number, tag);
    }
    let tags = [(); 3].map(|()| one.receive().expect("an echo"));
    assert_eq!(
        tags.each_ref().map(|echo| (echo.opcode(), echo.tag())),
        [1, 2, 3].map(|tag| (answer::NOP_IN, tag))
    );
    assert_eq!(tags[2].word(28), 4, "ExpCmdSN");
    drop(rig.gateway.stop());
}

#[test]
fn a_pdu_that_is_not_valid_is_rejected_and_the_session_goes_on() {
    let rig = Rig::start();
    let mut one = log_in(&rig, "iqn.a", 0);
    assert_eq!(one.run(0, &READY), NEW);
    let immediate = |opcode: u8, flags: u8| Pdu::new(opcode | IMMEDIATE, flags, 77);
    assert_eq!(one.rejection(immediate(0x1C, FINAL)), 5);
    assert_eq!(one.rejection(immediate(request::LOGIN, 0x87)), 4);
    assert_eq!(one.rejection(immediate(request::COMMAND, FINAL | 0x60)), 9, "data both ways");
    assert_eq!(one.rejection(immediate(request::COMMAND, 0)), 9, "unsolicited data to come");
    assert_eq!(one.rejection(immediate(request::TEXT, 0x40)), 9);

    let write = one.command(0, OUT, 1024, &WRITE);
    let tag = write.tag();
    one.send(write);
    let ready = one.receive().expect("an R2T");
    assert_eq!((ready.opcode(), ready.word(44)), (answer::READY_TO_TRANSFER, 1024));
    let again = Pdu::new(request::COMMAND | IMMEDIATE, FINAL, tag);
    assert_eq!(one.rejection(again), 7, "the tag is in use");
    let mut data = Pdu::new(request::DATA_OUT, FINAL, tag).with_word(20, ready.word(20) + 1);
    data.data = vec![1; 1024];
    assert_eq!(one.rejection(data.clone()), 4, "another transfer");
    one.send(data.with_word(20, ready.word(20)));
    let response = one.receive().expect("a response");
    assert_eq!((response.opcode(), response.header[3]), (answer::RESPONSE, 0));

    let mut long = Pdu::new(request::NOP_OUT, FINAL, 1).to_octets();
    long[4..8].copy_from_slice(&(DATA_BYTES_MAX as u32 + 1).to_be_bytes());
    one.send_octets(&long);
    assert_eq!(one.receive().map(|pdu| pdu.opcode()), Some(answer::REJECT));
    assert_eq!(one.receive(), None);
    drop(rig.gateway.stop());
}

#[test]
fn functions_of_task_management_end_their_tasks() {
    let rig = Rig::start();
    let mut one = log_in(&rig, "iqn.a", 0);
    assert_eq!(one.run(0, &READY), NEW);
    let mut waiting = || {
        let write = one.command(0, OUT, 1024, &WRITE);
        let tag = write.tag();
        one.send(write);
        assert_eq!(one.receive().map(|pdu| pdu.opcode()), Some(answer::READY_TO_TRANSFER));
        tag
    };
    let (first, second) = (waiting(), waiting());
    assert_eq!([one.manage(0, 1, first), one.manage(0, 1, first)], [0, 1]);
    assert_eq!(one.manage(0, 2, 0), 0);
    assert_eq!(one.manage(0, 1, second), 1);
    assert_eq!([9, 3, 8, 0x7F].map(|function| one.manage(9, function, 0)), [255, 5, 4, 255]);
    assert_eq!(one.manage(9, 5, 0), 2, "no such unit");
    assert_eq!([one.manage(0, 5, 0), one.manage(0, 7, 0)], [0, 0]);
    assert_eq!([one.run(0, &READY), one.run(0, &READY)], [[2, 6, 0x29, 3], GOOD]);
    drop(rig.gateway.stop());
}

#[test]
fn any_pdus_leave_the_gateway_at_work() {
    let rig = Rig::start();
    let mut state = 0x2545_F491_4F6C_DD1D_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for round in 0..200 {
        let mut wild = log_in(&rig, "iqn.wild", round as u8 % 2);
        for number in 1..20 {
            let mut pdu = Pdu::new(0, 0, 0);
            pdu.header.fill_with(|| if next() % 3 == 0 { next() as u8 } else { 0 });
            let opcodes = [0, 1, 1, 1, 1, 2, 3, 4, 5, 5, 0x10, 0x31];
            pdu.header[0] = opcodes[next() as usize % opcodes.len()] | (next() as u8 & IMMEDIATE);
            pdu.header[1] |= next() as u8 & FINAL;
            pdu.header[16..20].copy_from_slice(&(next() as u32 % 4).to_be_bytes());
            pdu.header[20..24].copy_from_slice(&(next() as u32 % 2048).to_be_bytes());
            pdu.header[24..28].copy_from_slice(&number_of(number).to_be_bytes());
            pdu.additional = vec![next() as u8; next() as usize % 3 * 4];
            pdu.data = vec![next() as u8; next() as usize % 3 * 512];
            wild.send(pdu);
        }
        // Octets that are the begin of a PDU at most.
        wild.send_octets(&[next() as u8; 20]);
    }
    let mut one = log_in(&rig, "iqn.a", 0);
    while one.run(1, &READY) != GOOD {}
    drop(rig.gateway.stop());
}

/// Returns the number of a command: mostly the next.
fn number_of(at: u32) -> u32 {
    if at.is_multiple_of(7) { at.wrapping_mul(0x1000_0001) } else { at }
}
