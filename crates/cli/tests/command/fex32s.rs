//! Scoreboard of FICON Express32S: the figures that features of docs/coverage.md rest on. The bounds are those of the
//! project, 5 % or 15 %, not those of today's results.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::scoreboard::scoreboard;
use crate::support::{Study, code, number, stderr, stdout};

/// A row of the scoreboard.
struct Answer {
    status: String,
    simulated: f64,
    /// Against the printed value, percent.
    error: f64,
    holds: bool,
}

/// Returns the rows of `pattern` that have a value, by their ids.
fn answers(pattern: &str) -> BTreeMap<String, Answer> {
    let output = scoreboard(&[pattern, "--json"]);
    let rows: Vec<Value> = serde_json::from_str(stdout(&output)).expect("a JSON array");
    let answer = |row: &Value| {
        let number = |key: &str| row[key].as_f64();
        let answer = Answer {
            status: row["status"].as_str()?.to_owned(),
            simulated: number("simulated")?,
            error: number("error_percent")?,
            holds: row["holds"].as_bool()?,
        };
        Some((row["id"].as_str()?.to_owned(), answer))
    };
    rows.iter().filter_map(answer).collect()
}

/// Returns the row `id`, whose error must be within `percent`.
fn within<'a>(answers: &'a BTreeMap<String, Answer>, id: &str, percent: f64) -> &'a Answer {
    let answer = answers.get(id).unwrap_or_else(|| panic!("{id} is not answered"));
    assert!(answer.error.abs() <= percent, "{id}: {:.1} %", answer.error);
    answer
}

#[test]
fn response_climbs_gently_to_18000_and_turns_up_between_20000_and_24000() {
    let found = answers("fex32s-*4k-*");
    within(&found, "fex32s-zhpf-vs-ficon-4k-rt-gain", 5.0);
    assert_eq!(within(&found, "fex32s-ficon-4k-rt-at-18k", 5.0).status, "predicted");
    assert!(within(&found, "fex32s-ficon-4k-knee", 5.0).holds);
    within(&found, "fex32s-zhpf-4k-rt-at-300k", 15.0);
}

#[test]
fn larger_transfers_bring_both_protocols_to_their_plateaus() {
    let found = answers("fex32s-*-mbps*");
    assert!(within(&found, "fex32s-zhpf-16x4k-up-mix-mbps", 15.0).holds);
    assert!(within(&found, "fex32s-ficon-16x4k-up-mix-mbps", 15.0).holds);
    assert_eq!(within(&found, "fex32s-zhpf-over-ficon-8k-mbps-ratio", 5.0).status, "predicted");
    within(&found, "fex32s-zhpf-4k-mbps", 5.0);
    within(&found, "fex32s-ficon-4k-mbps", 5.0);
    within(&found, "fex32s-zhpf-over-ficon-128k-mbps-ratio", 5.0);
    // The chart of generations has 5,400 where the curve of sizes has more than 6,000.
    let other = &found["fex32s-zhpf-large-mix-max-mbps"];
    assert!(other.status == "contradicted" && other.simulated > 6000.0, "{}", other.simulated);
}

#[test]
fn channel_card_interconnect_and_fanout_each_have_a_limit() {
    let found = answers("fex32s-*-mbps");
    let channel = within(&found, "fex32s-zhpf-16x4k-up-mix-mbps", 5.0).simulated;
    let [read, write, mix] = ["read", "write", "read-write"]
        .map(|way| within(&found, &format!("fex32s-card-zhpf-128k-{way}-mbps"), 5.0).simulated);
    // Two links of a card carry all that is read; a card writes less, and moves less both ways than two channels would.
    assert!(write < read && mix > 9000.0 && mix < 2.0 * channel, "{read} {write} {mix} {channel}");
    let wider = answers("pcie-*-gbps");
    let gbps = |level: &str, way: &str| within(&wider, &format!("pcie-{level}-{way}-gbps"), 5.0).simulated;
    for (way, card) in [("read", read), ("write", write), ("read-write", mix)] {
        // Fewer cards than the eight of a domain fill its interconnect, and two interconnects a fanout.
        assert!(gbps("interconnect", way) < 8.0 * card / 1000.0, "{way}");
        assert!((gbps("fanout", way) / gbps("interconnect", way) - 2.0).abs() < 0.05, "{way}");
    }
}

#[test]
fn jobs_of_both_protocols_share_the_time_of_the_channel() {
    let found = answers("fex32s-mix-*-iops");
    within(&found, "fex32s-mix-90-10-iops", 15.0);
    // Shares of the I/Os would give 46,500, the harmonic mean of the two maxima.
    assert!(within(&found, "fex32s-mix-50-50-iops", 15.0).simulated > 100_000.0);
}

#[test]
fn the_data_router_leaves_the_channel_processor_idle() {
    let found = answers("fex32s-*-proc-util*");
    assert!(within(&found, "fex32s-zhpf-32x4k-read-max-proc-util", 15.0).holds);
    within(&found, "fex32s-ficon-over-zhpf-proc-util-ratio", 15.0);
}

#[test]
fn one_bus_rate_a_card_gives_the_bus_column_at_every_link_speed() {
    let found = answers("rmf-cpa-*");
    for chpid in ["40", "4e", "90", "92", "93", "96", "97"] {
        within(&found, &format!("rmf-cpa-{chpid}-bus"), 1.0);
    }
    for chpid in ["40", "4e", "97"] {
        within(&found, &format!("rmf-cpa-{chpid}-util-total"), 15.0);
    }
    within(&found, "rmf-cpa-defer-all-zero", 0.0);
}

#[test]
fn credits_and_light_decide_over_100_km() {
    let found = answers("*100km-*");
    for records in ["1x4k", "32x4k", "128x4k"] {
        within(&found, &format!("distance-100km-added-rt-{records}-read-ms"), 5.0);
    }
    within(&found, "isl-100km-128k-oneway-1690-mbps", 5.0);
    // Two fibres at the rate of the standard; docs/validity.md, rates of links.
    within(&found, "isl-100km-128k-mix-1690-mbps", 10.0);
    // 720 frames of 2,023 bytes in a round trip of 1 ms, less what is no data.
    let few = &found["isl-100km-128k-oneway-720-mbps"];
    assert_eq!(few.status, "contradicted");
    assert!((1_380.0..1_457.0).contains(&few.simulated), "{}", few.simulated);
}

#[test]
fn half_a_credit_for_each_km_and_gbps_is_what_a_link_of_100_km_needs() {
    let found = answers("isl-*");
    for gbps in [1, 2, 4, 8, 32] {
        let least = within(&found, &format!("isl-credit-rule-{gbps}g-100km"), 5.0);
        assert_eq!(least.status, "predicted");
    }
    within(&found, "isl-credit-rule-per-km-per-gbps", 5.0);
    // A port of 10 Gbit/s carries 1,275 MB/s and needs a quarter more than the rule gives.
    let ten = &found["isl-credit-rule-10g-100km"];
    assert_eq!(ten.status, "contradicted");
    assert!((620.0..645.0).contains(&ten.simulated), "{}", ten.simulated);
    // What 720 and 1,690 credits let through, whatever the link could carry.
    within(&found, "isl-100km-credit-bound-720-mbps", 5.0);
    within(&found, "isl-100km-credit-bound-1690-mbps", 5.0);
}

#[test]
fn the_credits_of_a_channel_reach_five_kilometres() {
    let study = Study::copy("published/fex32s-one-channel");
    let km = ["--set", "plant.cable.100.km=0.1,5,6.5"];
    let blocks =
        ["--set", "workload.stream.MAIN.program.records=32", "--set", "workload.run.interval_s=0.05"];
    let output = study.halftrack("sweep", &[&km[..], &blocks, &["--json", "--no-cache"]].concat());
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let swept: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let [near, five, further] =
        [0, 1, 2].map(|point| number(&swept, &format!("/points/{point}/values/mb_per_s")));
    assert!(near > 3000.0 && (five / near - 1.0).abs() < 0.01, "{near} {five}");
    assert!(further < 0.95 * near, "{near} {further}");
}

#[test]
fn device_rows_split_the_response_as_the_sample_report_does() {
    let found = answers("rmf-dasd-7*");
    for device in ["7800", "7881", "7902", "7983", "7a00", "7a81", "7b02", "7b83"] {
        for column in ["resp", "pend", "conn"] {
            within(&found, &format!("rmf-dasd-{device}-{column}"), 15.0);
        }
    }
}

#[test]
fn an_interconnect_limits_its_domain_and_two_of_them_a_fanout() {
    let found = answers("pcie-*");
    for (level, kind) in [("interconnect", "definition"), ("fanout", "predicted")] {
        for way in ["read", "write", "read-write"] {
            let answer = within(&found, &format!("pcie-{level}-{way}-gbps"), 5.0);
            assert_eq!(answer.status, kind, "{level} {way}");
        }
    }
    // The cards of a domain that has lost its interconnect go over the other, which carries no more than before.
    assert_eq!(within(&found, "pcie-alternate-path-read-gbps", 5.0).status, "predicted");
    let write = &found["pcie-alternate-path-write-gbps"];
    assert_eq!(write.status, "contradicted");
    assert!((write.simulated - 13.0).abs() < 0.1, "{}", write.simulated);
}
