//! Logical links of ISFC in runs: what is conserved, what is shared with disks, and the layouts of the published study.

use std::path::Path;
use std::sync::Arc;

use halftrack_catalog::Catalog;
use halftrack_config::{StudyFiles, configure};
use halftrack_input::SourceFile;
use halftrack_machine::{Options, Simulation, Threads};
use halftrack_record::Run;
use halftrack_report::quantity;
use halftrack_sweep::{Change, change};

/// A channel that two systems share, a box with disks behind another port of the director.
const DECK: &str = "\
         ID MSG1='BOTH',SYSTEM=(3931,1)
         RESOURCE PARTITION=((CSS(0),(VMA,1),(VMB,2)))
         CHPID PATH=(CSS(0),40),SHARED,SWITCH=11,PCHID=100,TYPE=FC
         CNTLUNIT CUNUMBR=4001,PATH=((CSS(0),40)),UNITADD=((00,004)),  *
               LINK=((CSS(0),20)),CUADD=2,UNIT=FCTC
         IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4001),        *
               PARTITION=((CSS(0),VMA)),UNIT=FCTC
         CNTLUNIT CUNUMBR=4002,PATH=((CSS(0),40)),UNITADD=((00,004)),  *
               LINK=((CSS(0),20)),CUADD=1,UNIT=FCTC
         IODEVICE ADDRESS=(4000,004),UNITADD=00,CUNUMBR=(4002),        *
               PARTITION=((CSS(0),VMB)),UNIT=FCTC
         CNTLUNIT CUNUMBR=1000,PATH=((CSS(0),40)),UNITADD=((00,256)),  *
               LINK=((CSS(0),04)),CUADD=0,UNIT=2107
         IODEVICE ADDRESS=(1000,064),CUNUMBR=(1000),STADET=Y,UNIT=3390B
";
const PLANT: &str = "\
[cpc]\nmodel = 'z16-max39'\n[[lpar]]\nname = 'VMA'\ncps = 4\n[[lpar]]\nname = 'VMB'\ncps = 4\n\
[[card]]\ntype = 'ficon-express4'\npchids = ['100']\n[[cable]]\npchid = '100'\nto = '11.20'\nkm = 0.01\n\
[[director]]\nid = '11'\ntype = 'director-8g'\n[[control_unit]]\nname = 'BOXA'\ntype = 'ds8950'\n\
model = '3390-54'\nvolser = 'FX####'\n[[control_unit.port]]\nid = '0030'\nto = '11.04'\nkm = 0.01\n";
const RUN: &str = "[run]\nwarmup_s = 0.1\ninterval_s = 0.4\n";
pub const LINK: &str = "[[islink]]\nname = 'LINK'\nsystems = ['VMA', 'VMB']\n[[islink.bulk]]\nfrom = 'VMA'\n";
const DISKS: &str = "[[stream]]\nname = 'D'\nlpar = 'VMA'\ndevices = ['1000-103F']\nprogram = { block = '4K', records = 8 }\n\
                     read_share = 1.0\nhit_ratio = 1.0\nprotocol = 'command'\nclosed = { jobs = 8 }\n";

pub fn simulate(files: &StudyFiles, threads: usize) -> Run {
    simulate_with(files, &Catalog::load(&[]).0, threads)
}

/// Runs a study with the hardware of `catalog`.
pub fn simulate_with(files: &StudyFiles, catalog: &Catalog, threads: usize) -> Run {
    let loaded = configure(files, catalog);
    let lines: Vec<_> = loaded.diagnostics.iter().map(ToString::to_string).collect();
    let configuration = loaded.configuration.unwrap_or_else(|| panic!("{lines:#?}"));
    let options = Options { threads: Threads::Exactly(threads), ..Options::new(1) };
    let run = Simulation::new(Arc::new(configuration), options).expect("a machine").run(&mut |_| ()).0;
    for law in &run.checkers {
        assert!(law.violations.is_empty(), "{}: {:?}", law.law, law.violations);
    }
    run
}

/// Returns the study in which one channel has disks and channel-to-channel devices, with this work.
pub fn both(work: &[&str]) -> StudyFiles {
    let source = SourceFile::new;
    StudyFiles {
        name: "both".into(),
        deck: source("deck.iocp", DECK),
        further_decks: Default::default(),
        hardware: Default::default(),
        plant: source("plant.toml", PLANT),
        workload: source("workload.toml", [&[RUN], work].concat().concat().as_str()),
        traces: Default::default(),
        samples: Default::default(),
        faults: None,
    }
}

/// Returns the published study with these changes.
pub fn published(changes: &[&str]) -> StudyFiles {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published/isfc");
    let files = StudyFiles::read(&directory).expect("a study of the repository");
    let changes = changes.iter().map(|text| {
        let (key, value) = text.split_once('=').expect("a change");
        Change { key: format!("workload.{key}").parse().expect("a key"), value: value.to_owned() }
    });
    change(&files, &changes.collect::<Vec<_>>()).expect("a study")
}

pub fn of(run: &Run, name: &str) -> f64 {
    quantity(run, name).unwrap_or_else(|error| panic!("{name}: {error}")).value
}

/// Disks and channel-to-channel devices of one channel take from each other, and the channel has the load of both.
#[test]
fn one_channel_carries_disks_and_channel_to_channel_devices() {
    let [disks, links, all] = [&[DISKS][..], &[LINK], &[DISKS, LINK]].map(|work| simulate(&both(work), 1));
    let (rate, mb) = ("rate_per_s:D", "islink_mb_per_s:LINK");
    assert!(of(&all, rate) < 0.9 * of(&disks, rate), "{} {}", of(&all, rate), of(&disks, rate));
    assert!(of(&all, mb) < 0.9 * of(&links, mb), "{} {}", of(&all, mb), of(&links, mb));
    let disk_mb = of(&all, rate) * 32_768.0 / 1e6;
    let (channel, parts) = (of(&all, "mb_per_s:0.40"), disk_mb + 2.0 * of(&all, mb));
    assert!((channel / parts - 1.0).abs() < 0.03, "{channel} MB/s on the channel, {parts} of its users");
    assert!(of(&all, "channel_processor_percent:0.40") > 95.0);
}

/// The record is one on any number of threads, and both systems may send: where their Writes meet, neither stops.
#[test]
fn both_systems_send_and_every_thread_gives_the_same_record() {
    let other = "[[islink.bulk]]\nfrom = 'VMB'\n";
    let study = both(&[DISKS, LINK, other]);
    let run = simulate(&study, 1);
    assert_eq!(run, simulate(&study, 2));
    for system in ["VMA", "VMB"] {
        assert!(of(&run, &format!("islink_mb_per_s:{system}")) > 20.0, "{system}");
    }
    assert!(of(&run, "islink_collisions_per_s") > 0.0);
}

/// A system writes on its own devices alone, from the low end with the lower name: one of four is the other's.
#[test]
fn a_device_is_left_to_the_other_system() {
    let run = simulate(&both(&[LINK]), 1);
    let blocks: Vec<u64> =
        run.intervals[0].islinks.iter().filter(|end| end.lpar == "VMA").map(|end| end.blocks).collect();
    assert!(blocks[..3].iter().all(|blocks| *blocks > 10) && blocks[3] == 0, "{blocks:?}");
    let starts = of(&run, "islink_starts_per_s:VMA");
    assert!((starts / of(&run, "islink_blocks_per_s:VMA") - 1.0).abs() < 0.1, "a start a block");
}

/// A shared channel has each block twice, and channels of their own pass it once.
#[test]
fn a_shared_channel_has_each_block_twice() {
    let shared = simulate(&published(&["islink.LINK.devices_per_channel=8"]), 1);
    let own =
        simulate(&published(&["islink.LINK.devices=4000-4FFF", "islink.LINK.devices_per_channel=8"]), 1);
    let mb = "islink_mb_per_s";
    assert!((of(&shared, mb) - 204.0).abs() < 4.0, "{}", of(&shared, mb));
    assert!((of(&own, mb) - 355.0).abs() < 4.0, "{}", of(&own, mb));
    assert!((of(&shared, "mb_per_s:0.40") / of(&shared, mb) - 2.0).abs() < 0.02);
    assert!((of(&own, "write_mb_per_s:0.50") / of(&own, "read_mb_per_s:0.60") - 1.0).abs() < 0.02);
}

/// Three channels are dented where numbers are not striped, at three and four devices each, by 1 % at least.
#[test]
fn three_channels_that_are_not_striped_are_dented() {
    for count in [3, 4] {
        let rate = |devices: &str| {
            let devices = format!("islink.LINK.devices={devices}");
            let count = format!("islink.LINK.devices_per_channel={count}");
            let changes = ["islink.LINK.channels=3", &devices, &count, "run.interval_s=2.0"];
            of(&simulate(&published(&changes), 1), "islink_mb_per_s")
        };
        let (striped, unstriped) = (rate("2000-2FFF"), rate("1000-1FFF"));
        assert!(unstriped < 0.99 * striped, "{count} devices: {unstriped} and {striped} MB/s");
    }
}

/// Crossed wiring costs something where channels are shared, and no more than 10 %.
#[test]
fn crossed_wiring_costs_a_little() {
    for channels in 2..=4 {
        let rate = |wiring: &str| {
            let (wiring, channels) =
                (format!("islink.LINK.wiring={wiring}"), format!("islink.LINK.channels={channels}"));
            of(&simulate(&published(&[&wiring, &channels, "run.interval_s=2.0"]), 1), "islink_mb_per_s")
        };
        let lost = 1.0 - rate("crossed") / rate("straight");
        assert!(lost > 0.0 && lost <= 0.1, "{channels} channels: {lost}");
    }
}
