//! Rules of ours without an IBM message, one message for one mistake, and no message on the decks of the studies.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::{cards, codes, deck, reading};
use halftrack_deck::model::machines::Machine;
use halftrack_deck::{ReadOptions, read_with};
use halftrack_input::{SourceFile, has_errors};

/// Asserts the message codes of a z16 deck with `statements`.
#[track_caller]
fn gives(statements: &str, expected: &[&str]) {
    gives_on(&deck(statements), expected);
}

#[track_caller]
fn gives_on(text: &str, expected: &[&str]) {
    let reading = reading(text);
    let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
    assert_eq!(codes(&reading), expected, "\n{}", shown.join("\n"));
}

#[test]
fn a_channel_that_is_defined_twice_or_not_at_all_is_one_mistake() {
    let channel = "CHPID PATH=(CSS(0,1),40),PCHID=100,TYPE=FC";
    gives(&format!("{channel}\n{channel}"), &["200E"]);
    let unit = "CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40),(CSS(1),40)),UNITADD=((00,8)),UNIT=2107";
    gives(unit, &["864E"]);
    let message = &reading(&deck(unit)).diagnostics[0].message;
    assert!(message.contains("not defined in CSS 0, 1"), "{message}");
}

#[test]
fn a_missing_tag_is_one_mistake() {
    gives("CHPID PATH=(40),SHARED,PCHID=100,TYPE=FC", &["165E"]);
    let channels = "CHPID PATH=(CSS(0,1),40),SWITCH=11,PCHID=100,TYPE=FC";
    let unit =
        |operands: &str| format!("{channels}\nCNTLUNIT CUNUMBR=1000,UNITADD=((00,8)),UNIT=2107,{operands}");
    gives(&unit("PATH=((CSS(0),40),(CSS(1),40)),LINK=(04,04)"), &["165E"]);
    gives(&unit("PATH=(CSS(0),40,CSS(1),40),LINK=((CSS(0),04),(CSS(1),04))"), &["111E"]);
}

#[test]
fn an_unknown_partition_is_one_mistake_wherever_it_is_named() {
    let channel = |chpid: u8| format!("CHPID PATH=(CSS(0),{chpid:02X}),PCHID=1{chpid:02X},PART=X,TYPE=FC\n");
    let three: String = [0x40, 0x44, 0x48].map(channel).concat();
    gives(&three, &["149E"]);
    let message = &reading(&deck(&three)).diagnostics[0].message;
    assert!(message.ends_with("and is named in 2 more places"), "{message}");
}

#[test]
fn coupling_links_have_an_adapter_a_port_and_another_end() {
    let link = |rest: &str| format!("CHPID PATH=(CSS(0),40),SHARED,{rest}");
    gives(&link("AID=0C,PORT=1,CPATH=(CSS(0),50),CSYSTEM=CPC2,TYPE=CS5"), &[]);
    gives(&link("AID=0C,CPATH=(CSS(0),50),CSYSTEM=CPC2,TYPE=CS5"), &["122E"]);
    gives(&link("AID=ZZ,PORT=1,CPATH=(CSS(0),50),CSYSTEM=CPC2,TYPE=CS5"), &["126E"]);
    gives(&link("PCHID=100,CPATH=(CSS(0),50),CSYSTEM=CPC2,TYPE=CL5"), &["122E"]);
    gives(&link("TYPE=ICP"), &["122E"]);
    let pair = |to: &str| {
        format!(
            "{}\nCHPID PATH=(CSS(0),41),SHARED,CPATH=(CSS(0),40),TYPE=ICP",
            link(&format!("CPATH=(CSS(0),{to}),TYPE=ICP"))
        )
    };
    gives(&pair("41"), &[]);
    gives(&pair("42"), &["813A", "813A"]);
}

#[test]
fn values_that_nobody_looked_at_are_looked_at() {
    let with = |operand: &str| {
        format!(
            "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC\n\
             CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),UNITADD=((00,16)),UNIT=2107\n\
             IODEVICE ADDRESS=1000,CUNUMBR=1000,UNIT=3390,{operand}"
        )
    };
    gives(&with("STADET=Y,MODEL=3"), &[]);
    gives(&with("STADET=Q"), &["140E"]);
    gives(&with("TIMEOUT=MAYBE"), &["140E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC,CHPARM=01", &["122E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=FC,CHPARM=01,IOCLUSTER=PLEX1", &[]);
    gives("CHPID PATH=(CSS(0),F0),SHARED,VCHID=7E0,TYPE=IQD,CHPARM=C4", &[]);
    gives("CHPID PATH=(CSS(0),F0),SHARED,VCHID=7E0,TYPE=IQD,CHPARM=10", &["210E"]);
    gives("CHPID PATH=(CSS(0),40),SHARED,PCHID=000,TYPE=FC", &["140E"]);
    gives_on(&cards("ID SYSTEM=(3931,99)"), &["862E", "140E"]);
}

#[test]
fn a_function_has_no_adapter_of_a_channel_but_the_hybrid_one() {
    let both = |kind: &str, rest: &str, channel: &str| {
        let head = "ID SYSTEM=(9175,1)\nRESOURCE PART=((A,1)),MAXDEV=9\n";
        let text = format!(
            "{head}CHPID PATH=40,SHARED,PCHID=200,TYPE={channel}\nFUNCTION FID=1,PCHID=200,PART=A,TYPE={kind}{rest}"
        );
        text.lines().map(cards).collect::<String>()
    };
    gives_on(&both("HYL", ",PORT=1,VF=1", "FC"), &["207E"]);
    gives_on(&both("NETH", ",VF=1", "OSH"), &[]);
}

#[test]
fn channels_and_sets_hold_so_many_devices() {
    let osa = |count: u16, parameter: &str| {
        let mut text = format!(
            "CHPID PATH=(CSS(0),40),SHARED,PCHID=100,TYPE=OSD{parameter}\nCNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),UNIT=OSA,CUADD=0\n\
             CNTLUNIT CUNUMBR=1100,PATH=((CSS(0),40)),UNIT=OSA,CUADD=1\nCNTLUNIT CUNUMBR=1200,PATH=((CSS(0),40)),UNIT=OSA,CUADD=2\n"
        );
        for unit in ["1000", "1100", "1200"] {
            text += &format!("IODEVICE ADDRESS=({unit},{count}),CUNUMBR={unit},UNIT=OSA\n");
        }
        text
    };
    gives(&osa(160, ""), &[]);
    gives(&osa(161, ""), &["844E"]);
    gives(&osa(240, ",CHPARM=02"), &[]);
    let small = "ID SYSTEM=(3931,1)\nRESOURCE PART=((A,1)),MAXDEV=10\nCHPID PATH=40,SHARED,PCHID=100,TYPE=FC\n\
                 CNTLUNIT CUNUMBR=1000,PATH=40,UNITADD=((00,256)),UNIT=2107\n";
    let devices = |count: u16| -> String {
        format!("{small}IODEVICE ADDRESS=(1000,{count}),CUNUMBR=1000,UNIT=3390").lines().map(cards).collect()
    };
    gives_on(&devices(10), &[]);
    gives_on(&devices(11), &["845E"]);
}

#[test]
fn a_port_of_the_entry_switch_is_the_same_in_one_byte_and_two() {
    let statements = "CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC\n\
                      CHPID PATH=(CSS(0),41),SHARED,SWITCH=11,PCHID=104,TYPE=FC\n\
                      CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),LINK=((CSS(0),04)),UNITADD=00,CUADD=0,UNIT=2107\n\
                      CNTLUNIT CUNUMBR=1001,PATH=((CSS(0),41)),LINK=((CSS(0),1104)),UNITADD=00,CUADD=0,UNIT=2107";
    gives(statements, &["244E"]);
}

#[test]
fn the_deck_may_be_read_for_another_machine_or_for_writing() {
    let text = deck("CHPID PATH=(CSS(0),40),SHARED,TYPE=FC");
    let read = |options: ReadOptions| codes(&read_with(SourceFile::new("d", text.as_str()), &options));
    assert_eq!(read(ReadOptions { write: true, ..ReadOptions::default() }), ["139E"]);
    assert_eq!(
        read(ReadOptions { machine: Some((9175, Some(1))), ..ReadOptions::default() }),
        ["151I", "139W"]
    );
}

/// Finds every file `*.iocp` below `directory`.
fn decks_below(directory: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(directory).expect("a directory") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            decks_below(&path, found);
        } else if path.extension().is_some_and(|ending| ending == "iocp") {
            found.push(path);
        }
    }
}

#[test]
fn the_decks_of_the_studies_break_no_rule() {
    let mut decks = Vec::new();
    decks_below(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies"), &mut decks);
    assert!(decks.len() > 20, "{}", decks.len());
    for path in decks {
        let text = fs::read_to_string(&path).expect("a deck");
        let reading = reading(&text);
        let shown: Vec<String> = reading.diagnostics.iter().map(ToString::to_string).collect();
        assert!(!has_errors(&reading.diagnostics), "{}\n{}", path.display(), shown.join("\n"));
    }
}

#[test]
fn a_limits_level_is_looked_up_and_shown() {
    let read_as = |system: &str, machine| {
        let text = deck("").replacen("SYSTEM=(3931,1)", &format!("SYSTEM={system}"), 1);
        let options = ReadOptions { machine, ..ReadOptions::default() };
        read_with(SourceFile::new("deck.iocp", text), &options)
    };
    let level = |system: &str, machine| read_as(system, machine).understood().and_then(|deck| deck.level());
    assert_eq!((level("(3931,1)", None), level("3931", None)), (Some(1), None));
    assert_eq!(level("3931", Some((3931, Some(1)))), Some(1));
    assert_eq!(level("(3931,1)", Some((3931, None))), Some(1));
    assert_eq!(level("(3931,1)", Some((9175, None))), None, "the level is one of another machine");
    let unknown = read_as("(3931,2)", None);
    assert_eq!(codes(&unknown), ["140W"]);
    assert_eq!(unknown.diagnostics[0].fix.as_deref(), Some("levels of a 3931 are 1"));
    assert_eq!(Machine::of_level(9175, Some(1)).map(|machine| machine.machine_type), Ok(9175));
    assert_eq!(Machine::of_level(9175, Some(7)).unwrap_err(), "level 7 is unknown; levels of a 9175 are 1");
}
