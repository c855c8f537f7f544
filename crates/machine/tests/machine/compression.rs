//! Compression cards beside I/Os: requests are done by cards or in software, updates take half of the cards.

use halftrack_base::Span;
use halftrack_config::{
    CardMachine, CompressedStream, Compression, CompressionArrivals, CompressionWork, Disturbance,
    DisturbanceKind,
};
use halftrack_machine::Fidelity;
use halftrack_record::{CompressionInterval, Run};
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc::{CardId, FunctionPlace, Operation, ResourceGroup, VfNumber};
use halftrack_zedc_twin::{Exploiter, InstallationPlan, Place, PlacedFunction};

use crate::site::{Knobs, OPTIONS, open, run, same_every_way, stream};

/// Makes two cards, one in each resource group, with a function of PROD1 on each.
pub fn cards() -> CardMachine {
    let function = |card: u8| PlacedFunction {
        fid: 0x10 + u16::from(card),
        pchid: Some(0x108 + 0x70 * u16::from(card)),
        vf: 1,
        partition: Some("PROD1".to_owned()),
        place: Place::Card(FunctionPlace {
            card: CardId::new(card).expect("a place"),
            vf: VfNumber::new(1).expect("a number"),
        }),
    };
    CardMachine {
        cpc: 0,
        speed: CardSpeed { mb_per_s: 1000.0, setup_us: 8.0 },
        plan: InstallationPlan {
            groups: vec![ResourceGroup::One, ResourceGroup::Two],
            functions: vec![function(0), function(1)],
        },
    }
}

fn work(name: &str, lpar: u32, mb_per_s: f64) -> CompressionWork {
    CompressionWork {
        lpar,
        name: name.to_owned(),
        arrivals: CompressionArrivals::Every(Span::from_us_f64(65_536.0 / mb_per_s)),
        request: CompressedStream {
            exploiter: Exploiter::Java,
            operation: Operation::Deflate,
            plain_bytes: 65_536,
            ratio: 2.0,
        },
    }
}

fn knobs(work: Vec<CompressionWork>) -> Knobs {
    let compression = Compression { machines: vec![cards()], work, software_mb_per_s: Some(100.0) };
    let streams = vec![stream("work", open(20_000))];
    Knobs { compression, streams, lpars: 2, interval: Span::from_ms(200), ..Knobs::default() }
}

/// Returns the counts of a program over all intervals.
fn of<'a>(run: &'a Run, name: &str) -> Vec<&'a CompressionInterval> {
    run.intervals.iter().flat_map(|interval| &interval.compression).filter(|one| one.name == name).collect()
}

/// A request of 64 KiB takes a card 8 us and 65.536 us: 600 MB/s keep two cards busy for a third of the time.
#[test]
fn cards_do_what_comes_at_their_speed_the_same_on_every_way() {
    let run = same_every_way(&knobs(vec![work("JDK", 0, 600.0)]), Fidelity::Burst, 2_000);
    let interval = &run.intervals[0];
    let busy = |at: usize| {
        let one = &interval.compression_functions[at];
        assert_eq!((one.state.as_str(), one.allocated_ps), ("ALLC", interval.length_ps));
        100.0 * one.execution_ps as f64 / one.allocated_ps as f64
    };
    let wanted = 100.0 * 600e6 / 65_536.0 * 73.536e-6 / 2.0;
    let mean = (busy(0) + busy(1)) / 2.0;
    assert!((mean / wanted - 1.0).abs() < 0.08, "{mean} %, not {wanted} %");
    let jdk = of(&run, "JDK")[0];
    assert_eq!((jdk.software_requests, jdk.software_ps), (0, Some(0)));
    assert_eq!(jdk.plain_bytes, 65_536 * jdk.requests);
    assert_eq!(jdk.compressed_bytes * 2, jdk.plain_bytes);
    // What cards did, one processor would have done in ten times its time at 100 MB/s: 655.36 us a request.
    assert_eq!(jdk.saved_ps, Some(655_360_000 * jdk.requests));
    let response_us = jdk.response_ps as f64 / jdk.requests as f64 / 1e6;
    assert!((73.5..95.0).contains(&response_us), "{response_us} us");
    let law = run.checkers.iter().find(|law| law.law.contains("compression")).expect("the law");
    assert!(law.checks >= 2 && law.violations.is_empty(), "{law:?}");
}

#[test]
fn a_partition_without_a_function_pays_with_its_processors() {
    let (run, _) = run(&knobs(vec![work("JDK", 0, 100.0), work("ALONE", 1, 50.0)]), OPTIONS);
    let alone = of(&run, "ALONE")[0];
    assert!(alone.requests == 0 && alone.software_requests > 50, "{alone:?}");
    assert_eq!(alone.software_ps, Some(655_360_000 * alone.software_requests));
    assert_eq!(of(&run, "JDK")[0].software_requests, 0);
}

/// Half of the cards stand still for the second of three intervals, and the load needs three quarters of one card: all is done, and
/// no request is lost.
#[test]
fn an_update_of_firmware_takes_half_of_the_cards() {
    half_of_the_cards_are_away(DisturbanceKind::FirmwareUpdate { cpc: 0, group: ResourceGroup::One }, "UPDT");
}

/// Nor is one where a card is pulled, and plugged again.
#[test]
fn a_card_that_is_pulled_leaves_its_requests_to_the_other_one() {
    half_of_the_cards_are_away(DisturbanceKind::AdapterPulled { cpc: 0, pchid: 0x108 }, "STBY");
}

fn half_of_the_cards_are_away(kind: DisturbanceKind, state: &str) {
    let run_with = |knobs: Knobs, mb_per_s| {
        let disturbance = Disturbance { at: knobs.warmup + knobs.interval, lasts: knobs.interval, kind };
        let mut knobs = Knobs { intervals: 3, disturbances: vec![disturbance], ..knobs };
        knobs.compression.work = vec![work("JDK", 0, mb_per_s)];
        same_every_way(&knobs, Fidelity::Burst, 2_000)
    };
    let run = run_with(knobs(Vec::new()), 600.0);
    let requests =
        |run: &Run, interval: usize, at: usize| run.intervals[interval].compression_functions[at].requests;
    assert_eq!(run.intervals.len(), 3);
    assert_eq!((requests(&run, 1, 0), run.intervals[1].compression_functions[0].state.as_str()), (0, state));
    assert!(requests(&run, 0, 0) > 0 && requests(&run, 2, 0) > 0);
    let during = of(&run, "JDK")[1];
    assert_eq!(during.requests, requests(&run, 1, 1));
    assert_eq!(during.software_requests, 0);
    // Twice as much as one card does: software has the rest while the other is away, and nothing before and after.
    let run = run_with(knobs(Vec::new()), 1_600.0);
    let software: Vec<bool> = of(&run, "JDK").iter().map(|one| one.software_requests > 0).collect();
    assert_eq!(software, [false, true, false]);
}

/// The zIOC of the fanout takes requests to a card: SAPs start the I/Os of the channels, as many as without any, and
/// are busy for no picosecond more.
#[test]
fn requests_to_cards_keep_no_sap_busy() {
    let rows = |work| {
        let (run, _) = run(&knobs(work), OPTIONS);
        let requests: u64 = run.intervals[0].compression_functions.iter().map(|one| one.requests).sum();
        (run.intervals[0].iops.clone(), requests)
    };
    let (alone, beside) = (rows(Vec::new()), rows(vec![work("JDK", 0, 1_200.0)]));
    assert!(alone.1 == 0 && beside.1 > 3_000, "{} and {}", alone.1, beside.1);
    assert_eq!(alone.0, beside.0);
    assert!(alone.0.iter().map(|row| row.started).sum::<u64>() > 3_000, "SAPs start I/Os of channels");
}
