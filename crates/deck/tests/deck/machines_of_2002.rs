//! The machines of the FICON paper of 2002: no PCHIDs, one channel subsystem, parallel and ESCON channels beside
//! FICON, and BASIC mode.

use crate::support::{codes, reading};
use halftrack_deck::Reading;
use halftrack_deck::model::UNDIVIDED;

/// Reads `statements`, one a line, without regard to columns.
fn of(statements: &str) -> Reading {
    let lines = statements.lines().filter(|line| !line.trim().is_empty());
    reading(&lines.map(crate::support::cards).collect::<String>())
}

#[track_caller]
fn gives(statements: &str, expected: &[&str]) {
    let reading = of(statements);
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), expected, "\n{}", shown.join("\n"));
    assert_eq!(reading.deck.is_some(), !expected.iter().any(|code| code.ends_with('E')));
}

/// Writes a z900 of two partitions with `statements`.
fn z900(statements: &str) -> String {
    format!("ID SYSTEM=(2064,1)\nRESOURCE PART=((A,1),(B,2))\n{statements}")
}

/// Writes a G6 in BASIC mode with `statements`.
fn basic(statements: &str) -> String {
    format!("ID SYSTEM=(9672,1)\n{statements}")
}

const DISKS: &str = "CNTLUNIT CUNUMBR=1000,PATH=(40,41),LINK=(C4,C5),UNITADD=((00,016)),CUADD=0,UNIT=2105
    IODEVICE ADDRESS=(1000,016),CUNUMBR=1000,UNIT=3390";

#[test]
fn a_deck_without_pchids_is_whole_on_a_z900() {
    let channels =
        "CHPID PATH=40,SHARED,SWITCH=11,TYPE=FC\nCHPID PATH=41,SHARED,SWITCH=12,TYPE=FC".to_owned();
    gives(&z900(&format!("{channels}\n{DISKS}")), &[]);
    let with_pchid = channels.replace("40,SHARED", "40,SHARED,PCHID=100");
    gives(&z900(&with_pchid), &["179E"]);
    let later = z900(&channels).replace("2064", "2084");
    gives(&later, &["162W", "139W", "139W"]);
}

#[test]
fn old_machines_have_one_channel_subsystem_of_256_chpids() {
    gives(&z900("CHPID PATH=(CSS(1),40),SHARED,TYPE=FC"), &["167E"]);
    gives("ID SYSTEM=(2064,1)\nRESOURCE PART=((CSS(0),(A,1)),(CSS(1),(B,1)))", &["167E"]);
    let all: String = (0..256).map(|chpid| format!("CHPID PATH={chpid:02X},SHARED,TYPE=CNC\n")).collect();
    gives(&z900(&all), &[]);
    gives(&z900(&format!("{all}CHPID PATH=100,SHARED,TYPE=CNC")), &["126E"]);
    gives(&z900(&format!("{all}CHPID PATH=FF,SHARED,TYPE=CNC")), &["200E"]);
}

#[test]
fn channel_types_come_and_go_with_the_machines() {
    let of_type = |machine: u16, name: &str| {
        format!("ID SYSTEM=({machine},1)\nRESOURCE PART=(A),MAXDEV=9\nCHPID PATH=40,PART=A,TYPE={name}")
    };
    for name in ["FC", "FCV", "CNC", "CVC", "CBY", "CTC", "BL", "BY"] {
        gives(&of_type(9672, name), &[]);
        gives(&of_type(2064, name), &[]);
    }
    for name in ["IQD", "OSD", "FCP"] {
        gives(&of_type(9672, name), &["206E"]);
        gives(&of_type(2064, name), &[]);
    }
    for name in ["BL", "BY"] {
        gives(&of_type(2066, name), &["206E"]);
        gives(&of_type(2094, name), &["206E"]);
    }
    gives(&of_type(2818, "CNC"), &["139W"]);
    gives(&of_type(2098, "FCV"), &["139W"]);
    gives(&of_type(2098, "OSM"), &["139W"]);
}

#[test]
fn parallel_channels_have_no_switch_no_link_no_sharing() {
    let unit = "CNTLUNIT CUNUMBR=0500,UNIT=3990,UNITADD=((00,016),(40,016)),PATH=20";
    let channel = |rest: &str| format!("CHPID PATH=20,TYPE=BL{rest}\n{unit}");
    gives(&z900(&channel(",PART=A")), &[]);
    gives(&z900(&channel(",SHARED")), &["205E"]);
    gives(&z900(&channel(",PART=A,SWITCH=11")), &["201E"]);
    gives(&z900(&format!("{},LINK=C4", channel(",PART=A"))), &["229E"]);
    let two = format!("{unit}\nCNTLUNIT CUNUMBR=0501,UNIT=3990,UNITADD=((80,016)),PATH=20");
    gives(&z900(&format!("CHPID PATH=20,PART=A,TYPE=BL\n{two}")), &[]);
    gives(&z900("CHPID PATH=20,PART=A,TYPE=BL,PCHID=1A0"), &["179E"]);
}

#[test]
fn escon_reaches_1024_unit_addresses_and_ficon_16384() {
    let units = |name: &str, count: usize| {
        let mut deck = format!("CHPID PATH=40,SHARED,SWITCH=11,TYPE={name}\n");
        for number in 0..count {
            let (port, image) = (0x10 + number / 16, number % 16);
            deck += &format!(
                "CNTLUNIT CUNUMBR={number:04X},UNIT=2105,UNITADD=((00,256)),CUADD={image:X},PATH=40,LINK={port:02X}\n"
            );
        }
        z900(&deck)
    };
    gives(&units("CNC", 4), &[]);
    gives(&units("CNC", 5), &["238E"]);
    gives(&units("FC", 64), &[]);
    gives(&units("FC", 65), &["238E"]);
}

#[test]
fn native_ficon_and_escon_have_directors_of_their_own() {
    let two = |first: &str, second: &str| {
        z900(&format!(
            "CHPID PATH=40,SHARED,SWITCH=11,TYPE={first}\nCHPID PATH=41,SHARED,SWITCH=11,TYPE={second}"
        ))
    };
    gives(&two("CNC", "FCV"), &[]);
    gives(&two("CNC", "FC"), &["203E"]);
    gives(&two("FC", "FCV"), &["203E"]);
    let third = format!("{}\nCHPID PATH=42,SHARED,SWITCH=11,TYPE=CNC", two("FC", "CNC"));
    gives(&third, &["203E"]);
}

#[test]
fn a_deck_without_resource_is_for_basic_mode() {
    let channels = "CHPID PATH=40,SWITCH=11,TYPE=FC\nCHPID PATH=41,SWITCH=11,TYPE=FC";
    let text = basic(&format!("{channels}\n{DISKS}"));
    gives(&text, &[]);
    let deck = of(&text).deck.unwrap();
    assert!(deck.is_basic());
    assert_eq!(deck.channel_paths[0].access, [(0, UNDIVIDED.to_owned())]);
    assert!(!deck.channel_paths[0].shared);
    let twice = format!(
        "{DISKS}\nCNTLUNIT CUNUMBR=1001,PATH=(40,41),LINK=(C4,C5),UNITADD=((00,016)),CUADD=1,UNIT=2105\nIODEVICE ADDRESS=1000,CUNUMBR=1001,UNIT=3390"
    );
    gives(&basic(&format!("{channels}\n{twice}")), &["361E"]);
    assert!(!of(&z900(channels)).deck.is_some_and(|deck| deck.is_basic()));
}

#[test]
fn basic_mode_knows_no_partitions_and_ended_with_the_z900() {
    gives(&basic("CHPID PATH=40,SHARED,SWITCH=11,TYPE=FC"), &["862E"]);
    gives(&basic("CHPID PATH=40,PART=A,SWITCH=11,TYPE=FC"), &["862E"]);
    gives(&basic("CHPID PATH=40,TYPE=FC\nRESOURCE PART=A"), &["862E"]);
    gives(&basic("RESORCE PART=A\nCHPID PATH=40,TYPE=FC"), &["179E"]);
    for machine in ["2066", "2084", "3931"] {
        gives(&basic("CHPID PATH=40,TYPE=FC").replace("9672", machine), &["862E"]);
    }
}

#[test]
fn a_z990_has_thirty_partitions_wherever_they_are() {
    let head = |counts: [usize; 4]| {
        let css = counts.iter().enumerate().filter(|(_, count)| **count > 0).map(|(css, count)| {
            let names: Vec<String> = (0..*count).map(|number| format!("P{css}N{number}")).collect();
            format!("(CSS({css}),{})", names.join(","))
        });
        let slots = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let slots: Vec<String> = slots.map(|(css, _)| format!("(CSS({css}),9)")).collect();
        let lists: Vec<String> = css.collect();
        format!("ID SYSTEM=(2084,1)\nRESOURCE PART=({}),MAXDEV=({})", lists.join(","), slots.join(","))
    };
    gives(&head([10, 5, 0, 15]), &[]);
    gives(&head([10, 6, 0, 15]), &["157E"]);
    gives(&head([0, 0, 0, 15]), &[]);
    gives(&head([0, 0, 16, 0]), &["157E"]);
}
