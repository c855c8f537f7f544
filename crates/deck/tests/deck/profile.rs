//! GLOBALCONFIG of a TCP/IP profile, and the software of partitions, against the functions of a deck.

use crate::support::{cards, deck, reading};
use halftrack_deck::{Software, check_profile, check_software};
use halftrack_input::{Diagnostic, SourceFile};

const FUNCTIONS: &str = "\
FUNCTION FID=(0018,2),PCHID=100,PORT=1,VF=1,PART=((A),(B)),TYPE=ROC2,PNETID=NET1
FUNCTION FID=0020,PCHID=100,PORT=2,VF=1,PART=((A),(=)),TYPE=ROC2
FUNCTION FID=0021,PCHID=104,PORT=2,VF=1,PART=((A),(=)),TYPE=HYL";

/// Returns messages about `profile` of the stack in `partition`.
fn found(partition: &str, profile: &str) -> Vec<String> {
    let reading = reading(&deck(FUNCTIONS));
    let deck = reading.deck.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    let messages = check_profile(&deck, partition, &SourceFile::new("profile", profile));
    messages.iter().map(Diagnostic::line).collect()
}

#[test]
fn functions_that_the_stack_can_use_are_accepted() {
    let profile = "TCPCONFIG TTLS\nGlobalConfig SMCR PFID 0018 PORTNUM 1 MTU 1024 ; PFID FFFF\n  PFID 19\n\
                   INTERFACE OSA1 DEFINE IPAQENET PFID 77\n";
    assert_eq!(found("A", profile), [""; 0]);
    assert_eq!(found("A", "IPCONFIG DATAGRAMFWD\n"), [""; 0]);
}

#[test]
fn what_keeps_a_function_from_becoming_active_is_said_at_its_pfid() {
    let one = |pfid: &str| {
        let mut found = found("A", &format!("GLOBALCONFIG SMCR\n  PFID {pfid}\n"));
        assert_eq!(found.len(), 1, "{found:?}");
        found.remove(0)
    };
    assert_eq!(one("0017"), "HTK843E profile:2:8 PFID 0017: no FUNCTION defines it");
    assert_eq!(one("001A"), "HTK843E profile:2:8 PFID 001A: no FUNCTION defines it");
    assert_eq!(one("12345"), "HTK843E profile:2:8 PFID 12345 is not a function identifier");
    assert_eq!(one("0021"), "HTK843E profile:2:8 PFID 0021: TYPE=HYL is not a RoCE function");
    let words = "port 1 has no PNETID, so that the function does not become active";
    assert_eq!(one("0020"), format!("HTK843E profile:2:8 PFID 0020: {words}"));
    let profile = "GLOBALCONFIG SMCR PFID 0018";
    assert_eq!(
        found("B", profile),
        ["HTK843W profile:1:24 PFID 0018: partition B is only a candidate for it"]
    );
    assert_eq!(found("C", profile), ["HTK843E profile:1:24 PFID 0018: partition C has no access to it"]);
    assert_eq!(found("X", profile), ["HTK843E profile:1:1 the deck has no partition X"]);
}

#[test]
fn networks_stand_by_port_where_a_function_has_none() {
    let names: Vec<String> = (1..=2).map(|mif| format!("(LP0{mif},{mif})")).collect();
    let statements = [
        "ID SYSTEM=(2964,1)".to_owned(),
        format!("RESOURCE PART=((CSS(0),{})),MAXDEV=((CSS(0),65280))", names.join(",")),
        "FUNCTION FID=06,PCHID=12C,PART=((LP01),(LP02)),VF=1,TYPE=ROCE,PNETID=(,NET2,,)".to_owned(),
    ];
    let text: String = statements.iter().map(|statement| crate::support::cards(statement)).collect();
    let deck = reading(&text).deck.expect("a deck");
    let check = |port: u8| {
        let profile = SourceFile::new("profile", format!("GLOBALCONFIG SMCR PFID 0006 PORTNUM {port}"));
        check_profile(&deck, "LP01", &profile).len()
    };
    assert_eq!((check(1), check(2)), (1, 0));
}

/// The published minima: zEDC and RoCE want z/OS 2.1, or z/VM 6.3 for its guests.
#[test]
fn a_partition_whose_software_is_too_old_is_told() {
    let text: String = [
        "ID SYSTEM=(2964,1)",
        "RESOURCE PART=((CSS(0),(A,1),(B,2))),MAXDEV=((CSS(0),9))",
        "FUNCTION FID=9,PCHID=100,VF=1,PART=((A),(B)),TYPE=ZEDC",
        "FUNCTION FID=A,PCHID=110,VF=1,PART=((A),(=)),TYPE=ROCE,PNETID=NET1",
    ]
    .map(cards)
    .concat();
    let deck = reading(&text).deck.expect("a deck");
    let found = |partition: &str, software: &str| -> Vec<String> {
        let software = Software::parse(software).expect("software");
        let found = check_software(&deck, partition, software).expect("a partition");
        found.iter().map(Diagnostic::line).collect()
    };
    for fine in ["z/OS 2.1", "z/OS 3.1", "z/VM 6.3", "Linux 5.14"] {
        assert_eq!(found("A", fine), [""; 0], "{fine}");
    }
    let inflates = ", which can inflate in software and writes nothing compressed";
    assert_eq!(
        found("A", "z/OS 1.13"),
        [
            format!(
                "HTK821E deck.iocp:3:23 FUNCTION 0009: TYPE=ZEDC needs z/OS 2.1; A runs z/OS 1.13{inflates}"
            ),
            "HTK821E deck.iocp:4:23 FUNCTION 000A: TYPE=ROCE needs z/OS 2.1; A runs z/OS 1.13".to_owned(),
        ]
    );
    assert_eq!(
        found("B", "z/OS 1.11"),
        ["HTK821W deck.iocp:3:23 FUNCTION 0009: TYPE=ZEDC needs z/OS 2.1; B may get it and runs z/OS 1.11"]
    );
    assert_eq!(found("A", "z/VM 6.2").len(), 2);
    let known = check_software(&deck, "X", Software::parse("z/OS 2.1").expect("software"));
    assert_eq!(known.unwrap_err(), ["A", "B"]);
}
