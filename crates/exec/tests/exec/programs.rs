//! The programs of the repository, run on a volume in memory.

use std::fs;
use std::path::{Path, PathBuf};

use halftrack_control_unit::{EckdDevice, FbaDevice};
use halftrack_exec::{
    Image, Program, Report, RunOptions, assemble, disassemble, ipl, ipl_program, run, run_listing,
};
use halftrack_input::SourceFile;
use halftrack_program::Geometry;
use halftrack_volume::medium::Medium;
use halftrack_volume::{CkdVolume, MemoryMedium, Mode, Volume, create_in_memory};

type Device = EckdDevice<CkdVolume<MemoryMedium>>;

fn device() -> Device {
    EckdDevice::new(
        create_in_memory(Geometry::with_cylinders(3).expect("cylinders"), None).expect("a volume"),
    )
}

fn directory() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../programs")
}

fn program(name: &str) -> Program {
    let text = fs::read_to_string(directory().join(name)).expect("a program of the repository");
    let source = SourceFile::new(name, text);
    assemble(&source, &|_| Err("no files".to_owned())).unwrap_or_else(|found| panic!("{found:#?}"))
}

/// Runs a program, which has to end as it expects.
fn runs(device: &mut Device, name: &str) -> Report {
    let report = run(&program(name), device, RunOptions { trace: true, ..RunOptions::default() });
    assert!(report.as_expected, "{name}\n{}\n{:#?}", run_listing(&report), report.steps.last());
    report
}

#[test]
fn every_program_ends_as_it_says() {
    let mut device = device();
    for name in [
        "format-track.ccw",
        "read-4k.ccw",
        "read-4k-transport.ccw",
        "update-write.ccw",
        "read-track.ccw",
        "search-key.ccw",
        "sense.ccw",
        "ipl-record.ccw",
    ] {
        runs(&mut device, name);
    }
    let tried = fs::read_dir(directory()).expect("the programs").count();
    assert_eq!(tried, 8 + 1, "each program of the repository is run here");
}

#[test]
fn the_program_for_fixed_blocks_ends_as_it_says() {
    let mut medium = MemoryMedium::default();
    medium.set_len(512 * 1024).expect("a medium");
    let Ok(Volume::Fba(blocks)) = Volume::from_media(vec![medium], None, Mode::Sync) else {
        panic!("octets without a header are blocks");
    };
    let options = RunOptions { trace: true, fixed_blocks: true };
    let report = run(&program("fixed-blocks.ccw"), &mut FbaDevice::new(blocks), options);
    let listing = run_listing(&report);
    assert!(report.as_expected, "{listing}");
    assert!(listing.contains("(block-size 512 last-block 199)"), "{listing}");
}

#[test]
fn the_octets_that_are_read_are_those_that_were_written() {
    let mut device = device();
    runs(&mut device, "format-track.ccw");
    let read = runs(&mut device, "read-4k.ccw");
    let moved = &read.steps[0].trace[2].moved[0];
    assert_eq!((moved.bytes, &moved.octets.0[..6]), (4096, &[0xD9, 0xF0, 0xF0, 0xF5, 5, 5][..]));
    runs(&mut device, "update-write.ccw");
    let track = runs(&mut device, "read-track.ccw");
    // Record zero, twelve records of 4 KiB, the end marker; the rest of the count is left.
    let length = 16 + 12 * (8 + 4096) + 8;
    assert_eq!(track.steps[0].ending.as_ref().and_then(|ending| ending.residual), Some(65_535 - length));
}

#[test]
fn a_wrong_octet_is_noticed() {
    let mut device = device();
    runs(&mut device, "format-track.ccw");
    let text =
        fs::read_to_string(directory().join("read-4k.ccw")).unwrap().replace("4092X'05'", "4091X'05' X'06'");
    let program = assemble(&SourceFile::new("changed.ccw", text), &|_| Err(String::new())).unwrap();
    let report = run(&program, &mut device, RunOptions::default());
    let failed = &report.steps[0].failed;
    assert_eq!(failed.len(), 1);
    assert!(failed[0].message.starts_with("1 of 4096 bytes at 0x"), "{}", failed[0].message);
    assert!(failed[0].message.ends_with("the first at offset 4095: 06 was expected; it is 05"));
}

#[test]
fn a_load_brings_what_the_ipl_record_says() {
    let mut device = device();
    runs(&mut device, "ipl-record.ccw");
    let load = ipl(&ipl_program().unwrap(), &mut device, RunOptions::default());
    assert!(load.report.as_expected, "{:#?}", load.report);
    assert_eq!(load.psw_words, "instruction address 0x2000, 31-bit addressing, key 0, wait");
    assert_eq!(load.storage[0x2000..0x2007], [0xD3, 0xD6, 0xC1, 0xC4, 0xC5, 0xC4, 0x40]);
}

#[test]
fn every_program_comes_back_from_its_disassembly() {
    for entry in fs::read_dir(directory()).expect("the programs") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name in UTF-8");
        let image = Image::from(&program(&name));
        let again = SourceFile::new("again.ccw", disassemble(&image));
        let again =
            assemble(&again, &|_| Err("no files".to_owned())).unwrap_or_else(|found| panic!("{found:#?}"));
        assert_eq!(Image::from(&again), image, "{name}");
    }
}
