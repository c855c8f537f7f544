//! Captures of a logical link beside tshark: the commands of every device are those that both systems have counted.

use std::collections::BTreeMap;
use std::fs;

use serde_json::Value;

use crate::islink::{Site, outcome, start};
use crate::wireshark::tshark::Tshark;

const WRITE: &str = "0x01";
const READ: &str = "0x02";
const SENSE_COMMAND_BYTE: &str = "0x14";
const SET_EXTENDED_MODE: &str = "0xc3";

/// Returns how often each command goes to each unit address. Of words that are data-chained the last one counts.
fn commands(tshark: &Tshark<'_>) -> BTreeMap<(u64, String), u64> {
    let mut counted = BTreeMap::new();
    for line in tshark.fields("fcsb3.ccwcmd && fcsb3.ccwflags.cd == 0", &["fcsb3.devaddr", "fcsb3.ccwcmd"]) {
        let (unit, command) = line.split_once('\t').expect("two fields");
        let unit = unit.parse().expect("a unit address");
        *counted.entry((unit, command.to_owned())).or_insert(0) += 1;
    }
    counted
}

/// Returns the sum of a count over the devices of a unit address, at one system. Devices are D000 to D013: channel, then unit.
fn sum(outcome: &Value, unit: u64, key: &str) -> u64 {
    let devices = outcome["devices"].as_array().into_iter().flatten();
    let is_of_unit =
        |device: &&Value| device["device"].as_str().is_some_and(|name| name.ends_with(&unit.to_string()));
    devices.filter(is_of_unit).filter_map(|device| device[key].as_u64()).sum()
}

/// Returns how many devices of a unit address have begun a program for blocks at one system.
fn used_devices(outcome: &Value, unit: u64) -> u64 {
    let devices = outcome["devices"].as_array().into_iter().flatten();
    let is_used = |device: &&Value| {
        let is_of_unit = device["device"].as_str().is_some_and(|name| name.ends_with(&unit.to_string()));
        is_of_unit && ["write_starts", "read_starts"].iter().any(|key| device[key].as_u64() > Some(0))
    };
    devices.filter(is_used).count() as u64
}

/// A file and a guest cross, with everything captured: by device, tshark has every Write, every Read and every Set Extended Mode
/// that the system at the channel's side of the device has started, and attention calls its readers.
#[test]
fn commands_of_every_device_are_those_of_both_systems() {
    let site = Site::with_decks();
    for (name, mib) in [("disk.img", 3), ("linux01.mem", 2)] {
        let octets: Vec<u8> =
            (0..mib << 20).map(|at: u32| (at.wrapping_mul(0x9E37_79B9) >> 21) as u8).collect();
        fs::write(site.path(name), octets).expect("a file");
    }
    let guest = |table: &str, memory: &str| {
        format!("[[{table}]]\nguest = \"LINUX01\"\nstream = 3\nmemory = \"{memory}\"\n")
    };
    let files = site.connected_with([
        format!("[[send]]\nstream = 1\nfile = \"disk.img\"\n{}", guest("relocate", "linux01.mem")),
        format!("[[receive]]\nstream = 1\nfile = \"copy.img\"\n{}", guest("host", "moved.mem")),
    ]);
    let capture = site.path("link.pcapng");
    let arguments = ["--capture", capture.to_str().expect("UTF-8")];
    let outcomes = [start(&files[0], &arguments), start(&files[1], &[])].map(outcome);
    let Some(tshark) = Tshark::on(&capture) else { return };
    tshark.assert_sound();
    let counted = commands(&tshark);
    let frames = |unit: u64, command: &str| counted.get(&(unit, command.to_owned())).copied().unwrap_or(0);
    for unit in 0..4 {
        // The channel of VMA has the lower port name, and so the control unit of even unit addresses.
        let channel_side = &outcomes[if unit % 2 == 0 { 1 } else { 0 }];
        // What begins while the systems log out is captured, and is in no report any more.
        for (command, key) in
            [(WRITE, "write_starts"), (SENSE_COMMAND_BYTE, "read_starts"), (READ, "read_starts")]
        {
            let (frames, starts) = (frames(unit, command), sum(channel_side, unit, key));
            assert!(
                (starts..=starts + 4).contains(&frames),
                "{unit} {command}: {frames} {starts} {counted:?}"
            );
        }
        assert!(frames(unit, WRITE) > 0 && frames(unit, READ) > 0, "{counted:?}");
        // One for each channel that came up while there was anything to move.
        let used = used_devices(channel_side, unit);
        assert!((used.max(1)..=2).contains(&frames(unit, SET_EXTENDED_MODE)), "{used} {counted:?}");
    }
    assert!(tshark.count("fcsb3.status.attention == 1") > 0, "{counted:?}");
}
