//! FUNCTION and UUID: what each type needs, and what functions may not have in common.
//!
//! Reference: IOCP, sections 2.3, 2.7, 4.6.

use crate::support::{cards, codes, deck, reading};
use halftrack_deck::model::Adapter;
use halftrack_deck::model::function_types::FUNCTION_TYPES;

/// Asserts the message codes of a z16 deck with `statements`.
#[track_caller]
fn gives(statements: &str, expected: &[&str]) {
    let reading = reading(&deck(statements));
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), expected, "\n{}", shown.join("\n"));
}

/// Checks as [`gives`] does, for `machine`.
#[track_caller]
fn gives_on(machine: &str, statements: &str, expected: &[&str]) {
    let head = format!("ID SYSTEM=({machine},1)\nRESOURCE PART=((CSS(0),(A,1),(B,2))),MAXDEV=((CSS(0),9))");
    let text: String = head.lines().chain(statements.lines()).map(cards).collect();
    let reading = reading(&text);
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), expected, "\n{}", shown.join("\n"));
}

#[test]
fn every_keyword_of_a_function_is_kept() {
    let text = "UUID PART=((CSS(0),A))\n\
                FUNCTION FID=(0101,002),PCHID=12C,PORT=2,VF=3,PART=((A),(B,C)),TYPE=ROC2,PNETID=NET1,UID=21";
    let deck = reading(&deck(text)).deck.expect("a deck");
    let [function] = deck.functions.as_slice() else { panic!("one function") };
    assert_eq!((function.fid.value, function.count), (0x101, 2));
    assert_eq!(function.adapter.as_ref().map(|adapter| adapter.value), Some(Adapter::Pchid(0x12C)));
    assert_eq!((function.port, function.vf.as_ref().map(|vf| vf.value)), (Some(2), Some(3)));
    assert_eq!(function.access, Some((0, "A".to_owned())));
    assert_eq!(function.candidates, [(0, "B".to_owned()), (1, "C".to_owned())]);
    assert_eq!(function.pnetids, [Some("NET1".to_owned())]);
    assert_eq!(function.uid.as_ref().map(|uid| uid.value), Some(0x21));
    assert_eq!(deck.uuid, [(0, "A".to_owned())]);
}

#[test]
fn a_type_says_which_keywords_a_function_has() {
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART=A,TYPE=HYL", &[]);
    gives("FUNCTION FID=1,PCHID=100,VF=1,PART=A,TYPE=HYL", &["122E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,PART=A,TYPE=HYL", &["219E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=3,VF=1,PART=A,TYPE=HYL", &["140E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=64,PART=A,TYPE=HYL", &[]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=65,PART=A,TYPE=HYL", &["140E"]);
    gives("FUNCTION FID=(1,2),PCHID=100,PORT=1,VF=64,PART=A,TYPE=HYL", &["140E"]);
    gives_on("8561", "FUNCTION FID=1,PCHID=100,PORT=1,VF=127,PART=A,TYPE=HYL", &[]);
    gives_on("8561", "FUNCTION FID=1,PCHID=100,PORT=1,VF=128,PART=A,TYPE=HYL", &["140E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART=A,TYPE=HYL,PNETID=N", &["202E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART=A", &["220E"]);
    gives("FUNCTION FID=1,PORT=1,VF=1,PART=A,TYPE=HYL", &["139W"]);
    gives("FUNCTION FID=1,VCHID=7C0,VF=1,PART=A,TYPE=ISM,PNETID=N", &[]);
    gives("FUNCTION FID=1,PCHID=7C0,VF=1,PART=A,TYPE=ISM,PNETID=N", &["202E"]);
    gives("FUNCTION FID=1,PCHID=100,PART=A,TYPE=NVME", &[]);
    gives("FUNCTION FID=(1,2),PCHID=100,PART=A,TYPE=NVME", &["216E"]);
    gives("FUNCTION FID=1,PCHID=100,PART=A,TYPE=NVME,VF=1", &["202E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART=A,TYPE=ROC2,PNETID=(N,M)", &["217E"]);
    gives("FUNCTION FID=1000,PCHID=100,PORT=1,VF=1,PART=A,TYPE=HYL", &["140E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART=A,TYPE=HYL,UID=0", &["140E"]);
    gives("FUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART=A,TYPE=ROC2,PNETID=ABCDEFGHIJKLMNOPQ", &["140E"]);
}

#[test]
fn limits_of_roce_and_zedc_are_those_of_the_machine() {
    gives_on("2964", "FUNCTION FID=1,PCHID=100,VF=31,PART=A,TYPE=ROCE,PNETID=(NET1,,,)", &[]);
    gives_on("2964", "FUNCTION FID=1,PCHID=100,VF=32,PART=A,TYPE=ROCE", &["140E"]);
    gives_on("2964", "FUNCTION FID=1,PCHID=100,VF=16,PART=A,TYPE=ZEDC", &["140E"]);
    gives_on("2964", "FUNCTION FID=1000,PCHID=100,VF=1,PART=A,TYPE=ZEDC", &["140E"]);
    gives_on("2964", "FUNCTION FID=1,PCHID=100,VF=1,PART=A,TYPE=CRYP", &["140E"]);
    gives_on("2827", "FUNCTION FID=1,PCHID=100,PART=A", &[]);
    gives_on("2827", "FUNCTION FID=1,PCHID=100,VF=1,PART=A,TYPE=ROCE", &["202E"]);
    gives_on("2964", "FUNCTION FID=1,PCHID=100,VF=1,PART=A,TYPE=ROCE,PNETID=(,,NET3)", &["217E"]);
    let pf = "FUNCTION FID=1,PCHID=100,PF,PART=A,TYPE=PAIA";
    gives_on("9175", pf, &[]);
    gives_on("9175", &format!("{pf}\nFUNCTION FID=2,PCHID=100,PF,PART=A,TYPE=PAIA"), &["183E"]);
    gives_on("9175", "FUNCTION FID=(1,2),PCHID=100,PF,PART=A,TYPE=PAIA", &["183E"]);
    gives_on("9175", "FUNCTION FID=2200,PCHID=100,VF=1,PART=A,TYPE=NETH,PNETID=N", &[]);
}

#[test]
fn from_the_z13_on_a_function_has_a_type() {
    gives_on("2827", "FUNCTION FID=1,PCHID=100,PART=A", &[]);
    gives_on("2964", "FUNCTION FID=1,PCHID=100,VF=1,PART=A", &["220E"]);
}

#[test]
fn functions_have_partitions_and_belong_to_one_at_a_time() {
    let function = |part: &str| format!("FUNCTION FID=1,PCHID=100,PORT=1,VF=1,PART={part},TYPE=HYL");
    for part in ["A", "(A)", "((A),(B,C))", "((A),(=))", "((0),(B))", "((),(B))", "(A,(B,C))"] {
        gives(&function(part), &[]);
    }
    gives(&function("((A,B),(C))"), &["841E"]);
    gives(&function("(A,B)"), &["841E"]);
    gives(&function("((A),(X))"), &["149E"]);
    gives(&function("((A),(B,B))"), &["156E"]);
    gives(&function("((A),(B),REC)"), &["148E"]);
    gives(&function("((0),(=))"), &["180E"]);
    gives("UUID PART=((CSS(0),X))", &["149E"]);
}

#[test]
fn functions_do_not_share_identifiers() {
    let function =
        |fid: &str, vf: &str| format!("FUNCTION FID={fid},PCHID=100,PORT=1,VF={vf},PART=A,TYPE=HYL,UID={vf}");
    let two = |first: &str, second: &str| format!("UUID PART=A\n{first}\n{second}");
    gives(&two(&function("(11,2)", "1"), &function("13", "3")), &[]);
    gives(&two(&function("(11,2)", "1"), &function("12", "3")), &["207E"]);
    gives(&two(&function("(11,2)", "1"), &function("13", "2")), &["215E", "190E"]);
    gives(&two(&function("1", "1"), "FUNCTION FID=2,PCHID=104,PORT=1,VF=1,PART=A,TYPE=HYL,UID=1"), &["190E"]);
    gives(
        &two(&function("1", "1"), "FUNCTION FID=2,PCHID=104,PORT=1,VF=1,PART=((B),(=)),TYPE=HYL,UID=1"),
        &[],
    );
    let ism =
        |fid: u16, vchid: &str| format!("FUNCTION FID={fid},VCHID={vchid},VF={fid},PART=A,TYPE=ISM,PNETID=N");
    gives(&two(&ism(1, "7C0"), &ism(2, "7C0")), &[]);
    gives(&two(&ism(1, "7C0"), &ism(2, "7C1")), &["188E"]);
}

/// The statements that the paper on PCIe adapters of 2015 prints, on its machine: RoCE over two adapters for two
/// partitions with candidates, and the OSD channels of the same networks.
#[test]
fn the_printed_samples_are_accepted_together() {
    let names: Vec<String> = (1..=15).map(|mif| format!("(LP{mif:02},{mif:X})")).collect();
    let resource = format!(
        "RESOURCE PART=((CSS(0),{}),(CSS(1),(Q1,1)),(CSS(2),(R1,1)),(CSS(3),(S1,1))),\
         MAXDEV=((CSS(0),65280),(CSS(1),65280),(CSS(2),65280),(CSS(3),65280))",
        names.join(",")
    );
    let mut statements = vec!["ID SYSTEM=(2964,1)".to_owned(), resource];
    for (fid, vf, partition, pchid) in
        [("9", 1, "LP14", "110"), ("A", 1, "LP14", "170"), ("B", 2, "LP15", "110"), ("C", 2, "LP15", "170")]
    {
        statements.push(format!(
            "FUNCTION FID={fid},VF={vf},PART=(({partition}),(LP03,LP04)),PNETID=(NET1,NET2),TYPE=ROCE,PCHID={pchid}"
        ));
    }
    for (fid, vf, part, pchid, networks) in [
        ("05", 1, "((LP08),(LP09))", "100", "(NET1,,,)"),
        ("06", 1, "((LP08),(LP09))", "12C", "(,NET2,,)"),
        ("07", 2, "((LP12),(LP06))", "100", "(NET1,,,)"),
        ("08", 2, "((LP12),(LP06))", "12C", "(,NET2,,)"),
    ] {
        statements.push(format!(
            "FUNCTION FID={fid},VF={vf},PART={part},PCHID={pchid},PNETID={networks},TYPE=ROCE"
        ));
    }
    statements.push("CHPID PCHID=510,PATH=(CSS(0,1,2,3),D0),TYPE=OSD,SHARED,PNETID=NET1".to_owned());
    statements.push("CHPID PCHID=58C,PATH=(CSS(0,1,2,3),D1),TYPE=OSD,SHARED,PNETID=NET2".to_owned());
    let text: String = statements.iter().map(|statement| cards(statement)).collect();
    let reading = reading(&text);
    assert_eq!(codes(&reading), [""; 0], "{:#?}", reading.diagnostics);
    let deck = reading.deck.expect("a deck");
    let with = |fid| deck.functions.iter().find(|one| one.fid.value == fid).expect("printed");
    assert_eq!(with(6).pnetids, [None, Some("NET2".to_owned()), None, None]);
    assert_eq!(deck.channel_paths[0].pnetids, [Some("NET1".to_owned())]);
}

#[test]
fn a_port_of_zhyperlink_has_functions_1_to_64_and_more() {
    let all = |count: u16| format!("FUNCTION FID=(1,{count}),PCHID=128,PORT=1,VF=1,PART=A,TYPE=HYL");
    gives(
        &format!("{}\n{}", all(64), all(64).replace("FID=(1,", "FID=(41,").replace("PORT=1", "PORT=2")),
        &[],
    );
    gives(&all(128), &["140E"]);
}

/// Writes functions on `count` adapters.
fn on_adapters(count: u16, operands: &str) -> String {
    let one = |at: u16| format!("FUNCTION FID={:X},PCHID={:03X},PART=A,{operands}\n", at + 1, 0x100 + 4 * at);
    (0..count).map(one).collect()
}

#[test]
fn a_machine_takes_as_many_adapters_as_the_papers_print() {
    for (machine, count, operands) in [
        ("2827", 8, "TYPE=ZEDC"),
        ("2828", 8, "VF=1"),
        ("2964", 8, "VF=1,TYPE=ZEDC"),
        ("2827", 16, "TYPE=ROCE"),
        ("2828", 16, "PNETID=NET1"),
        ("2964", 16, "VF=1,TYPE=ROCE"),
        ("3931", 8, "VF=1,PORT=1,TYPE=HYL"),
        ("3932", 8, "VF=1,PORT=1,TYPE=HYL"),
    ] {
        gives_on(machine, &on_adapters(count, operands), &[]);
        gives_on(machine, &on_adapters(count + 1, operands), &["822E"]);
    }
    // Nothing is published for the z13s and later machines of these types.
    gives_on("2965", &on_adapters(9, "VF=1,TYPE=ZEDC"), &[]);
    gives_on("3906", &on_adapters(17, "VF=1,TYPE=ROCE"), &[]);
    // Two functions of one adapter are on one adapter.
    let shared = on_adapters(8, "VF=1,TYPE=ZEDC") + "FUNCTION FID=90,PCHID=100,VF=2,PART=A,TYPE=ZEDC";
    gives_on("2964", &shared, &[]);
    let reading = reading(&deck(&on_adapters(9, "VF=1,PORT=1,TYPE=HYL")));
    let words = "FUNCTION 0009: 9 adapters of TYPE=HYL (zHyperLink Express); a 3931 takes 8, as the paper on FICON \
                 Express32S (2023) says";
    assert_eq!(reading.diagnostics[0].message, words);
}

#[test]
fn what_is_no_pcie_function_is_refused_with_where_it_is_defined() {
    for (name, place) in [
        ("CRYPTO", "crypto adapters are assigned to partitions in their image profiles"),
        ("FLASH", "flash memory is assigned to partitions at the console"),
        ("OSA", "OSA is a channel: CHPID TYPE=OSD"),
        ("OSD", "OSD is a type of channel: CHPID TYPE=OSD"),
    ] {
        let text = deck(&format!("FUNCTION FID=1,PCHID=100,PART=A,TYPE={name}"));
        let reading = reading(&text);
        assert_eq!(codes(&reading), ["140E"], "{name}");
        let message = &reading.diagnostics[0];
        assert_eq!(message.message, format!("FUNCTION 1: {name} is not a PCIe function"));
        assert_eq!(message.fix.as_deref(), Some(place));
    }
    gives("FUNCTION FID=1,PCHID=100,PART=A,TYPE=XYZ", &["140E"]);
}

/// Each type is tried with its needs, on its oldest and its newest machine.
#[test]
fn every_type_is_accepted_on_its_machines() {
    let spelled = [
        ("ZEDC", "PCHID=100,VF=1", [2964, 3907]),
        ("ROCE", "PCHID=100,VF=1,PNETID=(N,M)", [2964, 3907]),
        ("ROC2", "PCHID=100,PORT=2,VF=1,PNETID=N", [3906, 3932]),
        ("HYL", "PCHID=100,PORT=2,VF=1", [3906, 9175]),
        ("ISM", "VCHID=7C0,VF=1,PNETID=N", [2964, 9175]),
        ("NVME", "PCHID=100", [2964, 9175]),
        ("RCE", "PCHID=100", [2964, 9175]),
        ("NETH", "PCHID=100,VF=1,PNETID=N", [9175, 9176]),
        ("NETD", "PCHID=100,VF=1,PNETID=N", [9175, 9176]),
        ("PAIA", "PCHID=100,VF=1", [9175, 9176]),
    ];
    assert_eq!(spelled.map(|(name, ..)| name), FUNCTION_TYPES.map(|kind| kind.name));
    for (name, keywords, machines) in spelled {
        for machine in machines {
            let function = format!("FUNCTION FID=1,{keywords},PART=((A),(B)),TYPE={name}");
            gives_on(&machine.to_string(), &function, &[]);
        }
    }
    gives_on("9175", "FUNCTION FID=1,PCHID=100,PF,PART=((A),(B)),TYPE=PAIA", &[]);
    gives_on("2827", "FUNCTION FID=1,PCHID=100,PART=((A),(B)),TYPE=ROCE", &[]);
}
