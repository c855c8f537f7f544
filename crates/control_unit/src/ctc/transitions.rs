//! Every command against everything that the other side may do, as a table; counts, sense and answers.

use halftrack_program::DeviceStatus;

use super::*;

const PREPARE: u8 = 0xE3;
const CONTROL: u8 = 0x07;
const READ: u8 = 0x02;
const READ_BACKWARD: u8 = 0x0C;
const WRITE: u8 = 0x01;
const WRITE_END_OF_FILE: u8 = 0x81;
const SENSE_COMMAND_BYTE: u8 = 0x14;
const NO_OPERATION: u8 = 0x03;
const SET_BASIC_MODE: u8 = 0x43;
const SET_EXTENDED_MODE: u8 = 0xC3;
const SENSE_ADAPTER_STATE: u8 = 0x04;
const SENSE_ID: u8 = 0xE4;
const INVALID: u8 = 0x08;

fn command(code: u8, count_bytes: u32) -> Command {
    let block = if code & 3 == 1 {
        Block::Bytes((0..count_bytes as u8).collect::<Vec<_>>().into())
    } else {
        Block::NONE
    };
    Command { code, count_bytes, block }
}

fn ended(pair: &mut Pair, side: Side, code: u8, count_bytes: u32) -> Ending {
    match pair.start(side, command(code, count_bytes)) {
        Started::Ended(ending) => ending,
        Started::Waits { .. } => panic!("{code:02X} waits"),
    }
}

/// Returns a pair in extended mode, whose other side has started a command of this code, if any.
fn pair(code: Option<u8>) -> Pair {
    let mut pair = Pair::default();
    for side in [Side::X, Side::Y] {
        assert_eq!(ended(&mut pair, side, SET_EXTENDED_MODE, 1).device.status, DeviceStatus::NORMAL_END);
        pair.end_chain(side);
    }
    if let Some(code) = code {
        let started = pair.start(Side::Y, command(code, 4));
        assert_eq!(started, Started::Waits { channel_end: matches!(code, PREPARE | CONTROL) });
    }
    pair
}

fn words(status: DeviceStatus) -> String {
    let names = [
        (DeviceStatus::ATTENTION, "ATTN"),
        (DeviceStatus::BUSY, "BUSY"),
        (DeviceStatus::CHANNEL_END, "CE"),
        (DeviceStatus::DEVICE_END, "DE"),
        (DeviceStatus::UNIT_CHECK, "UC"),
        (DeviceStatus::UNIT_EXCEPTION, "UX"),
    ];
    let on = names.iter().filter(|(bit, _)| status.contains(*bit)).map(|(_, name)| *name);
    on.collect::<Vec<_>>().join("+")
}

/// Starts a command of X. Returns its status, that of the other side if it has ended, and attention there.
fn outcome(pair: &mut Pair, code: u8) -> String {
    let mut outcome = match pair.start(Side::X, command(code, 4)) {
        Started::Ended(ending) => words(ending.device.status),
        Started::Waits { channel_end: true } => "CE wait".to_owned(),
        Started::Waits { channel_end: false } => "wait".to_owned(),
    };
    let is_waiting = !matches!(pair.state(Side::X), State::Available | State::NotReady);
    assert_eq!(is_waiting, outcome.ends_with("wait"));
    if let Some(ending) = pair.poll_ending(Side::Y) {
        outcome += &format!("/{}", words(ending.device.status));
    }
    pair.end_chain(Side::Y);
    if pair.poll_attention(Side::Y) {
        outcome += "/attn";
    }
    assert!(!pair.poll_attention(Side::Y) && pair.poll_ending(Side::Y).is_none());
    outcome
}

/// Columns: Prepare, Control, Read and Write that wait, nothing, not ready.
#[rustfmt::skip]
const TABLE: [(u8, [&str; 6]); 12] = [
    (PREPARE,             ["CE+DE/DE",   "CE+DE",     "CE+DE",          "CE+DE",       "CE wait",      "UC"]),
    (CONTROL,             ["CE wait/DE", "ATTN+BUSY", "ATTN+BUSY",      "ATTN+BUSY",   "CE wait/attn", "UC"]),
    (READ,                ["wait/DE",    "ATTN+BUSY", "ATTN+BUSY",      "CE+DE/CE+DE", "wait/attn",    "UC"]),
    (READ_BACKWARD,       ["wait/DE",    "ATTN+BUSY", "ATTN+BUSY",      "CE+DE/CE+DE", "wait/attn",    "UC"]),
    (WRITE,               ["wait/DE",    "ATTN+BUSY", "CE+DE/CE+DE",    "ATTN+BUSY",   "wait/attn",    "UC"]),
    (WRITE_END_OF_FILE,   ["CE+DE",      "ATTN+BUSY", "CE+DE/CE+DE+UX", "ATTN+BUSY",   "CE+DE",        "UC"]),
    (SENSE_COMMAND_BYTE,  ["CE+DE",      "CE+DE/DE",  "CE+DE",          "CE+DE",       "CE+DE",        "UC"]),
    (NO_OPERATION,        ["CE+DE",      "ATTN+BUSY", "ATTN+BUSY",      "ATTN+BUSY",   "CE+DE",        "UC"]),
    (SET_EXTENDED_MODE,   ["CE+DE",      "ATTN+BUSY", "ATTN+BUSY",      "ATTN+BUSY",   "CE+DE",        "UC"]),
    (SENSE_ADAPTER_STATE, ["CE+DE",      "CE+DE",     "CE+DE",          "CE+DE",       "CE+DE",        "CE+DE"]),
    (SENSE_ID,            ["CE+DE",      "CE+DE",     "CE+DE",          "CE+DE",       "CE+DE",        "CE+DE"]),
    (INVALID,             ["UC",         "UC",        "UC",             "UC",          "UC",           "UC"]),
];

#[test]
fn every_command_meets_what_the_other_side_does() {
    for (code, row) in TABLE {
        let waiting = [Some(PREPARE), Some(CONTROL), Some(READ), Some(WRITE), None];
        for (other, expected) in waiting.into_iter().zip(row) {
            assert_eq!(outcome(&mut pair(other), code), expected, "{code:02X} against {other:02X?}");
        }
        let mut not_ready = pair(None);
        not_ready.reset(Side::Y, Reset::Selective);
        assert_eq!(outcome(&mut not_ready, code), row[5], "{code:02X} against a side that is not ready");
    }
}

#[test]
fn a_side_that_is_not_ready_is_waited_for_in_basic_mode() {
    let mut fresh = Pair::default();
    assert_eq!((fresh.mode(Side::X), fresh.state(Side::Y)), (Mode::Basic, State::NotReady));
    assert_eq!(outcome(&mut fresh, READ), "wait/attn");
    assert_eq!(ended(&mut fresh, Side::Y, WRITE_END_OF_FILE, 3).device.moved_bytes, 3, "it is a Write");
    assert_eq!(outcome(&mut Pair::default(), PREPARE), "UC");
}

#[test]
fn the_mode_is_of_one_side_until_a_system_reset() {
    let mut pair = pair(None);
    ended(&mut pair, Side::X, SET_BASIC_MODE, 1);
    assert_eq!((pair.mode(Side::X), pair.mode(Side::Y)), (Mode::Basic, Mode::Extended));
    pair.reset(Side::Y, Reset::Halt);
    assert_eq!(pair.mode(Side::Y), Mode::Extended);
    pair.reset(Side::Y, Reset::System);
    assert_eq!(pair.mode(Side::Y), Mode::Basic);
}

#[test]
fn the_shorter_count_ends_a_transfer() {
    for (written, count_bytes) in [(6, 4), (4, 6), (4, 4), (0, 4), (4, 0)] {
        let moved = written.min(count_bytes);
        let bytes: Vec<u8> = (0..moved as u8).collect();
        for reads_first in [true, false] {
            let mut pair = pair(None);
            let (first, second) = if reads_first {
                ((READ, count_bytes), (WRITE, written))
            } else {
                ((WRITE, written), (READ, count_bytes))
            };
            pair.start(Side::Y, command(first.0, first.1));
            let second = ended(&mut pair, Side::X, second.0, second.1);
            let first = pair.poll_ending(Side::Y).unwrap();
            let (write, read) = if reads_first { (second, first) } else { (first, second) };
            assert_eq!((write.device.moved_bytes, write.device.device_bytes), (moved, moved));
            assert_eq!((read.device.moved_bytes, read.device.device_bytes), (moved, moved));
            assert_eq!((write.data, read.data), (Data::None, Data::Read(Block::Bytes(bytes.clone().into()))));
        }
    }
}

#[test]
fn octets_are_moved_and_not_copied() {
    let bytes = vec![7; 4096];
    let place = bytes.as_ptr();
    let mut pair = pair(None);
    pair.start(Side::X, Command { code: WRITE, count_bytes: 4096, block: Block::Bytes(bytes.into()) });
    let Data::Read(Block::Bytes(read)) = ended(&mut pair, Side::Y, READ, 100).data else {
        panic!("no octets")
    };
    assert_eq!((read.as_ptr(), read.len()), (place, 100));
    let mut pair = self::pair(None);
    pair.start(Side::X, Command { code: WRITE, count_bytes: 4096, block: Block::Count(4096) });
    assert_eq!(ended(&mut pair, Side::Y, READ, 100).data, Data::Read(Block::Count(100)));
}

#[test]
fn a_second_write_gets_its_data_back() {
    let mut pair = pair(Some(WRITE));
    let refused = ended(&mut pair, Side::X, WRITE, 2);
    assert_eq!(words(refused.device.status), "ATTN+BUSY");
    assert_eq!(refused.data, Data::Unsent(Block::Bytes(vec![0, 1].into())));
    assert!(!pair.poll_attention(Side::X), "it went with busy");
    // It reads first, and writes then.
    assert_eq!(ended(&mut pair, Side::X, READ, 4).device.moved_bytes, 4);
    assert_eq!(pair.poll_ending(Side::Y).unwrap().device.moved_bytes, 4);
    assert_eq!(pair.start(Side::X, command(WRITE, 2)), Started::Waits { channel_end: false });
}

#[test]
fn a_side_with_a_command_or_its_status_is_busy() {
    let mut pair = pair(Some(READ));
    assert_eq!(words(ended(&mut pair, Side::Y, SENSE_ADAPTER_STATE, 2).device.status), "BUSY");
    ended(&mut pair, Side::X, WRITE, 4);
    assert_eq!(words(ended(&mut pair, Side::Y, WRITE, 4).device.status), "BUSY");
    assert_eq!(pair.poll_ending(Side::Y).unwrap().device.moved_bytes, 4);
    assert_eq!(words(ended(&mut pair, Side::Y, SENSE_ADAPTER_STATE, 2).device.status), "CE+DE");
}

#[test]
fn a_reset_ends_the_command_of_the_other_side_with_unit_check() {
    for (reset, sense) in [(Reset::Halt, 0x41), (Reset::Selective, 0x41), (Reset::System, 0x40)] {
        for (code, status) in
            [(PREPARE, "DE+UC"), (CONTROL, "DE+UC"), (READ, "CE+DE+UC"), (WRITE, "CE+DE+UC")]
        {
            let mut pair = pair(Some(code));
            pair.reset(Side::X, reset);
            let ending = pair.poll_ending(Side::Y).unwrap();
            assert_eq!(words(ending.device.status), status);
            assert_eq!(ending.device.sense.unwrap()[0], sense);
            let unsent = Data::Unsent(Block::Bytes(vec![0, 1, 2, 3].into()));
            assert_eq!(ending.data, if code == WRITE { unsent } else { Data::None });
            assert_eq!(pair.state(Side::X), State::NotReady);
            assert_eq!(ended(&mut pair, Side::Y, SENSE_ADAPTER_STATE, 2).data.answer(), [sense, 0x85]);
            assert_eq!(ended(&mut pair, Side::Y, SENSE_ADAPTER_STATE, 2).data.answer(), [0, 0x85]);
            // The first command makes the side ready again.
            assert_eq!(words(ended(&mut pair, Side::X, SENSE_ID, 7).device.status), "CE+DE");
            assert_eq!(words(ended(&mut pair, Side::Y, NO_OPERATION, 1).device.status), "CE+DE");
        }
    }
}

#[test]
fn a_reset_withdraws_the_command_of_its_own_side_and_the_attention_for_it() {
    for code in [CONTROL, READ, WRITE] {
        let mut pair = pair(Some(code));
        pair.reset(Side::Y, Reset::Halt);
        assert!(pair.poll_ending(Side::Y).is_none() && !pair.poll_attention(Side::X));
        assert_eq!(words(ended(&mut pair, Side::X, READ, 4).device.status), "UC");
        assert_eq!(ended(&mut pair, Side::X, SENSE_ADAPTER_STATE, 2).data.answer()[0], INTERVENTION_REQUIRED);
    }
}

#[test]
fn attention_waits_for_the_end_of_a_chain_and_goes_when_it_is_answered() {
    let mut pair = pair(None);
    ended(&mut pair, Side::X, NO_OPERATION, 1);
    pair.start(Side::Y, command(WRITE, 4));
    assert!(!pair.poll_attention(Side::X), "a chain is in progress");
    let mut answered = pair.clone();
    ended(&mut answered, Side::X, READ, 4);
    answered.end_chain(Side::X);
    assert!(!answered.poll_attention(Side::X), "the Read has answered");
    pair.end_chain(Side::X);
    assert!(pair.poll_attention(Side::X));
    assert!(!pair.poll_attention(Side::X), "it is presented once");
}

#[test]
fn sense_command_byte_returns_the_code_with_its_modifiers() {
    for code in [0x07, 0xFF, 0x02, 0x8E, 0x41] {
        let mut pair = pair(None);
        pair.start(Side::Y, command(code, 4));
        assert_eq!(ended(&mut pair, Side::X, SENSE_COMMAND_BYTE, 1).data, Data::CommandByte(code));
    }
    let ending = ended(&mut pair(None), Side::X, SENSE_COMMAND_BYTE, 1);
    assert_eq!((ending.data.answer(), ending.device.device_bytes), (&[0][..], 1));
}

#[test]
fn answers_have_a_length_of_their_own() {
    let short = ended(&mut pair(None), Side::X, SENSE_ID, 4).device;
    assert_eq!((short.moved_bytes, short.device_bytes, short.immediate), (4, 7, false));
    let identity = ended(&mut pair(None), Side::X, SENSE_ID, 7);
    assert_eq!(identity.data.answer(), [0xFF, 0x30, 0x88, 0x1E, 0, 0, 0]);
    let no_operation = ended(&mut pair(None), Side::X, NO_OPERATION, 1).device;
    assert_eq!((no_operation.device_bytes, no_operation.immediate), (0, true));
    let rejected = ended(&mut pair(None), Side::X, INVALID, 1).device;
    assert_eq!((rejected.sense.unwrap()[0], rejected.immediate), (0x80, false));
    let states = [(PREPARE, 1), (CONTROL, 2), (READ, 3), (WRITE, 4)];
    for (code, state) in states {
        let asked = ended(&mut pair(Some(code)), Side::X, SENSE_ADAPTER_STATE, 2);
        assert_eq!(asked.data.answer(), [0, EXTENDED_MODE_STATE | state]);
    }
}
