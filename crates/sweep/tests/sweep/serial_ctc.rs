//! Logical links over ESCON channel-to-channel devices: circuits between a channel of TYPE=CNC and one of TYPE=CTC.

use halftrack_config::StudyFiles;
use halftrack_input::SourceFile;
use halftrack_machine::Options;
use halftrack_record::{ChannelKind, Run};

use crate::islinks::{of, simulate};

/// Rate of the data of an ESCON link, MB/s.
const LINK_MB_PER_S: f64 = 17.0;

const RUN: &str = "[run]\nwarmup_s = 0.5\ninterval_s = 4.0\n";
const LINK: &str = "[[islink]]\nname = 'LINK'\nsystems = ['VMA', 'VMB']\n[[islink.bulk]]\nfrom = 'VMA'\n";
const BACK: &str = "[[islink.bulk]]\nfrom = 'VMB'\n";
const DISKS: &str = "[[stream]]\nname = 'D'\nlpar = 'VMA'\ndevices = ['1000-103F']\n\
                     program = { block = '4K', records = 1, positioning = 'define-extent' }\nread_share = 1.0\n\
                     hit_ratio = 0.9\nprotocol = 'command'\nclosed = { jobs = 4 }\n";
/// A second channel of VMA, with disks behind the director alone.
const OTHER_DISKS: &str = "[[stream]]\nname = 'E'\nlpar = 'VMB'\ndevices = ['1000-103F']\n\
                     program = { block = '4K', records = 1, positioning = 'define-extent' }\nread_share = 1.0\n\
                     hit_ratio = 0.9\nprotocol = 'command'\nclosed = { jobs = 4 }\n";

/// Returns a statement on two cards, the first of which ends with a comma.
fn cards(first: &str, second: &str) -> String {
    format!("{:<71}*\n{:15}{second}\n", format!("         {first}"), "")
}

/// Returns the deck of one of the systems, whose devices lead over `link` to the other one.
fn deck(system: &str, machine: &str, channels: &str, link: &str) -> String {
    let unit = format!("CNTLUNIT CUNUMBR=4000,PATH=(50),{link}");
    format!(
        "         ID MSG1='{system}',SYSTEM=({machine},1)\n         RESOURCE PARTITION=(({system},1))\n{channels}{}{}",
        cards(&unit, "UNITADD=((00,004)),CUADD=1,UNIT=SCTC"),
        cards("IODEVICE ADDRESS=(4000,004),UNITADD=00,", "CUNUMBR=(4000),UNIT=SCTC"),
    )
}

/// Returns the statements of the disks behind port C4, on the channels `paths`.
fn disks(paths: &str) -> String {
    let unit = format!("CNTLUNIT CUNUMBR=1000,PATH=({paths}),LINK=(C4),CUADD=0,");
    let device = "IODEVICE ADDRESS=(1000,064),CUNUMBR=(1000),STADET=Y,";
    cards(&unit, "UNITADD=((00,064)),UNIT=2105") + &cards(device, "UNIT=3390")
}

/// Returns the plant: cards and a box that both decks name, with these cables of channel 50.
fn plant(cables: &str) -> String {
    let mut plant = String::new();
    for (cpc, model, deck) in [("Z900", "z900", "deck.iocp"), ("G6", "9672-g6", "b.iocp")] {
        plant += &format!("[[cpc]]\nname = '{cpc}'\nmodel = '{model}'\ndeck = '{deck}'\n");
    }
    for name in ["VMA", "VMB"] {
        plant += &format!("[[lpar]]\nname = '{name}'\ncps = 4\n");
    }
    for cpc in ["Z900", "G6"] {
        plant += &format!("[[card]]\ncpc = '{cpc}'\ntype = 'escon'\nchpids = ['40', '50']\n");
    }
    plant += "[[director]]\nid = '11'\ntype = '9032-5'\n[[control_unit]]\nname = 'ESS1'\ntype = 'ess-f20-escon'\n\
              model = '3390-3'\nvolser = 'ES####'\n[[control_unit.port]]\nid = '0030'\nto = '11.C4'\nkm = 0.1\n";
    plant + cables
}

/// Returns a cable of a channel.
fn cable(cpc: &str, chpid: &str, to: &str, km: f64) -> String {
    format!("[[cable]]\ncpc = '{cpc}'\nchpid = '{chpid}'\nto = '{to}'\nkm = {km}\nrepeaters = 16\n")
}

fn study(decks: [String; 2], plant: String, work: &[&str]) -> StudyFiles {
    let [first, second] = decks;
    let second = SourceFile::new("b.iocp", second.as_str());
    StudyFiles {
        name: "serial".into(),
        deck: SourceFile::new("deck.iocp", first.as_str()),
        further_decks: [("b.iocp".to_owned(), second)].into(),
        plant: SourceFile::new("plant.toml", plant.as_str()),
        workload: SourceFile::new("workload.toml", [&[RUN], work].concat().concat().as_str()),
        traces: Default::default(),
        faults: None,
    }
}

/// Returns the study in which both channels 50 are behind the director, `km` from it, and VMA's has disks too.
fn switched(km: f64, work: &[&str]) -> StudyFiles {
    let channels = |kind: &str| {
        format!("         CHPID PATH=(40),SWITCH=11,TYPE=CNC\n         CHPID PATH=(50),SWITCH=11,TYPE={kind}\n")
    };
    let decks = [
        deck("VMA", "2064", &(channels("CNC") + &disks("50")), "LINK=(61),"),
        deck("VMB", "9672", &(channels("CTC") + &disks("40")), "LINK=(60),"),
    ];
    let cables = cable("Z900", "40", "11.40", 0.1)
        + &cable("G6", "40", "11.41", 0.1)
        + &cable("Z900", "50", "11.60", km)
        + &cable("G6", "50", "11.61", km);
    study(decks, plant(&cables), work)
}

/// Returns the study in which one cable joins the channels 50.
fn direct(km: f64, work: &[&str]) -> StudyFiles {
    let channels = |kind: &str| {
        format!("         CHPID PATH=(40),SWITCH=11,TYPE=CNC\n         CHPID PATH=(50),TYPE={kind}\n")
    };
    let decks = [
        deck("VMA", "2064", &(channels("CTC") + &disks("40")), ""),
        deck("VMB", "9672", &(channels("CNC") + &disks("40")), ""),
    ];
    let cables = cable("Z900", "40", "11.40", 0.1)
        + &cable("G6", "40", "11.41", 0.1)
        + &cable("Z900", "50", "chpid G6.50", km);
    study(decks, plant(&cables), work)
}

/// One circuit at a time, and one direction: no channel of devices moves more than the link carries, either way or both.
#[test]
fn no_link_moves_more_than_its_data_rate() {
    let _ = Options::new(1);
    for study in [switched, direct] {
        let one = simulate(&study(0.1, &[LINK]), 1);
        let both = simulate(&study(0.1, &[LINK, BACK]), 1);
        let (mb, [first, second]) =
            (of(&one, "islink_mb_per_s"), ["VMA", "VMB"].map(|name| of(&both, &format!("islink_mb_per_s:{name}"))));
        println!("{mb} {first} {second}");
        assert!(mb < LINK_MB_PER_S && mb > 0.9 * LINK_MB_PER_S, "{mb}");
        assert!(first + second < LINK_MB_PER_S && first + second > 0.9 * LINK_MB_PER_S, "{first} {second}");
        assert!(first > 2.0 && second > 2.0, "{first} {second}");
        let kinds: Vec<ChannelKind> = one.intervals[0].channels.iter().map(|channel| channel.kind).collect();
        println!("{kinds:?}");
    }
}

#[allow(unused)]
fn unused(run: &Run) {
    let _ = (DISKS, OTHER_DISKS);
}
