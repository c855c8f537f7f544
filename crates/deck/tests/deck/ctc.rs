//! Channel-to-channel connections: which ends belong together, and statements for those that are missing.

use crate::support::{cards, codes, reading};
use halftrack_deck::advise;
use halftrack_deck::ctc::{Connections, Fault, GivenPort, Port, connections, listing, missing_ends};
use halftrack_deck::model::Deck;
use halftrack_deck::model::placement::ByNumber;

/// Writes a deck of partitions LP1 and LP2 in CSS 0 and LP3 in CSS 1 with `statements`.
fn text(statements: &str) -> String {
    let head = "ID SYSTEM=(3931,1)\nRESOURCE PART=((CSS(0),(LP1,1),(LP2,2)),(CSS(1),(LP3,3))),MAXDEV=((CSS(0),900),(CSS(1),900))";
    head.lines().chain(statements.lines()).map(str::trim).filter(|line| !line.is_empty()).map(cards).collect()
}

#[track_caller]
fn valid(text: &str) -> Deck {
    let reading = reading(text);
    assert_eq!(codes(&reading), [""; 0], "{:?}", reading.diagnostics);
    reading.deck.expect("no messages")
}

const CHANNELS: &str = "\
    CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC
    CHPID PATH=(CSS(0,1),41),SHARED,SWITCH=11,PCHID=120,TYPE=FC\n";

/// LP1 over channel 40 at port 20 to LP2 over the spanned channel 41 at port 21.
const THERE: &str = "\
    CNTLUNIT CUNUMBR=4000,PATH=((CSS(0),40)),UNITADD=((00,004)),LINK=((CSS(0),1121)),CUADD=02,UNIT=FCTC
    IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4000),PART=((CSS(0),LP1)),UNIT=FCTC\n";
const BACK: &str = "\
    CNTLUNIT CUNUMBR=4010,PATH=((CSS(0),41)),UNITADD=((00,004)),LINK=((CSS(0),1120)),CUADD=1,UNIT=FCTC
    IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4010),PART=((CSS(0),LP2)),UNIT=FCTC\n";

fn within(deck: &Deck) -> Connections {
    connections(&[deck], &[])
}

fn given(deck: usize, css: u8, chpid: u8, port: u8) -> GivenPort {
    GivenPort { deck, css, chpid, port: Port { switch: 0x11, port } }
}

#[test]
fn ends_that_point_at_each_other_are_a_pair_and_tell_the_ports_of_their_channels() {
    let deck = valid(&text(&format!("{CHANNELS}{THERE}{BACK}")));
    let found = within(&deck);
    assert_eq!((found.pairs.len(), found.missing.len(), found.elsewhere.len()), (1, 0, 0), "{found:?}");
    assert!(found.pairs[0].same_unit_addresses && found.pairs[0].same_devices);
    let ports: Vec<String> = found.ports.values().map(Port::to_string).collect();
    assert_eq!(ports, ["1120", "1121"]);
    assert!(listing(&found, &["a".to_owned()]).contains("fine\npairs: 1, with unlike unit addresses: 0;"));
}

#[test]
fn a_spanned_channel_is_reached_by_css_and_mif_and_no_other_cuadd() {
    let to_lp3 = |cuadd: &str| {
        valid(&text(&format!(
            "{CHANNELS}
             CNTLUNIT CUNUMBR=4000,PATH=((CSS(0),40)),UNITADD=((00,004)),LINK=((CSS(0),1121)),CUADD={cuadd},UNIT=FCTC
             IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4000),PART=((CSS(0),LP1)),UNIT=FCTC
             CNTLUNIT CUNUMBR=4010,PATH=((CSS(1),41)),UNITADD=((00,004)),LINK=((CSS(1),1120)),CUADD=1,UNIT=FCTC
             IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4010),UNIT=FCTC"
        )))
    };
    assert_eq!(within(&to_lp3("13")).pairs.len(), 1);
    let wrong = within(&to_lp3("03"));
    assert_eq!((wrong.pairs.len(), wrong.missing.len() + wrong.elsewhere.len()), (0, 2), "{wrong:?}");
}

#[test]
fn an_end_may_lead_to_the_other_deck() {
    let one = valid(&text(&format!("{CHANNELS}{THERE}")));
    let other = valid(&text(&format!("{CHANNELS}{BACK}")));
    assert_eq!(within(&one).elsewhere.len(), 1);
    let found = connections(&[&one, &other], &[]);
    assert_eq!((found.pairs.len(), found.missing.len(), found.elsewhere.len()), (1, 0, 0), "{found:?}");
}

#[test]
fn an_escon_connection_needs_a_ctc_channel_at_one_end() {
    let deck = |type_of_41: &str| {
        let statements = format!(
            "ID SYSTEM=(2097,1)
             RESOURCE PART=((CSS(0),(LP1,1),(LP2,2))),MAXDEV=((CSS(0),900))
             CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE=CTC
             CHPID PATH=(CSS(0),41),SHARED,SWITCH=11,PCHID=120,TYPE={type_of_41}
             CNTLUNIT CUNUMBR=4000,PATH=((CSS(0),40)),UNITADD=((00,004)),LINK=((CSS(0),21)),CUADD=2,UNIT=SCTC
             IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4000),PART=((CSS(0),LP1)),UNIT=SCTC
             CNTLUNIT CUNUMBR=4010,PATH=((CSS(0),41)),UNITADD=((00,004)),LINK=((CSS(0),20)),CUADD=1,UNIT=SCTC
             IODEVICE ADDRESS=(4010,004),UNITADD=00,CUNUMBR=(4010),PART=((CSS(0),LP2)),UNIT=SCTC"
        );
        valid(&statements.lines().map(str::trim).map(cards).collect::<String>())
    };
    let (both, one) = (within(&deck("CTC")), within(&deck("CNC")));
    assert_eq!((both.pairs.len(), one.pairs.len()), (0, 1));
    assert!(!one.pairs[0].same_devices);
}

#[test]
fn the_statements_of_a_missing_end_complete_the_pair_in_a_valid_deck() {
    let half = text(&format!("{CHANNELS}{THERE}"));
    let deck = valid(&half);
    let ports = [given(0, 0, 0x40, 0x20), given(0, 0, 0x41, 0x21)];
    let found = connections(&[&deck], &ports);
    assert_eq!(found.missing.len(), 1, "{found:?}");
    let (made, refused) = missing_ends(&[&deck], &found, 0);
    assert_eq!(refused, [""; 0]);
    let whole = valid(&(half + &made));
    let found = within(&whole);
    assert_eq!((found.pairs.len(), found.missing.len(), found.elsewhere.len()), (1, 0, 0), "{made}");
    // Another partition may have the same device numbers.
    assert!(found.pairs[0].same_unit_addresses && found.pairs[0].same_devices, "{made}");
}

#[test]
fn what_cannot_be_written_is_said_with_the_reason() {
    let deck = valid(&text(&format!("{CHANNELS}{THERE}")));
    let found = connections(&[&deck], &[given(0, 0, 0x41, 0x21)]);
    let (made, refused) = missing_ends(&[&deck], &found, 0);
    assert_eq!(made, "");
    assert_eq!(refused, ["CNTLUNIT 4000 of 0.LP1: the port of channel 40 is unknown; give it with --port"]);
}

/// A cable has two ends: control units of two partitions on one unswitched channel lead to another machine.
#[test]
fn ends_on_one_unswitched_channel_are_no_pair() {
    let deck = valid(&text(
        "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC
         CNTLUNIT CUNUMBR=4000,PATH=((CSS(0),40)),UNITADD=((00,004)),CUADD=2,UNIT=FCTC
         IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4000),PART=((CSS(0),LP1)),UNIT=FCTC
         CNTLUNIT CUNUMBR=4010,PATH=((CSS(0),40)),UNITADD=((00,004)),CUADD=1,UNIT=FCTC
         IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4010),PART=((CSS(0),LP2)),UNIT=FCTC",
    ));
    let found = within(&deck);
    assert_eq!((found.pairs.len(), found.missing.len(), found.elsewhere.len()), (0, 0, 2), "{found:?}");
}

/// Equal numbers at other unit addresses are other devices: the first of one end meets none of the other's.
#[test]
fn device_numbers_are_compared_with_their_unit_addresses() {
    let moved = BACK.replace("((00,004)),LINK", "((00,008)),LINK").replace("UNITADD=00", "UNITADD=04");
    let there = THERE.replace("((00,004)),LINK", "((00,008)),LINK");
    let found = within(&valid(&text(&format!("{CHANNELS}{there}{moved}"))));
    assert_eq!(found.pairs.len(), 1);
    assert!(found.pairs[0].same_unit_addresses && !found.pairs[0].same_devices, "{found:?}");
}

/// The statements that are made have the numbers of the end that they answer, also where others lie between them, and
/// each control unit has its own.
#[test]
fn striped_devices_are_answered_by_their_numbers() {
    let there = "\
        CNTLUNIT CUNUMBR=4000,PATH=((CSS(0),40)),UNITADD=((00,002)),LINK=((CSS(0),1121)),CUADD=02,UNIT=FCTC
        IODEVICE ADDRESS=(4000,1),UNITADD=00,CUNUMBR=(4000),PART=((CSS(0),LP1)),UNIT=FCTC
        IODEVICE ADDRESS=(4002,1),UNITADD=01,CUNUMBR=(4000),PART=((CSS(0),LP1)),UNIT=FCTC
        CNTLUNIT CUNUMBR=4001,PATH=((CSS(0),40)),UNITADD=((02,002)),LINK=((CSS(0),1121)),CUADD=02,UNIT=FCTC
        IODEVICE ADDRESS=(4001,1),UNITADD=02,CUNUMBR=(4001),PART=((CSS(0),LP1)),UNIT=FCTC
        IODEVICE ADDRESS=(4003,1),UNITADD=03,CUNUMBR=(4001),PART=((CSS(0),LP1)),UNIT=FCTC\n";
    let half = text(&format!("{CHANNELS}{there}"));
    let deck = valid(&half);
    let found = connections(&[&deck], &[given(0, 0, 0x40, 0x20), given(0, 0, 0x41, 0x21)]);
    let (made, refused) = missing_ends(&[&deck], &found, 0);
    assert_eq!(refused, [""; 0]);
    let found = within(&valid(&(half + &made)));
    assert!(found.are_fine() && found.pairs.len() == 2, "{made}");
    assert!(found.pairs.iter().all(|pair| pair.same_devices), "{made}");
}

/// Returns the codes of the advice on `statements` behind the channels.
fn advised(statements: &str) -> Vec<String> {
    let deck = valid(&text(&format!("{CHANNELS}{statements}")));
    let codes = advise(&deck, &ByNumber).into_iter().map(|note| note.code());
    codes.filter(|code| code != "HTK804A").collect()
}

#[test]
fn a_device_on_the_control_units_of_two_connections_is_reported() {
    let two = format!("{THERE}{BACK}").replace("CUNUMBR=(4000)", "CUNUMBR=(4000,4020)");
    let second = "CNTLUNIT CUNUMBR=4020,PATH=((CSS(0),40)),UNITADD=((00,004)),LINK=((CSS(0),1122)),CUADD=02,UNIT=FCTC\n";
    assert_eq!(advised(&format!("{second}{two}")), ["HTK775W"]);
    assert_eq!(advised(&format!("{second}{THERE}{BACK}")), [""; 0]);
}

#[test]
fn an_end_that_leads_to_its_own_partition_is_reported() {
    let more = |cuadd: &str| {
        format!(
            "{THERE}{BACK}
             CNTLUNIT CUNUMBR=4020,PATH=((CSS(0),40)),UNITADD=((10,004)),LINK=((CSS(0),1121)),CUADD={cuadd},UNIT=FCTC
             IODEVICE ADDRESS=(4020,004),UNITADD=10,CUNUMBR=(4020),PART=((CSS(0),LP1)),UNIT=FCTC
             CNTLUNIT CUNUMBR=4030,PATH=((CSS(0),41)),UNITADD=((10,004)),LINK=((CSS(0),1120)),CUADD=1,UNIT=FCTC
             IODEVICE ADDRESS=(4020,004),UNITADD=10,CUNUMBR=(4030),PART=((CSS(0),LP2)),UNIT=FCTC"
        )
    };
    assert_eq!(advised(&more("01")), ["HTK771W"]);
    assert_eq!(advised(&more("02")), [""; 0]);
}

/// Image 1 of another machine has the CUADD of the own image 1: control units that lead there are not each other's ends.
#[test]
fn a_partition_is_joined_to_itself_where_the_ports_are_known_alone() {
    let deck = valid(&text(
        &format!(
            "{CHANNELS}
         CNTLUNIT CUNUMBR=4000,PATH=((CSS(0),40)),UNITADD=((00,004)),LINK=((CSS(0),1121)),CUADD=01,UNIT=FCTC
         IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4000),PART=((CSS(0),LP1)),UNIT=FCTC
         CNTLUNIT CUNUMBR=4010,PATH=((CSS(0),41)),UNITADD=((00,004)),LINK=((CSS(0),1120)),CUADD=01,UNIT=FCTC
         IODEVICE ADDRESS=(4010,004),UNITADD=00,CUNUMBR=(4010),PART=((CSS(0),LP1)),UNIT=FCTC"
        )
        .replace("CSS(0,1),41", "CSS(0),41"),
    ));
    assert_eq!(within(&deck).elsewhere.len(), 2);
    let ports = [given(0, 0, 0x40, 0x20), given(0, 0, 0x41, 0x21)];
    assert_eq!(connections(&[&deck], &ports).pairs.len(), 1);
}

/// Two ESCON channels of one kind are at fault, whichever it is. Devices alone make them likely, and do not prove it.
#[test]
fn ends_on_two_channels_of_one_kind_are_a_misfit() {
    let faults = |one: &str, other: &str| {
        let end = |unit: &str, chpid: &str, link: &str, cuadd: u8, lp: &str| {
            format!(
                "CNTLUNIT CUNUMBR={unit},PATH=((CSS(0),{chpid})),UNITADD=((00,004)),LINK=((CSS(0),{link})),CUADD={cuadd},UNIT=SCTC
                 IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=({unit}),PART=((CSS(0),{lp})),UNIT=SCTC\n"
            )
        };
        let statements = format!(
            "ID SYSTEM=(2097,1)
             RESOURCE PART=((CSS(0),(LP1,1),(LP2,2))),MAXDEV=((CSS(0),900))
             CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE={one}
             CHPID PATH=(CSS(0),41),SHARED,SWITCH=11,PCHID=120,TYPE={other}
             {}{}",
            end("4000", "40", "21", 2, "LP1"),
            end("4010", "41", "20", 1, "LP2")
        );
        let deck = valid(&statements.lines().map(str::trim).map(cards).collect::<String>());
        let found = within(&deck);
        let faults = found.misfits.iter().map(|misfit| (misfit.fault, misfit.is_known));
        (found.pairs.len(), faults.collect::<Vec<_>>())
    };
    assert_eq!(faults("CTC", "CTC"), (0, vec![(Fault::ChannelTypes, false)]));
    assert_eq!(faults("CNC", "CNC"), (0, vec![(Fault::ChannelTypes, false)]));
    assert_eq!(faults("CNC", "CTC"), (1, Vec::new()));
}
