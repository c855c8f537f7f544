//! Logical links over ESCON channel-to-channel devices: circuits between a channel of TYPE=CNC and one of TYPE=CTC.

use std::path::Path;

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::SourceFile;
use halftrack_record::{ChannelInterval, ChannelKind, RelocationOutcome, Run};

use crate::islinks::{of, simulate, simulate_with};

/// Rate of the data of an ESCON link, MB/s.
const LINK_MB_PER_S: f64 = 17.0;
/// Length of the interval.
const INTERVAL_S: f64 = 4.0;

const RUN: &str = "[run]\nwarmup_s = 0.5\ninterval_s = 4.0\n";
const LINK: &str = "[[islink]]\nname = 'LINK'\nsystems = ['VMA', 'VMB']\n[[islink.bulk]]\nfrom = 'VMA'\n";
const BACK: &str = "[[islink.bulk]]\nfrom = 'VMB'\n";
const DISKS: &str = "[[stream]]\nname = 'D'\nlpar = 'VMA'\ndevices = ['1000-103F']\n\
                     program = { block = '4K', records = 1, positioning = 'define-extent' }\nread_share = 1.0\n\
                     hit_ratio = 0.9\nprotocol = 'command'\nclosed = { jobs = 4 }\n";
const OTHER_DISKS: &str = "[[stream]]\nname = 'E'\nlpar = 'VMB'\ndevices = ['1000-103F']\n\
                     program = { block = '4K', records = 1, positioning = 'define-extent' }\nread_share = 1.0\n\
                     hit_ratio = 0.9\nprotocol = 'command'\nclosed = { jobs = 4 }\n";

const REQUESTS: &str =
    "[[islink.request]]\nname = 'R'\nfrom = 'VMB'\nrequest = '8K'\nresponse = '32K'\ndepth = 6\n";
const GUEST: &str = "[[islink.relocate]]\nguest = 'G'\nfrom = 'VMA'\nat_s = 0.5\nmemory = '16M'\n\
                     dirty_pages_per_s = 300\nquiesce_ms = 300\n";

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
        hardware: Default::default(),
        plant: SourceFile::new("plant.toml", plant.as_str()),
        workload: SourceFile::new("workload.toml", [&[RUN], work].concat().concat().as_str()),
        traces: Default::default(),
        samples: Default::default(),
        faults: None,
    }
}

/// Returns the study in which both channels 50 are behind the director, `km` from it, and VMA's has disks too.
fn switched(km: f64, work: &[&str]) -> StudyFiles {
    let channels = |kind: &str| {
        format!(
            "         CHPID PATH=(40),SWITCH=11,TYPE=CNC\n         CHPID PATH=(50),SWITCH=11,TYPE={kind}\n"
        )
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

/// Returns MB/s of each system.
fn each_way(run: &Run) -> [f64; 2] {
    ["VMA", "VMB"].map(|system| of(run, &format!("islink_mb_per_s:{system}")))
}

/// Returns the records of channels 50 of VMA and VMB.
fn channels(run: &Run) -> [&ChannelInterval; 2] {
    ["VMA", "VMB"].map(|system| {
        let mut all = run.intervals[0].channels.iter().filter(|one| one.chpid == 0x50);
        all.find(|one| one.parts.iter().any(|part| part.lpar == system)).expect("a channel of the study")
    })
}

/// Returns the shares of the interval in which their paths were held.
fn busy(run: &Run) -> [f64; 2] {
    channels(run).map(|channel| channel.processor_busy_ps as f64 / (INTERVAL_S * 1e12))
}

/// One circuit at a time, and one direction: no channel of devices moves more than the link carries, either way or both.
#[test]
fn no_channel_moves_more_than_its_link_carries() {
    for study in [switched, direct] {
        for km in [0.1, 3.0] {
            let rate = of(&simulate(&study(km, &[LINK]), 1), "islink_mb_per_s");
            assert!(rate < LINK_MB_PER_S && rate > 0.95 * LINK_MB_PER_S, "{rate} MB/s one way");
            let [first, second] = each_way(&simulate(&study(km, &[LINK, BACK]), 1));
            let sum = first + second;
            assert!(sum < LINK_MB_PER_S && sum > 0.95 * LINK_MB_PER_S, "{first} and {second} MB/s");
            assert!(first > 4.0 && second > 4.0, "{first} and {second} MB/s");
        }
    }
}

/// The devices of a channel share it: another link over the same channels takes half of it.
#[test]
fn two_links_over_one_channel_share_it() {
    let link = |name: &str, devices: &str| {
        LINK.replace("'LINK'", &format!("'{name}'"))
            .replace("\n[[islink.bulk]]", &format!("\ndevices = '{devices}'\n[[islink.bulk]]"))
    };
    let (one, other) = (link("ONE", "4000-4001"), link("OTHER", "4002-4003"));
    let alone = of(&simulate(&switched(0.1, &[&one]), 1), "islink_mb_per_s:ONE");
    let run = simulate(&switched(0.1, &[&one, &other]), 1);
    let both = ["ONE", "OTHER"].map(|name| of(&run, &format!("islink_mb_per_s:{name}")));
    assert!(alone > 0.9 * LINK_MB_PER_S, "{alone}");
    assert!(both.iter().all(|rate| (rate / alone - 0.5).abs() < 0.06), "{both:?} and {alone} MB/s");
}

/// A buffer of 1,530 octets that may be unanswered lets 45 % of the data through at 20 km (ficon-2002), between channels too.
#[test]
fn the_buffer_limits_the_rate_over_a_distance() {
    for study in [switched, direct] {
        // Behind a director each half of the way.
        let half_km = if study(1.0, &[]).plant.text.contains("11.60") { 10.0 } else { 20.0 };
        let rate = of(&simulate(&study(half_km, &[LINK]), 1), "islink_mb_per_s");
        assert!((rate / (0.45 * LINK_MB_PER_S) - 1.0).abs() < 0.03, "{rate} MB/s");
    }
}

/// Returns a study with FICON channels 70 and devices 5000 between both systems beside it, over a director of their own.
fn with_ficon(mut files: StudyFiles) -> StudyFiles {
    let ficon = |text: &str, link: &str| {
        let unit = format!("CNTLUNIT CUNUMBR=5000,PATH=(70),LINK=({link}),");
        let channel = "         CHPID PATH=(70),SWITCH=12,TYPE=FC\n";
        let unit = cards(&unit, "UNITADD=((00,004)),CUADD=1,UNIT=FCTC");
        text.to_owned()
            + channel
            + &unit
            + &cards("IODEVICE ADDRESS=(5000,004),UNITADD=00,", "CUNUMBR=(5000),UNIT=FCTC")
    };
    files.deck = SourceFile::new("deck.iocp", ficon(&files.deck.text, "71"));
    let second = SourceFile::new("b.iocp", ficon(&files.further_decks["b.iocp"].text, "70"));
    files.further_decks = [("b.iocp".to_owned(), second)].into();
    let mut plant = files.plant.text.to_string();
    for (cpc, card, port) in [("Z900", "ficon-express", "12.70"), ("G6", "ficon-g5g6", "12.71")] {
        plant +=
            &format!("[[card]]\ncpc = '{cpc}'\ntype = '{card}'\nchpids = ['70']\n[[cable]]\ncpc = '{cpc}'\n");
        plant += &format!("chpid = '70'\nto = '{port}'\nkm = 0.1\n");
    }
    plant += "[[director]]\nid = '12'\ntype = 'director-1g'\n";
    files.plant = SourceFile::new("plant.toml", plant);
    files
}

/// FICON channels of the same machines move more beside them: their units take turns on the fibre, and both ways go at once.
#[test]
fn ficon_moves_more_between_the_same_machines() {
    let directory = std::env::temp_dir().join(format!("halftrack-serial-ctc-{}", std::process::id()));
    std::fs::create_dir_all(directory.join("channel")).expect("a folder for an entry");
    for card in ["ficon-express", "ficon-g5g6"] {
        let entry = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../catalog/channel/{card}.toml"));
        let text = std::fs::read_to_string(entry).expect("an entry of the catalog")
            + "\n[channel_to_channel.turnaround_us]\nvalue = 2300\nsource = 'assumed'\nreason = 'that of FICON Express4'\n";
        std::fs::write(directory.join(format!("channel/{card}.toml")), text).expect("an entry");
    }
    let link = |name: &str, devices: &str| {
        let first = LINK.replace("'LINK'", &format!("'{name}'"));
        first.replace("\n[[islink.bulk]]", &format!("\ndevices = '{devices}'\n[[islink.bulk]]")) + BACK
    };
    let lost = "[[event]]\nat_s = 2.0\nlasts_s = 0.2\nkind = 'director-lost'\ndirector = '12'\n";
    let (escon, ficon) = (link("ESCON", "4000-4003"), link("FICON", "5000-5003"));
    let files = with_ficon(switched(0.1, &[&escon, &ficon, lost]));
    let run = simulate_with(&files, &Catalog::load(&[&directory]).0, 1);
    std::fs::remove_dir_all(&directory).expect("the folder goes");
    let [slow, fast] = ["ESCON", "FICON"].map(|name| of(&run, &format!("islink_mb_per_s:{name}")));
    assert!(slow < LINK_MB_PER_S && slow > 0.9 * LINK_MB_PER_S, "{slow} MB/s");
    assert!(fast > 2.0 * LINK_MB_PER_S, "{fast} MB/s");
}

/// A channel has disks and devices at once, one program at a time: each takes from the other, and the path is always held.
#[test]
fn disks_and_devices_share_a_channel() {
    let [disks, links, all] =
        [&[DISKS][..], &[LINK], &[DISKS, LINK]].map(|work| simulate(&switched(0.1, work), 1));
    let (rate, mb) = ("rate_per_s:D", "islink_mb_per_s:LINK");
    assert!(of(&all, rate) < 0.9 * of(&disks, rate), "{} {}", of(&all, rate), of(&disks, rate));
    assert!(of(&all, mb) < 0.99 * of(&links, mb), "{} {}", of(&all, mb), of(&links, mb));
    assert!(of(&all, rate) > 5.0 && of(&all, mb) > 5.0, "{} {}", of(&all, rate), of(&all, mb));
    // No two circuits are there at once.
    let shares = [of(&all, rate) * of(&all, "conn_ms:VMA") / 1e3, of(&all, mb) / LINK_MB_PER_S];
    assert!(shares[0] + shares[1] < 1.0 && shares[0] + shares[1] > 0.8, "{shares:?}");
    // Each circuit between channels is one of both, and that of disks one of VMA's alone.
    let [own, others] = busy(&all);
    assert!(own > 0.95 && own <= 1.0 && others < own, "{own} and {others} of the time");
}

/// The reports have both channels with their types and the time that they were held, and the devices of both ends.
#[test]
fn channels_and_devices_are_reported() {
    let run = simulate(&switched(0.1, &[LINK]), 1);
    let kinds = channels(&run).map(|channel| channel.kind);
    assert_eq!(kinds, [ChannelKind::EsconSwitched, ChannelKind::EsconFunctionSwitched]);
    let cabled = simulate(&direct(0.1, &[LINK]), 1);
    let kinds = channels(&cabled).map(|channel| channel.kind);
    assert_eq!(kinds, [ChannelKind::EsconFunction, ChannelKind::Escon]);
    for run in [&run, &cabled] {
        let [one, other] = busy(run);
        assert!(one > 0.9 && other > 0.9 && (one - other).abs() < 0.01, "{one} and {other} of the time");
        for end in ["VMA", "VMB"] {
            let devices: Vec<u16> =
                run.intervals[0].islinks.iter().filter(|one| one.lpar == end).map(|one| one.number).collect();
            assert_eq!(devices, [0x4000, 0x4001, 0x4002, 0x4003]);
        }
    }
}

/// The record is one on any number of threads, whatever shares channels and director.
#[test]
fn every_thread_gives_the_same_record() {
    let lost = "[[event]]\nat_s = 1.2\nlasts_s = 0.4\nkind = 'path-lost'\ncpc = 'Z900'\nchpid = '50'\n";
    for study in [switched, direct] {
        let study = study(0.5, &[DISKS, OTHER_DISKS, LINK, BACK, GUEST, lost]);
        let run = simulate(&study, 1);
        assert!(run.intervals[0].islinks.iter().any(|end| end.collisions > 0));
        for threads in [2, 4] {
            assert!(run == simulate(&study, threads), "{threads} threads");
        }
    }
}

/// A channel or the director lost while blocks move: nothing is delivered twice or not at all, and all goes on.
#[test]
fn losses_lose_and_double_nothing() {
    for (study, part) in [
        (switched as fn(f64, &[&str]) -> StudyFiles, "kind = 'path-lost'\ncpc = 'Z900'\nchpid = '50'"),
        (switched, "kind = 'path-lost'\ncpc = 'G6'\nchpid = '50'"),
        (switched, "kind = 'director-lost'\ndirector = '11'"),
        (direct, "kind = 'path-lost'\ncpc = 'Z900'\nchpid = '50'"),
        (direct, "kind = 'path-lost'\ncpc = 'G6'\nchpid = '50'"),
    ] {
        let events: Vec<String> = (0..9)
            .map(|nth| 0.6 + 0.231 * f64::from(nth))
            .map(|at_s| format!("[[event]]\nat_s = {at_s}\nlasts_s = 0.05\n{part}\n"))
            .collect();
        let work = LINK.replace("[[islink.bulk]]\nfrom = 'VMA'\n", "");
        let run = simulate(&study(0.5, &[&work, REQUESTS, GUEST, &events.concat()]), 1);
        let [requests, guest] = &run.intervals[0].islink_flows[..] else { panic!("two flows") };
        assert!(
            requests.responses > 10 && requests.answered_bytes == requests.responses * 32_768,
            "{requests:?}"
        );
        let [moved] = &run.relocations[..] else { panic!("one guest") };
        assert_eq!(moved.outcome, RelocationOutcome::Converged, "{part} {moved:?}");
        assert_eq!(guest.bytes, moved.passes.iter().map(|pass| pass.bytes).sum::<u64>());
    }
}

/// Of disks with misses and two systems that send none is kept from the channels for good.
#[test]
fn nobody_is_kept_from_a_channel() {
    let disks = DISKS.replace("jobs = 4", "jobs = 32").replace("0.9", "0.3");
    for study in [switched, direct] {
        let mut study = study(1.0, &[&disks, LINK, BACK]);
        let text = study.workload.text.replace("interval_s = 4.0", "interval_s = 1.0\nintervals = 8");
        study.workload = SourceFile::new("workload.toml", text);
        let run = simulate(&study, 1);
        assert_eq!(run.intervals.len(), 8);
        for interval in &run.intervals {
            let bytes: Vec<u64> = interval.islink_flows.iter().map(|flow| flow.bytes).collect();
            let ios: Vec<u64> = interval.channels.iter().map(|one| one.started()).collect();
            assert!(bytes.iter().all(|bytes| *bytes > 0), "{bytes:?}");
            assert!(ios.iter().sum::<u64>() > 20, "{ios:?}");
        }
    }
}
