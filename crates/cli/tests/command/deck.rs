//! `halftrack deck`: checked, written back, laid out.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{code, halftrack, repository, stderr, stdout};

const FINE: &str = "         ID MSG1='A',SYSTEM=(3931,1)
         RESOURCE PART=((A,1)),MAXDEV=9
         CHPID PATH=40,SHARED,PCHID=100,SWITCH=11,TYPE=FC
";

/// A place for decks.
pub struct Shelf(TempDir);

impl Shelf {
    /// Makes an empty one.
    pub fn new() -> Self {
        Self(tempfile::tempdir().expect("temporary directory"))
    }

    /// Writes a new file of `bytes`; returns its path.
    pub fn with(&self, name: &str, bytes: &[u8]) -> String {
        let path = self.place(name);
        fs::write(&path, bytes).expect("written");
        path.to_str().expect("UTF-8").to_owned()
    }

    /// Returns the path of a file that may exist.
    pub fn place(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }
}

#[test]
fn a_valid_deck_ends_with_0_a_broken_one_with_1_and_what_is_no_deck_with_2() {
    let shelf = Shelf::new();
    let broken = FINE.replace("TYPE=FC", "TYPE=FCC");
    let wide: Vec<u8> = FINE.encode_utf16().flat_map(u16::to_be_bytes).collect();
    for (name, bytes, expected) in [
        ("fine.iocp", FINE.as_bytes(), 0),
        ("broken.iocp", broken.as_bytes(), 1),
        ("hercules.cnf", b"ARCHMODE z/Arch\n0A80 3390 disk.ckd\n", 2),
        ("wide.iocp", &wide, 2),
    ] {
        let file = shelf.with(name, bytes);
        let checked = halftrack(&["deck", "check", &file]);
        assert_eq!(code(&checked), expected, "{name}: {}", stderr(&checked));
    }
    assert_eq!(code(&halftrack(&["deck", "check", shelf.0.path().to_str().expect("UTF-8")])), 2);
    assert_eq!(code(&halftrack(&["deck", "check", "/nowhere/deck.iocp"])), 2);
}

#[test]
fn a_message_shows_both_cards_the_fix_and_the_number_of_ibm() {
    let shelf = Shelf::new();
    let two = format!("{FINE}         CHPID PATH=41,SHARED,PCHID=100,SWITCH=11,TYPE=FC\n");
    let file = shelf.with("deck.iocp", two.as_bytes());
    let checked = halftrack(&["deck", "check", &file]);
    let said = stderr(&checked);
    for part in [
        "HTK207E",
        "deck.iocp:4:37 CHPID 41: PCHID 100 is already used [ICP207I]\n",
        "      4 |          CHPID PATH=41,SHARED,PCHID=100,SWITCH=11,TYPE=FC\n        |                                     ^^^\n",
        "      3 |          CHPID PATH=40,SHARED,PCHID=100,SWITCH=11,TYPE=FC\n",
        "--- used first here\n",
        "   fix: give each channel path its own\n",
    ] {
        assert!(said.contains(part), "{part:?} is missing in:\n{said}");
    }
    assert!(
        stdout(&checked)
            .ends_with("1 error, 0 warnings, 0 notes; 1 of 4 statements left out; checked as 3931 (z16 A01), level 1; IOCP return code 8, exit code 1\n"),
        "{}", stdout(&checked)
    );
    let brief = halftrack(&["deck", "check", "--brief", &file]);
    assert_eq!(stderr(&brief).lines().count(), 1);
    let json: Value =
        serde_json::from_str(stdout(&halftrack(&["deck", "check", "--json", &file]))).expect("JSON");
    assert_eq!(json["messages"][0]["code"], "HTK207E");
    assert_eq!(json["messages"][0]["ibm"], "ICP207I");
    assert_eq!(json["messages"][0]["line"], 4);
    assert_eq!(json["messages"][0]["others"][0]["line"], 3);
    assert_eq!((&json["valid"], &json["return_code"]), (&Value::Bool(false), &Value::from(8)));
    assert_eq!(json["exit_code"], 1);
}

#[test]
fn the_return_code_of_iocp_stands_beside_the_exit_code() {
    let shelf = Shelf::new();
    let warned = FINE.replace("TYPE=FC", "MIXTYPE,TYPE=FC");
    for (name, deck, return_code, exit_code) in [
        ("fine", FINE.to_owned(), 0, 0),
        ("warned", warned, 4, 0),
        ("wrong", FINE.replace("TYPE=FC", "TYPE=XX"), 8, 1),
    ] {
        let file = shelf.with(name, deck.as_bytes());
        let checked = halftrack(&["deck", "check", "--no-advice", &file]);
        let codes = format!("; IOCP return code {return_code}, exit code {exit_code}\n");
        assert!(stdout(&checked).ends_with(&codes), "{name}: {}{}", stdout(&checked), stderr(&checked));
        assert_eq!(code(&checked), exit_code, "{name}");
        let json = halftrack(&["deck", "check", "--no-advice", "--json", &file]);
        let json: Value = serde_json::from_str(stdout(&json)).expect("JSON");
        assert_eq!((&json["return_code"], &json["exit_code"]), (&return_code.into(), &exit_code.into()));
    }
}

#[test]
fn a_deck_that_was_not_read_to_its_end_does_not_pass() {
    let shelf = Shelf::new();
    let file = shelf.with("deck.iocp", b" CHPID PATH=40,TYPE=FC,PCHID=100\n BOGUS X=1\n");
    let checked = halftrack(&["deck", "check", &file]);
    assert_eq!(code(&checked), 1, "{}", stdout(&checked));
    assert!(
        stdout(&checked).contains("2 errors, 0 warnings, 0 notes; 2 of 2 statements left out;"),
        "{}",
        stdout(&checked)
    );
    for message in
        ["HTK862E", ":1:2 CHPID 40: a RESOURCE statement is needed", "HTK179E", ":2:2 BOGUS: is not a"]
    {
        assert!(stderr(&checked).contains(message), "{message} is missing in:\n{}", stderr(&checked));
    }
}

#[test]
fn another_machine_may_be_checked_against() {
    let shelf = Shelf::new();
    let file = shelf.with("deck.iocp", FINE.replace("TYPE=FC", "TYPE=CNC").as_bytes());
    assert_eq!(code(&halftrack(&["deck", "check", &file])), 1);
    let checked = halftrack(&["deck", "check", &file, "--machine", "2097,1"]);
    assert_eq!(code(&checked), 0, "{}", stderr(&checked));
    assert!(stderr(&checked).contains("HTK151I"), "{}", stderr(&checked));
    assert!(stdout(&checked).contains("checked as 2097 (z10 EC)"), "{}", stdout(&checked));
    assert!(stdout(&checked).contains("(z10 EC), level 1;"), "{}", stdout(&checked));
    let other = halftrack(&["deck", "check", &file, "--machine", "2097"]);
    assert!(stdout(&other).contains("(z10 EC); "), "the deck's level is of a 3931: {}", stdout(&other));
    for level in ["2097,7", "2097:7"] {
        let refused = halftrack(&["deck", "check", &file, "--machine", level]);
        assert_eq!(code(&refused), 2);
        let words = "level 7 is unknown; levels of a 2097 are 1";
        assert!(stderr(&refused).contains(words), "{}", stderr(&refused));
    }
    let refused = halftrack(&["deck", "check", &file, "--machine", "4711"]);
    assert_eq!(code(&refused), 2);
    assert!(stderr(&refused).contains("machine types are 9672, 2064"), "{}", stderr(&refused));
}

#[test]
fn write_gives_every_byte_back_in_every_form() {
    let shelf = Shelf::new();
    let fixed: String = FINE.lines().map(|line| format!("{line:80}")).collect();
    let latin = [b"* B\xFCRO\n", FINE.as_bytes()].concat();
    // EBCDIC of three cards, in capital letters, digits and the characters of operands.
    let ebcdic: Vec<u8> = FINE.bytes().map(ebcdic).collect();
    for (name, bytes) in [
        ("lines", FINE.as_bytes().to_vec()),
        ("crlf", FINE.replace('\n', "\r\n").into_bytes()),
        ("cr", FINE.replace('\n', "\r").into_bytes()),
        ("mark", [b"\xEF\xBB\xBF", FINE.as_bytes()].concat()),
        ("fixed", fixed.into_bytes()),
        ("latin", latin),
        ("ebcdic", ebcdic),
    ] {
        let file = shelf.with(name, &bytes);
        assert_eq!(halftrack(&["deck", "write", &file]).stdout, bytes, "{name}");
        let out = shelf.place("again");
        let written = halftrack(&["deck", "write", &file, "-o", out.to_str().expect("UTF-8")]);
        assert_eq!((code(&written), fs::read(&out).expect("written")), (0, bytes), "{name}");
        let checked = halftrack(&["deck", "check", &file]);
        assert_eq!(code(&checked), 0, "{name}: {}", stderr(&checked));
    }
}

fn ebcdic(byte: u8) -> u8 {
    match byte {
        b'\n' => 0x15,
        b' ' => 0x40,
        b'(' => 0x4D,
        b')' => 0x5D,
        b'*' => 0x5C,
        b',' => 0x6B,
        b'\'' => 0x7D,
        b'=' => 0x7E,
        b'0'..=b'9' => byte - b'0' + 0xF0,
        b'A'..=b'I' => byte - b'A' + 0xC1,
        b'J'..=b'R' => byte - b'J' + 0xD1,
        b'S'..=b'Z' => byte - b'S' + 0xE2,
        other => panic!("{other:02X} is not in the deck"),
    }
}

#[test]
fn format_is_idempotent_and_says_whether_it_has_to_do_anything() {
    let shelf = Shelf::new();
    let file = shelf
        .with("deck.iocp", b" RESOURCE PART=((A,1)),MAXDEV=9\n CHPID TYPE=FC,PATH=40,PCHID=100,SHARED\n");
    assert_eq!(code(&halftrack(&["deck", "format", "--check", &file])), 1);
    let formatted = halftrack(&["deck", "format", &file]).stdout;
    let text = String::from_utf8(formatted.clone()).expect("text");
    assert!(text.ends_with("         CHPID PATH=40,SHARED,PCHID=100,TYPE=FC\n"), "{text}");
    let again = shelf.with("again.iocp", &formatted);
    assert_eq!(code(&halftrack(&["deck", "format", "--check", &again])), 0);
}

#[test]
fn the_rules_are_listed_and_the_decks_of_the_studies_keep_them() {
    let rules = halftrack(&["deck", "check", "--list-rules"]);
    assert!(stdout(&rules).contains("HTK226E  ICP226I  control units  a link address is missing\n"));
    let studies = repository().join("studies");
    let mut seen = 0;
    for study in fs::read_dir(studies).expect("studies") {
        let deck = study.expect("a study").path().join("deck.iocp");
        if deck.exists() {
            let checked = halftrack(&["deck", "check", deck.to_str().expect("UTF-8")]);
            assert_eq!(code(&checked), 0, "{}: {}", deck.display(), stderr(&checked));
            seen += 1;
        }
    }
    assert!(seen > 3, "{seen}");
}

#[test]
fn ports_on_one_blade_are_told_to_who_says_how_many_a_blade_has() {
    let shelf = Shelf::new();
    let deck = include_str!("../../../deck/tests/decks/advice/A802/bad.iocp");
    let file = shelf.with("deck.iocp", deck.as_bytes());
    assert_eq!(stderr(&halftrack(&["deck", "check", &file])), "");
    let checked = halftrack(&["deck", "check", &file, "--blade-ports", "16", "--brief"]);
    let words = "CNTLUNIT 1000: its 2 ports on director 11 are all on blade 00-0F";
    assert!(code(&checked) == 0 && stderr(&checked).contains(words), "{}", stderr(&checked));
    assert_eq!(code(&halftrack(&["deck", "check", &file, "--blade-ports", "0"])), 2);
}

#[test]
fn a_partition_that_shares_compressed_data_without_a_card_is_told() {
    let shelf = Shelf::new();
    let text = "         ID SYSTEM=(2964,1)
         RESOURCE PART=((LP14,1),(LP15,2)),MAXDEV=9
         FUNCTION FID=9,PCHID=100,VF=1,PART=((LP14),(=)),TYPE=ZEDC
";
    let file = shelf.with("deck.iocp", text.as_bytes());
    let checked = |software: &str| {
        halftrack(&["deck", "check", &file, "--brief", "--sharing", "LP14,lp15", "--software", software])
    };
    let reads = checked("LP15=z/OS 1.12");
    let words = "deck.iocp:3:23 LP15 shares data that LP14 compresses with zEDC and runs z/OS 1.12";
    assert!(code(&reads) == 0 && stderr(&reads).contains(words), "{}", stderr(&reads));
    let cannot = checked("LP15=z/OS 1.11");
    assert!(code(&cannot) == 1 && stderr(&cannot).contains("HTK780E"), "{}", stderr(&cannot));
    for (wrong, words) in [
        ("LP14,LP16", "--sharing LP14,LP16: the deck has no partition LP16"),
        ("LP14", "write partitions with commas between"),
    ] {
        let refused = halftrack(&["deck", "check", &file, "--sharing", wrong]);
        assert!(code(&refused) == 2 && stderr(&refused).contains(words), "{}", stderr(&refused));
    }
}

#[test]
fn software_that_is_too_old_for_a_function_is_an_error() {
    let shelf = Shelf::new();
    let text = "         ID SYSTEM=(2964,1)
         RESOURCE PART=((LP14,1)),MAXDEV=9
         FUNCTION FID=9,PCHID=100,VF=1,PART=((LP14),(=)),TYPE=ZEDC
";
    let file = shelf.with("deck.iocp", text.as_bytes());
    let checked = |software: &str| halftrack(&["deck", "check", &file, "--brief", "--software", software]);
    assert_eq!((code(&checked("LP14=z/OS 2.1")), stderr(&checked("LP14=zos2.1"))), (0, ""));
    let old = checked("LP14=z/OS 1.13");
    assert!(code(&old) == 1 && stderr(&old).contains("HTK821E"), "{}", stderr(&old));
    for (wrong, words) in [
        ("LP15=z/OS 2.1", "--software LP15: the deck has no such partition; it has LP14"),
        ("LP14", "write PARTITION=SYSTEM LEVEL, such as 'PROD1=z/OS 2.1'"),
    ] {
        let refused = checked(wrong);
        assert!(code(&refused) == 2 && stderr(&refused).contains(words), "{}", stderr(&refused));
    }
}
