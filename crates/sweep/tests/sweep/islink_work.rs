//! Work over logical links of ISFC in runs: requests, guests that move, and faults.

use halftrack_base::{Span, Time};
use halftrack_isfc::relocation::{Changes, Otherwise, PAGE_BYTES, Plan, Relocation};
use halftrack_record::{RelocationOutcome, Run};

use crate::islinks::{LINK, both, of, published, simulate};

/// A link without work, to which some is added.
const IDLE: &str = "[[islink]]\nname = 'LINK'\nsystems = ['VMA', 'VMB']\n";

fn requests(keys: &str) -> String {
    format!("{IDLE}[[islink.request]]\nname = 'R'\nfrom = 'VMA'\nrequest = '4K'\nresponse = '64K'\n{keys}\n")
}

fn guest(keys: &str) -> String {
    format!("[[islink.relocate]]\nguest = 'G'\nfrom = 'VMA'\nat_s = 0.15\n{keys}\n")
}

/// Returns a run of so many seconds beyond the warm-up of 0.1 s.
fn run_for(interval_s: f64, work: &[&str], threads: usize) -> Run {
    let mut study = both(work);
    let text = study.workload.text.replace("interval_s = 0.4", &format!("interval_s = {interval_s}"));
    study.workload = halftrack_input::SourceFile::new("workload.toml", text);
    simulate(&study, threads)
}

/// Little's law: requests under way are rate times response and think time.
#[test]
fn requests_under_way_are_their_rate_times_response_and_think_time() {
    for (depth, think_us) in [(1, 0), (4, 300), (32, 2000)] {
        let run = run_for(0.4, &[&requests(&format!("depth = {depth}\nthink_us = {think_us}"))], 1);
        let [rate, response, longest] = ["requests_per_s", "response_ms", "response_max_ms"]
            .map(|name| of(&run, &format!("islink_{name}:R")));
        let under_way = rate * (response / 1e3 + f64::from(think_us) / 1e6);
        assert!((under_way / f64::from(depth) - 1.0).abs() < 0.01, "{under_way} and {depth}");
        assert!(rate > 100.0 && longest >= response, "{rate} {longest} {response}");
    }
}

/// More requests at a time are served in the same time, until the link is full; a bulk beside them takes its share.
#[test]
fn a_bulk_slows_requests_down() {
    let alone = run_for(0.4, &[&requests("depth = 4")], 1);
    let beside = run_for(0.4, &[&(requests("depth = 4") + "[[islink.bulk]]\nfrom = 'VMA'\n")], 1);
    let response = |run: &Run| of(run, "islink_response_ms:R");
    assert!(response(&beside) > 3.0 * response(&alone), "{} {}", response(&beside), response(&alone));
    assert!(of(&beside, "islink_mb_per_s:VMA") > 100.0);
    assert!(of(&beside, "islink_requests_per_s") > 20.0, "{}", of(&beside, "islink_requests_per_s"));
}

/// Each request is answered once: what one system sends is what the other one takes.
#[test]
fn a_number_of_requests_has_as_many_responses() {
    let mut study = both(&[&requests("depth = 8\ncount = 500")]);
    let text = study.workload.text.replace("warmup_s = 0.1", "warmup_s = 0.0");
    study.workload = halftrack_input::SourceFile::new("workload.toml", text.replace("0.4", "2.0"));
    let run = simulate(&study, 1);
    let work = &run.intervals[0].islink_flows[0];
    assert_eq!((work.responses, work.bytes, work.answered_bytes), (500, 500 * 4096, 500 * 65_536));
    let written = |lpar: &str| {
        let ends = run.intervals[0].islinks.iter().filter(|end| end.lpar == lpar);
        ends.map(|end| end.bytes).sum::<u64>()
    };
    assert_eq!((written("VMA"), written("VMB")), (work.bytes, work.answered_bytes));
}

/// The passes of a guest are those of a link of the rate that the first pass has.
#[test]
fn passes_over_a_guest_follow_from_the_rate_of_its_link() {
    let keys = "memory = '128M'\ndirty_pages_per_s = 8000\nworking_set = '64M'\nquiesce_ms = 30";
    let run = run_for(3.0, &[&(IDLE.to_owned() + &guest(keys))], 1);
    let [moved] = &run.relocations[..] else { panic!("{:?}", run.relocations) };
    assert_eq!(moved.outcome, RelocationOutcome::Converged);
    let plan = Plan {
        memory_bytes: 128 << 20,
        changes: Changes::Modelled { pages_per_s: 8000, working_set_pages: (64 << 20) / PAGE_BYTES },
        quiesce_max: Span::from_ms(30),
        passes_max: 16,
        otherwise: Otherwise::Cancel,
    };
    let rate = moved.passes[0].bytes as f64 / (moved.passes[0].span_ps as f64 / 1e12);
    let mut now = Time::ZERO;
    let mut plain = Relocation::new(plan, now);
    let mut sent = 0;
    while plain.to_send_bytes() > 0 {
        let bytes = plain.to_send_bytes();
        plain.sent(bytes);
        sent += bytes;
        now += Span::from_s_f64(bytes as f64 / rate);
        plain.acknowledged(sent, now);
    }
    assert_eq!(plain.passes().len(), moved.passes.len(), "{plain:?} {moved:?}");
    for (one, other) in plain.passes().iter().zip(&moved.passes) {
        let differs = (one.bytes as f64 / other.bytes as f64 - 1.0).abs();
        assert!(differs < 0.1, "{one:?} {other:?}");
        assert_eq!(one.is_quiesced, other.is_quiesced);
    }
    let quiesce_ms = moved.quiesce_ps.expect("it was stopped") as f64 / 1e9;
    assert!(quiesce_ms > 1.0 && quiesce_ms < 45.0, "{quiesce_ms}");
    let moved_bytes: u64 = moved.passes.iter().map(|pass| pass.bytes).sum();
    assert_eq!(run.intervals[0].islink_flows[0].bytes, moved_bytes, "each octet of a pass is delivered once");
}

/// A guest that changes pages faster than the link moves them stays, or is stopped for long; the summary has which.
#[test]
fn a_guest_that_does_not_converge_is_reported_so() {
    let keys = "memory = '64M'\ndirty_pages_per_s = 1000000\nquiesce_ms = 5\npasses = 3";
    let words = |more: &str| {
        let run = run_for(3.0, &[&(IDLE.to_owned() + &guest(&format!("{keys}\n{more}")))], 1);
        let [moved] = &run.relocations[..] else { panic!("one guest") };
        (moved.outcome, moved.passes.len(), halftrack_report::summary(&run))
    };
    let (outcome, passes, text) = words("");
    assert_eq!((outcome, passes), (RelocationOutcome::Cancelled, 3));
    assert!(text.contains("NOT MOVED: it did not converge in 3 passes"), "{text}");
    let (outcome, passes, text) = words("otherwise = 'quiesce'");
    assert_eq!((outcome, passes), (RelocationOutcome::Quiesced, 4));
    assert!(text.contains("did not converge in 3 passes: it was stopped"), "{text}");
    let late = guest("memory = '64G'").replace("0.15", "0.3");
    let run = run_for(0.4, &[&(IDLE.to_owned() + &late)], 1);
    assert_eq!(run.relocations[0].outcome, RelocationOutcome::Unfinished);
}

/// With one pass of the running guest the rest is moved while it stands.
#[test]
fn an_immediate_move_has_one_pass_of_the_running_guest() {
    let keys = "memory = '64M'\ndirty_pages_per_s = 20000\nquiesce_ms = 5\nimmediate = true";
    let run = run_for(2.0, &[&(IDLE.to_owned() + &guest(keys))], 1);
    let moved = &run.relocations[0];
    assert_eq!((moved.outcome, moved.passes.len()), (RelocationOutcome::Quiesced, 2));
    assert!(moved.passes[1].is_quiesced && moved.quiesce_ps > Some(5_000_000_000));
}

/// All work of a link at once is one record on any number of threads.
#[test]
fn every_thread_gives_the_same_work() {
    let all = requests("depth = 4\nthink_us = 100") + &guest("memory = '32M'\ndirty_pages_per_s = 2000");
    let other = "[[islink.bulk]]\nfrom = 'VMB'\n";
    let lost = "[[event]]\nat_s = 0.2\nlasts_s = 0.05\nkind = 'path-lost'\nchpid = '40'\n";
    let run = run_for(0.4, &[&all, other, lost], 1);
    assert_eq!(run, run_for(0.4, &[&all, other, lost], 2));
    assert!(of(&run, "islink_collisions_per_s") > 0.0);
}

/// Returns the published study with two channels of four devices, and these lines of a workload behind it.
fn two_channels(interval_s: f64, more: &str, threads: usize) -> Run {
    let interval = format!("run.interval_s={interval_s}");
    let mut study = published(&["islink.LINK.channels=2", &interval]);
    study.workload = halftrack_input::SourceFile::new("workload.toml", study.workload.text.clone() + more);
    simulate(&study, threads)
}

fn lost(kind: &str, at_s: f64, lasts_s: f64, part: &str) -> String {
    format!("[[event]]\nat_s = {at_s}\nlasts_s = {lasts_s}\nkind = '{kind}'\n{part}\n")
}

/// While a channel is lost the transfer goes on over the other one, and comes back to both; nothing is delivered twice.
#[test]
fn a_lost_channel_leaves_the_transfer_to_the_others() {
    let whole = two_channels(1.0, "", 1);
    let rate = |run: &Run| of(run, "islink_mb_per_s");
    for (kind, part) in [("path-lost", "chpid = '41'"), ("channel-lost", "chpid = '41'\nlate_us = 1")] {
        // Half of the second.
        let run = two_channels(1.0, &lost(kind, 0.5, 0.5, part), 1);
        let expected = 0.75 * rate(&whole);
        assert!((rate(&run) / expected - 1.0).abs() < 0.06, "{kind}: {} and {expected}", rate(&run));
        let moved: u64 = run.intervals[0].islink_flows.iter().map(|one| one.bytes).sum();
        let written: u64 = run.intervals[0].islinks.iter().map(|end| end.bytes).sum();
        let differs = (moved as f64 / written as f64 - 1.0).abs();
        assert!(differs < 0.06, "{kind}: {moved} delivered, {written} written");
    }
}

/// Where all channels are lost nothing moves; where a director is lost, none of its devices; with it all goes on.
#[test]
fn a_link_that_was_down_goes_on_where_it_was() {
    let down = lost("path-lost", 0.3, 0.3, "chpid = '40'") + &lost("path-lost", 0.3, 0.3, "chpid = '41'");
    for events in [down, lost("director-lost", 0.3, 0.3, "director = '11'")] {
        let run = two_channels(1.0, &events, 1);
        let expected = 0.7 * of(&two_channels(1.0, "", 1), "islink_mb_per_s");
        let rate = of(&run, "islink_mb_per_s");
        assert!((rate / expected - 1.0).abs() < 0.06, "{rate} and {expected}");
    }
}

/// Guests and requests outlive short losses in a row: each octet of a pass and each response comes once.
#[test]
fn losses_in_a_row_lose_and_double_nothing() {
    let mut events = String::new();
    for nth in 0..30 {
        let part = format!("chpid = '4{}'", nth % 2);
        events += &lost("path-lost", 0.21 + 0.013 * f64::from(nth), 0.004, &part);
    }
    let work = "[[islink.request]]\nname = 'R'\nfrom = 'VMB'\nrequest = '8K'\nresponse = '32K'\ndepth = 6\n\
                count = 400\n[[islink.relocate]]\nguest = 'G'\nfrom = 'VMA'\nat_s = 0.2\nmemory = '96M'\n\
                dirty_pages_per_s = 3000\nquiesce_ms = 100\n";
    let run = two_channels(4.0, &format!("{work}{events}"), 1);
    let [_, requests, guest] = &run.intervals[0].islink_flows[..] else { panic!("three flows") };
    assert_eq!(requests.bytes % 8192, 0);
    assert!(requests.responses > 100 && requests.answered_bytes == requests.responses * 32_768);
    let moved = &run.relocations[0];
    assert_eq!(moved.outcome, RelocationOutcome::Converged, "{moved:?}");
    assert_eq!(guest.bytes, moved.passes.iter().map(|pass| pass.bytes).sum::<u64>());
    assert_eq!(run, two_channels(4.0, &format!("{work}{events}"), 2));
}

/// A fibre into which nothing enters holds its devices up, and loses none of them.
#[test]
fn a_stalled_channel_holds_its_devices_up() {
    let stalled = two_channels(1.0, &lost("stalled", 0.4, 0.4, "chpid = '41'"), 1);
    let whole = of(&two_channels(1.0, "", 1), "islink_mb_per_s");
    let rate = of(&stalled, "islink_mb_per_s");
    assert!(rate < 0.9 * whole && rate > 0.6 * whole, "{rate} and {whole}");
}

/// A cable between two channels carries a link without a director, and is lost with either channel.
#[test]
fn a_cable_between_two_channels_carries_a_link() {
    let card = "[[card]]\ntype = 'ficon-express4'\npchids = ['100', '101']\n[[cable]]\npchid = '100'\nto = 'pchid 101'\n\
                km = 0.01\n";
    let plant =
        "[cpc]\nmodel = 'z16-max39'\n[[lpar]]\nname = 'VMA'\ncps = 4\n[[lpar]]\nname = 'VMB'\ncps = 4\n";
    let long = |first: &str, rest: &str| format!("{:<71}*\n{:15}{rest}\n", format!("         {first}"), "");
    let deck = [
        "         ID MSG1='CABLE',SYSTEM=(3931,1)\n         RESOURCE PARTITION=((CSS(0),(VMA,1),(VMB,2)))\n"
            .to_owned(),
        long("CHPID PATH=(CSS(0),40),PARTITION=((CSS(0),(VMA),(VMA))),", "PCHID=100,TYPE=FC"),
        long("CHPID PATH=(CSS(0),41),PARTITION=((CSS(0),(VMB),(VMB))),", "PCHID=101,TYPE=FC"),
        long("CNTLUNIT CUNUMBR=4001,PATH=((CSS(0),40)),", "UNITADD=((00,008)),CUADD=2,UNIT=FCTC"),
        long("IODEVICE ADDRESS=(4000,008),UNITADD=00,CUNUMBR=(4001),", "UNIT=FCTC"),
        long("CNTLUNIT CUNUMBR=4002,PATH=((CSS(0),41)),", "UNITADD=((00,008)),CUADD=1,UNIT=FCTC"),
        long("IODEVICE ADDRESS=(4000,008),UNITADD=00,CUNUMBR=(4002),", "UNIT=FCTC"),
    ]
    .concat();
    let study = |work: &str| {
        let mut study = both(&[LINK, work]);
        study.deck = halftrack_input::SourceFile::new("deck.iocp", deck.as_str());
        study.plant = halftrack_input::SourceFile::new("plant.toml", format!("{plant}{card}").as_str());
        study
    };
    let run = simulate(&study(""), 1);
    let rate = of(&run, "islink_mb_per_s");
    assert!((rate - 355.0).abs() < 8.0, "{rate}");
    assert!(run.intervals[0].links.iter().any(|link| link.name == "pchid 100 > pchid 101"));
    assert_eq!(run, simulate(&study(""), 2));
    let half = simulate(&study(&lost("path-lost", 0.3, 0.2, "chpid = '41'")), 1);
    assert!(of(&half, "islink_mb_per_s") < 0.6 * rate, "{}", of(&half, "islink_mb_per_s"));
}
