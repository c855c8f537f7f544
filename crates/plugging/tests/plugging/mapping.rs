//! PCHIDs chosen for decks: as good as any choice, kept where they are coded, the same every time.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use halftrack_catalog::Catalog;
use halftrack_deck::model::Deck;
use halftrack_deck::model::placement::Placement;
use halftrack_deck::{Edits, Reading, read};
use halftrack_input::SourceFile;
use halftrack_plugging::{Hardware, MapOptions, Mapping, Subject, map, read_hardware};
use proptest::prelude::*;

fn hardware(text: &str) -> Hardware {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::load(&[]).0);
    let (hardware, found) = read_hardware(&SourceFile::new("hw", text), &CATALOG);
    hardware.unwrap_or_else(|| panic!("{found:?}"))
}

/// Formats rows of a report: link, slot, code, first PCHID, PCHIDs.
fn rows(rows: &[(&str, u8, &str, u16, u16)]) -> String {
    let row = |(link, slot, code, first, count): &(&str, u8, &str, u16, u16)| {
        let ports: Vec<String> =
            (0..*count).map(|step| format!("{:03X}/D{}", first + step, step + 1)).collect();
        format!("{link} Z22B {slot:02} {code} {}\n", ports.join(" "))
    };
    rows.iter().map(row).collect()
}

fn cards(statements: &[String]) -> String {
    let card = |statement: &String| {
        let (operation, operand) = statement.split_once(' ').expect("operation and operand");
        let mut text = String::new();
        let mut line = format!("         {operation} ");
        for ch in operand.chars() {
            if line.len() == 71 {
                text += &format!("{line}*\n");
                line = " ".repeat(15);
            }
            line.push(ch);
        }
        text + &line + "\n"
    };
    statements.iter().map(card).collect()
}

fn reading(machine: u16, statements: &[String]) -> Reading {
    let head = [
        format!("ID SYSTEM=({machine},1)"),
        "RESOURCE PART=((CSS(0),(LP14,1),(LP15,2))),MAXDEV=((CSS(0),65280))".to_owned(),
    ];
    let reading = read(SourceFile::new("deck", cards(&[&head[..], statements].concat())));
    assert!(reading.deck.is_some(), "{:?}", reading.diagnostics);
    reading
}

/// Writes FICON channels on no switch, and control units on sets of them.
fn ficon(channels: usize, units: &[Vec<usize>]) -> Vec<String> {
    let mut statements: Vec<String> =
        (0..channels).map(|chpid| format!("CHPID PATH=(CSS(0),{chpid:02X}),SHARED,TYPE=FC")).collect();
    for (number, unit) in units.iter().enumerate() {
        let paths: Vec<String> = unit.iter().map(|chpid| format!("{chpid:02X}")).collect();
        statements.push(format!(
            "CNTLUNIT CUNUMBR={number:04X},PATH=((CSS(0),{})),UNITADD=((00,16)),CUADD={number:X},UNIT=2107",
            paths.join(",")
        ));
    }
    statements
}

fn pchid(mapping: &Mapping, subject: Subject) -> Option<u16> {
    mapping.assignments.iter().find(|one| one.subject == subject).map(|one| one.new)
}

const OPTIONS: MapOptions = MapOptions { all: false, parity: false };

#[test]
fn paths_of_a_control_unit_are_on_cards_and_domains_of_their_own() {
    let report = rows(&[
        ("A19/LG15/J01", 1, "0461", 0x100, 2),
        ("A19/LG15/J01", 2, "0461", 0x104, 2),
        ("A15/LG02/J01", 35, "0461", 0x170, 2),
        ("A15/LG02/J01", 36, "0461", 0x174, 2),
    ]);
    let hardware = hardware(&report);
    let reading = reading(3931, &ficon(4, &[vec![0, 1, 2, 3], vec![0, 1, 2, 3], vec![0, 1]]));
    let mapping = map(reading.deck.as_ref().expect("a deck"), &hardware, OPTIONS);
    assert!(mapping.unplaced.is_empty());
    assert_eq!(
        mapping.reasons,
        [
            "CU 0000 and 1 more: 4 paths over 4 cards, 2 domains, 2 fanouts, 2 CPC drawers, 1 I/O drawer; \
             intersects: DR (one I/O drawer)",
            "CU 0002: 2 paths over 2 cards, 2 domains, 2 fanouts, 2 CPC drawers, 1 I/O drawer; \
             intersects: DR (one I/O drawer)",
        ]
    );
    let mut edits = Edits::new(&reading.script);
    mapping.apply(reading.deck.as_ref().expect("a deck"), &reading.script, &mut edits);
    let again = read(SourceFile::new("deck", edits.finish()));
    assert!(again.diagnostics.is_empty(), "{:?}", again.diagnostics);
    let coded = |deck: &Deck| -> Vec<Option<u16>> {
        deck.channel_paths.iter().map(|path| path.pchid.as_ref().map(|pchid| pchid.value)).collect()
    };
    let chosen: Vec<Option<u16>> = mapping.assignments.iter().map(|one| Some(one.new)).collect();
    assert_eq!(coded(again.deck.as_ref().expect("a deck")), chosen);
    // What is coded now is kept, whatever else would do as well.
    let second = map(again.deck.as_ref().expect("a deck"), &hardware, OPTIONS);
    assert!(second.assignments.iter().all(|one| one.old == Some(one.new)));
    assert_eq!(second.cost, mapping.cost);
}

#[test]
fn each_partition_has_functions_in_both_groups_and_odd_ones_in_the_first_when_asked() {
    let printed = include_str!("../reports/printed.txt");
    let report: String = printed
        .lines()
        .filter(|row| !row.contains("114") && !row.contains("174"))
        .map(|row| format!("{row}\n"))
        .collect();
    let function = |fid: &str, vf: u8, partition: &str| {
        format!("FUNCTION FID={fid},VF={vf},PART=(({partition})),PNETID=(NET1,NET2),TYPE=ROCE")
    };
    // The printed sample without its PCHIDs (published figures `sample-fid-9` to `sample-fid-c`).
    let statements = [
        function("9", 1, "LP14"),
        function("A", 1, "LP14"),
        function("B", 2, "LP15"),
        function("C", 2, "LP15"),
    ];
    let reading = reading(2964, &statements);
    let deck = reading.deck.as_ref().expect("a deck");
    let hardware = hardware(&report);
    let group = |mapping: &Mapping, index: usize| {
        let pchid = pchid(mapping, Subject::Function(index)).expect("a PCHID");
        hardware.place(pchid).and_then(|place| place.resource_group).expect("a group")
    };
    let free = map(deck, &hardware, OPTIONS);
    assert_ne!(group(&free, 0), group(&free, 1));
    assert_ne!(group(&free, 2), group(&free, 3));
    let parity = map(deck, &hardware, MapOptions { parity: true, ..OPTIONS });
    let chosen: Vec<Option<u16>> = (0..4).map(|index| pchid(&parity, Subject::Function(index))).collect();
    assert_eq!(chosen, [0x110, 0x170, 0x110, 0x170].map(Some));
    assert_eq!(parity.cost.parity, 0);
    assert!(parity.reasons.iter().all(|reason| reason.contains("2 resource groups")), "{:?}", parity.reasons);
}

#[test]
fn what_is_coded_stays_and_what_has_no_port_is_said() {
    let hardware = hardware(&rows(&[("A19/LG15/J01", 1, "0461", 0x100, 2)]));
    let mut statements = ficon(3, &[]);
    statements[1] += ",PCHID=101";
    statements[2] += ",PCHID=1F0";
    statements.push("CHPID PATH=(CSS(0),70),SHARED,TYPE=OSD".to_owned());
    let reading = reading(3931, &statements);
    let deck = reading.deck.as_ref().expect("a deck");
    let kept = map(deck, &hardware, OPTIONS);
    assert_eq!(pchid(&kept, Subject::Channel(1)), Some(0x101));
    assert_eq!(pchid(&kept, Subject::Channel(0)), Some(0x100));
    let said: Vec<&str> = kept.unplaced.iter().map(|one| one.reason.as_str()).collect();
    assert_eq!(said, ["PCHID 1F0 is in no slot of the hardware", "the hardware has no feature for TYPE=OSD"]);
    let all = map(deck, &hardware, MapOptions { all: true, ..OPTIONS });
    assert_eq!(all.unplaced.len(), 2, "three channels for two ports, and no OSA");
    assert!(all.unplaced[0].reason.starts_with("all 2 PCHIDs for TYPE=FC are taken"));
}

#[test]
fn types_that_do_not_mix_are_on_cards_of_their_own() {
    let hardware =
        hardware(&rows(&[("A19/LG15/J01", 1, "0409", 0x100, 2), ("A19/LG15/J01", 2, "0409", 0x104, 2)]));
    let mut statements = ficon(2, &[]);
    statements.push("CHPID PATH=(CSS(0),60),SHARED,TYPE=FCP".to_owned());
    let reading = reading(2964, &statements);
    let mapping = map(reading.deck.as_ref().expect("a deck"), &hardware, OPTIONS);
    let chosen = [0, 1, 2].map(|index| pchid(&mapping, Subject::Channel(index)).expect("a PCHID") / 4);
    assert!(chosen[2] != chosen[0] && chosen[2] != chosen[1], "{chosen:X?}");
}

/// Builds a machine with all kinds of cards in four drawers.
fn large() -> Hardware {
    let codes = ["0461", "0461", "0446", "0451", "0452", "0461", "0444", "0433"];
    let slots = (0u16..64).map(|slot| {
        let (code, first) = (codes[usize::from(slot % 8)], 0x100 + slot * 4);
        let ports = match code {
            "0461" | "0433" => format!("{first:03X}/D1 {:03X}/D2", first + 1),
            _ => format!("{first:03X}/D1D2"),
        };
        let drawer = 10 + slot / 16;
        format!(
            "A{drawer}/LG{:02}/J01 Z{drawer}B {:02} {code} {ports} RG{}\n",
            slot / 8,
            slot % 16 + 1,
            slot / 8 % 4 + 1
        )
    });
    hardware(&slots.collect::<String>())
}

#[test]
fn a_port_with_a_pchid_that_the_machine_does_not_have_is_left_alone() {
    let before = reading(2964, &ficon(1, &[vec![0]]));
    let place = |first| {
        let hardware = hardware(&rows(&[("A19/LG15/J01", 2, "0461", first, 1)]));
        let mapping =
            map(before.deck.as_ref().expect("a deck"), &hardware, MapOptions { all: true, parity: false });
        mapping.assignments.len()
    };
    assert_eq!((place(0x098), place(0x100)), (0, 1));
}

#[test]
fn every_deck_of_the_repository_is_as_right_mapped_as_it_was() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files: Vec<PathBuf> = Vec::new();
    for directory in ["crates/deck/tests/decks", "fuzz/corpus/deck"] {
        let entries = fs::read_dir(root.join(directory)).expect("a directory of the repository");
        files.extend(entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file()));
    }
    let studies = fs::read_dir(root.join("studies")).expect("studies");
    files.extend(
        studies.map(|study| study.expect("an entry").path().join("deck.iocp")).filter(|path| path.is_file()),
    );
    assert!(files.len() > 20, "{files:?}");
    let hardware = large();
    for path in files {
        let name = path.display().to_string();
        let before = read(SourceFile::new(
            name.as_str(),
            String::from_utf8_lossy(&fs::read(&path).expect("readable")),
        ));
        let Some(deck) = before.understood() else { continue };
        for parity in [false, true] {
            let mapping = map(deck, &hardware, MapOptions { all: true, parity });
            let mut edits = Edits::new(&before.script);
            mapping.apply(deck, &before.script, &mut edits);
            let after = read(SourceFile::new(name.as_str(), edits.finish()));
            assert!(before.deck.is_none() || after.deck.is_some(), "{name}: {:?}", after.diagnostics);
            assert_eq!(before.script.statements.len(), after.script.statements.len(), "{name}");
        }
    }
}

#[test]
fn machines_without_pchids_have_nothing_to_map() {
    let text = cards(&["ID SYSTEM=(2064,1)".to_owned(), "CHPID PATH=40,TYPE=CNC".to_owned()]);
    let reading = read(SourceFile::new("deck", text));
    let deck = reading.deck.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let mapping = map(&deck, &Hardware::default(), MapOptions { all: true, ..OPTIONS });
    assert_eq!(mapping.assignments, []);
    assert_eq!(mapping.unplaced[0].reason, "a 2064 (z900) has no PCHIDs");
}

#[test]
fn two_hundred_channels_are_spread_evenly_and_the_same_every_time() {
    let slots = (0u16..104).map(|slot| {
        let link = format!("A{}/LG{:02}/J01", 10 + slot / 32, slot / 8);
        format!(
            "{link} Z2{}B {:02} 0461 {:03X}/D1 {:03X}/D2\n",
            slot / 16,
            slot % 16 + 1,
            0x100 + slot * 4,
            0x101 + slot * 4
        )
    });
    let hardware = hardware(&slots.collect::<String>());
    let units: Vec<Vec<usize>> = (0..25).map(|unit| (unit * 8..unit * 8 + 8).collect()).collect();
    let reading = reading(3931, &ficon(200, &units[..16]));
    let deck = reading.deck.as_ref().expect("a deck");
    let mapping = map(deck, &hardware, OPTIONS);
    assert!(mapping.unplaced.is_empty());
    assert_eq!((mapping.cost.single_points, mapping.cost.pairs[0], mapping.cost.pairs[2]), (0, 0, 0));
    assert_eq!(mapping, map(deck, &hardware, OPTIONS));
}

/// Tries every way to give `channels` different PCHIDs. Returns the least number of single points, then of pairs on
/// one card.
fn best(hardware: &Hardware, units: &[Vec<usize>], channels: usize, chosen: &mut Vec<u16>) -> (usize, usize) {
    if chosen.len() == channels {
        return rate(hardware, units, chosen);
    }
    let free: Vec<u16> = hardware.pchids().filter(|pchid| !chosen.contains(pchid)).collect();
    let mut least = (usize::MAX, usize::MAX);
    for pchid in free {
        chosen.push(pchid);
        least = least.min(best(hardware, units, channels, chosen));
        chosen.pop();
    }
    least
}

/// Returns single points of failure of the sets of paths, and pairs of one set on one card.
fn rate(hardware: &Hardware, units: &[Vec<usize>], chosen: &[u16]) -> (usize, usize) {
    let mut sets: Vec<Vec<usize>> = units.to_vec();
    sets.sort();
    sets.dedup();
    let mut rated = (0, 0);
    for set in sets.iter().filter(|set| set.len() > 1) {
        let places: Vec<_> = set.iter().map(|&path| hardware.place(chosen[path]).expect("a place")).collect();
        let parts = [
            places.iter().map(|place| place.card.clone()).collect::<Vec<_>>(),
            places.iter().map(|place| place.domain.clone()).collect(),
            places.iter().map(|place| place.fanout.clone()).collect(),
            places.iter().map(|place| place.cpc_drawer.clone()).collect(),
            places.iter().map(|place| place.drawer.clone()).collect(),
        ];
        rated.0 += parts.iter().filter(|names| names.iter().all(|name| name == &names[0])).count();
        let cards = &parts[0];
        rated.1 += (0..cards.len())
            .flat_map(|one| (one + 1..cards.len()).map(move |other| (one, other)))
            .filter(|&(one, other)| cards[one] == cards[other])
            .count();
    }
    rated
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    /// On up to eight ports no way to plug is better.
    #[test]
    fn no_choice_is_better_on_small_hardware(
        slots in proptest::collection::vec(0usize..4, 1..=4),
        channels in 1usize..=5,
        units in proptest::collection::vec(proptest::collection::btree_set(0usize..5, 1..=4), 1..=4),
    ) {
        let links = ["A19/LG15/J01", "A19/LG15/J02", "A19/LG02/J01", "A15/LG02/J01"];
        let cards: Vec<_> = slots.iter().enumerate().map(|(slot, &link)| {
            (links[link], slot as u8 + 1, "0461", 0x100 + slot as u16 * 4, 2)
        }).collect();
        let hardware = hardware(&rows(&cards));
        let channels = channels.min(cards.len() * 2);
        let units: Vec<Vec<usize>> = units.iter()
            .map(|unit| unit.iter().copied().filter(|&path| path < channels).collect::<Vec<_>>())
            .filter(|unit| !unit.is_empty())
            .collect();
        let reading = reading(3931, &ficon(channels, &units));
        let mapping = map(reading.deck.as_ref().expect("a deck"), &hardware, OPTIONS);
        prop_assert!(mapping.unplaced.is_empty());
        let chosen: Vec<u16> = mapping.assignments.iter().map(|one| one.new).collect();
        let rated = rate(&hardware, &units, &chosen);
        prop_assert_eq!(rated, best(&hardware, &units, channels, &mut Vec::new()));
    }
}
