//! A file system and patterns on a unit, carried by QEMU; each time the power is lost in between.

use std::fs;

use halftrack_scsi::LogicalBlocks;

use crate::rig::Rig;
use crate::tools;

/// Bytes of the file system, fewer than the unit has.
const FILE_SYSTEM_BYTES: usize = 32 << 20;
const MIB: u64 = 1 << 20;

/// Returns octets that no other place of a file has.
fn payload(bytes: usize) -> Vec<u8> {
    (0..bytes / 4).flat_map(|at| (at as u32).wrapping_mul(0x9E37_79B1).to_be_bytes()).collect()
}

/// Writes an image to a unit, with SYNCHRONIZE CACHE; qemu-img leaves that out by default. Then takes the power
/// away, and reads the unit into another image.
fn carry(rig: Rig, unit: u32, from: &str, to: &str) -> Rig {
    let (path, url) =
        (|name: &str| rig.directory().join(name).display().to_string(), rig.gateway.url(1, unit));
    tools::succeed(
        "qemu-img",
        &["convert", "-n", "-t", "writeback", "-f", "raw", "-O", "raw", &path(from), &url],
    );
    let rig = rig.restart();
    let (path, url) =
        (|name: &str| rig.directory().join(name).display().to_string(), rig.gateway.url(2, unit));
    tools::succeed("qemu-img", &["convert", "-f", "raw", "-O", "raw", &url, &path(to)]);
    tools::succeed("e2fsck", &["-f", "-n", &path(to)]);
    rig
}

fn file_system(unit: u32) {
    if !tools::are_there() {
        return;
    }
    let mut rig = Rig::start();
    let directory = rig.directory().to_owned();
    let path = |name: &str| directory.join(name).display().to_string();
    fs::create_dir(path("tree")).expect("a directory");
    let (first, second) = (payload(3 << 20), payload(5_000_000));
    fs::write(path("tree/first"), &first).expect("a file");
    fs::write(path("second"), &second).expect("a file");
    let size = format!("{}k", FILE_SYSTEM_BYTES >> 10);
    tools::succeed("mke2fs", &["-q", "-t", "ext4", "-d", &path("tree"), "-F", &path("fs"), &size]);

    rig = carry(rig, unit, "fs", "out");
    let (made, found) = (fs::read(path("fs")).expect("image"), fs::read(path("out")).expect("image"));
    assert!(found[..FILE_SYSTEM_BYTES] == made, "the unit has other octets");
    tools::succeed("debugfs", &["-w", "-R", &format!("write {} second", path("second")), &path("out")]);
    tools::succeed("e2fsck", &["-f", "-n", &path("out")]);

    rig = carry(rig, unit, "out", "again");
    for (name, octets) in [("first", first), ("second", second)] {
        tools::succeed("debugfs", &["-R", &format!("dump {name} {}", path("dumped")), &path("again")]);
        assert!(fs::read(path("dumped")).expect("a file") == octets, "{name} has other octets");
    }
    drop(rig.gateway.stop());
}

#[test]
fn a_file_system_comes_back_from_blocks_of_512_bytes() {
    file_system(0);
}

#[test]
fn a_file_system_comes_back_from_blocks_of_4096_bytes() {
    file_system(1);
}

/// Returns reads that compare a range with a pattern. They are short, since reads of 32 KiB or more from a thin unit with blocks
/// of 4096 bytes end QEMU 7.2 by an assertion of its own (`iscsi_co_block_status`).
fn reads(pattern: &str, begin_kib: u32, kib: u32) -> Vec<String> {
    let starts = (begin_kib..begin_kib + kib).step_by(16);
    starts.map(|start_kib| format!("read -P {pattern} {start_kib}k 16k")).collect()
}

fn patterns(unit: u32) {
    if !tools::are_there() {
        return;
    }
    let rig = Rig::start();
    let run = |rig: &Rig, commands: Vec<String>| {
        let url = rig.gateway.url(1, unit);
        let mut arguments = vec!["-f", "raw"];
        arguments.extend(commands.iter().flat_map(|command| ["-c", command]));
        arguments.push(&url);
        let printed = tools::succeed("qemu-io", &arguments);
        assert!(!printed.contains("failed"), "{commands:?}: {printed}");
    };
    let plain = |commands: &[&str]| commands.iter().map(|&command| command.to_owned()).collect::<Vec<_>>();
    let (written, zeros) = (reads("0x5a", 1024, 1024), reads("0", 1024, 64));
    let rest = reads("0x5a", 1088, 960);
    let write = plain(&["write -P 0x5a 1M 1M"]);
    let discard = plain(&["flush", "discard 1M 64k"]);
    run(&rig, [write, written, discard, zeros.clone(), plain(&["flush"])].concat());
    let rig = rig.restart();
    run(&rig, [zeros, rest, reads("0", 2048, 64), plain(&["write -z 1536k 64k", "flush"])].concat());
    run(&rig, [reads("0", 1536, 64), reads("0x5a", 1600, 448)].concat());
    let target = rig.gateway.stop();
    let blocks = target.units()[unit as usize].blocks();
    let block = |bytes: u64| bytes / u64::from(blocks.block_bytes());
    assert_eq!(blocks.mapped_run(block(MIB)), (false, block(64 << 10)), "the space is given back");
    assert!(blocks.mapped_run(block(1088 << 10)).0);
}

#[test]
fn patterns_stay_and_space_is_given_back_on_512_bytes() {
    patterns(0);
}

#[test]
fn patterns_stay_and_space_is_given_back_on_4096_bytes() {
    patterns(1);
}

#[test]
fn discovery_finds_the_target_at_both_ports() {
    if tools::are_there() {
        let rig = Rig::start();
        let printed = tools::succeed("iscsi-ls", &["-s", &format!("iscsi://{}", rig.gateway.address(1))]);
        for port in [1, 2] {
            assert!(printed.contains(&rig.gateway.address(port).to_string()), "{printed}");
        }
        assert_eq!(printed.matches("Lun:").count(), 6, "{printed}");
        drop(rig.gateway.stop());
    }
}
