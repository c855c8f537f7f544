//! Advice on a deck by its hardware.

use std::sync::LazyLock;

use halftrack_catalog::Catalog;
use halftrack_deck::model::Deck;
use halftrack_deck::{ReadOptions, read, read_with};
use halftrack_input::{Diagnostic, Severity, SourceFile};
use halftrack_plugging::{Hardware, advise, advise_parity, other_machine, read_hardware};

/// Returns messages about a z13 deck of one channel subsystem with `statements` on the hardware of `report`.
fn found(report: &str, statements: &[&str]) -> Vec<String> {
    found_on("2964", report, statements)
}

/// Returns messages as [`found`] does, for another machine.
fn found_on(machine: &str, report: &str, statements: &[&str]) -> Vec<String> {
    found_by(machine, report, statements, advise)
}

/// Returns messages as [`found_on`] does, of other advice.
fn found_by(
    machine: &str,
    report: &str,
    statements: &[&str],
    advise: fn(&Deck, &Hardware) -> Vec<Diagnostic>,
) -> Vec<String> {
    static CATALOG: LazyLock<Catalog> = LazyLock::new(|| Catalog::load(&[]).0);
    let (hardware, wrong) = read_hardware(&SourceFile::new("hw", report), &CATALOG);
    let hardware = hardware.unwrap_or_else(|| panic!("{wrong:?}"));
    let id = format!("ID SYSTEM=({machine},1)");
    let head = [id.as_str(), "RESOURCE PART=((LP14,1),(LP15,2)),MAXDEV=9000"];
    let cards = head.iter().chain(statements).map(|statement| format!("         {statement}\n"));
    let reading = read(SourceFile::new("deck", cards.collect::<String>()));
    let deck = reading.deck.unwrap_or_else(|| panic!("{:?}", reading.diagnostics));
    advise(&deck, &hardware).iter().map(Diagnostic::line).collect()
}

/// The printed AO Data table: zEDC and RoCE in both resource groups.
const PRINTED: &str = include_str!("../reports/printed.txt");

#[test]
fn a_traditional_card_serves_channels_and_a_native_one_functions() {
    let report = format!("{PRINTED}A19/LG15/J01 Z22B 08 0418 118/D1 119/D2\n");
    let fine =
        ["CHPID PATH=40,SHARED,PCHID=118,TYPE=FC", "FUNCTION FID=1,VF=1,PCHID=108,PART=LP14,TYPE=ZEDC"];
    assert_eq!(found(&report, &[fine[0]]), [""; 0]);
    let crossed =
        ["CHPID PATH=40,SHARED,PCHID=108,TYPE=FC", "FUNCTION FID=1,VF=1,PCHID=118,PART=LP14,TYPE=ZEDC"];
    assert_eq!(
        found(&report, &crossed),
        [
            "HTK836W deck:3:37 CHPID 40: PCHID 108 is on a feature 0420 (zEDC Express) in Z22B slot 03, \
             which does not serve TYPE=FC",
            "HTK836W deck:4:36 FUNCTION 0001: PCHID 118 is on a feature 0418 (FICON Express) in Z22B slot 08, \
             which does not serve TYPE=ZEDC",
        ]
    );
}

#[test]
fn a_function_stands_by_until_its_card_is_plugged() {
    let function = ["FUNCTION FID=1,VF=1,PCHID=180,PART=LP14,TYPE=ZEDC"];
    assert_eq!(
        found(PRINTED, &function),
        ["HTK835I deck:3:36 FUNCTION 0001: stands by until a card with PCHID 180 is plugged"]
    );
    let later = format!("{PRINTED}A19/LG16/J01 Z15B 01 0420 180 RG1\n");
    let codes = found(&later, &function);
    assert!(codes.iter().all(|line| !line.contains("835")), "{codes:?}");
    assert_eq!(
        found(PRINTED, &["CHPID PATH=40,SHARED,PCHID=180,TYPE=FC"]),
        ["HTK835W deck:3:37 CHPID 40: PCHID 180 is in no slot of the hardware"]
    );
}

#[test]
fn a_partition_with_functions_in_both_groups_keeps_one_when_a_group_is_updated() {
    let function = |fid: &str, vf: u8, partition: &str, pchid: &str| {
        format!("FUNCTION FID={fid},VF={vf},PCHID={pchid},PART=(({partition})),TYPE=ROCE")
    };
    let both = [
        function("9", 1, "LP14", "110"),
        function("A", 1, "LP14", "170"),
        function("B", 2, "LP15", "110"),
        function("C", 2, "LP15", "170"),
    ];
    let both: Vec<&str> = both.iter().map(String::as_str).collect();
    assert_eq!(found(PRINTED, &both), [""; 0]);
    let one =
        [function("9", 1, "LP14", "110"), function("A", 1, "LP14", "114"), function("B", 2, "LP15", "110")];
    let one: Vec<&str> = one.iter().map(String::as_str).collect();
    assert_eq!(
        found(PRINTED, &one),
        [
            "HTK824A deck:3:23 all 2 ROCE functions of LP14 are in RG1",
            "HTK824A deck:5:23 the only ROCE function of LP15 is in RG1",
        ]
    );
    // Hardware with one group cannot do better, and there is no message.
    let half: String =
        PRINTED.lines().filter(|row| !row.contains("RG2")).map(|row| format!("{row}\n")).collect();
    assert_eq!(found(&half, &one), [""; 0]);
}

#[test]
fn a_port_that_the_adapter_does_not_have_is_told() {
    let functions = |port: &str| format!("FUNCTION FID=11,VF=1,PORT={port},PCHID=110,PART=LP14,TYPE=HYL");
    let report = |ports: &str| format!("A19/LG15/J01  Z22B  06    0451  110/{ports}            RG1\n");
    let head = PRINTED.lines().next().expect("a head");
    let of = |ports: &str, port: &str| {
        found_on("3931", &format!("{head}\n{}", report(ports)), &[functions(port).as_str()])
    };
    assert_eq!(of("D1D2", "2"), [""; 0]);
    let [told] = of("D1", "2").try_into().expect("one message");
    assert_eq!(told, "HTK842W deck:3:10 FUNCTION 0011: PCHID 110 in Z22B slot 06 has no port 2");
}

#[test]
fn who_asks_is_told_of_identifiers_that_break_the_convention() {
    let report = "Source        Drwr  Slot  F/C   PCHID/Ports or AID  RG   Comment\n\
                  A10/LG05/J01  A25B  04    0451  108/D1D2            RG1\n\
                  A15/LG05/J01  A25B  13    0451  128/D1D2            RG2\n";
    let function =
        |fid: &str, pchid: &str| format!("FUNCTION FID={fid},VF=1,PORT=1,PCHID={pchid},PART=LP14,TYPE=HYL");
    let of = |statements: &[String]| {
        let statements: Vec<&str> = statements.iter().map(String::as_str).collect();
        found_by("3931", report, &statements, advise_parity)
    };
    assert_eq!(of(&[function("11", "108"), function("12", "128")]), [""; 0]);
    assert_eq!(
        of(&[function("12", "108")]),
        ["HTK820A deck:3:23 FUNCTION 0012: PCHID 108 is in RG1, where identifiers are odd by the convention"]
    );
    assert_eq!(of(&[function("(11,2)", "108")]).len(), 1, "the second of two consecutive ones is even");
}

/// A report has no machine type: that of the deck counts.
#[test]
fn a_ninth_compression_card_of_a_report_is_told() {
    let more: String =
        (0..5).map(|at| format!("A19/LG15/J01 Z23B {:02} 0420 {:03X}\n", at + 1, 0x200 + 4 * at)).collect();
    let fine = ["FUNCTION FID=1,VF=1,PCHID=108,PART=LP14,TYPE=ZEDC"];
    let told = |report: &str| {
        let found = found_on("2964", report, &fine);
        found.into_iter().filter(|line| line.contains("HTK822")).collect::<Vec<_>>()
    };
    assert_eq!(told(PRINTED), [""; 0]);
    let words = "HTK822W deck:1:21 the hardware: 9 cards of zEDC Express are plugged; a 2964 takes 8, as z System \
                 Hardware Workshop 2015, part 4 says";
    assert_eq!(told(&format!("{PRINTED}{more}")), [words]);
}

/// Two cards at least and four for availability: those that an update, and the loss of one more card, leave.
#[test]
fn an_update_leaves_a_card_that_compresses_and_a_loss_besides_another() {
    let one = "FUNCTION FID=1,VF=1,PCHID=108,PART=LP14,TYPE=ZEDC";
    let other = "FUNCTION FID=2,VF=1,PCHID=178,PART=LP14,TYPE=ZEDC";
    let card =
        |slot: u8, pchid: &str, group: u8| format!("A19/LG15/J01 Z22B {slot:02} 0420 {pchid} RG{group}\n");
    let report =
        |cards: &[String]| format!("Source Drwr Slot F/C PCHID/Ports or AID RG Comment\n{}", cards.concat());
    let all = [card(3, "108", 1), card(37, "178", 2), card(4, "10C", 1), card(38, "17C", 2)];
    let told = |count: usize| found(&report(&all[..count]), &[one, other][..count.min(2)]);
    let none = "HTK777W deck:3:23 an update of RG1 takes every zEDC Express card of the machine";
    assert_eq!(told(1), [none]);
    let alone =
        "HTK778A deck:3:23 an update of RG2 leaves one zEDC Express card, which may be lost meanwhile";
    assert_eq!(told(2), [alone]);
    assert_eq!(told(3).len(), 1);
    assert_eq!(told(4), [""; 0]);
    // Nobody compresses; and four cards in one group are out together.
    assert_eq!(found(&report(&all[..1]), &[]), [""; 0]);
    let together = [all[0].clone(), all[2].clone()];
    assert_eq!(found(&report(&together), &[one]), [none]);
}

#[test]
fn a_deck_for_another_machine_than_the_hardware_is_told() {
    let told = |machine: u16, id: &str, options: &ReadOptions| {
        let file = format!("machine_type = {machine}\n[[drawer]]\nname = \"Z22B\"\n");
        let (hardware, wrong) = read_hardware(&SourceFile::new("hw", file), &Catalog::load(&[]).0);
        let hardware = hardware.unwrap_or_else(|| panic!("{wrong:?}"));
        let text = format!(" {id}\n RESOURCE PART=((LP14,1)),MAXDEV=9000\n");
        let reading = read_with(SourceFile::new("deck", text), options);
        other_machine(&reading, &hardware).map(|found| (found.number, found.severity, found.message))
    };
    let of = |machine: u16| ReadOptions { machine: Some((machine, None)), ..ReadOptions::default() };
    let plain = ReadOptions::default();
    let words = "the deck is checked as a 2094 (z9 EC), but the hardware is a 3931 (z16 A01)".to_owned();
    assert_eq!(told(3931, "ID SYSTEM=(2094,1)", &plain), Some((823, Severity::Error, words)));
    assert_eq!(told(3931, "ID SYSTEM=(3931,1)", &plain), None);
    assert_eq!(told(3931, "ID SYSTEM=(2094,1)", &of(3931)), None, "who checks it says so");
    assert!(told(3931, "ID SYSTEM=(3931,1)", &of(9175)).is_some());
    assert_eq!(told(9175, "ID MSG1='X'", &plain), None, "the deck names none");
}
