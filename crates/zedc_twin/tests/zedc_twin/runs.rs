//! Figures of runs.

use halftrack_zedc::sizing::{Load as SizedLoad, Sizing};
use halftrack_zedc_twin::{Activity, activity_text};

use crate::rig::{SPEED, activity, stream};

const RUN: &str = "[run]\nwarmup_s = 0.02\nmeasured_s = 0.5\n[software]\nmb_per_s = 100\n";

fn busy_percent(activity: &Activity) -> f64 {
    activity.functions.iter().map(|one| one.busy_percent).sum()
}

fn software_requests(activity: &Activity) -> u64 {
    activity.streams.iter().map(|one| one.software.requests).sum()
}

/// One card and one partition are the queue of which the sizing has a formula.
#[test]
fn one_card_waits_as_m_d_1_does() {
    let load = SizedLoad { mb_per_s: 500.0, request_bytes: 65536.0, partitions: 1 };
    let expected = Sizing { speed: SPEED, load, busy_limit: 0.9 }.situation(1);
    let text = format!("{}{}", RUN.replace("0.5", "4.0"), stream("S", "LP01", 500.0));
    let found = activity(1, 1, &text);
    let [function] = &found.functions[..] else { panic!("one function") };
    let near = |found: f64, expected: f64, percent: f64| {
        assert!((found / expected - 1.0).abs() < percent / 100.0, "{found} is not about {expected}");
    };
    near(function.busy_percent, expected.demand.expect("a card") * 100.0, 2.0);
    near(function.queue_us, expected.queue_us.expect("a card"), 5.0);
    near(found.streams[0].response_us, expected.response_us.expect("a card"), 3.0);
    // 8 us and 65,536 octets at 1 GB/s.
    assert!((function.execution_us - 73.536).abs() < 0.01, "{}", function.execution_us);
}

#[test]
fn fields_are_those_of_the_formulas() {
    let found = activity(1, 1, &format!("{RUN}{}", stream("S", "LP01", 300.0)));
    let function = &found.functions[0];
    let counts = function.counts.expect("it is allocated");
    assert_eq!(counts.allocated_ms, 500);
    assert!((function.ratio - 2.0).abs() < 0.001, "{}", function.ratio);
    // A request reads 65,536 octets and writes half as many.
    assert!((function.kb_per_request - 98.304).abs() < 0.1, "{}", function.kb_per_request);
    let rate = function.kb_per_request * counts.requests as f64 / 500.0;
    assert!((function.mb_per_s - rate).abs() < 1e-6, "{}", function.mb_per_s);
    let stream = &found.streams[0];
    assert!((stream.compressed_mb_per_s * 2.0 - stream.plain_mb_per_s).abs() < 1e-9);
    assert!((stream.plain_mb_per_s / 300.0 - 1.0).abs() < 0.1, "{}", stream.plain_mb_per_s);
}

#[test]
fn four_cards_do_about_the_published_4_gb_per_s_and_the_rest_is_software() {
    let text = format!("{RUN}{}", stream("S", "LP01", 6000.0));
    let found = activity(4, 1, &text);
    assert!((396.0..=400.0).contains(&busy_percent(&found)), "{}", busy_percent(&found));
    let done = found.streams[0].requests as f64 * 65536.0 / 0.5e6;
    // 4 GB/s less the set-up of 64 KiB requests.
    assert!((done / (4.0 * 65536.0 / 73.536) - 1.0).abs() < 0.01, "{done}");
    let rest = 6000.0 - done;
    let processors = found.streams[0].software_processors.expect("software has a rate");
    assert!((processors / (rest / 100.0) - 1.0).abs() < 0.1, "{processors}");
}

/// During an update of one group its cards stand still; the others take the load as far as they can.
#[test]
fn an_update_takes_half_of_the_cards() {
    let update = "[[update]]\ngroup = \"RG1\"\nat_s = 0.0\nfor_s = 10.0\n";
    let calm = format!("{RUN}{update}{}", stream("S", "LP01", 1000.0));
    let found = activity(4, 1, &calm);
    let states: Vec<_> = found.functions.iter().map(|one| (one.state, one.busy_percent > 1.0)).collect();
    assert_eq!(states, [("UPDT", false), ("UPDT", false), ("ALLC", true), ("ALLC", true)]);
    assert_eq!(software_requests(&found), 0);
    let heavy = format!("{RUN}{update}{}", stream("S", "LP01", 3000.0));
    assert!(software_requests(&activity(4, 1, &heavy)) > 0);
    assert_eq!(software_requests(&activity(4, 1, &heavy.replace(update, ""))), 0);
}

/// Requests of cards that are taken away are done elsewhere, none twice and none never.
#[test]
fn no_request_is_lost_in_updates() {
    let calm = format!("[run]\nmeasured_s = 0.2\n{}", stream("S", "LP01", 800.0));
    let mut text = calm.clone();
    for (at, group) in ["RG1", "RG2", "RG1", "RG2"].iter().enumerate() {
        let at_s = 0.02 + 0.04 * at as f64;
        text += &format!("[[update]]\ngroup = \"{group}\"\nat_s = {at_s:?}\nfor_s = 0.03\n");
    }
    let found = activity(2, 1, &text);
    let ended = found.streams[0].requests + software_requests(&found);
    let counted: u64 = found.functions.iter().filter_map(|one| one.counts).map(|one| one.requests).sum();
    assert_eq!(counted, found.streams[0].requests);
    // The arrivals are the same without updates. Few requests are under way at the end of either run.
    let calm = activity(2, 1, &calm);
    let offered = calm.streams[0].requests;
    assert_eq!(software_requests(&calm), 0);
    assert!(offered > 2000 && ended.abs_diff(offered) <= 4, "{ended} of {offered}");
    assert!(found.functions.iter().all(|one| one.busy_percent > 5.0));
}

/// A partition that floods a card does not keep another one from its share.
#[test]
fn partitions_share_a_card_by_octets() {
    let text = format!("{RUN}{}{}", stream("FLOOD", "LP01", 5000.0), stream("CALM", "LP02", 200.0));
    let found = activity(1, 2, &text);
    let [flood, calm] = &found.streams[..] else { panic!("two streams") };
    assert_eq!(calm.software.requests, 0);
    assert!(flood.software.requests > 0);
    assert!((calm.plain_mb_per_s / 200.0 - 1.0).abs() < 0.1, "{}", calm.plain_mb_per_s);
    assert!(calm.response_us < 400.0, "{}", calm.response_us);
}

#[test]
fn inflating_takes_as_long_as_deflating() {
    let deflate = format!("{RUN}{}", stream("S", "LP01", 300.0));
    let inflate = deflate.replace("ratio", "operation = \"inflate\"\nratio");
    let (one, other) = (activity(1, 1, &deflate), activity(1, 1, &inflate));
    assert_eq!(one.functions, other.functions);
    assert_eq!([one, other].map(|found| found.streams[0].operation), ["deflate", "inflate"]);
}

#[test]
fn a_partition_without_a_function_compresses_in_software() {
    let text = format!("{RUN}{}", stream("S", "LP05", 50.0));
    let found = activity(1, 1, &text);
    assert_eq!(found.streams[0].requests, 0);
    let processors = found.streams[0].software_processors.expect("software has a rate");
    assert!((processors / 0.5 - 1.0).abs() < 0.2, "{processors}");
    // Its card belongs to a partition without work.
    assert_eq!((found.functions[0].state, found.functions[0].counts), ("CNFG", None));
}

#[test]
fn equal_input_gives_equal_text() {
    let text = format!("{RUN}{}{}", stream("A", "LP01", 700.0), stream("B", "LP02", 700.0));
    let one = activity_text(&activity(2, 2, &text));
    assert_eq!(one, activity_text(&activity(2, 2, &text)));
    let other = text.replace("[run]", "[run]\nseed = 2");
    assert_ne!(one, activity_text(&activity(2, 2, &other)));
    assert!(one.lines().all(|line| line.len() <= 120), "{one}");
}
