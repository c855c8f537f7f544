//! GLOBALCONFIG of a TCP/IP profile against the functions of a deck.

mod support;

use halftrack_deck::check_profile;
use halftrack_deck::diagnostic::{Diagnostic, SourceFile};
use support::{deck, reading};

const FUNCTIONS: &str = "\
FUNCTION FID=(0018,2),PCHID=100,PORT=1,VF=1,PART=((A),(B)),TYPE=ROC2,PNETID=NET1
FUNCTION FID=0020,PCHID=100,PORT=2,VF=1,PART=((A),(=)),TYPE=ROC2
FUNCTION FID=0021,PCHID=104,PORT=2,VF=1,PART=((A),(=)),TYPE=HYL";

/// Messages about `profile` of the stack in `partition`.
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
    assert_eq!(one("12345"), "HTK843E profile:2:8 PFID 12345 is no function identifier");
    assert_eq!(one("0021"), "HTK843E profile:2:8 PFID 0021: TYPE=HYL is no RoCE function");
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
    let text: String = statements.iter().map(|statement| support::cards(statement)).collect();
    let deck = reading(&text).deck.expect("a deck");
    let check = |port: u8| {
        let profile = SourceFile::new("profile", format!("GLOBALCONFIG SMCR PFID 0006 PORTNUM {port}"));
        check_profile(&deck, "LP01", &profile).len()
    };
    assert_eq!((check(1), check(2)), (1, 0));
}
