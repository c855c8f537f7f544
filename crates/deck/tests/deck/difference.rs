//! Decks compared by meaning: what does not count, what does, and lost paths against counting them one by one.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::{deck, reading};
use halftrack_deck::difference::{ChangeKind, Difference};
use halftrack_deck::model::Deck;
use halftrack_deck::syntax::script::Script;
use halftrack_deck::{difference, format, read};
use halftrack_input::SourceFile;
use proptest::prelude::*;

const A: &str = include_str!("../decks/example_a.iocp");

fn understood(text: &str) -> Deck {
    reading(text).understood().cloned().expect("a deck with RESOURCE")
}

fn compared(before: &str, after: &str) -> Difference {
    difference(&understood(before), &understood(after))
}

/// Compares example A with itself after `from` is replaced by `to`, wherever it occurs.
fn changed(from: &str, to: &str) -> Difference {
    let text = A.replace(from, to);
    assert_ne!(text, A, "{from} is in the deck");
    compared(A, &text)
}

/// Generates the statements of example A as text, in runs of one kind, in any order within.
fn shuffled() -> impl Strategy<Value = String> {
    let script = Script::parse(&SourceFile::new("deck.iocp", A));
    let mut kinds: Vec<(String, Vec<String>)> = Vec::new();
    for statement in &script.statements {
        let text: String =
            script.cards[statement.cards.clone()].iter().map(|card| &A[card.line.clone()]).collect();
        match kinds.iter_mut().find(|(kind, _)| *kind == statement.operation.value) {
            Some((_, texts)) => texts.push(text),
            None => kinds.push((statement.operation.value.clone(), vec![text])),
        }
    }
    let kinds: Vec<_> = kinds.into_iter().map(|(_, texts)| Just(texts).prop_shuffle()).collect();
    kinds.prop_map(|kinds| kinds.concat().concat())
}

/// Generates statements that fit together more or less: channels with lists, control units on some of them, devices.
fn statements() -> impl Strategy<Value = String> {
    let access = prop_oneof![
        Just(""),
        Just(",PART=((CSS(0),(A)),(CSS(1),(C)))"),
        Just(",PART=((CSS(0),(B),(=)))"),
        Just(",NOTPART=((CSS(0),(A)))"),
    ];
    let channels = proptest::collection::vec(access, 4);
    let units = proptest::collection::vec((1u8..16, 1u8..16), 3);
    let candidates = prop_oneof![Just(""), Just(",PART=((CSS(0),B))"), Just(",PART=((CSS(0),A),(CSS(1),C))")];
    let set = prop_oneof![3 => Just(""), 1 => Just(",SCHSET=1"), 1 => Just(",SCHSET=((CSS(0),1))")];
    let devices = proptest::collection::vec((0u16..6, 1u16..20, 1u8..8, candidates, set), 1..5);
    (channels, units, devices).prop_map(|(channels, units, devices)| {
        let mut text = String::new();
        for (at, access) in channels.iter().enumerate() {
            text += &format!("CHPID PATH=(CSS(0,1),4{at}),SHARED,PCHID=1{at}0,TYPE=FC{access}\n");
        }
        for (at, (low, high)) in units.iter().enumerate() {
            let chpids = |mask: &u8| {
                let chosen = (0..4).filter(|bit| mask >> bit & 1 == 1).map(|bit| format!("4{bit}"));
                chosen.collect::<Vec<_>>().join(",")
            };
            let (low, high) = (chpids(low), chpids(high));
            text += &format!(
                "CNTLUNIT CUNUMBR=100{at},PATH=((CSS(0),{low}),(CSS(1),{high})),UNITADD=((00,256)),CUADD={at},UNIT=2107\n"
            );
        }
        for (at, (start, count, mask, candidates, set)) in devices.iter().enumerate() {
            let chosen = (0..3).filter(|bit| mask >> bit & 1 == 1).map(|bit| format!("100{bit}"));
            let units = chosen.collect::<Vec<_>>().join(",");
            text += &format!(
                "IODEVICE ADDRESS=(1{at}0{start},{count}),CUNUMBR=({units}),UNITADD={at}0{candidates}{set},UNIT=3390\n"
            );
        }
        deck(&text)
    })
}

/// Returns CHPIDs over which the partition `who` reaches device `number` of `set`, counted in the plainest way.
fn chpids(deck: &Deck, who: &(u8, String), set: u8, number: u16) -> BTreeSet<u8> {
    let mut found = BTreeSet::new();
    for device in &deck.devices {
        let last = device.number.value + (device.count - 1);
        if number < device.number.value || number > last || device.subchannel_set.of(who.0) != set {
            continue;
        }
        if !device.candidates.is_empty() && !device.candidates.contains(who) {
            continue;
        }
        for unit in &deck.control_units {
            if !device.control_units.iter().any(|named| named.value == unit.number.value) {
                continue;
            }
            for path in unit.paths.iter().filter(|path| path.css == who.0) {
                for channel in &deck.channel_paths {
                    let same = channel.css.contains(&path.css) && channel.chpid.value == path.chpid;
                    if same && channel.access.contains(who) {
                        found.insert(path.chpid);
                    }
                }
            }
        }
    }
    found
}

type Losses = BTreeMap<(u8, String, u8, u32), (usize, usize, Vec<u8>)>;

fn counted(before: &Deck, after: &Deck) -> Losses {
    let mut losses = Losses::new();
    for partition in &before.partitions {
        let Some(name) = &partition.name else { continue };
        let who = (partition.css, name.clone());
        for (set, number) in before.devices.iter().flat_map(|device| {
            let set = device.subchannel_set.of(partition.css);
            (0..device.count).map(move |step| (set, device.number.value + step))
        }) {
            let (old, new) = (chpids(before, &who, set, number), chpids(after, &who, set, number));
            let lost: Vec<u8> = old.difference(&new).copied().collect();
            if !lost.is_empty() {
                losses.insert((who.0, who.1.clone(), set, u32::from(number)), (old.len(), new.len(), lost));
            }
        }
    }
    losses
}

fn spread(found: &Difference) -> Losses {
    let each = found.losses.iter().flat_map(|loss| {
        (0..loss.count).map(|step| {
            let key = (loss.css, loss.lpar.clone(), loss.set, u32::from(loss.first) + step);
            (key, (loss.before, loss.after, loss.lost.clone()))
        })
    });
    each.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn lost_paths_are_those_that_counting_one_by_one_finds(before in statements(), after in statements()) {
        let (before, after) = (understood(&before), understood(&after));
        let found = difference(&before, &after);
        prop_assert_eq!(spread(&found), counted(&before, &after));
    }

    #[test]
    fn a_deck_does_not_differ_from_itself_formatted(text in statements()) {
        let formatted = format(&Script::parse(&SourceFile::new("deck.iocp", text.as_str())));
        let found = compared(&text, &formatted);
        prop_assert!(found.is_empty(), "{}", found);
    }

    #[test]
    fn what_one_way_adds_the_other_way_deletes(before in statements(), after in statements()) {
        let (there, back) = (compared(&before, &after), compared(&after, &before));
        prop_assert_eq!(there.count(ChangeKind::Added), back.count(ChangeKind::Deleted));
        prop_assert_eq!(there.count(ChangeKind::Modified), back.count(ChangeKind::Modified));
        prop_assert_eq!(there.is_empty(), back.is_empty());
    }

    #[test]
    fn the_order_of_statements_does_not_count(text in shuffled()) {
        let found = compared(A, &text);
        prop_assert!(found.is_empty(), "{}", found);
    }
}

#[test]
fn no_deck_differs_from_itself_in_another_layout() {
    let decks = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/decks");
    let mut seen = 0;
    for entry in fs::read_dir(decks).expect("the decks are committed") {
        let path = entry.expect("an entry").path();
        let Ok(text) = fs::read_to_string(&path) else { continue };
        let reading = read(SourceFile::new("deck.iocp", text.as_str()));
        if reading.deck.is_none() {
            continue;
        }
        let found = compared(&text, &format(&reading.script));
        assert!(found.is_empty(), "{}: {found}", path.display());
        seen += 1;
    }
    assert!(seen >= 4, "{seen}");
}

#[test]
fn spelling_and_the_cut_into_statements_do_not_count() {
    let plain = deck(
        "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\n\
         CNTLUNIT CUNUMBR=0530,PATH=((CSS(0),40)),UNITADD=((00,032)),CUADD=01,UNIT=2107\n\
         IODEVICE ADDRESS=(0530,004),CUNUMBR=(0530),UNITADD=00,UNIT=3390",
    );
    let other = deck(
        "CHPID TYPE=FC,PATH=(CSS(0),40),PCHID=0100,CHPARM=00,SHARED\n\
         CNTLUNIT CUADD=1,CUNUMBR=530,PATH=(CSS(0),40),UNITADD=((00,16),(10,16)),UNIT=2107\n\
         IODEVICE ADDRESS=(530,2),CUNUMBR=530,UNITADD=00,UNIT=3390\n\
         IODEVICE ADDRESS=532,CUNUMBR=530,UNITADD=02,UNIT=3390,STADET=N\n\
         IODEVICE ADDRESS=533,CUNUMBR=530,UNITADD=03,UNIT=3390",
    );
    // Two ranges break R236; what is understood is compared all the same.
    let found = compared(&plain, &other);
    assert!(found.is_empty(), "{found}");
}

#[test]
fn a_difference_names_values_and_who_loses_which_paths() {
    let found = changed("SWITCH=11,PCHID=118", "SWITCH=12,PCHID=119");
    assert_eq!(
        found.to_string(),
        "modify CHPID 0,1.41          PCHID 118 -> 119, SWITCH 11 -> 12\n\
         activation: 1 modified, 0 deleted, 0 added\n"
    );
    let text =
        A.replace("(2000,128)", "(2000,064)").replace("(TEST1,3)", "(TEST1,4)").replace("(*,4)", "(*,3)");
    assert_eq!(
        compared(A, &text).to_string(),
        "add    LPAR 0.*3             MIF=3\n\
         delete LPAR 0.*4             MIF=4\n\
         modify LPAR 0.TEST1          MIF 3 -> 4\n\
         delete IODEVICE 2040-207F(0)  UNIT=3390B\n\
         LOSES ALL    0.PROD1     2040-207F(0)  8 -> 0\n\
         LOSES ALL    0.PROD2     2040-207F(0)  8 -> 0\n\
         LOSES ALL    0.TEST1     2040-207F(0)  8 -> 0\n\
         LOSES ALL    1.LNX1      2040-207F(0)  8 -> 0\n\
         LOSES ALL    1.PROD3     2040-207F(0)  8 -> 0\n\
         LOSES ALL    1.PROD4     2040-207F(0)  8 -> 0\n\
         activation: 1 modified, 65 deleted, 1 added; 64 devices lost to a partition\n"
    );
}

#[test]
fn devices_of_two_partitions_with_one_number_are_matched_by_what_is_equal() {
    let two = |second: &str| {
        deck(&format!(
            "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\n\
             CNTLUNIT CUNUMBR=0530,PATH=((CSS(0),40)),UNITADD=((00,032)),UNIT=2107\n\
             IODEVICE ADDRESS=530,CUNUMBR=530,UNITADD=00,PART=((CSS(0),A)),UNIT=3390\n\
             IODEVICE ADDRESS=530,CUNUMBR=530,UNITADD={second},PART=((CSS(0),B)),UNIT=3390"
        ))
    };
    assert_eq!(
        compared(&two("01"), &two("02")).to_string(),
        "modify IODEVICE 0530(0)      UNITADD 01 -> 02\nactivation: 1 modified, 0 deleted, 0 added\n"
    );
}
