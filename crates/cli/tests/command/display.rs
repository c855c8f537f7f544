//! `halftrack display`: operators' commands answered in the layouts of z/OS.

use std::path::PathBuf;

use serde_json::Value;

use crate::shuffle::shuffle;
use crate::support::{Study, code, halftrack, repository, stderr, stdout};

/// Returns the path of a study that was written for displays.
pub fn study(name: &str) -> String {
    let path: PathBuf = repository().join("crates/cli/tests/displays").join(name);
    path.to_str().expect("UTF-8").to_owned()
}

/// Returns the output of `command`.
#[track_caller]
fn shown(name: &str, command: &str, more: &[&str]) -> String {
    let output = halftrack(&[&["display", &study(name), command][..], more].concat());
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    stdout(&output).to_owned()
}

/// Returns the messages about `command`, which has no answer.
#[track_caller]
pub fn refused(command: &str) -> String {
    let output = halftrack(&["display", &study("two-sites"), command]);
    assert_eq!((code(&output), stdout(&output)), (2, ""), "{command}");
    stderr(&output).to_owned()
}

/// Printed sample of the reference, as far as the twin has the device: without XPAV and ZHYPERLINK.
const DEVICE: &str = "\
IEE174I 10.16.40 DISPLAY M
DEVICE 1000   STATUS=ONLINE
CHP                   40   41   42   43   50   51   52   53
ENTRY LINK ADDRESS    1120 1121 1122 1123 1220 1221 1222 1223
DEST LINK ADDRESS     1104 1105 1106 1107 1204 1205 1206 1207
PATH ONLINE           Y    Y    Y    Y    Y    Y    Y    Y
CHP PHYSICALLY ONLINE Y    Y    Y    Y    Y    Y    Y    Y
PATH OPERATIONAL      Y    Y    Y    Y    Y    Y    Y    Y
MANAGED               N    N    N    N    N    N    N    N
CU NUMBER             1000 1000 1000 1000 1000 1000 1000 1000
INTERFACE ID          0030 0031 0100 0101 0130 0131 0200 0201
CONNECTION SECURITY   Encr Encr Encr Encr Encr Encr Encr None
MAXIMUM MANAGED CHPID(S) ALLOWED =  0
DESTINATION CU LOGICAL ADDRESS   = 00
SCP CU ND             = 002107.996.IBM.75.0000000ZIO0A.0030
SCP TOKEN NED         = 002107.900.IBM.75.0000000ZIO0A.0000
SCP DEVICE NED        = 002107.900.IBM.75.0000000ZIO0A.0000
WWNN                  = 5005076300C0FFEE
HYPERPAV ALIASES CONFIGURED = 128
ZHYPERLINKS AVAILABLE = 2
FUNCTIONS ENABLED     = MIDAW, ZHPF
";

#[test]
fn a_device_is_shown_as_the_printed_sample_has_it() {
    assert_eq!(shown("two-sites", "D M=DEV(1000)", &[]), DEVICE);
    for same in ["d m=dev(1000)", "DISPLAY M=DEV(/1000)", "display m=device(1000)"] {
        assert_eq!(shown("two-sites", same, &[]), DEVICE, "{same}");
    }
    let five = DEVICE.replace("DEVICE 1000", "DEVICE 01000");
    assert_eq!(shown("two-sites", "D M=DEV(01000)", &[]), five);
}

#[test]
fn one_path_of_a_device_can_be_asked_for() {
    let text = shown("two-sites", "D M=DEV(1000,(53))", &[]);
    assert!(text.contains("CHP                   53\n"), "{text}");
    assert!(text.contains("CONNECTION SECURITY   None\n"), "{text}");
    assert!(text.contains("\nWWNN                  = 5005076300C0FFEE\n"), "{text}");
    let none = shown("two-sites", "D M=DEV(1000,(99))", &[]);
    assert!(none.contains("NO PATHS ARE DEFINED"), "{none}");
}

#[test]
fn a_fibre_that_is_lost_takes_its_paths_off_and_gives_them_back() {
    let dark = shown("two-sites", "D M=DEV(1000)", &["--at", "0.015"]);
    for row in [
        "PATH ONLINE           Y    Y    Y    Y    Y    Y    Y    N\n",
        "CHP PHYSICALLY ONLINE Y    Y    Y    Y    Y    Y    Y    Y\n",
        "PATH OPERATIONAL      Y    Y    Y    Y    Y    Y    Y    N\n",
    ] {
        assert!(dark.contains(row), "{dark}");
    }
    assert_eq!(shown("two-sites", "D M=DEV(1000)", &["--at", "0.045"]), DEVICE);
    let channel = shown("two-sites", "D M=CHP(53)", &["--at", "0.015"]);
    assert!(channel.contains("\n0100 $  $  $  $  $  $  $  $"), "{channel}");
    let paths = shown("two-sites", "DS P,1000", &["--at", "0.015"]);
    assert!(paths.contains(",A,...,PA1000,40=+ 41=+ 42=+ 43=+ 50=+ 51=+ 52=+ 53=<\n"), "{paths}");
}

#[test]
fn operators_take_paths_off_logically_and_physically() {
    let rows = |command: &str, at: &str, more: &[&str]| {
        shown("two-sites", command, &[&["--at", at][..], more].concat())
    };
    let varied = rows("D M=DEV(1000)", "0.025", &[]);
    for row in [
        "PATH ONLINE           Y    Y    Y    Y    Y    Y    Y    N\n",
        "CHP PHYSICALLY ONLINE Y    Y    Y    Y    Y    Y    Y    Y\n",
        "PATH OPERATIONAL      Y    Y    Y    Y    Y    Y    Y    Y\n",
    ] {
        assert!(varied.contains(row), "{varied}");
    }
    // Another control unit and another partition keep theirs.
    let all = "PATH ONLINE           Y    Y    Y    Y    Y    Y    Y    Y\n";
    assert!(rows("D M=DEV(2000)", "0.025", &[]).contains(all));
    assert!(rows("D M=DEV(1000)", "0.025", &["--system", "PROD2"]).contains(all));
    let channel = rows("D M=CHP(53)", "0.025", &[]);
    assert!(channel.contains("\n0100 *  *  *") && channel.contains("\n0200 +  +  +"), "{channel}");
    assert!(rows("DS P,1000", "0.025", &[]).contains(" 53=*\n"));

    let off = rows("D M=DEV(1000)", "0.035", &[]);
    for row in [
        "PATH ONLINE           Y    Y    Y    Y    Y    Y    Y    N\n",
        "CHP PHYSICALLY ONLINE Y    Y    Y    Y    Y    Y    Y    N\n",
        "PATH OPERATIONAL      Y    Y    Y    Y    Y    Y    Y    N\n",
        "CONNECTION SECURITY   Encr Encr Encr Encr Encr Encr Encr None\n",
    ] {
        assert!(off.contains(row), "{off}");
    }
    assert!(rows("D M=CHP(53)", "0.035", &[]).contains("DESC=FICON SWITCHED, OFFLINE\n"));
    assert!(rows("D M=CHP", "0.035", &[]).contains("\n5 + + + - . "));
    assert!(rows("D M=CHP(53)", "0.035", &["--system", "PROD2"]).contains("SWITCHED, ONLINE\n"));
}

/// The device of figure 21 of the z16 paper: eight paths, all encrypted, 48 aliases, 16 zHyperLink cables.
#[test]
fn figure_21_of_the_z16_paper_is_shown() {
    let text = shown("figure-21", "D M=DEV(07800)", &[]);
    for line in [
        "DEVICE 07800   STATUS=ONLINE",
        "CHP                   50   51   52   53   54   55   56   57",
        "ENTRY LINK ADDRESS    1120 1121 1122 1123 1124 1125 1126 1127",
        "PATH ONLINE           Y    Y    Y    Y    Y    Y    Y    Y",
        "CONNECTION SECURITY   Encr Encr Encr Encr Encr Encr Encr Encr",
        "SCP CU ND             = NOT AVAILABLE",
        "HYPERPAV ALIASES CONFIGURED = 48",
        "ZHYPERLINKS AVAILABLE = 16",
        "FUNCTIONS ENABLED     = MIDAW, ZHPF",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line} is missing in\n{text}");
    }
    let alias = shown("figure-21", "D M=DEV(178D0)", &[]);
    assert!(alias.contains("DEVICE 178D0   STATUS=ALIAS\n"), "{alias}");
}

#[test]
fn a_channel_is_shown_with_its_devices() {
    let text = shown("two-sites", "D M=CHP(40)", &[]);
    let begins = "\
IEE174I 10.16.40 DISPLAY M
CHPID 40:  TYPE=1B, DESC=FICON SWITCHED, ONLINE
DEVICE STATUS FOR CHANNEL PATH 40
SWITCH DEVICE NUMBER = 0011
DEFINED ENTRY SWITCH - LOGICAL SWITCH ID - 11
ATTACHED ND = 008961.F08.BRD.CA.0000ZIODIR11
PHYSICAL CHANNEL ID = 0100
FACILITIES SUPPORTED = ZHPF
     0  1  2  3  4  5  6  7  8  9  A  B  C  D  E  F
0001 .  +  .  .  .  .  .  .  .  .  .  .  .  .  .  .
0100 +  +  +  +  +  +  +  +  +  +  +  +  +  +  +  +
";
    assert!(text.starts_with(begins), "{text}");
    let ends = "\
1218 HA HA HA HA HA HA HA HA HA HA HA HA HA HA HA HA
";
    assert!(text.contains(ends), "{text}");
    let legend = "\
******************** SYMBOL EXPLANATIONS ********************
+ ONLINE    @ PATH NOT VALIDATED   - OFFLINE    . DOES NOT EXIST
* PHYSICALLY ONLINE   $ PATH NOT OPERATIONAL
HA HYPERPAV ALIAS
";
    assert!(text.ends_with(legend), "{text}");
    // PROD2 does not use aliases so.
    assert!(shown("two-sites", "D M=CHP(40)", &["--system", "prod2"]).ends_with("AL ALIAS\n"));
}

#[test]
fn channels_that_are_not_there_are_told_apart() {
    let said =
        |command: &str, more: &[&str]| shown("two-sites", command, more).lines().nth(1).map(str::to_owned);
    assert_eq!(said("D M=CHP(99)", &[]).as_deref(), Some("CHPID 99:  DOES NOT EXIST"));
    // FCP for Linux is of CSS 1 and of one partition there.
    assert_eq!(said("D M=CHP(60)", &[]).as_deref(), Some("CHPID 60:  DOES NOT EXIST"));
    let elsewhere = said("D M=CHP(60)", &["--system", "PROD3"]);
    assert_eq!(elsewhere.as_deref(), Some("CHPID 60:  BELONGS TO ANOTHER CONFIGURATION"));
    let linux = said("D M=CHP(60)", &["--system", "LNX1"]);
    assert_eq!(linux.as_deref(), Some("CHPID 60:  TYPE=25, DESC=FCP CHANNEL, ONLINE"));
    let unseen = shown("two-sites", "D M=CHP(70)", &[]);
    assert!(unseen.contains("\n0700 @  @  @"), "{unseen}");
}

#[test]
fn path_information_shows_what_is_encrypted() {
    let text = shown("two-sites", "D M=CHP(50),PATHINFO", &[]);
    let expected = "\
IEE174I 10.16.40 DISPLAY M
CHPID 50:  TYPE=1B, DESC=FICON SWITCHED, ONLINE
CONNECTION SECURITY CAPABILITY = ENCRYPTION
ENTRY SWITCH 12   PHYSICAL CHANNEL ID = 0108
DEST LINK  CU NUMBERS        INTERFACE ID  PATH  CONN SEC
1204       1000 1100         0130          Y     ENCR
1214       2000 2100         0130          Y     NONE
12FE       0012              ....          Y     ....
";
    assert_eq!(text, expected);
}

#[test]
fn without_a_key_manager_nothing_is_encrypted() {
    let study = Study::copy(&study("two-sites"));
    study.edit("plant.toml", |text| text.replace("[key_manager]\nname = \"GKLM1\"\n", ""));
    let output = halftrack(&["display", study.path().to_str().expect("UTF-8"), "D M=CHP(50),PATHINFO"]);
    let text = stdout(&output);
    assert!(
        text.contains("CONNECTION SECURITY CAPABILITY = ENCRYPTION") && !text.contains("ENCR\n"),
        "{text}"
    );
    assert!(stderr(&output).contains("without a key manager encrypts nothing"), "{}", stderr(&output));
}

#[test]
fn all_channels_are_shown_in_a_matrix() {
    let text = shown("two-sites", "D M=CHP", &[]);
    for line in [
        "  0 1 2 3 4 5 6 7 8 9 A B C D E F",
        "4 + + + + . . . . . . . . . . . .",
        "F + . . . . . . . . . . . . . . .",
        "4 1B 1B 1B 1B .. .. .. .. .. .. .. .. .. .. .. ..",
        "7 11 .. .. .. .. .. .. .. .. .. .. .. .. .. .. ..",
        "1B FICON SWITCHED                             FC_S",
    ] {
        assert!(text.lines().any(|shown| shown == line), "{line} is missing in\n{text}");
    }
}

#[test]
fn a_control_unit_is_shown() {
    let text = shown("two-sites", "D M=CU(1100)", &[]);
    let expected = "\
IEE174I 10.16.40 DISPLAY M
CONTROL UNIT 1100
CHP                   40   41   42   43   50   51   52   53
DEST LINK ADDRESS     1104 1105 1106 1107 1204 1205 1206 1207
ENTRY LINK ADDRESS    1120 1121 1122 1123 1220 1221 1222 1223
CHP PHYSICALLY ONLINE Y    Y    Y    Y    Y    Y    Y    Y
PATH VALIDATED        Y    Y    Y    Y    Y    Y    Y    Y
MANAGED               N    N    N    N    N    N    N    N
ZHPF-CHPID            Y    Y    Y    Y    Y    Y    Y    Y
ZHPF-CU INTERFACE     Y    Y    Y    Y    Y    Y    Y    Y
MAXIMUM MANAGED CHPID(S) ALLOWED = 0
DESTINATION CU LOGICAL ADDRESS = 01
CU ND = 002107.996.IBM.75.0000000ZIO0A.0030
CU NED = 002107.900.IBM.75.0000000ZIO0A.0000
TOKEN NED = 002107.900.IBM.75.0000000ZIO0A.0100
FUNCTIONS ENABLED = ZHPF
DCM INELIGIBILITY REASONS = NO MANAGED CHANNELS
DEFINED DEVICES
  01100-0117F
DEFINED PAV ALIASES
  11180-111FF
";
    assert_eq!(text, expected);
    assert!(shown("two-sites", "D M=CU(9999)", &[]).ends_with("CONTROL UNIT 9999 DOES NOT EXIST\n"));
}

#[test]
fn functions_are_shown_and_stand_by_until_their_card_is_plugged() {
    let text = shown("two-sites", "D PCIE", &[]);
    let expected = "\
IQP022I 10.16.40 DISPLAY PCIE
PCIE      .... ACTIVE
PFID     DEVICE TYPE NAME         STATUS  ASID  JOBNAME  PCHID VFN
00000011 zHyperLink Express       CNFG                    0128  0001
00000012 zHyperLink Express       CNFG                    0128  0002
00000021 zHyperLink Express       CNFG                    0168  0001
00000022 zHyperLink Express       CNFG                    0168  0002
00000101 RoCE Express2            CNFG                    012C  0001
00000102 RoCE Express2            CNFG                    016C  0001
00000201 internal shared memory   CNFG                    07C0  0001
";
    assert_eq!(text, expected);
    let one = shown("two-sites", "D PCIE,PFID=101", &[]);
    assert!(one.starts_with("IQP024I ") && one.contains("\n00000101 RoCE Express2"), "{one}");
    assert!(!one.contains("00000102"), "{one}");
    let drivers = shown("two-sites", "D PCIE,DD", &[]);
    assert!(
        drivers.starts_with("IQP023I ") && drivers.contains("\nzHyperLink Express           4\n"),
        "{drivers}"
    );
    // The cards of 128 and 12C are plugged, those of 168 and 16C are not yet; what is virtual needs none.
    let half = shown("two-sites", "D PCIE", &["--hardware", &study("half-plugged.txt")]);
    for (pfid, status) in
        [("0011", "CNFG"), ("0021", "STBY"), ("0101", "CNFG"), ("0102", "STBY"), ("0201", "CNFG")]
    {
        let line = half.lines().find(|line| line.starts_with(&format!("0000{pfid} "))).expect("the function");
        assert_eq!(line.get(34..38), Some(status), "{half}");
    }
    // PROD2 is a candidate, PROD3 is of another CSS.
    let candidate = shown("two-sites", "D PCIE", &["--system", "PROD2"]);
    assert!(candidate.contains("00000011 zHyperLink Express       STBY "), "{candidate}");
    assert!(
        shown("two-sites", "D PCIE", &["--system", "PROD3"]).ends_with("NO PCIE DEVICES ARE AVAILABLE\n")
    );
}

#[test]
fn units_are_listed_from_a_device_on() {
    let text = shown("two-sites", "D U,DASD,ONLINE,107F,2", &[]);
    let expected = "\
IEE457I 10.16.40 UNIT STATUS
UNIT TYPE STATUS        VOLSER     VOLSTATE      SS
107F 3390 O             PA107F     PRIV/RSDNT     0
1100 3390 O             PA1100     PRIV/RSDNT     0
";
    assert_eq!(text, expected);
    assert_eq!(shown("two-sites", "D U,DASD", &[]).lines().count(), 2 + 16);
    assert!(shown("two-sites", "D U,DASD,OFFLINE", &[]).ends_with("NO UNITS MEET THE REQUEST\n"));
    let at_work = shown("two-sites", "D U,,,1000,1", &["--at", "0.001"]);
    assert!(at_work.ends_with("1000 3390 A             PA1000     PRIV/RSDNT     0\n"), "{at_work}");
    let network = shown("two-sites", "D U,,OFFLINE,,1", &[]);
    assert!(network.ends_with("7000 OSA  OFFLINE                                 0\n"), "{network}");
}

#[test]
fn switches_of_the_supervisor_are_shown() {
    let said = |command: &str, more: &[&str]| shown("two-sites", command, more);
    assert_eq!(
        said("D IOS,ZHPF", &[]),
        "IOS630I 10.16.40 ZHPF FACILITY\nHIGH PERFORMANCE FICON FACILITY = ENABLED\n"
    );
    assert!(said("D IOS,ZHPF", &["--system", "PROD2"]).ends_with("= DISABLED\n"));
    assert!(
        said("D IOS,HYPERPAV", &[]).contains("IOS098I") && said("D IOS,HYPERPAV", &[]).ends_with("= YES\n")
    );
    assert!(said("D IOS,MIDAW", &[]).ends_with("= ENABLED\n"));
    let config = said("D IOS,CONFIG", &["--system", "PROD3"]);
    assert!(
        config.starts_with("IOS506I 10.16.40 I/O CONFIG DATA\nACTIVE IODF DATA SET = NOT AVAILABLE\n"),
        "{config}"
    );
    assert!(
        config.ends_with("IOCDS = ZIOEXA01\nACTIVE CSS = 1\nSUBCHANNEL SETS CONFIGURED = 0, 1\n"),
        "{config}"
    );
    // HCD leaves processor, date, time and data set in the deck.
    let token = shown("figure-21", "D IOS,CONFIG", &[]);
    assert!(token.contains("\nACTIVE IODF DATA SET = SYS4.IODF21\n"), "{token}");
    assert!(token.contains("\nTOKEN = SYS1 05-10-16 09:47:38 SYS4 IODF21\n"), "{token}");
    for area in ["ZHYPERLINK", "MIH", "RECOVERY", "DCM"] {
        assert!(said(&format!("D IOS,{area}"), &[]).lines().count() > 1);
    }
}

#[test]
fn every_display_has_a_json_form() {
    let json = |command: &str| -> Value {
        serde_json::from_str(&shown("two-sites", command, &["--json"])).expect("JSON")
    };
    let device = json("D M=DEV(1000)");
    assert_eq!(device["system"], "PROD1");
    assert_eq!(device.pointer("/shown/0/paths/7/connection_security"), Some(&Value::from("None")));
    assert_eq!(device.pointer("/shown/0/disk/wwnn"), Some(&Value::from("5005076300C0FFEE")));
    for command in [
        "D M=CHP",
        "D M=CHP(40)",
        "D M=CHP(40),PATHINFO",
        "D M=CU(1000)",
        "D IOS,CONFIG",
        "D PCIE",
        "D U",
        "DS P,1000",
    ] {
        let shown = json(command);
        assert!(shown.pointer("/shown/0/kind").is_some_and(Value::is_string), "{command}: {shown:#}");
    }
}

#[test]
fn what_does_not_exist_is_an_answer_and_a_wrong_command_is_not() {
    assert!(shown("two-sites", "D M=DEV(1234)", &[]).ends_with("DEVICE 1234   DOES NOT EXIST\n"));
    let said = refused("D M=DEV(10G0)");
    let expected = "\
HTK988E command:1:9 a device number of three or four hexadecimal digits, or five with the subchannel set first is expected here
      1 | D M=DEV(10G0)
        |         ^^^^
   fix: write for instance `D M=DEV(1000) or D M=DEV(1000,(50))`
halftrack: the command cannot be answered
";
    assert_eq!(said, expected);
    for (command, column) in [
        ("VARY 1000,ONLINE", 1),
        ("D", 2),
        ("D X", 3),
        ("D M=", 5),
        ("D M=DEV", 8),
        ("D M=DEV(1000", 13),
        ("D M=CHP(50),PATH", 13),
        ("D M=CHP(100)", 9),
        ("D U,DASK", 5),
        ("D IOS,CONFIGS", 7),
        ("D PCIE,PFID=X", 13),
        ("DS P,1000,0", 11),
        ("D M=SWITCH(11)", 5),
    ] {
        let said = refused(command);
        let number = if command.contains("SWITCH") { 989 } else { 988 };
        assert!(said.starts_with(&format!("HTK{number}E command:1:{column} ")), "{command}: {said}");
    }
    let system = halftrack(&["display", &study("two-sites"), "D M=CHP", "--system", "NONE"]);
    assert_eq!(code(&system), 2);
    assert!(stderr(&system).contains("no system NONE; the systems of this study are PROD1, PROD2, TEST1"));
}

#[test]
fn the_order_of_statements_and_tables_changes_no_display() {
    const COMMANDS: [&str; 7] = [
        "D M=DEV(1000)",
        "D M=CHP(40)",
        "D M=CHP(40),PATHINFO",
        "D M=CU(1000)",
        "D U",
        "DS P,1000",
        "D M=CHP",
    ];
    let study = Study::short("z16-oltp");
    let all = || COMMANDS.map(|command| stdout(&study.halftrack("display", &[command])).to_owned());
    let before = all();
    assert!(before.iter().all(|text| text.lines().count() > 4), "{before:#?}");
    shuffle(&study, 11);
    assert_eq!(all(), before);
}

#[test]
fn a_command_that_would_take_the_last_path_is_refused() {
    let study = Study::short("z16-oltp");
    study.edit("workload.toml", |text| {
        let off = |chpid: &str, at: &str| {
            format!(
                "\n[[event]]\nat_s = {at}\nlasts_s = 0.01\nkind = \"config-chp\"\nchpid = \"0.{chpid}\"\n\
                 lpar = \"PROD1\"\n"
            )
        };
        let channels = ["40", "41", "42", "43", "50", "51", "52", "53"];
        let events = channels.iter().enumerate().map(|(nth, chpid)| off(chpid, &format!("0.00{}", nth + 1)));
        text.to_owned() + &events.collect::<String>()
    });
    let output = study.halftrack("display", &["D M=DEV(1000)", "--at", "0.0085"]);
    assert_eq!(code(&output), 0);
    let refused = "halftrack: at 0.008 s: CHPID 53 stays online to PROD1: it is the last path to devices\n";
    assert_eq!(stderr(&output), refused);
    assert!(stdout(&output).contains("PATH ONLINE           N    N    N    N    N    N    N    Y\n"));
    assert!(stdout(&output).contains("DEVICE 1000   STATUS=ONLINE\n"));
}
