//! Against the utilities of Hercules: its images are read here, and those made here are sound and read alike
//! there. Without the utilities a test passes with a note, but for `HALFTRACK_HERCULES=required`.

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::{Command, Output};

use super::*;

/// Octets of the device header of an uncompressed image.
const PLAIN_HEADER_BYTES: usize = 512;

/// A directory in which the utilities run; nothing when they are not installed.
struct Hercules(tempfile::TempDir);

impl Hercules {
    fn new() -> Option<Self> {
        if Command::new("cckdcdsk").arg("-v").output().is_ok() {
            return Some(Self(tempfile::tempdir().unwrap()));
        }
        let required = std::env::var("HALFTRACK_HERCULES").is_ok_and(|value| value == "required");
        assert!(!required, "Hercules is not installed");
        // Not `eprintln`, which the harness hides from whoever reads that the tests passed.
        io::stderr()
            .write_all(b"NOT CHECKED: compressed images beside Hercules, which is not installed\n")
            .unwrap();
        None
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn run(&self, arguments: &str) -> Output {
        let mut words = arguments.split_whitespace();
        let command = words.next().unwrap();
        let output = Command::new(command).args(words).current_dir(self.0.path()).output().unwrap();
        assert!(output.status.success(), "{arguments}: {output:?}");
        output
    }

    fn load(&self, name: &str) -> Octets {
        Octets(std::fs::read(self.path(name)).unwrap())
    }

    /// Reads a file and removes it: the utilities do not cut a file that they replace.
    fn take(&self, name: &str) -> Octets {
        let file = self.load(name);
        std::fs::remove_file(self.path(name)).unwrap();
        file
    }

    fn store(&self, name: &str, file: &Octets) {
        std::fs::write(self.path(name), &file.0).unwrap();
    }

    /// Returns the messages of `cckdcdsk` at its highest level of checking about an image.
    fn complaints(&self, name: &str) -> String {
        let output = self.run(&format!("cckdcdsk -3 -ro {name}"));
        [output.stdout, output.stderr].map(|text| String::from_utf8_lossy(&text).into_owned()).concat()
    }

    /// Returns the tracks of a compressed image as `cckd2ckd` unpacks them, each with zeros behind its end marker.
    fn unpacked_tracks(&self, name: &str) -> Vec<Vec<u8>> {
        self.run(&format!("cckd2ckd -q {name} unpacked.ckd"));
        let octets = self.take("unpacked.ckd").0;
        let track_bytes = u32::from_le_bytes(octets[12..16].try_into().unwrap()) as usize;
        octets[PLAIN_HEADER_BYTES..].chunks(track_bytes).map(<[u8]>::to_vec).collect()
    }

    fn unpacked_blocks(&self, name: &str) -> Vec<u8> {
        self.run(&format!("dasdcopy -q -o FBA {name} unpacked.fba"));
        self.take("unpacked.fba").0
    }
}

/// Asserts that the units are the tracks.
fn assert_tracks(units: &[Vec<u8>], tracks: &[Vec<u8>]) {
    assert_eq!(units.len(), tracks.len());
    for (number, (unit, track)) in units.iter().zip(tracks).enumerate() {
        assert!(track.starts_with(unit), "track {number}");
        assert!(track[unit.len()..].iter().all(|&octet| octet == 0), "track {number} goes on");
    }
}

/// Returns an image of every kind of piece: tracks that were replaced and removed, free spaces, three tables.
fn sample(device: CckdDevice, null_format: NullFormat, compression: Compression) -> Octets {
    let mut file = empty(device, null_format, compression);
    let mut image = CckdImage::open(&file).unwrap();
    let units = [599, 3, 4, 5, 300, 4, 301, 599, 3, 17];
    for (seed, unit) in (0..).zip(units) {
        write(&mut image, &mut file, unit, &track(device, unit, &[4096, 80, u16::from(seed) * 900, 0], seed));
        settle(&mut image);
    }
    write(&mut image, &mut file, 5, &null_units(device, NullFormat::Empty)[5]);
    file
}

#[test]
fn images_of_hercules_are_read_alike() {
    let Some(hercules) = Hercules::new() else { return };
    let make = |name: &str, command: &str| {
        hercules.run(command);
        let file = hercules.load(name);
        assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
        assert_tracks(&all_units(&file), &hercules.unpacked_tracks(name));
        file
    };
    make("zlib", "dasdinit -z zlib 3390 VOL001 40");
    make("bzip2", "dasdinit -bz2 bzip2 3390 VOL001 40");
    make("plain", "dasdinit -0 plain 3390 VOL001 40");
    let linux = make("linux", "dasdinit -z -linux linux 3390 VOL001 40");
    assert_eq!(CckdImage::open(&linux).unwrap().null_format(), NullFormat::Linux);
    let little = make("order", "dasdinit -bz2 order 3390 VOL001 40");
    let big = make("order", "cckdswap order");
    assert_ne!(little, big);
    make("3380", "dasdinit -z 3380 3380 VOL001 4");
}

/// Not unpacked by `cckd2ckd`: the volume is of 1113 cylinders.
#[test]
fn an_image_with_a_list_of_free_spaces_is_sound() {
    let Some(hercules) = Hercules::new() else { return };
    std::fs::write(hercules.path("control"), "VOL001 3390 1\nsysvtoc vtoc trk 15\n").unwrap();
    hercules.run("dasdload -z control loaded");
    let mut file = hercules.load("loaded");
    assert!(file.0.windows(8).any(|octets| octets == b"FREE_BLK"));
    assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
    let mut image = CckdImage::open(&file).unwrap();
    let octets = read(&image, &file, 1).unwrap();
    let written = track(image.device(), 20, &[90], 1);
    write(&mut image, &mut file, 20, &written);
    assert_eq!(read(&image, &file, 1).unwrap(), octets);
    hercules.store("loaded", &file);
    assert_eq!(hercules.complaints("loaded"), "");
}

#[test]
fn block_images_are_read_alike_on_both_sides() {
    let Some(hercules) = Hercules::new() else { return };
    hercules.run("dasdinit -z made.fba 3370 VOL001 1001");
    let mut file = hercules.load("made.fba");
    let compare = |name: &str, file: &Octets| {
        assert_eq!(check(file, CheckDepth::Units).unwrap(), []);
        let blocks = hercules.unpacked_blocks(name);
        assert_eq!(blocks.len(), 1001 * 512);
        assert!(all_units(file).concat().starts_with(&blocks));
    };
    compare("made.fba", &file);
    let mut image = CckdImage::open(&file).unwrap();
    for unit in [0, 8, 3, 8] {
        let group: Vec<u8> = (0..GROUP_BYTES).map(|at| (at / 7 / (unit + 3)) as u8).collect();
        write(&mut image, &mut file, unit, &group);
        settle(&mut image);
    }
    hercules.store("written.fba", &file);
    assert_eq!(hercules.complaints("written.fba"), "");
    compare("written.fba", &file);
}

#[test]
fn images_made_here_are_sound_for_hercules_and_read_alike() {
    let Some(hercules) = Hercules::new() else { return };
    for compression in [Compression::none(), Compression::zlib(), Compression::bzip2()] {
        for null_format in [NullFormat::EndOfFile, NullFormat::Empty, NullFormat::Linux] {
            let file = sample(THREE_TABLES, null_format, compression);
            hercules.store("made", &file);
            assert_eq!(hercules.complaints("made"), "");
            assert_tracks(&all_units(&file), &hercules.unpacked_tracks("made"));
        }
    }
}

#[test]
fn hercules_compacts_an_image_made_here_and_the_other_way_round() {
    let Some(hercules) = Hercules::new() else { return };
    let file = sample(THREE_TABLES, NullFormat::Empty, Compression::zlib());
    hercules.store("made", &file);
    hercules.run("cckdcomp made");
    let theirs = hercules.load("made");
    let mut ours = Octets::default();
    compact(&file, &mut ours, &mut |_, _| {}).unwrap();
    hercules.store("ours", &ours);
    assert_eq!(hercules.complaints("ours"), "");
    assert_eq!(theirs.0.len(), ours.0.len());
    assert!(all_units(&theirs) == all_units(&file));
}

#[test]
fn an_image_that_hercules_made_is_sound_after_writes_and_after_a_repair() {
    let Some(hercules) = Hercules::new() else { return };
    hercules.run("dasdinit -bz2 -linux made 3390 VOL001 40");
    let mut file = hercules.load("made");
    let mut image = CckdImage::open(&file).unwrap();
    for unit in [0, 1, 2, 400, 1] {
        write(&mut image, &mut file, unit, &track(THREE_TABLES, unit, &[4096, 100], unit as u8));
    }
    hercules.store("written", &file);
    assert_eq!(hercules.complaints("written"), "");
    assert_tracks(&all_units(&file), &hercules.unpacked_tracks("written"));
    let units = all_units(&file);
    file.0[1024..1028].fill(0x77);
    let mut into = Octets::default();
    let repair = repair(&file, &mut into).unwrap();
    assert_eq!(repair.found.len(), 3);
    hercules.store("repaired", &into);
    assert_eq!(hercules.complaints("repaired"), "");
    assert!(all_units(&into) == units);
    assert_eq!(into.0.len() as u64, repair.image_bytes);
}
