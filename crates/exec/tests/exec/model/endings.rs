//! Which endings the generator brings about.

use std::collections::BTreeMap;

use proptest::strategy::{Strategy, ValueTree};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use crate::model::generator::case;
use crate::model::run::{Observed, lay, model};

/// Cases of the corpus.
const CASES: usize = 3000;

/// Returns a runner whose cases are the same every time.
pub fn runner(seed: u64, cases: u32) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_be_bytes());
    let config = Config { cases, failure_persistence: None, max_shrink_iters: 20_000, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// Endings that must have occurred.
const ENDINGS: [&str; 31] = [
    "command: channel-control check",
    "command: command reject, message 1",
    "command: command reject, message 2",
    "command: command reject, message 3",
    "command: command reject, message 4",
    "command: command reject, message 5",
    "command: end of cylinder",
    "command: file protected",
    "command: incomplete domain",
    "command: incorrect length",
    "command: invalid track format",
    "command: no record found",
    "command: normal",
    "command: program check",
    "command: protection check",
    "command: suspended",
    "command: unit exception",
    "transport: command reject, message 2",
    "transport: command reject, message 4",
    "transport: device-detected program check",
    "transport: file protected",
    "transport: incomplete domain",
    "transport: invalid track format",
    "transport: no record found",
    "transport: normal",
    "transport: program check",
    "transport: protection check",
    "transport: residual count",
    "transport: unit exception",
    "command: interrupted",
    "transport: interrogated",
];

/// Commands that must have ended normally outside a domain.
const OUTSIDE: [u8; 40] = [
    0x14, 0x5B, 0x94, 0xB4, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x0B, 0x0D, 0x0E, 0x11, 0x12, 0x13, 0x15,
    0x16, 0x19, 0x1A, 0x1D, 0x1E, 0x1F, 0x29, 0x31, 0x39, 0x47, 0x4B, 0x51, 0x63, 0x69, 0x71, 0x86, 0x8E,
    0x92, 0x96, 0x9A, 0x9E, 0xB1, 0xE7,
];

/// Commands that must have ended normally inside a domain.
const INSIDE: [u8; 21] = [
    0x05, 0x06, 0x0D, 0x0E, 0x12, 0x15, 0x16, 0x19, 0x1A, 0x1D, 0x1E, 0x85, 0x86, 0x8D, 0x8E, 0x92, 0x95,
    0x9D, 0xA5, 0xA6, 0xDE,
];

/// Returns the names of an ending.
pub fn names(seen: &Observed) -> Vec<String> {
    let mode = if seen.transport { "transport" } else { "command" };
    let (device, subchannel) = (seen.scsw[8], seen.scsw[9] & 0x7F);
    let reason = seen.sense.map(|[byte_0, byte_1, message]| (byte_0, byte_1 & !0x01, message));
    let mut names = vec![match (reason, subchannel) {
        (_, 0x40) => "incorrect length".to_owned(),
        (_, 0x04) => "channel-control check".to_owned(),
        (_, 0x10) => "protection check".to_owned(),
        (_, check) if check & 0x20 != 0 && device == 0x0E => "device-detected program check".to_owned(),
        (_, check) if check & 0x20 != 0 => "program check".to_owned(),
        (Some((0x81, ..)), _) => "incomplete domain".to_owned(),
        (Some((0x80, _, message)), _) => format!("command reject, message {message}"),
        (Some((0, 0x04, _)), _) => "file protected".to_owned(),
        (Some((0, 0x08, _)), _) => "no record found".to_owned(),
        (Some((0, 0x20, _)), _) => "end of cylinder".to_owned(),
        (Some((0, 0x40, _)), _) => "invalid track format".to_owned(),
        _ if seen.scsw[3] & 0x06 == 0 => "suspended".to_owned(),
        _ if device & 0x01 != 0 => "unit exception".to_owned(),
        _ if device == 0x0C => "normal".to_owned(),
        other => format!("{device:02X} {other:?}"),
    }];
    if seen.scsw[9] & 0x80 != 0 {
        names.push("interrupted".to_owned());
    }
    if seen.format == 3 {
        names.push("interrogated".to_owned());
    }
    if seen.residual > 0 && subchannel == 0 && device == 0x0C {
        names.push("residual count".to_owned());
    }
    names.into_iter().map(|name| format!("{mode}: {name}")).collect()
}

#[test]
fn every_ending_and_every_command_occurs() {
    let mut runner = runner(1, 1);
    let mut endings = BTreeMap::new();
    let mut commands = BTreeMap::new();
    for _ in 0..CASES {
        let case = case().new_tree(&mut runner).unwrap().current();
        let ran = model(&lay(&case));
        for name in ran.seen.iter().flat_map(names) {
            *endings.entry(name).or_insert(0) += 1;
        }
        for (command, times) in ran.completed {
            *commands.entry(command).or_insert(0) += times;
        }
    }
    for name in ENDINGS {
        assert!(endings.contains_key(name), "{name} never occurs: {endings:#?}");
    }
    let inside = INSIDE.iter().map(|&command| (command, true));
    for command in OUTSIDE.iter().map(|&command| (command, false)).chain(inside) {
        assert!(commands.contains_key(&command), "{command:X?} never ends normally: {commands:X?}");
    }
}
