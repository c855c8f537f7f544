//! `halftrack volume` on volumes that it makes, sound and damaged.

use std::fs::{self, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::PathBuf;

use halftrack_program::Octets;
use halftrack_volume::{Mode, Tracks, Volume, file_names};
use serde_json::Value;
use tempfile::TempDir;

use crate::hercules::cards::cards;
use crate::hercules::filled::fill;
use crate::hercules::layout;
use crate::support::{code, halftrack, names_in, stderr, stdout};

/// Bytes of the header of a plain image, and of each track of a 3390 behind it.
const HEADER_BYTES: u64 = 512;
const TRACK_BYTES: u64 = 56_832;

/// A directory for volumes.
struct Shelf(TempDir);

impl Shelf {
    fn new() -> Self {
        Self(tempfile::tempdir().expect("temporary directory"))
    }

    /// Makes a directory with a volume of ten cylinders that holds three data sets.
    fn with_volume(name: &str, compression: &str) -> Self {
        let shelf = Self::new();
        let made = ["create", "--type", "3390", "--cylinders", "10", "--volser", "HTK001", "--compress"];
        shelf.fine(&[&made[..], &[compression]].concat(), &[name]);
        fill(&shelf.path(name), 10, 1);
        shelf
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    /// Runs `halftrack volume WORDS VOLUMES`; returns exit code, standard output, standard error.
    fn run(&self, words: &[&str], volumes: &[&str]) -> (i32, String, String) {
        let paths: Vec<_> = volumes.iter().map(|name| self.path(name)).collect();
        let paths: Vec<_> = paths.iter().map(|path| path.to_str().expect("UTF-8")).collect();
        // The subcommand, its volumes, its options.
        let output = halftrack(&[&["volume"], &words[..1], &paths, &words[1..]].concat());
        (code(&output), stdout(&output).to_owned(), stderr(&output).to_owned())
    }

    /// Returns its output when all is fine.
    fn fine(&self, words: &[&str], volumes: &[&str]) -> String {
        let (code, printed, said) = self.run(words, volumes);
        assert_eq!((code, said.as_str()), (0, ""), "{words:?}");
        printed
    }

    fn json(&self, words: &[&str], volume: &str) -> Value {
        let (_, printed, said) = self.run(&[words, &["--json"]].concat(), &[volume]);
        serde_json::from_str(&printed).unwrap_or_else(|error| panic!("{error}: {said}"))
    }

    /// Returns its messages about bad input.
    fn refused(&self, words: &[&str], volumes: &[&str]) -> String {
        let (code, printed, said) = self.run(words, volumes);
        assert_eq!((code, printed.as_str()), (2, ""), "{words:?}");
        said
    }

    /// Writes over octets of a file.
    fn damage(&self, name: &str, offset: u64, octets: &[u8]) {
        let mut file = OpenOptions::new().write(true).open(self.path(name)).expect("image");
        file.seek(SeekFrom::Start(offset)).and_then(|_| file.write_all(octets)).expect("image");
    }

    /// Returns the octets of a data set.
    fn data_set(&self, volume: &str, name: &str) -> Vec<u8> {
        let to = self.path("data-set");
        let to = to.to_str().expect("UTF-8");
        self.fine(&["read", name, "-o", to], &[volume]);
        fs::read(to).expect("data set")
    }
}

/// Returns the offset of a track in a plain image.
fn offset(cylinder: u64, head: u64) -> u64 {
    HEADER_BYTES + (cylinder * 15 + head) * TRACK_BYTES
}

#[test]
fn volumes_show_what_they_were_made_as() {
    let shelf = Shelf::new();
    let printed = shelf.fine(&["create", "--type", "3390", "--cylinders", "3", "--volser", "work01"], &["a"]);
    assert_eq!(printed, format!("{}\n", shelf.path("a").display()));
    let shown = shelf.json(&["show"], "a");
    assert_eq!((shown["device_type"].as_str(), shown["tracks"].as_u64()), (Some("3390"), Some(45)));
    assert_eq!(
        (shown["compression"].as_str(), shown["label"]["volser"].as_str()),
        (Some("none"), Some("WORK01"))
    );
    assert!(shown["vtoc"]["missing"].as_str().is_some_and(|missing| missing.contains("format-4")), "{shown}");
    shelf.fine(&["create", "--type", "fba", "--blocks", "500", "--compress", "zlib"], &["b"]);
    let shown = shelf.json(&["show"], "b");
    assert_eq!((shown["blocks"].as_u64(), shown["compression"].as_str()), (Some(500), Some("zlib")));
    assert!(shown["label"].is_null());
    let dump = shelf.fine(&["show", "--record", "0/0/3"], &["a"]);
    assert!(dump.contains("E5D6D3F1 E6D6D9D2 F0F14000 00000101  |VOL1WORK01 .....|"), "{dump}");
    assert_eq!(names_in(shelf.0.path()), ["a", "b"], "nothing is left beside them");
}

#[test]
fn files_that_are_there_are_kept_unless_they_may_be_replaced() {
    let shelf = Shelf::new();
    let made = ["create", "--type", "3390", "--cylinders", "1"];
    fs::write(shelf.path("a"), "mine").expect("file");
    assert!(shelf.refused(&made, &["a"]).contains("exists already"));
    assert_eq!(fs::read(shelf.path("a")).expect("file"), b"mine");
    shelf.fine(&[&made[..], &["--replace"]].concat(), &["a"]);
    assert!(shelf.refused(&["copy"], &["a", "a"]).contains("onto itself"));
    let open = Volume::open(&shelf.path("a"), Mode::Sync).expect("volume");
    let said = shelf.refused(&[&made[..], &["--replace"]].concat(), &["a"]);
    assert!(said.contains("in use by another program"), "{said}");
    drop(open);
}

#[test]
fn devices_that_there_are_not_are_bad_input() {
    let shelf = Shelf::new();
    let cases: [(&[&str], &str); 7] = [
        (&["--type", "3399"], "device type 3399 is unknown; known types are"),
        (&["--type", "3390"], "give the size of the 3390 with --cylinders"),
        (&["--type", "3390-3", "--cylinders", "7"], "a 3390-3 has 3339 cylinders"),
        (&["--type", "fba"], "--blocks N"),
        (&["--type", "fba", "--cylinders", "7"], "has --blocks, not --cylinders"),
        (&["--type", "3390-1", "--blocks", "7"], "has --cylinders, not --blocks"),
        (&["--type", "3390-1", "--compress", "zlib", "--one-file"], "leave --one-file out"),
    ];
    for (words, expected) in cases {
        let said = shelf.refused(&[&["create"], words].concat(), &["a"]);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    let said = shelf.refused(&["create", "--type", "3390-1", "--volser", "TOOLONG"], &["a"]);
    assert!(said.contains("one to six letters"), "{said}");
    assert_eq!(names_in(shelf.0.path()), [""; 0]);
}

#[test]
fn data_sets_and_members_are_listed_and_read() {
    let shelf = Shelf::with_volume("a", "none");
    let listed = shelf.json(&["list"], "a");
    assert_eq!(
        (listed["volser"].as_str(), listed["faults"].as_array().map(Vec::len)),
        (Some("HTK001"), Some(0))
    );
    let scatter = &listed["data_sets"][0];
    assert_eq!((scatter["name"].as_str(), scatter["recfm"].as_str()), (Some("HTK.SCATTER"), Some("FB")));
    let extents = serde_json::json!(["1/0-1/0", "1/2-1/2", "1/4-1/4", "1/6-1/6", "1/8-1/8"]);
    assert_eq!((&scatter["extents"], scatter["created"].as_str()), (&extents, Some("2026-042")));
    let table = shelf.fine(&["list", "--extents"], &["a"]);
    assert!(table.contains("HTK.SHORT    PS     FB        80     3200"), "{table}");
    assert!(shelf.data_set("a", "htk.scatter") == cards(layout::scattered_lines()));
    let directory = shelf.json(&["list", "HTK.SOURCE"], "a");
    let names =
        directory["members"].as_array().expect("members").iter().map(|member| member["name"].as_str());
    let expected = layout::members().into_iter().map(|(name, _)| Some(name));
    assert!(names.eq(expected), "{directory}");
    let small = shelf.fine(&["read", "htk.source(small)", "--text"], &["a"]);
    assert_eq!(small, "SMALL 0\nSMALL 1\nSMALL 2\n");
    let lengths = shelf.fine(&["read", "HTK.SOURCE(EMPTY)", "--lengths"], &["a"]);
    assert_eq!(lengths, "");
}

#[test]
fn what_is_not_there_is_said_with_what_is() {
    let shelf = Shelf::with_volume("a", "zlib");
    shelf.fine(&["create", "--type", "fba", "--blocks", "9"], &["b"]);
    let cases: [(&[&str], &str, &str); 9] = [
        (&["read", "NO.SUCH"], "a", "data set NO.SUCH is not on the volume; `halftrack volume list"),
        (&["read", "HTK.SOURCE"], "a", "is partitioned; name a member"),
        (&["read", "HTK.SOURCE(X)"], "a", "has no member X"),
        (&["read", "HTK.SHORT(X)"], "a", "is not partitioned"),
        (&["read", "--records", "0/0/9"], "a", "its records are 0, 1, 2, 3"),
        (&["show", "--track", "10/0"], "a", "it has 10 cylinders of 15 heads"),
        (&["read", "--blocks", "0-9"], "b", "the volume has no block 9; its last is 8"),
        (&["list"], "b", "a fixed-block volume has no tracks"),
        (&["show"], "c", "No such file"),
    ];
    for (words, volume, expected) in cases {
        let said = shelf.refused(words, &[volume]);
        assert!(said.contains(expected), "{words:?}: {said}");
    }
    assert!(shelf.refused(&["read", "--tracks", "1"], &["a"]).contains("CYLINDER/HEAD"));
}

#[test]
fn copies_hold_the_same_tracks_and_compacting_keeps_them() {
    let shelf = Shelf::with_volume("a", "none");
    let tracks = |name: &str| {
        let to = shelf.path("tracks");
        shelf.fine(&["read", "--tracks", "0/0-9/14", "-o", to.to_str().expect("UTF-8")], &[name]);
        fs::read(to).expect("tracks")
    };
    let before = tracks("a");
    shelf.fine(&["copy", "--compress", "bzip2"], &["a", "b"]);
    fill(&shelf.path("b"), 10, 1);
    let compacted = shelf.json(&["compact"], "b");
    assert!(compacted["after_bytes"].as_u64() < compacted["before_bytes"].as_u64(), "{compacted}");
    assert!(tracks("b") == before);
    shelf.fine(&["copy"], &["b", "c"]);
    assert!(fs::read(shelf.path("a")).expect("a") == fs::read(shelf.path("c")).expect("c"));
    assert!(shelf.refused(&["compact"], &["c"]).contains("not a compressed image"));
}

#[test]
fn a_damaged_track_keeps_the_records_before_the_damage() {
    let shelf = Shelf::with_volume("a", "none");
    assert_eq!(shelf.fine(&["check"], &["a"]), format!("{}: whole\n", shelf.path("a").display()));
    // The count area of the fourth block of HTK.SCATTER: home address, record zero, three blocks.
    let count = offset(1, 0) + 5 + 16 + 3 * 3208;
    shelf.damage("a", count, &[0xEE; 8]);
    let (code, printed, _) = shelf.run(&["check"], &["a"]);
    assert_eq!(code, 1);
    assert!(printed.contains("cylinder 1 head 0: 4 records can be read"), "{printed}");
    let finding = &shelf.json(&["check"], "a")["findings"][0];
    assert_eq!(
        (finding["offset"].as_u64(), finding["place"].as_str()),
        (Some(count), Some("cylinder 1 head 0"))
    );
    // What is not damaged is read as before.
    assert_eq!(shelf.data_set("a", "HTK.SHORT").len(), 41 * 80);
    assert_eq!(shelf.fine(&["read", "HTK.SOURCE(SMALL)", "--text"], &["a"]), "SMALL 0\nSMALL 1\nSMALL 2\n");

    let (code, printed, said) = shelf.run(&["check", "--repair"], &["a"]);
    assert_eq!((code, said.as_str()), (0, ""), "{printed}");
    assert!(printed.ends_with("1 finding, repaired\n"), "{printed}");
    assert!(shelf.fine(&["check"], &["a"]).ends_with("whole\n"));
    let lines = layout::scattered_lines();
    // The first three blocks of 40 records, and what lies on the other tracks.
    let kept: Vec<_> = lines[..120].iter().chain(&lines[14 * 40..]).cloned().collect();
    assert!(shelf.data_set("a", "HTK.SCATTER") == cards(kept));
}

#[test]
fn a_volume_cut_short_is_read_as_far_as_it_goes() {
    let shelf = Shelf::with_volume("a", "none");
    let image = OpenOptions::new().write(true).open(shelf.path("a")).expect("image");
    image.set_len(offset(2, 5) + 1000).expect("cut");
    let (code, printed, _) = shelf.run(&["check"], &["a"]);
    assert_eq!(code, 1);
    assert!(printed.contains("has 10 cylinders and the image 3"), "{printed}");
    assert!(shelf.data_set("a", "HTK.SCATTER") == cards(layout::scattered_lines()));
    let (code, ..) = shelf.run(&["check", "--repair"], &["a"]);
    assert_eq!(code, 1, "the cylinders that are gone stay gone");
    let remaining = shelf.json(&["check"], "a");
    assert_eq!(remaining["findings"].as_array().map(Vec::len), Some(0), "{remaining}");
    assert_eq!(shelf.fine(&["read", "HTK.SOURCE(EMPTY)"], &["a"]), "");
}

#[test]
fn a_damaged_compressed_volume_is_read_and_repaired_beside_the_old_one() {
    for method in ["zlib", "bzip2"] {
        let shelf = Shelf::with_volume("a", method);
        let image = fs::read(shelf.path("a")).expect("image");
        // The header of the unit of cylinder 1 head 1, HTK.SHORT.
        let header = [if method == "zlib" { 1 } else { 2 }, 0, 1, 0, 1];
        let at = image.windows(5).rposition(|octets| octets == header).expect("the track is there") as u64;
        shelf.damage("a", at + 40, &[0xA5; 30]);
        let finding = &shelf.json(&["check"], "a")["findings"][0];
        assert_eq!(
            (finding["offset"].as_u64(), finding["place"].as_str()),
            (Some(at), Some("cylinder 1 head 1"))
        );
        assert!(shelf.data_set("a", "HTK.SCATTER") == cards(layout::scattered_lines()), "{method}");
        let (code, _, said) = shelf.run(&["read", "HTK.SHORT"], &["a"]);
        assert_eq!(code, 1);
        assert!(said.contains("cylinder 1 head 1: the track cannot be read"), "{said}");

        let repaired = shelf.json(&["check", "--repair"], "a");
        assert_eq!(repaired["remaining"].as_array().map(Vec::len), Some(0), "{repaired}");
        assert!(repaired["aside"].as_str().is_some_and(|aside| aside.ends_with("a.before-repair")));
        assert!(shelf.fine(&["check"], &["a"]).ends_with("whole\n"));
        assert!(shelf.data_set("a", "HTK.SCATTER") == cards(layout::scattered_lines()), "{method}");
    }
}

#[test]
fn what_only_the_journal_has_is_seen_and_put_into_the_image() {
    let shelf = Shelf::with_volume("a", "none");
    fs::copy(shelf.path("a"), shelf.path("b")).expect("copy");
    let Volume::Ckd(mut tracks) = Volume::open(&shelf.path("a"), Mode::Sync).expect("volume") else {
        panic!()
    };
    tracks.write_data(layout::short(1), 1, Octets::Bytes(&cards(["NEW".to_owned()]))).expect("written");
    tracks.commit().expect("safe");
    // The journal as a power failure at this moment leaves it, beside an image that has its mark and nothing else.
    fs::copy(file_names::journal(&shelf.path("a")), file_names::journal(&shelf.path("b"))).expect("journal");
    let (marked, mut image) = (fs::read(shelf.path("a")).expect("a"), fs::read(shelf.path("b")).expect("b"));
    image[..512].copy_from_slice(&marked[..512]);
    fs::write(shelf.path("b"), image).expect("image");
    drop(tracks);
    let before = fs::read(shelf.path("b")).expect("image");
    let first = |name: &str| shelf.data_set(name, "HTK.SHORT")[..80] == cards(["NEW".to_owned()]);
    assert!(first("b"), "a reader sees what the journal holds");
    assert!(shelf.json(&["show"], "b")["journal"].is_string());
    assert!(fs::read(shelf.path("b")).expect("image") == before, "and writes nothing");
    let (code, printed, said) = shelf.run(&["check"], &["b"]);
    assert_eq!((code, said.as_str()), (0, ""));
    assert!(printed.contains("its journal is now in the image"), "{printed}");
    assert!(fs::read(shelf.path("b")).expect("image") != before);
    assert!(shelf.json(&["show"], "b")["journal"].is_null() && first("b"));
}

#[test]
fn every_command_refuses_a_journal_of_another_volume_and_takes_the_image_without_it() {
    let shelf = Shelf::with_volume("a", "zlib");
    fs::copy(shelf.path("a"), shelf.path("other")).expect("copy");
    super::exec::leave_killed(&shelf.path("a"));
    fs::copy(shelf.path("other"), shelf.path("a")).expect("copy");
    let journal = file_names::journal(&shelf.path("a"));
    let copy = shelf.path("copy").display().to_string();
    for (command, behind) in
        [("show", vec![]), ("list", vec![]), ("read", vec!["HTK.SHORT"]), ("copy", vec![copy.as_str()])]
    {
        let run = |options: &[&str]| {
            let volume = shelf.path("a").display().to_string();
            let arguments = [&["volume", command, &volume][..], &behind, options].concat();
            let output = halftrack(&arguments);
            (code(&output), stderr(&output).to_owned())
        };
        let (refused, said) = run(&[]);
        assert_eq!(refused, 2, "{command}: {said}");
        assert!(said.contains("not that of the image") && said.contains("--discard-journal"), "{said}");
        let (done, said) = run(&["--discard-journal"]);
        assert_eq!(done, 0, "{command}: {said}");
        assert!(journal.exists(), "{command} only reads");
    }
    let (found, printed, _) = shelf.run(&["check"], &["a"]);
    assert_eq!(found, 1);
    assert!(printed.contains("not that of the image") && printed.contains("--discard-journal"), "{printed}");
    assert_eq!(shelf.run(&["check", "--repair"], &["a"]).0, 2);
    assert_eq!(shelf.run(&["compact"], &["a"]).0, 2);
    assert!(journal.exists());
    shelf.fine(&["compact", "--discard-journal"], &["a"]);
    assert!(!journal.exists());
    fs::write(&journal, b"HTJRNL01 of an earlier version").expect("journal");
    fs::write(&journal, [&b"HTJRNL01"[..], &[7; 1016]].concat()).expect("journal");
    assert!(shelf.run(&["show"], &["a"]).2.contains("another version of halftrack"));
    assert!(shelf.fine(&["check", "--discard-journal"], &["a"]).ends_with("whole\n"));
    assert!(!journal.exists());
}

/// The image of a run that was killed, copied or put back without the journal beside it.
#[test]
fn every_command_refuses_an_image_that_lacks_its_journal() {
    for method in ["none", "zlib"] {
        let shelf = Shelf::with_volume("a", method);
        super::exec::leave_killed(&shelf.path("a"));
        fs::copy(shelf.path("a"), shelf.path("b")).expect("copy");
        let before = fs::read(shelf.path("b")).expect("image");
        let copy = shelf.path("copy").display().to_string();
        for (command, behind) in
            [("show", vec![]), ("list", vec![]), ("read", vec!["HTK.SHORT"]), ("copy", vec![copy.as_str()])]
        {
            let volume = shelf.path("b").display().to_string();
            let refused = halftrack(&[&["volume", command, &volume][..], &behind].concat());
            assert_eq!(code(&refused), 2, "{command}: {}", stderr(&refused));
            for part in ["b: ", "b.journal", "was not closed", "--discard-journal"] {
                assert!(stderr(&refused).contains(part), "{part} is missing in {}", stderr(&refused));
            }
        }
        let (found, printed, _) = shelf.run(&["check"], &["b"]);
        assert_eq!(found, 1, "{printed}");
        assert!(printed.contains("b.journal") && printed.contains("--discard-journal"), "{printed}");
        assert_eq!(shelf.run(&["check", "--repair"], &["b"]).0, 2);
        assert_eq!(shelf.run(&["compact"], &["b"]).0, 2);
        assert!(fs::read(shelf.path("b")).expect("image") == before, "nothing is written");
        assert!(!file_names::journal(&shelf.path("b")).exists(), "and no journal made");
        let discarding: &[&str] = if method == "none" {
            &["check", "--discard-journal"]
        } else {
            &["compact", "--discard-journal"]
        };
        shelf.fine(discarding, &["b"]);
        assert!(shelf.fine(&["check"], &["b"]).ends_with("whole\n"));
    }
}

/// A 3350 as `dasdinit -z` makes it: its tables are sound, and the device is unknown to every command.
#[test]
fn a_volume_that_no_command_opens_is_not_whole() {
    let shelf = Shelf::with_volume("a", "zlib");
    let mut image = fs::read(shelf.path("a")).expect("image");
    (image[8], image[16]) = (30, 0x50);
    fs::write(shelf.path("a"), image).expect("image");
    let (found, printed, _) = shelf.run(&["check"], &["a"]);
    assert_eq!(found, 1, "{printed}");
    assert!(!printed.contains("whole"), "{printed}");
    for part in ["no command can open the volume", "device type 50 is unknown", "3390"] {
        assert!(printed.contains(part), "{part} is missing in {printed}");
    }
    for command in ["show", "list", "compact"] {
        assert_eq!(shelf.run(&[command], &["a"]).0, 2, "{command}");
    }
}

#[test]
fn every_subcommand_has_examples() {
    for subcommand in ["create", "list", "show", "read", "copy", "check", "compact"] {
        let help = halftrack(&["volume", subcommand, "--help"]);
        for part in ["Examples:", &format!("halftrack volume {subcommand} "), "Exit codes:"] {
            assert!(stdout(&help).contains(part), "{part} is missing in:\n{}", stdout(&help));
        }
    }
}
