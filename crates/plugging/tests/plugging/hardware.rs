//! Hardware read and written: the printed AO Data table, hardware files, and both turned into each other.

use std::sync::LazyLock;

use halftrack_catalog::Catalog;
use halftrack_deck::model::placement::Placement;
use halftrack_input::{Diagnostic, SourceFile};
use halftrack_plugging::{Hardware, ao_table, balance_line, hardware_text, read_hardware};
use proptest::prelude::*;

/// The eight rows that the paper on PCIe adapters of 2015 prints (published figures `ao-slot-03-pchid` and on).
const PRINTED: &str = include_str!("../reports/printed.txt");

fn read(text: &str) -> (Option<Hardware>, Vec<Diagnostic>) {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::load(&[]).0);
    read_hardware(&SourceFile::new("hw", text), &CATALOG)
}

#[track_caller]
fn hardware(text: &str) -> Hardware {
    let (hardware, found) = read(text);
    let lines: Vec<String> = found.iter().map(ToString::to_string).collect();
    hardware.unwrap_or_else(|| panic!("{}", lines.join("\n")))
}

#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    let (hardware, found) = read(text);
    assert!(hardware.is_none());
    assert_eq!(found.iter().map(ToString::to_string).collect::<Vec<_>>(), expected);
}

#[test]
fn the_printed_table_is_read_and_printed_the_same() {
    let hardware = hardware(PRINTED);
    assert_eq!(hardware.cards().len(), 8);
    assert_eq!(ao_table(&hardware), PRINTED);
    assert_eq!(balance_line(&hardware), "0411: RG1 2, RG2 2; 0420: RG1 2, RG2 2; balanced\n");
}

#[test]
fn a_drawer_of_known_kind_gives_the_printed_pchids_and_groups() {
    let slots = [("03", "0420"), ("04", "0420"), ("06", "0411"), ("07", "0411")];
    let slots = slots.into_iter().chain([("35", "0411"), ("36", "0411"), ("37", "0420"), ("38", "0420")]);
    let features = slots.map(|(slot, code)| {
        format!("[[feature]]\ndrawer = \"Z22B\"\nslot = \"{slot}\"\ncode = \"{code}\"\n")
    });
    let text = format!(
        "machine_type = 2964\n[[drawer]]\nname = \"Z22B\"\nkind = \"pcie-32\"\nfirst_pchid = \"100\"\n\
         links = [\"A19/LG15/J01\", \"A15/LG02/J01\"]\n{}",
        features.collect::<String>()
    );
    assert_eq!(ao_table(&hardware(&text)), PRINTED);
}

/// Writes a hardware file of `machine` with `count` cards of feature `code`.
fn plugged(machine: u16, code: &str, count: u16) -> String {
    let drawers = "[[drawer]]\nname = \"Z22B\"\n";
    let one = |at: u16| {
        let pchid = 0x100 + 4 * at;
        format!(
            "[[feature]]\ndrawer = \"Z22B\"\nslot = \"{at:02}\"\ncode = \"{code}\"\npchids = [\"{pchid:03X}\"]\n"
        )
    };
    format!("machine_type = {machine}\n{drawers}{}", (0..count).map(one).collect::<String>())
}

#[test]
fn more_adapters_than_a_machine_takes_are_told() {
    for (machine, code, count, what, paper) in [
        (2964, "0420", 8, "zEDC Express", "z System Hardware Workshop 2015, part 4"),
        (2827, "0411", 16, "10GbE RoCE Express", "z System Hardware Workshop 2015, part 4"),
        (3931, "0451", 8, "zHyperLink Express", "the paper on FICON Express32S (2023)"),
    ] {
        assert_eq!(read(&plugged(machine, code, count)).1, []);
        let (hardware, found) = read(&plugged(machine, code, count + 1));
        assert_eq!(hardware.expect("it is plugged").cards().len(), usize::from(count) + 1);
        let words =
            format!("{} cards of {what} are plugged; a {machine} takes {count}, as {paper} says", count + 1);
        let lines: Vec<String> = found.iter().map(Diagnostic::line).collect();
        assert_eq!(lines, [format!("HTK822W hw:{}:1 {words}", 4 + 5 * count)]);
    }
    assert_eq!(read(&plugged(2965, "0420", 9)).1, []);
}

#[test]
fn a_hardware_file_keeps_its_machine() {
    let hardware = hardware(&plugged(2964, "0420", 2));
    assert_eq!(hardware.machine().map(|machine| machine.machine_type), Some(2964));
    let text = hardware_text(&hardware);
    assert!(text.starts_with("machine_type = 2964\n"), "{text}");
    assert_eq!(read(&text).0, Some(hardware));
}

#[test]
fn uneven_groups_are_said() {
    let rows: String =
        PRINTED.lines().filter(|row| !row.contains("17")).map(|row| format!("{row}\n")).collect();
    assert_eq!(balance_line(&hardware(&rows)), "0411: RG1 2; 0420: RG1 2; balanced\n");
    let rows: String = PRINTED
        .lines()
        .filter(|row| !row.contains("170") && !row.contains("174"))
        .map(|row| format!("{row}\n"))
        .collect();
    assert_eq!(balance_line(&hardware(&rows)), "0411: RG1 2, RG2 0; 0420: RG1 2, RG2 2; uneven: 0411\n");
}

#[test]
fn every_pchid_of_a_file_has_its_place() {
    let text = "machine_type = 3931\n[[drawer]]\nname = \"A25B\"\nkind = \"pcie-16\"\nfirst_pchid = \"140\"\n\
                links = [\"A10/LG05/J01\", \"A15/LG05/J01\"]\n\
                [[feature]]\ndrawer = \"A25B\"\nslot = \"12\"\ncode = \"0461\"\n\
                [[feature]]\ndrawer = \"A25B\"\nslot = \"LG13\"\ncode = \"0451\"\n";
    let hardware = hardware(text);
    assert_eq!(hardware.pchids().collect::<Vec<_>>(), [0x164, 0x165, 0x168]);
    let place = hardware.place(0x165).expect("a place");
    assert_eq!((place.frame.as_deref(), place.port.as_deref()), (Some("A"), Some("D2")));
    assert_eq!((place.domain.as_deref(), place.fanout.as_deref()), (Some("A25B domain 1"), Some("A15/LG05")));
    assert_eq!((place.cpc_drawer.as_deref(), place.resource_group), (Some("A15"), None));
    assert_eq!(hardware.place(0x168).and_then(|place| place.resource_group).as_deref(), Some("RG2"));
}

#[test]
fn a_drawer_has_no_pchid_of_four_digits() {
    let text = "[[drawer]]\nname = \"A\"\nkind = \"pcie-16\"\nfirst_pchid = \"FFF\"\n\
                [[feature]]\ndrawer = \"A\"\nslot = \"02\"\ncode = \"0461\"\n";
    let words = "HTK848E hw:7:8 the PCHIDs of slot 02 run past FFF\n  fix: drawer A begins at PCHID FFF: correct \
                 `first_pchid`";
    refused(text, &[words]);
}

#[test]
fn mistakes_are_shown_where_they_are() {
    let drawer = "[[drawer]]\nname = \"Z22B\"\nkind = \"pcie-16\"\nfirst_pchid = \"100\"\n";
    let feature = |rest: &str| format!("{drawer}[[feature]]\ndrawer = \"Z22B\"\ncode = \"0461\"\n{rest}\n");
    refused(
        &feature("slot = \"06\""),
        &["HTK847E hw:8:8 drawer Z22B has no slot 06 for a card\n  \
           fix: slots are 02 03 04 05 07 08 09 10 11 12 13 14 16 17 18 19"],
    );
    refused(
        &feature("slot = \"02\"\npchids = [\"100\", \"104\"]"),
        &["HTK848E hw:9:18 PCHID 104 is not one of its slot\n  \
           fix: the slot has 100-103; correct them, or leave `pchids` out"],
    );
    refused(
        &feature("slot = \"02\"\nports = [\"D1\"]"),
        &[
            "HTK848E hw:7:8 1 ports cannot be shared out over 2 PCHIDs\n  fix: name as many ports for each PCHID",
        ],
    );
    refused(
        &feature("slot = \"02\"\n[[feature]]\ndrawer = \"Z22B\"\ncode = \"0461\"\nslot = \"02\""),
        &["HTK849E hw:9:1 Z22B slot 02 is taken by another card\n  see: hw:5:1 the other card\n  \
           fix: correct one of them"],
    );
    refused(
        "[[drawer]]\nname = \"Z22B\"\n[[feature]]\ndrawer = \"Z22C\"\ncode = \"4711\"\nslot = \"02\"\n",
        &["HTK847E hw:4:10 drawer Z22C is not defined\n  fix: did you mean `Z22B`?"],
    );
    refused(
        "[[drawer]]\nname = \"Z22B\"\n[[feature]]\ndrawer = \"Z22B\"\ncode = \"0461\"\nslot = \"02\"\n",
        &["HTK848E hw:5:8 the PCHIDs of feature 0461 are unknown\n  \
           fix: add `pchids = [\"100\"]`, or give the drawer `kind` and `first_pchid`"],
    );
    refused(
        "[[drawer]]\nname = \"Z22B\"\nkind = \"pcie-61\"\n",
        &["HTK894E hw:3:8 drawer `pcie-61` is unknown\n  fix: did you mean `pcie-16`?"],
    );
}

proptest! {
    /// A report and a hardware file of any cards give the same hardware.
    #[test]
    fn report_and_file_give_the_same_hardware(cards in proptest::collection::vec((0u16..64, 0u8..4, any::<bool>()), 1..12)) {
        let mut used = std::collections::BTreeSet::new();
        let mut report = String::from("Source Drwr Slot F/C PCHID/Ports RG Comment\n");
        for (slot, group, remark) in cards {
            if !used.insert(slot) { continue }
            let (drawer, place) = (slot / 32, slot % 32 + 1);
            let group = if group == 0 { String::new() } else { format!("RG{group}") };
            let remark = if remark { "see \"note\" 4\\2" } else { "" };
            let pchid = 0x100 + slot * 4;
            report += &format!("A1{drawer}/LG0{}/J01 Z2{drawer}B {place:02} 0461 {pchid:03X}/D1 {:03X}/D2 {group} {remark}\n", place % 4, pchid + 1);
        }
        let first = hardware(&report);
        let second = hardware(&hardware_text(&first));
        prop_assert_eq!(&first, &second);
        prop_assert_eq!(&first, &hardware(&ao_table(&first)));
    }

    /// Any accepted hardware is written as a file and as a table that give it again.
    #[test]
    fn what_is_read_is_written(
        rows in proptest::collection::vec(
            ("[AZ]?[0-9]{1,2}/LG[0-9]/J[12]|-", "[AZ]?[0-9][AB]?", "(LG)?[0-9]{1,2}", "04[16][12]",
             "[1-3][0-9A-F]{2}(/D1(D2)?)?|AID=[0-9A-F]{2}(/J01J02)?|[0-9A-F]{2}", "(RG[0-9]{1,2})?", "[ -~]{0,9}"),
            1..6,
        ),
    ) {
        let row = |(link, drawer, slot, code, port, group, comment): (String, String, String, String, String, String, String)| {
            format!("{link} {drawer} {slot} {code} {port} {group} {comment}\n")
        };
        let report: String = rows.into_iter().map(row).collect();
        if let (Some(first), _) = read(&report) {
            prop_assert_eq!(&first, &hardware(&hardware_text(&first)));
            prop_assert_eq!(&first, &hardware(&ao_table(&first)));
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(text in "\\PC{0,60}", rows in 0usize..8, at in 0usize..600) {
        let mut whole: String = PRINTED.lines().take(rows + 1).map(|row| format!("{row}\n")).collect();
        let at = at.min(whole.len());
        whole.insert_str(at, &text);
        let _ = read(&whole);
        let _ = read(&text);
        let _ = read(&format!("[[drawer]]\nname = \"{text}\"\n[[feature]]\nslot = \"{text}\"\n"));
    }
}
