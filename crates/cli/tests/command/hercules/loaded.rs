//! Volumes made by `dasdinit` and filled by `dasdload` are read alike by halftrack and by the utilities.

use std::fmt::Write as _;

use serde_json::Value;

use crate::hercules::cards::cards;
use crate::hercules::tools::Hercules;
use crate::hercules::unload::{Attributes, transmission};

/// Compression options of `dasdload` and `dasdinit`, and halftrack's names of the compressions.
const COMPRESSIONS: [(&[&str], &str); 3] = [(&[], "none"), (&["-z"], "zlib"), (&["-bz2"], "bzip2")];

/// The volume: three sequential data sets, two partitioned ones, empty ones of other kinds, and the VTOC between.
const CONTROL: &str = "\
load01 3390 20
sys1.text  TEXT  text.txt TRK 3 1 0 PS FB 80 6160 0
sys1.bin   SEQ   bin.dat  TRK 2 0 0 PS FB 100 1000 0
sys1.card  SEQ   bin.dat  TRK 9 0 0 PS F 80 80 0
my.source  XMIT  source.xmi TRK 10 2 3
vtoc       VTOC  TRK 4
my.load    XMIT  load.xmi CYL 1 1 5
sys1.vb    EMPTY TRK 2 0 0 PS VB 255 27998 0
sys1.da    EMPTY TRK 2 0 0 DA F 176 176 8
sys1.pds   EMPTY TRK 5 0 10 PO FB 80 3120 0
";

/// Makes octets without a pattern that a compression would find.
fn noise(bytes: usize) -> Vec<u8> {
    let mut state = 1_u32;
    let mut next = || {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 24) as u8
    };
    (0..bytes).map(|_| next()).collect()
}

fn text() -> String {
    (1..=500).fold("first line\n".to_owned(), |mut text, number| {
        // Writing into a String cannot fail.
        let _ = writeln!(text, "LINE {number}: The quick brown fox, (jumps) = 0123456789.");
        text
    })
}

fn source() -> Vec<u8> {
    let attributes = Attributes { record_format: 0x90, record_bytes: 80, block_bytes: 3120 };
    let member = |name: &str, lines: usize| -> Vec<Vec<u8>> {
        let lines = (0..lines).map(|number| format!("{name} DS F'{number}'"));
        cards(lines).chunks(3120).map(<[u8]>::to_vec).collect()
    };
    let members = [("ALPHA", 100), ("BETA", 1), ("GAMMA", 2000)];
    transmission(attributes, &members.map(|(name, lines)| (name, member(name, lines))))
}

fn load() -> Vec<u8> {
    let attributes = Attributes { record_format: 0xC0, record_bytes: 0, block_bytes: 6144 };
    let octets = noise(9000);
    let blocks = vec![octets[..6144].to_vec(), octets[6144..8000].to_vec(), octets[8000..].to_vec()];
    transmission(attributes, &[("IEFBR14", vec![vec![0x1B, 0xFF, 7, 0xFE]]), ("NOISE", blocks)])
}

/// Checks the volume under this name.
fn loaded(hercules: &Hercules, options: &[&str], image: &str) {
    hercules.write("control", CONTROL);
    hercules.write("text.txt", text());
    hercules.write("bin.dat", noise(40_000));
    hercules.write("source.xmi", source());
    hercules.write("load.xmi", load());
    hercules.run("dasdload", &[options, &["control", image]].concat());
}

/// Lists the data sets by `dasdls`: name, and the columns of DSORG to EXTENTS.
fn listed_by_hercules(hercules: &Hercules, image: &str) -> Vec<(String, String, [Option<u64>; 5], String)> {
    let said = hercules.run("dasdls", &["-info", image]);
    let said = String::from_utf8(said).expect("text");
    let column =
        |line: &str, from: usize, to: usize| line.get(from..to).unwrap_or_default().trim().to_owned();
    let row = |line: &str| {
        let number = |from, to| column(line, from, to).parse().ok();
        let numbers = [number(61, 66), number(66, 72), number(72, 76), number(76, 82), number(86, 90)];
        (column(line, 0, 45), column(line, 51, 55), numbers, column(line, 55, 61))
    };
    said.lines().filter(|line| line.len() > 80).map(row).collect()
}

fn listed_by_halftrack(listing: &Value) -> Vec<(String, String, [Option<u64>; 5], String)> {
    let row = |row: &Value| {
        let text = |key: &str| row[key].as_str().expect(key).to_owned();
        let number = |key: &str| row[key].as_u64();
        let said = |key: &str| number(key).filter(|number| *number > 0);
        let extents = row["extents"].as_array().map(|extents| extents.len() as u64);
        let numbers = [said("lrecl"), number("blksize"), number("keylen"), number("tracks"), extents];
        (text("name"), text("dsorg"), numbers, text("recfm"))
    };
    listing["data_sets"].as_array().expect("data sets").iter().map(row).collect()
}

#[test]
fn data_sets_are_listed_alike() {
    let Some(hercules) = Hercules::find() else { return };
    for (options, _) in COMPRESSIONS {
        loaded(&hercules, options, "volume");
        let listing = hercules.json(&["list", "volume"]);
        let mut theirs = listed_by_hercules(&hercules, "volume");
        theirs.sort();
        assert_eq!(listed_by_halftrack(&listing), theirs);
        assert_eq!((theirs.len(), listing["volser"].as_str()), (8, Some("LOAD01")));
        std::fs::remove_file(hercules.path("volume")).expect("the volume is there");
    }
}

#[test]
fn sequential_data_sets_are_read_alike() {
    let Some(hercules) = Hercules::find() else { return };
    for (options, _) in COMPRESSIONS {
        loaded(&hercules, options, "volume");
        for (name, bytes) in [("sys1.text", 501 * 80), ("sys1.bin", 40_000), ("sys1.card", 40_000)] {
            hercules.run("dasdseq", &["volume", name]);
            let ours = hercules.volume(&["read", "volume", name]);
            assert!(ours == hercules.read(name), "{name} is not what dasdseq reads");
            assert_eq!(ours.len(), bytes, "{name}");
        }
        assert_eq!(hercules.volume(&["read", "volume", "SYS1.TEXT", "--text"]), text().into_bytes());
        assert_eq!(hercules.volume(&["read", "volume", "SYS1.BIN"]), noise(40_000));
        assert_eq!(hercules.volume(&["read", "volume", "SYS1.VB"]), b"");
        std::fs::remove_file(hercules.path("volume")).expect("the volume is there");
    }
}

#[test]
fn members_are_listed_and_read_alike() {
    let Some(hercules) = Hercules::find() else { return };
    for (options, _) in COMPRESSIONS {
        loaded(&hercules, options, "volume");
        for library in ["MY.SOURCE", "MY.LOAD", "SYS1.PDS"] {
            let theirs = hercules.members_text("volume", &format!("{library}/?")).to_uppercase();
            let directory = hercules.json(&["list", "volume", library]);
            let members = directory["members"].as_array().expect("members");
            let names: Vec<_> = members.iter().map(|member| member["name"].as_str().expect("name")).collect();
            assert_eq!(names, theirs.lines().collect::<Vec<_>>(), "{library}");
            // It unloads card images only.
            let cards = library != "MY.LOAD";
            if cards {
                hercules.run("dasdpdsu", &["volume", library]);
            }
            for name in names {
                let ours = hercules.volume(&["read", "volume", &format!("{library}({name})")]);
                let theirs = hercules.members("volume", &format!("{library}/{name}"));
                assert!(ours == theirs, "{library}({name}) is not what dasdcat prints");
                if cards {
                    let unloaded = hercules.read(&format!("{}.mac", name.to_lowercase()));
                    assert!(ours == unloaded, "{library}({name}) is not what dasdpdsu unloads");
                }
            }
        }
        assert_eq!(hercules.volume(&["read", "volume", "MY.LOAD(NOISE)"]), noise(9000));
        let beta = hercules.volume(&["read", "volume", "my.source(beta)", "--text"]);
        assert_eq!(beta, b"BETA DS F'0'\n");
        std::fs::remove_file(hercules.path("volume")).expect("the volume is there");
    }
}

/// Returns the tracks of a plain image of 3390 tracks, from the home address to the end marker.
fn tracks_of_image(image: &[u8]) -> Vec<u8> {
    const HEADER_BYTES: usize = 512;
    const TRACK_BYTES: usize = 56_832;
    let mut tracks = Vec::new();
    for track in image[HEADER_BYTES..].chunks_exact(TRACK_BYTES) {
        let mut end = 5;
        while track[end..end + 8] != [0xFF; 8] {
            let data_bytes = u16::from_be_bytes([track[end + 6], track[end + 7]]);
            end += 8 + usize::from(track[end + 5]) + usize::from(data_bytes);
        }
        tracks.extend(&track[..end + 8]);
    }
    tracks
}

#[test]
fn every_octet_of_every_track_is_that_of_the_plain_image() {
    let Some(hercules) = Hercules::find() else { return };
    loaded(&hercules, &[], "plain");
    let expected = tracks_of_image(&hercules.read("plain"));
    for (options, compression) in COMPRESSIONS {
        // A copy, and not loaded again: the day on which a data set was made is on the volume.
        let volume = if options.is_empty() { "plain" } else { "copy" };
        if volume == "copy" {
            hercules.run("dasdcopy", &[&["-q", "-r"], options, &["plain", "copy"]].concat());
        }
        let ours = hercules.volume(&["read", volume, "--tracks", "0/0-19/14"]);
        assert!(ours == expected, "{compression}: the tracks differ");
        let shown = hercules.json(&["show", volume]);
        assert_eq!(shown["compression"].as_str(), Some(compression));
    }
}

#[test]
fn empty_volumes_show_what_they_were_made_as() {
    let Some(hercules) = Hercules::find() else { return };
    for (options, compression) in COMPRESSIONS {
        for (device, cylinders) in [("3390", 7), ("3380", 5)] {
            let size = cylinders.to_string();
            hercules.run("dasdinit", &[options, &["-r", "raw", device, &size]].concat());
            hercules.run("dasdinit", &[options, &["labelled", device, "ABC123", &size]].concat());
            let shown = hercules.json(&["show", "labelled"]);
            assert_eq!(shown["device_type"].as_str(), Some(device));
            assert_eq!((shown["cylinders"].as_u64(), shown["heads"].as_u64()), (Some(cylinders), Some(15)));
            assert_eq!(shown["compression"].as_str(), Some(compression));
            assert_eq!(shown["label"]["volser"].as_str(), Some("ABC123"));
            assert!(hercules.json(&["show", "raw"])["label"].is_null());
            for name in ["raw", "labelled"] {
                std::fs::remove_file(hercules.path(name)).expect("the volume is there");
            }
        }
    }
}

#[test]
fn blocks_of_fixed_block_volumes_are_those_of_the_image() {
    let Some(hercules) = Hercules::find() else { return };
    hercules.run("dasdinit", &["plain", "3370", "FBA001", "1000"]);
    let image = hercules.read("plain");
    for (options, compression) in COMPRESSIONS {
        let volume = if options.is_empty() { "plain" } else { "copy" };
        if volume == "copy" {
            hercules.run("dasdcopy", &[&["-q", "-r"], options, &["plain", "copy"]].concat());
        }
        let ours = hercules.volume(&["read", volume, "--blocks", "0-999"]);
        assert!(ours == image, "{compression}: the blocks differ");
        let shown = hercules.json(&["show", volume]);
        assert_eq!(shown["blocks"].as_u64(), Some(1000));
        assert_eq!(shown["compression"].as_str(), Some(compression));
        assert_eq!(shown["label"]["volser"].as_str(), Some("FBA001"));
    }
}
