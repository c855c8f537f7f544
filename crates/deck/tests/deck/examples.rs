//! The worked decks of the reference (IOCP, section 5) and their single-fault variants.

use std::collections::BTreeMap;

use halftrack_deck::model::{Deck, LinkAddress};
use halftrack_deck::syntax::keyword::Operation;
use halftrack_deck::{Reading, read};
use halftrack_input::{Severity, SourceFile};

const A: &str = include_str!("../decks/example_a.iocp");
const B: &str = include_str!("../decks/example_b.iocp");
const C: &str = include_str!("../decks/example_c.iocp");

fn reading(text: &str) -> Reading {
    read(SourceFile::new("deck.iocp", text))
}

fn shown(reading: &Reading) -> Vec<String> {
    reading.diagnostics.iter().map(ToString::to_string).collect()
}

fn example_a() -> Deck {
    let reading = reading(A);
    assert_eq!(shown(&reading), [""; 0]);
    reading.deck.expect("no errors")
}

/// Reads example A with the first `old` replaced by `new`, continuation marks kept in column 72.
fn variant(old: &str, new: &str) -> Reading {
    let mut found = false;
    let mut text = String::new();
    for line in A.lines() {
        let (body, mark) = if line.len() == 72 { (line[..71].trim_end(), "*") } else { (line, "") };
        let body = if found || !body.contains(old) {
            body.to_owned()
        } else {
            found = true;
            body.replacen(old, new, 1)
        };
        text += &if mark.is_empty() { format!("{body}\n") } else { format!("{body:71}{mark}\n") };
    }
    assert!(found, "{old}");
    reading(&text)
}

fn first(reading: &Reading) -> u16 {
    let first = reading.diagnostics.first().expect("a message");
    assert_eq!(first.severity, Severity::Error, "{}", first.line());
    assert!(reading.deck.is_none());
    first.number
}

fn numbers(reading: &Reading) -> Vec<u16> {
    reading.diagnostics.iter().map(|message| message.number).collect()
}

#[test]
fn example_a_defines_what_the_reference_says() {
    let deck = example_a();
    assert_eq!(deck.id.machine_type.as_ref().map(|machine| machine.value), Some(3931));
    assert_eq!(deck.id.msg1.as_ref().map(|message| message.value.as_str()), Some("ZIOEXA01"));
    assert_eq!(deck.partitions.len(), 7);
    let reserved = deck.partitions.iter().find(|partition| partition.name.is_none()).unwrap();
    assert_eq!((reserved.css, reserved.mif), (0, 4));
    assert_eq!((deck.channel_paths.len(), deck.control_units.len(), deck.devices.len()), (11, 9, 14));
}

#[test]
fn example_a_has_eight_paths_to_every_disk_in_both_channel_subsystems() {
    let deck = example_a();
    for unit in deck.control_units.iter().filter(|unit| unit.unit.value == "2107") {
        for css in [0, 1] {
            let paths: Vec<_> = unit.paths.iter().filter(|path| path.css == css).collect();
            assert_eq!(paths.len(), 8);
            assert_eq!(paths[0].chpid, 0x40);
            let far = if unit.number.value < 0x2000 { 0x04 } else { 0x14 };
            assert_eq!(paths[0].link, Some(LinkAddress { switch: Some(0x11), port: far }));
            assert_eq!(paths[7].link, Some(LinkAddress { switch: Some(0x12), port: far + 3 }));
        }
        assert_eq!(unit.unit_addresses, [(0, 256)]);
    }
}

#[test]
fn example_a_loads_its_channels_as_the_reference_says() {
    let deck = example_a();
    let mut load: BTreeMap<u8, u32> = BTreeMap::new();
    for unit in &deck.control_units {
        let addresses: u32 = unit.unit_addresses.iter().map(|(_, count)| u32::from(*count)).sum();
        let mut chpids: Vec<u8> = unit.paths.iter().map(|path| path.chpid).collect();
        chpids.sort_unstable();
        chpids.dedup();
        for chpid in chpids {
            *load.entry(chpid).or_default() += addresses;
        }
    }
    for (chpid, expected) in [
        (0x40, 1025),
        (0x41, 1025),
        (0x50, 1025),
        (0x51, 1025),
        (0x42, 1024),
        (0x43, 1024),
        (0x52, 1024),
        (0x53, 1024),
    ] {
        assert_eq!(load[&chpid], expected, "{chpid:02X}");
    }
}

#[test]
fn example_a_has_its_aliases_in_subchannel_set_1() {
    let deck = example_a();
    let disks = || deck.devices.iter().filter(|device| device.unit.value.starts_with("3390"));
    assert_eq!(disks().count(), 8);
    for device in disks() {
        let alias = Deck::is_alias_unit(&device.unit.value);
        assert_eq!(device.subchannel_set.of(0), u8::from(alias));
        assert_eq!(device.subchannel_set.of(1), u8::from(alias));
        assert_eq!(device.unit_address, if alias { 0x80 } else { 0 });
        assert_eq!(device.count, 128);
    }
}

#[test]
fn example_a_gives_spanned_channels_to_all_named_partitions() {
    let deck = example_a();
    let chpid = |number: u8| deck.channel_paths.iter().find(|path| path.chpid.value == number).unwrap();
    let names: Vec<&str> = chpid(0x40).access.iter().map(|(_, name)| name.as_str()).collect();
    assert_eq!(names, ["PROD1", "PROD2", "TEST1", "PROD3", "PROD4", "LNX1"]);
    assert_eq!(chpid(0x40).css, [0, 1]);
    assert!(chpid(0x40).shared);
    assert_eq!(chpid(0x60).access, [(1, "LNX1".to_owned())]);
    let fcp = deck.devices.iter().find(|device| device.number.value == 0x6000).unwrap();
    assert_eq!(fcp.candidates, [(1, "LNX1".to_owned())]);
    assert_eq!(fcp.count, 32);
}

#[test]
fn functions_are_kept_as_coded() {
    let script = example_a().script();
    let functions: Vec<_> =
        script.statements.iter().filter(|statement| statement.kind == Some(Operation::Function)).collect();
    assert_eq!(functions.len(), 5);
    assert_eq!(functions[0].value("FID").unwrap().to_string(), "(0011,002)");
    assert_eq!(functions[4].value("PNETID").unwrap().to_string(), "PRODNET");
}

#[test]
fn all_cards_together_are_the_text() {
    for text in [A, B, C] {
        let crlf = text.replace('\n', "\r\n");
        for text in [text, crlf.as_str()] {
            let script = halftrack_deck::syntax::script::Script::parse(&SourceFile::new("deck.iocp", text));
            let joined: String = script.cards.iter().map(|card| &text[card.line.clone()]).collect();
            assert_eq!(joined, text);
            assert!(script.diagnostics.is_empty());
        }
    }
}

#[test]
fn sequence_numbers_and_other_line_ends_change_nothing() {
    let numbered: String =
        A.lines().enumerate().map(|(index, line)| format!("{line:72}{:08}\r\n", index * 10)).collect();
    let reading = reading(&numbered);
    assert_eq!(shown(&reading), [""; 0]);
    assert_eq!(reading.deck.unwrap().devices.len(), 14);
}

#[test]
fn examples_b_and_c_are_read_with_the_maxdev_warning_only() {
    for (text, machine) in [(B, 2964), (C, 2097)] {
        let reading = reading(text);
        assert_eq!(numbers(&reading), [162], "{:?}", shown(&reading));
        let deck = reading.deck.expect("a warning is no error");
        assert_eq!(deck.id.machine_type.map(|found| found.value), Some(machine));
    }
    let deck = reading(C).deck.unwrap();
    assert_eq!(deck.control_units[0].paths[1].link, Some(LinkAddress { switch: None, port: 0xC4 }));
}

#[test]
fn a_channel_without_switch_is_reported_once() {
    let reading = variant("41),SHARED,SWITCH=11,", "41),SHARED,");
    assert_eq!(first(&reading), 253);
    assert_eq!(numbers(&reading), [253]);
}

#[test]
fn a_one_byte_link_among_two_byte_links_is_reported_once() {
    let reading = variant("LINK=((CSS(0),1104,", "LINK=((CSS(0),04,");
    assert_eq!(numbers(&reading), [255]);
}

#[test]
fn a_dropped_link_is_reported() {
    let reading = variant("1204,1205,1206,1207),", "1204,1205,1206),");
    assert_eq!(numbers(&reading), [245]);
}

#[test]
fn two_control_units_with_one_image_are_reported_once() {
    let reading = variant("CUADD=1,UNIT=2107", "CUADD=0,UNIT=2107");
    assert_eq!(numbers(&reading), [244]);
}

#[test]
fn devices_past_the_last_unit_address_are_reported() {
    let reading = variant("ADDRESS=(1080,128)", "ADDRESS=(1080,129)");
    assert_eq!(numbers(&reading), [300]);
}

#[test]
fn a_short_control_unit_is_reported_at_its_aliases() {
    let reading = variant("UNITADD=((00,256))", "UNITADD=((00,128))");
    assert_eq!(numbers(&reading), [303]);
    assert!(reading.diagnostics[0].message.starts_with("IODEVICE 1080:"));
    assert_eq!(reading.diagnostics[0].others.len(), 1);
}

#[test]
fn a_device_number_seen_twice_is_reported_before_its_unit_address() {
    let old = "ADDRESS=(1080,128),CUNUMBR=(1000),STADET=Y,SCHSET=1,";
    let new = "ADDRESS=(1000,128),CUNUMBR=(1000),STADET=Y,";
    assert_eq!(numbers(&variant(old, new)), [361, 352]);
}

#[test]
fn a_bridge_channel_does_not_exist_on_a_z16() {
    let reading = variant("PCHID=118,TYPE=FC", "PCHID=118,TYPE=FCV");
    assert_eq!(numbers(&reading), [206]);
}

#[test]
fn a_partition_of_another_css_is_reported() {
    let reading = variant(
        "CHPID PATH=(CSS(0,1),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC",
        "CHPID PATH=(CSS(0),44),PART=(PROD1,PROD3),PCHID=1F0,TYPE=OSC\n         \
         CHPID PATH=(CSS(0,1),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC",
    );
    assert_eq!(numbers(&reading), [149]);
    assert_eq!(reading.diagnostics[0].others[0].text, "it belongs to CSS 1");
}

#[test]
fn a_mif_id_used_twice_ends_the_reading() {
    let reading = variant("(PROD2,2)", "(PROD2,1)");
    assert_eq!(numbers(&reading), [155]);
}
