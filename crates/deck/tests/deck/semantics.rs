//! The meaning of statements: access, MIF ids, paths, unit addresses, candidates.

use crate::support::{cards, deck, reading};
use halftrack_deck::model::{ChannelPath, Deck, LinkAddress};

/// Returns the deck of two channel subsystems with `statements`; it may have no errors.
#[track_caller]
fn defined(statements: &str) -> Deck {
    of_text(&deck(statements))
}

#[track_caller]
fn of_text(text: &str) -> Deck {
    let reading = reading(text);
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    reading.deck.unwrap_or_else(|| panic!("{}", shown.join("\n")))
}

#[track_caller]
fn channel(operand: &str) -> ChannelPath {
    defined(&format!("CHPID PCHID=100,TYPE=FC,{operand}")).channel_paths.remove(0)
}

fn names(access: &[(u8, String)]) -> Vec<String> {
    access.iter().map(|(css, name)| format!("{css}{name}")).collect()
}

#[test]
fn missing_mif_ids_are_the_lowest_free_ones() {
    let text = cards("RESOURCE PART=((CSS(0),A,(B,1),(*,3),C),(CSS(1),D)),MAXDEV=((CSS(0),9),(CSS(1),9))");
    let mifs: Vec<(u8, u8)> =
        of_text(&text).partitions.iter().map(|partition| (partition.css, partition.mif)).collect();
    assert_eq!(mifs, [(0, 2), (0, 1), (0, 3), (0, 4), (1, 1)]);
}

#[test]
fn one_css_needs_no_tags() {
    for part in ["A", "(A)", "((A))", "(A,1)", "((A,1))", "(CSS(0),(A,1))", "((CSS(0),(A,1)))"] {
        let text = cards(&format!("RESOURCE PART={part},MAXDEV=9"));
        let partitions = of_text(&text).partitions;
        assert_eq!(partitions.len(), 1, "{part}");
        assert_eq!((partitions[0].name.as_deref(), partitions[0].mif), (Some("A"), 1), "{part}");
    }
    let text = cards("RESOURCE PART=(A,B),MAXDEV=9");
    assert_eq!(of_text(&text).partitions.len(), 2);
}

#[test]
fn access_follows_part_notpart_and_the_defaults() {
    let access = |operand: &str| names(&channel(operand).access);
    assert_eq!(access("PATH=(CSS(0),40),SHARED"), ["0A", "0B"]);
    assert_eq!(access("PATH=(CSS(0),40),SHARED=Y"), ["0A", "0B"]);
    assert_eq!(access("PATH=(CSS(0,1),40)"), ["0A", "0B", "1C"]);
    assert_eq!(access("PATH=(CSS(0),40),PART=B"), ["0B"]);
    assert_eq!(access("PATH=(CSS(0),40),PART=((A),(=)),SHARED"), ["0A"]);
    assert_eq!(access("PATH=(CSS(0),40),PART=((A),(A,B)),SHARED"), ["0A"]);
    assert_eq!(access("PATH=(CSS(0),40),PART=(B,REC)"), ["0B"]);
    assert_eq!(access("PATH=(CSS(0),40),PART=0,SHARED"), [""; 0]);
    assert_eq!(access("PATH=(CSS(0),40),NOTPART=A"), ["0B"]);
    assert_eq!(access("PATH=(CSS(0,1),40),PART=((CSS(0),(A),(=)))"), ["0A", "1C"]);
    assert_eq!(access("PATH=(CSS(0,1),40),PART=((CSS(0),(A,B)),(CSS(1),0))"), ["0A", "0B"]);
    assert_eq!(access("PATH=(CSS(0,1),40),PART=((CSS(0),(A,B))),NOTPART=((CSS(1),C))"), ["0A", "0B"]);
    assert_eq!(access("PATH=(CSS(0),40)"), [""; 0]);
    assert_eq!(access("PATH=(CSS(1),40)"), ["1C"]);
}

#[test]
fn a_channel_is_shared_by_keyword_spanning_notpart_or_several_names() {
    let shared = |operand: &str| channel(operand).shared;
    assert!(shared("PATH=(CSS(0),40),SHARED"));
    assert!(shared("PATH=(CSS(0,1),40)"));
    assert!(shared("PATH=(CSS(0),40),PART=(A,B)"));
    assert!(shared("PATH=(CSS(0),40),NOTPART=A"));
    assert!(!shared("PATH=(CSS(0),40),PART=A"));
    assert!(!shared("PATH=(CSS(0),40),PART=(A,REC)"));
    assert!(!shared("PATH=(CSS(0),40),PART=A,SHARED=N"));
}

#[test]
fn a_path_without_tag_is_css_0() {
    for path in ["40", "(40)", "(CSS(0),40)", "((CSS(0),40))"] {
        let text = cards("RESOURCE PART=A,MAXDEV=9")
            + &cards(&format!("CHPID PATH={path},SHARED,SWITCH=11,PCHID=100,TYPE=FC"))
            + &cards(&format!("CNTLUNIT CUNUMBR=530,PATH={path},LINK=04,UNITADD=0A,UNIT=X"));
        let deck = of_text(&text);
        assert_eq!(
            (deck.channel_paths[0].css.as_slice(), deck.channel_paths[0].chpid.value),
            (&[0][..], 0x40)
        );
        let path = &deck.control_units[0].paths[0];
        assert_eq!((path.css, path.chpid), (0, 0x40));
        assert_eq!(deck.control_units[0].number.value, 0x530);
    }
}

#[test]
fn links_belong_to_paths_by_position() {
    let deck = defined(
        "CHPID PATH=(CSS(0,1),40),SWITCH=11,PCHID=100,TYPE=FC
        CHPID PATH=(CSS(0,1),41),PCHID=104,TYPE=FC
        CHPID PATH=(CSS(0,1),42),SWITCH=12,PCHID=108,TYPE=FC
        CNTLUNIT CUNUMBR=1000,UNIT=X,PATH=((CSS(1),42,41),(CSS(0),40)),LINK=((CSS(0),1104),(CSS(1),05,**)),UNITADD=((10,032)),CUADD=0A",
    );
    let unit = &deck.control_units[0];
    let paths: Vec<_> = unit.paths.iter().map(|path| (path.css, path.chpid, path.link)).collect();
    let link = |switch, port| Some(LinkAddress { switch, port });
    assert_eq!(paths, [(1, 0x42, link(None, 5)), (1, 0x41, None), (0, 0x40, link(Some(0x11), 4))]);
    assert_eq!(unit.unit_addresses, [(0x10, 32)]);
    assert_eq!(unit.cuadd.as_ref().map(|cuadd| cuadd.value), Some(0x0A));
}

#[test]
fn control_units_without_coded_unit_addresses_answer_to_all() {
    let deck = defined(
        "CHPID PATH=(CSS(0),70),SHARED,PCHID=100,TYPE=OSD
        CNTLUNIT CUNUMBR=7000,PATH=((CSS(0),70)),UNIT=OSA",
    );
    assert_eq!(deck.control_units[0].unit_addresses, [(0, 256)]);
}

#[test]
fn devices_keep_sets_candidates_and_preferred_paths() {
    let device = |operand: &str| {
        let text = format!(
            "CHPID PATH=(CSS(0,1),40),PCHID=100,TYPE=FC
            CNTLUNIT CUNUMBR=1000,UNIT=X,PATH=((CSS(0),40),(CSS(1),40)),UNITADD=((00,256))
            IODEVICE ADDRESS=(0C0,32),CUNUMBR=1000,UNIT=X,{operand}"
        );
        defined(&text).devices.remove(0)
    };
    let plain = device("STADET=Y");
    assert_eq!((plain.number.value, plain.count, plain.unit_address), (0xC0, 32, 0xC0));
    assert!(plain.candidates.is_empty());
    assert_eq!(device("UNITADD=7").unit_address, 7);
    let sets = device("SCHSET=((CSS(1),2))").subchannel_set;
    assert_eq!((sets.of(0), sets.of(1)), (0, 2));
    assert_eq!(device("SCHSET=1").subchannel_set.of(1), 1);
    assert_eq!(names(&device("PART=((CSS(0),A),(CSS(1),C))").candidates), ["0A", "1C"]);
    assert_eq!(names(&device("NOTPART=((CSS(0),A))").candidates), ["0B", "1C"]);
    assert_eq!(names(&device("PART=((CSS(0),0))").candidates), ["1C"]);
    assert_eq!(names(&device("PART=((CSS(0),0),(CSS(1),0))").candidates), ["00"]);
    assert_eq!(device("PATH=((CSS(0),40),(CSS(1),40))").preferred, [(0, 0x40), (1, 0x40)]);
}
