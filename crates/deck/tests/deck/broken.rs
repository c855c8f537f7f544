//! A deck with ten mistakes: all of them are shown, each once.

use halftrack_deck::{DeckFile, read};
use halftrack_input::{Severity, has_errors};

use crate::support::reading;

#[test]
fn a_broken_deck_shows_every_mistake_once() {
    let reading = reading(include_str!("../decks/broken.iocp"));
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(shown.join("\n"));
}

const HEAD: &str = " ID SYSTEM=(3931,1)\n RESOURCE PART=((CSS(0),(A,1)))\n";
const CHANNEL: &str = " CHPID PATH=(CSS(0),40),PCHID=100,TYPE=FC\n";

/// Returns the numbers of the errors in `octets`, as a file is read; `None` where it is not text.
fn errors(octets: &[u8]) -> Option<Vec<u16>> {
    let file = DeckFile::from_bytes("deck.iocp", octets.to_vec()).ok()?;
    let reading = read(file.source);
    assert_eq!(reading.deck.is_none(), has_errors(&reading.diagnostics));
    assert!(reading.deck.is_none() || reading.left_out.is_empty());
    let errors = reading.diagnostics.iter().filter(|one| one.severity == Severity::Error);
    Some(errors.map(|one| one.number).collect())
}

#[test]
fn an_unknown_statement_is_an_error_wherever_it_stands() {
    let unknown = " BOGUS X=1\n";
    for (name, deck, expected) in [
        (
            "behind a channel without RESOURCE",
            format!(" CHPID PATH=40,TYPE=FC,PCHID=100\n{unknown}"),
            vec![862, 179],
        ),
        ("before it", format!("{unknown} CHPID PATH=40,TYPE=FC,PCHID=100\n"), vec![179]),
        ("between good ones", format!("{HEAD}{unknown}{CHANNEL}"), vec![179]),
        ("at the end", format!("{HEAD}{CHANNEL}{unknown}"), vec![179]),
        ("behind a bad RESOURCE", format!(" RESOURCE PART=(\n{CHANNEL}{unknown}"), vec![112]),
        ("alone", unknown.to_owned(), vec![832]),
        ("a name alone", format!("{HEAD}{CHANNEL}FORGOT\n"), vec![179]),
        ("a name alone before all", format!("FORGOT\n{CHANNEL}"), vec![179]),
        ("in BASIC mode", format!(" ID SYSTEM=(9672,1)\n CHPID PATH=40,TYPE=CNC\n{unknown}"), vec![179]),
        (
            "in BASIC mode, before all",
            format!(" ID SYSTEM=(9672,1)\n{unknown} CHPID PATH=40,TYPE=CNC\n"),
            vec![179],
        ),
    ] {
        assert_eq!(errors(deck.as_bytes()), Some(expected), "{name}");
    }
}

#[test]
fn what_holds_no_deck_passes_in_no_form() {
    let good = format!("{HEAD}{CHANNEL}");
    let columns: String =
        good.lines().enumerate().map(|(at, line)| format!("{line:72}{:08}\n", at * 10)).collect();
    assert_eq!(errors(good.as_bytes()), Some(vec![]));
    assert_eq!(errors(columns.as_bytes()), Some(vec![]), "sequence numbers");
    assert_eq!(errors(good.replace('\n', "\r\n").as_bytes()), Some(vec![]), "CR LF");
    let bad = |name: &str, octets: &[u8]| {
        assert!(errors(octets).is_none_or(|errors| !errors.is_empty()), "{name} passes");
    };
    bad("nothing", b"");
    bad("line ends", b"\n\r\n\n");
    bad("blanks", &[b' '; 800]);
    bad("zeros", &[0; 800]);
    bad("comments", b"* A REMARK\n* ANOTHER\n");
    bad("a blank and a comment in EBCDIC", &[[0x5c; 80], [0x40; 80]].concat());
    bad("no text", &(0..=255).cycle().take(4096).collect::<Vec<u8>>());
    bad("lower case", good.to_lowercase().as_bytes());
    bad("cards without columns", good.replace('\n', " ").as_bytes());
    bad("columns lost", columns.replace("PCHID=100,", "PCHID=100").as_bytes());
    bad("no mark", good.replace("40),PCHID", "40),\n               PCHID").as_bytes());
    bad(
        "a card behind column 72",
        format!("{HEAD}{:75}CHPID PATH=(CSS(0),40),PCHID=100,TYPE=FC\n", "").as_bytes(),
    );
    bad("ID alone", b" ID SYSTEM=(3931,1)\n");
    bad("nothing of a machine with BASIC mode", b"* A REMARK\n");
}
