//! Edits touch the statements they name and nothing else; formatting changes no meaning.

use crate::support::{codes, reading};
use halftrack_deck::syntax::keyword::Operation;
use halftrack_deck::syntax::script::Script;
use halftrack_deck::{Edits, format};
use halftrack_input::SourceFile;
use proptest::prelude::*;

const DECKS: [&str; 3] = [
    include_str!("../decks/example_a.iocp"),
    include_str!("../decks/example_b.iocp"),
    include_str!("../decks/example_c.iocp"),
];

/// Last column of an operand.
const LAST_COLUMN: usize = 71;

fn script(text: &str) -> Script {
    Script::parse(&SourceFile::new("deck.iocp", text))
}

fn statement(script: &Script, subject: &str) -> usize {
    script.statements.iter().position(|one| one.subject() == subject).expect("the statement is there")
}

fn edited(text: &str, edit: impl FnOnce(&Script, &mut Edits<'_>)) -> String {
    let script = script(text);
    let mut edits = Edits::new(&script);
    edit(&script, &mut edits);
    edits.finish()
}

/// Returns lines of `after` that are not in `before`, and the other way round.
fn changed<'a>(before: &'a str, after: &'a str) -> (Vec<&'a str>, Vec<&'a str>) {
    let only = |these: &'a str, those: &'a str| -> Vec<&'a str> {
        these.lines().filter(|line| !those.lines().any(|other| other == *line)).collect()
    };
    (only(before, after), only(after, before))
}

#[test]
fn no_edit_changes_no_byte() {
    for deck in DECKS {
        assert_eq!(edited(deck, |_, _| {}), deck);
    }
}

#[test]
fn a_value_of_the_same_length_is_put_in_place() {
    let after = edited(DECKS[0], |script, edits| {
        edits.set(statement(script, "CHPID 41"), "PCHID", "11C");
        edits.set(statement(script, "CHPID 41"), "SWITCH", "13");
    });
    let (gone, new) = changed(DECKS[0], &after);
    assert_eq!(gone, ["         CHPID PATH=(CSS(0,1),41),SHARED,SWITCH=11,PCHID=118,TYPE=FC"]);
    assert_eq!(new, ["         CHPID PATH=(CSS(0,1),41),SHARED,SWITCH=13,PCHID=11C,TYPE=FC"]);
}

#[test]
fn keywords_are_added_and_taken_away_and_statements_come_and_go() {
    let deck =
        "         CHPID PATH=(CSS(0),40),SHARED,TYPE=FC\r\n         CHPID PATH=(CSS(0),41),SHARED,TYPE=FC";
    let after = edited(deck, |script, edits| {
        let first = statement(script, "CHPID 40");
        edits.set(first, "PCHID", "100");
        edits.remove(first, "SHARED");
        let operands = ["PATH=(CSS(0),42)", "TYPE=FC"].map(str::to_owned);
        edits.insert_after(first, Operation::Chpid, &operands);
        edits.delete(statement(script, "CHPID 41"));
    });
    let expected =
        "         CHPID PATH=(CSS(0),40),TYPE=FC,PCHID=100\r\n         CHPID PATH=(CSS(0),42),TYPE=FC\r\n";
    assert_eq!(after, expected);
}

#[test]
fn marks_comments_and_sequence_numbers_of_a_touched_statement_stay() {
    let card = |text: &str, comment: &str, mark: &str, number: &str| {
        format!("{:71}{mark:1}{number}\n", format!("{text:44}{comment}"))
    };
    let deck = card("A40      CHPID PATH=(CSS(0),40),", "HEAD", "X", "00000010")
        + &card("               SWITCH=11,", "ENTRY", "X", "00000020")
        + &card("               TYPE=FC", "TAIL", "X", "00000030")
        + &card("               MORE OF IT", "", " ", "00000040");
    let after = edited(&deck, |_, edits| edits.set(0, "PCHID", "0100"));
    let lines: Vec<&str> = after.lines().collect();
    assert!(
        lines[0].starts_with("A40      CHPID PATH=(CSS(0),40),SWITCH=11,TYPE=FC,PCHID=0100 HEAD "),
        "{after}"
    );
    assert_eq!(&lines[0][71..], "X00000010");
    assert_eq!(lines[1], deck.lines().last().expect("four cards"));
}

/// Behind a blank, what follows the operation is its operand.
#[test]
fn a_comment_stays_comment_where_no_operand_is_left() {
    let deck = " ID MSG1='A' FIRST DECK\n";
    assert_eq!(edited(deck, |_, edits| edits.remove(0, "MSG1")), "* FIRST DECK\n ID\n");
}

/// A mark behind column 71 would make operand of the comment.
#[test]
fn a_comment_on_further_cards_stays_comment_behind_an_operand_that_fills_its_card() {
    let head = "         CHPID PATH=(CSS(0),40),SHARED,PNETID=NETWORK1,TYPE=FC";
    let deck = format!("{:71}X\n{:15}WHY IT IS HERE\n", format!("{head} REMARK"), "");
    let filled = "1".repeat(LAST_COLUMN - head.len() - ",OS=".len());
    let after = edited(&deck, |script, edits| edits.set(statement(script, "CHPID 40"), "OS", &filled));
    assert_eq!(after, format!("* WHY IT IS HERE\n{head},OS={filled}\n"));
    let shorter = &filled[1..];
    let after = edited(&deck, |script, edits| edits.set(statement(script, "CHPID 40"), "OS", shorter));
    assert_eq!(after, format!("{:71}X\n{:15}WHY IT IS HERE\n", format!("{head},OS={shorter}"), ""));
}

#[test]
fn a_deck_in_canonical_layout_stays_as_it_is_and_means_the_same() {
    for deck in DECKS {
        let formatted = format(&script(deck));
        assert_eq!(format(&script(&formatted)), formatted);
        assert!(formatted.lines().all(|line| line.chars().count() <= 72), "{formatted}");
        assert_eq!(codes(&reading(&formatted)), codes(&reading(deck)), "{formatted}");
        assert_eq!(meaning(&formatted), meaning(deck));
    }
}

/// Returns the definitions of a deck, without their places.
fn meaning(text: &str) -> Vec<String> {
    let deck = reading(text).deck.expect("a deck");
    let mut all: Vec<String> = deck
        .channel_paths
        .iter()
        .map(|one| {
            format!(
                "{:?} {:02X} {} {:?} {:?} {:?} {:?}",
                one.css,
                one.chpid.value,
                one.channel_type.value,
                one.pchid.as_ref().map(|pchid| pchid.value),
                one.switch.as_ref().map(|switch| switch.value),
                one.access,
                one.candidates
            )
        })
        .collect();
    all.extend(deck.control_units.iter().map(|one| {
        let paths: Vec<_> = one.paths.iter().map(|path| (path.css, path.chpid, path.link)).collect();
        format!("{:04X} {paths:?} {:?} {:?}", one.number.value, one.unit_addresses, one.unit.value)
    }));
    all.extend(deck.devices.iter().map(|one| {
        let units: Vec<u16> = one.control_units.iter().map(|unit| unit.value).collect();
        format!(
            "{:04X} {} {units:?} {} {:?}",
            one.number.value, one.count, one.unit_address, one.subchannel_set
        )
    }));
    all.extend(deck.functions.iter().map(|one| {
        let adapter = one.adapter.as_ref().map(|adapter| adapter.value);
        format!("{:04X} {} {adapter:?} {:?} {:?}", one.fid.value, one.count, one.access, one.pnetids)
    }));
    all
}

#[test]
fn format_orders_keywords_and_writes_numbers_in_full() {
    let deck = "* KEPT\n IODEVICE UNIT=3390,CUNUMBR=530,ADDRESS=(700,8)   8 disks\n\
                XX CNTLUNIT UNIT=2107,UNITADD=((0,8)),CUADD=1,PATH=40,CUNUMBR=530\n WHAT IS=THIS\n";
    let marked = "XX       CNTLUNIT CUNUMBR=0530,PATH=40,UNITADD=((00,008)),CUADD=01,";
    let expected = [
        "* KEPT".to_owned(),
        "         IODEVICE ADDRESS=(0700,008),CUNUMBR=(0530),UNIT=3390 8 disks".to_owned(),
        format!("{marked:71}*"),
        format!("{:15}UNIT=2107", ""),
        " WHAT IS=THIS".to_owned(),
    ];
    assert_eq!(format(&script(deck)).lines().collect::<Vec<_>>(), expected);
}

proptest! {
    /// Whatever is set on one statement, all cards of the others are where they were, byte for byte.
    #[test]
    fn an_edit_leaves_every_other_statement_alone(
        deck in prop::sample::select(DECKS.to_vec()),
        index in any::<prop::sample::Index>(),
        keyword in "[A-Z]{2,6}",
        value in "[A-Z0-9]{1,80}",
    ) {
        let before = script(deck);
        let index = index.index(before.statements.len());
        let after = script(&edited(deck, |_, edits| edits.set(index, &keyword, &value)));
        prop_assert_eq!(before.statements.len(), after.statements.len());
        for (position, (old, new)) in before.statements.iter().zip(&after.statements).enumerate() {
            let cards = |script: &Script, cards: std::ops::Range<usize>| -> String {
                script.cards[cards].iter().map(|card| &script.source.text[card.line.clone()]).collect()
            };
            if position == index {
                prop_assert_eq!(new.value(&keyword).map(ToString::to_string), Some(value.clone()));
            } else {
                prop_assert_eq!(cards(&before, old.cards.clone()), cards(&after, new.cards.clone()));
            }
        }
    }
}
