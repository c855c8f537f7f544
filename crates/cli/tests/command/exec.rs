//! `halftrack exec`: programs of the repository on volumes in files, and what is refused.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use halftrack_program::{Geometry, TrackAddress};
use halftrack_volume::{Mode, NewFormat, Tracks, Volume, VolumeDevice, create, file_names};
use serde_json::Value;
use tempfile::TempDir;

use crate::support::{code, halftrack, repository, stderr, stdout};

/// A directory with a volume.
struct Place(TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(tempfile::tempdir().expect("temporary directory"));
        let device = VolumeDevice::Ckd(Geometry::with_cylinders(5).expect("a geometry"));
        create(&place.path("work.ckd"), device, NewFormat::Plain, None).expect("a volume");
        place
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        fs::write(self.path(name), content).expect("file");
    }

    /// Runs a program of this directory, or of the repository, on the volume.
    fn exec(&self, program: &str, options: &[&str]) -> Output {
        let own = self.path(program);
        let program = if own.exists() { own } else { repository().join("programs").join(program) };
        let volume = self.path("work.ckd");
        let mut arguments = vec!["exec", text(&program), text(&volume)];
        arguments.extend(options);
        halftrack(&arguments)
    }
}

/// Leaves the volume at `path` as a kill behind a chain does: its journal holds what was written.
pub fn leave_killed(path: &Path) {
    let Ok(Volume::Ckd(mut tracks)) = Volume::open(path, Mode::Sync) else { panic!("a CKD volume") };
    tracks.erase(TrackAddress::new(0, 1).expect("a track"), 0).expect("erased");
    tracks.commit().expect("safe");
    let journal = file_names::journal(path);
    let left = [path, &journal].map(|file| fs::read(file).expect("file"));
    drop(tracks);
    for (file, octets) in [path, &journal].into_iter().zip(left) {
        fs::write(file, octets).expect("file");
    }
}

fn text(path: &Path) -> &str {
    path.to_str().expect("a path in UTF-8")
}

#[test]
fn what_one_program_writes_another_reads() {
    let place = Place::new();
    for program in ["format-track.ccw", "read-4k.ccw", "update-write.ccw", "read-track.ccw", "search-key.ccw"]
    {
        let output = place.exec(program, &[]);
        assert_eq!((code(&output), stderr(&output)), (0, ""), "{program}: {}", stdout(&output));
    }
    let track = place.exec("read-track.ccw", &["--read-only"]);
    assert!(stdout(&track).contains("channel end, device end; residual count 16263"), "{}", stdout(&track));
    let refused = place.exec("update-write.ccw", &["--read-only"]);
    assert_eq!(code(&refused), 1);
    assert!(stdout(&refused).contains("write inhibited"), "{}", stdout(&refused));
}

#[test]
fn the_trace_and_the_json_tell_the_same() {
    let place = Place::new();
    place.exec("format-track.ccw", &["--writeback"]);
    let traced = place.exec("read-4k.ccw", &["--trace"]);
    for part in ["define-extent CC 16", "(operation read-data count 1", "4096 bytes to", "IRB 00C04007"] {
        assert!(stdout(&traced).contains(part), "{part} is not in {}", stdout(&traced));
    }
    let json: Value =
        serde_json::from_str(stdout(&place.exec("read-4k.ccw", &["--trace", "--json"]))).expect("JSON");
    assert_eq!(json["as_expected"], true);
    assert_eq!(json["steps"][0]["ending"]["summary"], "channel end, device end; residual count 0");
    assert_eq!(
        json["steps"][0]["trace"][0]["text"].as_str().map(|text| &text[..16]),
        Some("define-extent CC")
    );
}

#[test]
fn what_does_not_hold_is_shown_at_its_line() {
    let place = Place::new();
    place.exec("format-track.ccw", &[]);
    place.write("wrong.ccw", "start\nread-data 4096\nexpect normal\n");
    let output = place.exec("wrong.ccw", &[]);
    assert_eq!(code(&output), 1);
    assert!(stdout(&output).contains("unit check"), "{}", stdout(&output));
    assert!(stdout(&output).contains("sense: command reject"), "{}", stdout(&output));
    assert!(
        stderr(&output).contains("HTK820E") && stderr(&output).contains("wrong.ccw:3:1"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn data_are_saved_whole() {
    let place = Place::new();
    place.exec("format-track.ccw", &[]);
    let saved = place.path("record.bin");
    let program = fs::read_to_string(repository().join("programs/read-4k.ccw")).expect("a program");
    place.write(
        "save.ccw",
        program.replace("expect C'R005' 4092X'05'", &format!("save '{}'", saved.display())),
    );
    let output = place.exec("save.ccw", &[]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let octets = fs::read(&saved).expect("the record");
    assert_eq!((octets.len(), octets[0], octets[4095]), (4096, 0xD9, 5));
}

#[test]
fn bad_input_is_refused() {
    let place = Place::new();
    place.write("text.ccw", "start\nread-date 4096\n");
    let output = place.exec("text.ccw", &[]);
    assert_eq!((code(&output), stdout(&output)), (2, ""));
    assert!(stderr(&output).contains("HTK802E") && stderr(&output).contains(":2:1"), "{}", stderr(&output));
    place.write("octets.ccw", [0xFF, 0xFE]);
    assert_eq!(code(&place.exec("octets.ccw", &[])), 2);
    let no_volume = halftrack(&["exec", text(&repository().join("programs/sense.ccw"))]);
    assert_eq!(code(&no_volume), 2);
    assert!(stderr(&no_volume).contains("VOLUME"), "{}", stderr(&no_volume));
    let missing = halftrack(&["exec", text(&repository().join("programs/sense.ccw")), "no-such.ckd"]);
    assert_eq!(code(&missing), 2);
}

#[test]
fn fixed_blocks_have_programs_too() {
    let place = Place::new();
    fs::write(place.path("blocks.fba"), vec![0; 512 * 1024]).expect("a volume");
    let program = repository().join("programs/fixed-blocks.ccw");
    let output = halftrack(&["exec", text(&program), text(&place.path("blocks.fba")), "--trace"]);
    assert_eq!((code(&output), stderr(&output)), (0, ""), "{}", stdout(&output));
    assert!(stdout(&output).contains("(operation read count 1 block 1)"), "{}", stdout(&output));
    let octets = fs::read(place.path("blocks.fba")).expect("the volume");
    assert_eq!(octets[101 * 512..101 * 512 + 3], [0xE2, 0xC5, 0xC3]);
}

#[test]
fn a_volume_is_loaded_from() {
    let place = Place::new();
    assert_eq!(code(&place.exec("ipl-record.ccw", &[])), 0);
    let (volume, saved) = (place.path("work.ckd"), place.path("storage.bin"));
    let output = halftrack(&["exec", "--ipl", text(&volume), "--save", text(&saved)]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(
        stdout(&output).contains("PSW 000A000080002000: instruction address 0x2000"),
        "{}",
        stdout(&output)
    );
    assert_eq!(fs::read(&saved).expect("storage")[0x2000..0x2003], [0xD3, 0xD6, 0xC1]);
}

#[test]
fn programs_are_listed_and_octets_disassembled() {
    let listed = halftrack(&["exec", "--list", text(&repository().join("programs/sense.ccw"))]);
    assert_eq!(code(&listed), 0);
    assert!(stdout(&listed).contains("00001000  E4600020"), "{}", stdout(&listed));
    let place = Place::new();
    place.write("chain.bin", [0x06, 0x60, 0x10, 0, 0, 0, 0x30, 0, 0x03, 0, 0, 1, 0, 0, 0, 0]);
    let chain =
        halftrack(&["exec", "--disassemble", "ccw1", text(&place.path("chain.bin")), "--at", "0x2000"]);
    assert!(
        stdout(&chain)
            .contains("start format 1 @0x2000\n    read-data CC SLI 4096 @0x3000\n    no-op 1 @0x0\n"),
        "{}",
        stdout(&chain)
    );
}

#[test]
fn a_journal_of_another_volume_is_refused_and_explained_until_it_is_discarded() {
    let place = Place::new();
    let (volume, journal) = (place.path("work.ckd"), place.path("work.ckd.journal"));
    let other = fs::read(&volume).expect("a volume");
    leave_killed(&volume);
    fs::write(&volume, &other).expect("another volume in its place");
    for options in [&[][..], &["--writeback"], &["--read-only"]] {
        let refused = place.exec("format-track.ccw", options);
        assert_eq!((code(&refused), stdout(&refused)), (2, ""), "{options:?}");
        for part in ["work.ckd.journal", "not that of the image", "--discard-journal", "cp -a"] {
            assert!(stderr(&refused).contains(part), "{part} is not in {}", stderr(&refused));
        }
    }
    assert!(fs::read(&volume).expect("the volume") == other && journal.exists(), "nothing is written");
    assert_eq!(code(&place.exec("sense.ccw", &["--read-only", "--discard-journal"])), 0);
    assert!(journal.exists(), "who only reads removes nothing");
    let output = place.exec("format-track.ccw", &["--discard-journal"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    assert!(!journal.exists());
}

/// A journal in `/dev/full` is one on a disk without room.
#[test]
fn a_full_disk_is_reported_with_the_words_of_the_host() {
    for options in [&[][..], &["--writeback"]] {
        let place = Place::new();
        std::os::unix::fs::symlink("/dev/full", place.path("work.ckd.journal")).expect("a link");
        let output = place.exec("format-track.ccw", options);
        assert_eq!(code(&output), 1, "{options:?}: {}", stdout(&output));
        assert!(stderr(&output).contains("No space left on device"), "{options:?}: {}", stderr(&output));
        let seen = stdout(&output).contains("unit check");
        assert_eq!(seen, options.is_empty(), "gathered writes fail behind the ending status");
    }
}
