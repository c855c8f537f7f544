//! `halftrack deck map`, `cables`, `hardware`, and `check` on hardware: as a user types them.

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{code, halftrack, repository, stderr, stdout};

/// A machine of two domains: FICON, OSA and zHyperLink in each.
const REPORT: &str = "\
Source        Drwr  Slot  F/C   PCHID/Ports or AID  RG   Comment
A10/LG05/J01  A25B  02    0461  100/D1 101/D2
A10/LG05/J01  A25B  03    0461  104/D1 105/D2
A10/LG05/J01  A25B  04    0451  108/D1D2            RG1
A15/LG05/J01  A25B  11    0461  120/D1 121/D2
A15/LG05/J01  A25B  12    0461  124/D1 125/D2
A15/LG05/J01  A25B  13    0451  128/D1D2            RG2
";

const DECK: &str = "         ID SYSTEM=(3931,1)
         RESOURCE PART=((PROD1,1),(PROD2,2)),MAXDEV=9000
* A COMMENT THAT STAYS
         CHPID PATH=40,SHARED,SWITCH=11,TYPE=FC
         CHPID PATH=41,SHARED,SWITCH=12,TYPE=FC
         CNTLUNIT CUNUMBR=1000,PATH=(40,41),LINK=(04,05),CUADD=0,      *
               UNITADD=((00,16)),UNIT=2107
         FUNCTION FID=11,PORT=1,VF=1,PART=PROD1,TYPE=HYL
         FUNCTION FID=12,PORT=1,VF=1,PART=PROD1,TYPE=HYL
";

struct Desk(TempDir);

impl Desk {
    fn new() -> Self {
        let desk = Self(tempfile::tempdir().expect("temporary directory"));
        desk.put("work.iocp", DECK);
        desk.put("report.txt", REPORT);
        desk
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("written");
    }

    fn path(&self, name: &str) -> String {
        self.0.path().join(name).to_str().expect("UTF-8").to_owned()
    }

    /// Runs `halftrack deck` with words that are files of the desk where they have a dot.
    fn deck(&self, words: &str) -> Output {
        let is_file = |word: &str| Path::new(word).extension().is_some();
        let words =
            words.split(' ').map(|word| if is_file(word) { self.path(word) } else { word.to_owned() });
        let words: Vec<String> = std::iter::once("deck".to_owned()).chain(words).collect();
        halftrack(&words.iter().map(String::as_str).collect::<Vec<_>>())
    }
}

#[test]
fn a_deck_is_mapped_explained_and_written_with_its_pchids_alone_changed() {
    let desk = Desk::new();
    let mapped = desk.deck("map work.iocp --hardware report.txt --parity -o mapped.iocp");
    assert_eq!((code(&mapped), stderr(&mapped)), (0, ""));
    let expected = "\
id          type  old  new  frame  drawer  slot  port  domain                       RG
CHPID 0.40  FC    -    100  A      A25B    02    D1    A25B domain of A10/LG05/J01  -
CHPID 0.41  FC    -    120  A      A25B    11    D1    A25B domain of A15/LG05/J01  -
FID 0011    HYL   -    108  A      A25B    04    D1    A25B domain of A10/LG05/J01  RG1
FID 0012    HYL   -    128  A      A25B    13    D1    A25B domain of A15/LG05/J01  RG2

CU 1000: 2 paths over 2 cards, 2 domains, 2 fanouts, 2 CPC drawers, 1 I/O drawer; intersects: DR (one I/O drawer)
HYL functions of PROD1: 2 adapters over 2 cards, 2 resource groups, 2 domains, 2 fanouts, 2 CPC drawers, \
1 I/O drawer; intersects: DR (one I/O drawer)

";
    let balance = "0451: RG1 1, RG2 1; balanced\n";
    assert_eq!(stdout(&mapped), format!("{expected}{REPORT}{balance}"));
    let written = fs::read_to_string(desk.path("mapped.iocp")).expect("written");
    let coded = DECK
        .replace("SWITCH=11,TYPE=FC", "SWITCH=11,TYPE=FC,PCHID=100")
        .replace("SWITCH=12,TYPE=FC", "SWITCH=12,TYPE=FC,PCHID=120")
        .replace("FID=11,PORT=1,VF=1,PART=PROD1,TYPE=HYL", "FID=11,PORT=1,VF=1,PART=PROD1,TYPE=HYL,PCHID=108")
        .replace(
            "FID=12,PORT=1,VF=1,PART=PROD1,TYPE=HYL",
            "FID=12,PORT=1,VF=1,PART=PROD1,TYPE=HYL,PCHID=128",
        );
    assert_eq!(written, coded);
    assert_eq!(code(&desk.deck("check mapped.iocp --hardware report.txt --write")), 0);
    desk.put("crossed.iocp", &written.replace("PCHID=108", "PCHID=1F0").replace("PCHID=128", "PCHID=108"));
    let crossed = desk.deck("check crossed.iocp --hardware report.txt --parity --brief");
    assert!(stderr(&crossed).contains("HTK820A "), "{}", stderr(&crossed));
    let again = desk.deck("map mapped.iocp --hardware report.txt --json");
    let json: Value = serde_json::from_str(stdout(&again)).expect("JSON");
    assert_eq!(
        (&json["assignments"][1]["old"], &json["assignments"][1]["new"]),
        (&"120".into(), &"120".into())
    );
    assert_eq!(json["assignments"][1]["fanout"], "A15/LG05");
    assert_eq!(json["unplaced"], Value::Array(Vec::new()));
}

#[test]
fn what_has_no_port_is_said_and_ends_with_1() {
    let desk = Desk::new();
    desk.put(
        "osa.iocp",
        &DECK.replace("SWITCH=12,TYPE=FC", "TYPE=OSD").replace("(40,41),LINK=(04,05)", "40,LINK=04"),
    );
    let mapped = desk.deck("map osa.iocp --hardware report.txt");
    assert_eq!(code(&mapped), 1, "{}", stderr(&mapped));
    assert!(
        stdout(&mapped).contains("CHPID 0.41: the hardware has no feature for TYPE=OSD\n"),
        "{}",
        stdout(&mapped)
    );
}

#[test]
fn cables_are_listed_as_a_table_values_and_objects() {
    let desk = Desk::new();
    desk.deck("map work.iocp --hardware report.txt -o mapped.iocp");
    let csv = desk.deck("cables mapped.iocp --hardware report.txt --csv");
    assert_eq!(code(&csv), 0, "{}", stderr(&csv));
    let expected = "\
from,type,PCHID,frame,drawer,slot,port,to,km
CHPID 0.40,FC,100,A,A25B,02,D1,director 11,
CHPID 0.41,FC,120,A,A25B,11,D1,director 12,
FID 0011,HYL,108,A,A25B,04,D1,,
FID 0012,HYL,128,A,A25B,13,D1,,
director 11 port 04,,,,,,,CU 1000,
director 12 port 05,,,,,,,CU 1000,
";
    assert_eq!(stdout(&csv), expected);
    let table = desk.deck("cables mapped.iocp --hardware report.txt");
    assert_eq!(stdout(&table).lines().count(), expected.lines().count());
    let json: Value = serde_json::from_str(stdout(&desk.deck("cables mapped.iocp --json"))).expect("JSON");
    assert_eq!((&json["cables"][0]["pchid"], &json["cables"][0]["slot"]), (&"100".into(), &Value::Null));
}

#[test]
fn a_report_and_a_hardware_file_are_turned_into_each_other() {
    let desk = Desk::new();
    let written = desk.deck("hardware report.txt --toml -o hardware.toml");
    assert_eq!((code(&written), stderr(&written)), (0, ""));
    let shown = desk.deck("hardware hardware.toml");
    assert_eq!(stdout(&shown), format!("{REPORT}0451: RG1 1, RG2 1; balanced\n"));
    desk.put("wrong.txt", &REPORT.replace("0451  108", "451  108"));
    let wrong = desk.deck("hardware wrong.txt");
    assert_eq!(code(&wrong), 2);
    assert!(stderr(&wrong).contains("expected a feature code of four characters"), "{}", stderr(&wrong));
    assert!(stderr(&wrong).contains("cannot be read as hardware"), "{}", stderr(&wrong));
}

#[test]
fn check_says_what_hardware_and_profile_do_not_have() {
    let desk = Desk::new();
    let deck = DECK.replace("SWITCH=11,TYPE=FC", "SWITCH=11,TYPE=FC,PCHID=108");
    desk.put("off.iocp", &deck.replace("FID=12,", "FID=12,PCHID=1F0,"));
    let checked = desk.deck("check off.iocp --hardware report.txt --brief");
    assert_eq!(code(&checked), 0);
    for said in ["HTK836W", "FUNCTION 0012: stands by until a card with PCHID 1F0 is plugged"] {
        assert!(stderr(&checked).contains(said), "{said} is missing in\n{}", stderr(&checked));
    }
    desk.put("tcp.profile", "GLOBALCONFIG SMCR PFID 0011 ; A ZHYPERLINK\n");
    let checked = desk.deck("check work.iocp --profile tcp.profile --lpar PROD1");
    assert_eq!(code(&checked), 1);
    assert!(stderr(&checked).contains("PFID 0011: TYPE=HYL is not a RoCE function"), "{}", stderr(&checked));
    assert_eq!(code(&desk.deck("check work.iocp --profile tcp.profile")), 2, "--lpar is missing");
}

#[test]
fn the_plant_of_a_study_says_where_cables_end() {
    let study = repository().join("studies/z16-oltp");
    let file = |name: &str| study.join(name).to_str().expect("UTF-8").to_owned();
    let listed = halftrack(&["deck", "cables", &file("deck.iocp"), "--plant", &file("plant.toml"), "--csv"]);
    assert_eq!((code(&listed), stderr(&listed)), (0, ""));
    assert!(
        stdout(&listed).contains("CHPID 0.40,FC,100,,,,,director 11 port 20,0.1\n"),
        "{}",
        stdout(&listed)
    );
    assert!(
        stdout(&listed).contains("director 11 port 04,,,,,,,\"BOXA 0030, CU 1000"),
        "{}",
        stdout(&listed)
    );
}

/// The commands of the chapter on decks, in its order.
#[test]
fn the_commands_of_the_chapter_can_be_copied() {
    let page = fs::read_to_string(repository().join("docs/deck.md")).expect("a page of the book");
    assert!(!page.contains("    halftrack deck"), "every command stands in a block that is copied");
    let blocks = page.split("```sh\n").skip(1).filter_map(|rest| rest.split_once("```\n"));
    let commands: String = blocks.map(|(block, _)| block).collect();
    assert!(commands.matches("halftrack deck").count() >= 20, "{commands}");
    let desk = Desk::new();
    let output = crate::book::typed(&commands, desk.0.path());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    // The example has four cards in one drawer; the check reports that.
    let said: Vec<&str> = stderr(&output).lines().filter(|line| line.starts_with("HTK")).collect();
    assert!(said.iter().any(|line| line.contains("all 8 paths are on I/O drawer A25B")), "{said:#?}");
    assert!(said.iter().all(|line| !line.contains("E ")), "{said:#?}");
    assert!(stdout(&output).contains("CHPID 0.40,FC,100,A,A25B,02,D1,director 11,\n"), "{}", stdout(&output));
}

#[test]
fn a_deck_for_another_machine_than_its_hardware_is_refused() {
    let desk = Desk::new();
    desk.put("hardware.toml", "machine_type = 3931\n[[drawer]]\nname = \"A25B\"\n");
    let old = "         ID SYSTEM=(2094,1)\n         RESOURCE PART=((PROD1,1)),MAXDEV=9000\n";
    desk.put("old.iocp", old);
    let words = "HTK823E";
    let said = "old.iocp:1:21 the deck is checked as a 2094 (z9 EC), but the hardware is a 3931 (z16 A01)";
    for command in ["check", "map", "cables"] {
        let found = desk.deck(&format!("{command} old.iocp --hardware hardware.toml"));
        assert_eq!(code(&found), 1, "{command}: {}", stderr(&found));
        assert!(
            stderr(&found).contains(words) && stderr(&found).contains(said),
            "{command}: {}",
            stderr(&found)
        );
    }
    let told = desk.deck("check old.iocp --hardware hardware.toml --machine 3931");
    assert_eq!(code(&told), 0, "{}", stderr(&told));
    // A deck that names no machine is one of the hardware.
    desk.put("any.iocp", "         RESOURCE PART=((PROD1,1)),MAXDEV=9000\n");
    desk.put("z17.toml", "machine_type = 9175\n[[drawer]]\nname = \"A25B\"\n");
    let any = desk.deck("check any.iocp --hardware z17.toml");
    assert!(stdout(&any).contains("; checked as 9175 (z17); "), "{}", stdout(&any));
}
