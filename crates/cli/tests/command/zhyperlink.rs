//! zHyperLink from the command line: Figure 17 of the paper on FICON Express32S, what CPs spin, why an I/O is not synchronous.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::support::{Study, code, halftrack, number, repository, stderr, stdout};

/// The devices of Figure 17 whose synchronous rates it prints.
const DEVICES: [&str; 7] = ["7800", "7881", "7902", "7983", "7a00", "7a81", "7b02"];

/// Returns the rows of `halftrack published PATTERN` by id.
fn answers(pattern: &str) -> BTreeMap<String, Value> {
    let output = halftrack(&["published", pattern, "--no-cache", "--json"]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let rows: Vec<Value> = serde_json::from_str(stdout(&output)).expect("a JSON array");
    rows.into_iter().map(|row| (row["id"].as_str().expect("an id").to_owned(), row)).collect()
}

/// Returns the quantities `y` of the study at each of the values of `set`, without other arguments of one point.
fn swept(study: &str, set: &[&str], y: &str) -> Vec<BTreeMap<String, f64>> {
    let study = repository().join("studies").join(study);
    let mut arguments = vec!["sweep", study.to_str().expect("UTF-8"), "--y", y, "--json", "--no-cache"];
    set.iter().for_each(|one| arguments.extend(["--set", one]));
    let output = halftrack(&arguments);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let found: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let points = found["points"].as_array().expect("points");
    let of = |point: &Value| {
        let values = point["values"].as_object().expect("values");
        values.iter().map(|(name, value)| (name.clone(), value.as_f64().expect("a number"))).collect()
    };
    points.iter().map(of).collect()
}

/// The rate of each device is an input. The share that finds its link in use is not: it is that of 16 links of one
/// request each, which a read holds for a quarter of what FICON takes.
#[test]
fn figure_17_comes_out_of_sixteen_links_and_no_queue() {
    let found = answers("rmf-sync-*");
    for device in DEVICES {
        for column in ["async-rate", "read-resp", "read-mbps", "success", "link-busy"] {
            let row = &found[&format!("rmf-sync-{device}-{column}")];
            assert!(number(row, "/error_percent").abs() < 5.0, "{row:#}");
            let status = if (device, column) == ("7800", "read-resp") { "fitted" } else { "predicted" };
            assert_eq!(row["status"], status, "{row:#}");
        }
    }
    for row in ["rmf-sync-cache-miss-zero", "rmf-sync-write-rate-zero"] {
        assert_eq!(number(&found[row], "/simulated"), 0.0, "{row}");
    }
    let independent: Vec<&String> =
        found.iter().filter(|(_, row)| row["independent"] == true).map(|(id, _)| id).collect();
    assert_eq!(independent, ["rmf-sync-7800-link-busy"], "one mechanism counts once");
}

/// Figure 16: reads are what a number is fitted to. For writes no more than the printed three times may come out.
#[test]
fn a_write_gains_less_than_a_read_and_no_more_than_the_paper_has() {
    let found = answers("zhl-*");
    let [read, write] = ["read", "write"].map(|way| &found[&format!("zhl-4k-{way}-latency-ratio")]);
    assert_eq!((read["status"].as_str(), write["status"].as_str()), (Some("fitted"), Some("predicted")));
    assert!(number(read, "/error_percent").abs() < 3.0 && read["holds"] == true, "{read:#}");
    assert!(write["holds"] == true, "{write:#}");
    assert!((1.5..number(read, "/simulated")).contains(&number(write, "/simulated")), "{write:#}");
    let of_both = &found["zhl-async-over-sync-rt-ratio"];
    assert!(number(of_both, "/error_percent").abs() < 5.0, "{of_both:#}");
}

#[test]
fn limits_of_the_paper_are_those_that_are_refused() {
    let found = answers("zhl-*");
    for (id, limit) in [
        ("zhl-max-cable-km", 0.15),
        ("zhl-max-adapters", 8.0),
        ("zhl-ports-per-adapter", 2.0),
        ("zhl-virtual-functions-per-port", 64.0),
        ("zhl-alignment-bytes", 16.0),
        ("zhl-max-read-record-bytes", 4096.0),
        ("zhl-pcie-lanes", 8.0),
    ] {
        let row = &found[id];
        assert!((number(row, "/simulated") - limit).abs() < 1e-9, "{row:#}");
        assert_eq!(row["status"], "definition");
    }
}

/// 128,000 reads a second of 26 us each are 3.3 CPs; the rest of what they are busy starts the I/Os that go to the channels.
#[test]
fn the_cps_that_eight_devices_keep_spinning_are_rate_times_26_us() {
    let cps = "station_percent:lpar PROD1 CPs";
    let y = format!("{cps},sync_read_per_s,sync_read_response_ms,sync_rejects_per_s,activity_per_s");
    let set = ["workload.run.interval_s=0.2"];
    let [found] = &swept("published/fex32s-zhyperlink", &set, &y)[..] else { panic!("one point") };
    let spinning = found["sync_read_per_s"] * found["sync_read_response_ms"] / 1000.0;
    assert!((spinning - 3.3).abs() < 0.1, "{spinning}");
    let busy = found[cps] / 100.0 * 8.0;
    assert!(spinning < busy && busy < 1.06 * spinning, "{busy} CPs busy, of which {spinning} spin");
    // Every reject, and nothing else, is an I/O of the channels.
    let (rejects, over) = (found["sync_rejects_per_s"], found["activity_per_s"]);
    assert!((rejects / over - 1.0).abs() < 0.001, "{rejects} {over}");
}

/// One load with zHyperLink and without, by the switches of the partitions.
#[test]
fn a_database_waits_less_and_its_cps_and_not_its_channels_work_for_it() {
    let cps = "station_percent:lpar PROD1 CPs";
    let y = format!("response_us:DB1,response_us:LOG1,rate_per_s:DB1,iop_start_per_s,{cps}");
    let set = ["plant.lpar.*.zhyperlink=NONE,READ,ALL", "workload.run.interval_s=0.3"];
    let [none, read, all] = &swept("z16-zhyperlink", &set, &y)[..] else { panic!("three points") };
    assert!(all["response_us:DB1"] < read["response_us:DB1"], "{read:?} {all:?}");
    assert!(read["response_us:DB1"] < none["response_us:DB1"], "{none:?} {read:?}");
    // A log is written only.
    assert!((read["response_us:LOG1"] / none["response_us:LOG1"] - 1.0).abs() < 0.02, "{none:?} {read:?}");
    assert!(all["response_us:LOG1"] < 0.6 * none["response_us:LOG1"], "{none:?} {all:?}");
    assert!(all[cps] > 5.0 * none[cps] && all["iop_start_per_s"] < 0.25 * none["iop_start_per_s"], "{all:?}");
    assert!((all["rate_per_s:DB1"] / none["rate_per_s:DB1"] - 1.0).abs() < 0.01, "{none:?} {all:?}");
}

/// FICON gets every reject and every I/O that is not tried; requests are the I/Os that were tried.
#[test]
fn each_reason_sends_an_io_to_the_channels() {
    let y = "sync_requests_per_s,sync_success_percent,sync_link_busy_percent,sync_cache_miss_percent,\
             sync_timeout_percent,sync_other_percent,sync_rejects_per_s,sync_not_tried_per_s,activity_per_s";
    let short = "workload.run.interval_s=0.3";
    for (set, is_tried) in [
        ("workload.stream.DB1.hit_ratio=0.5", true),
        ("workload.stream.DB1.buffer_alignment_bytes=8", false),
        ("workload.stream.DB1.program={ record_bytes = 5120 }", false),
        ("plant.lpar.*.zhyperlink=READ", false),
        ("plant.control_unit.BOXA.zhyperlink_write=false", false),
    ] {
        let [found] = &swept("z16-zhyperlink", &[set, short], y)[..] else { panic!("one point") };
        let percent: f64 = ["success", "link_busy", "cache_miss", "timeout", "other"]
            .map(|outcome| found[&format!("sync_{outcome}_percent")])
            .iter()
            .sum();
        assert!((percent - 100.0).abs() < 1e-6, "{set}: {found:?}");
        let (rejects, not_tried) = (found["sync_rejects_per_s"], found["sync_not_tried_per_s"]);
        assert_eq!(not_tried == 0.0, is_tried, "{set}: {found:?}");
        let over = found["activity_per_s"];
        assert!(((rejects + not_tried) / over - 1.0).abs() < 0.002, "{set}: {found:?}");
    }
}

/// A study with one thing wrong in it is refused or warned of, with the place.
#[test]
fn what_cannot_be_synchronous_is_told_with_its_place() {
    let told = |file: &str, from: &str, to: &str| {
        let study = Study::copy("published/fex32s-zhyperlink-latency");
        study.edit(file, |text| text.replacen(from, to, 1));
        let output = study.halftrack("check", &[]);
        format!("{}{}", stdout(&output), stderr(&output))
    };
    let function = "         FUNCTION FID=0011,VF=1,PORT=1,PCHID=180,PART=PROD1,TYPE=HYL\n";
    for (file, from, to, number, words) in [
        ("plant.toml", "metres = 10", "metres = 10000", "HTK828E", "10000 m long; it reaches 150 m"),
        ("workload.toml", "4096", "5120", "HTK829W", "no single record that a request may have"),
        (
            "workload.toml",
            "synchronous = true",
            "synchronous = true\nbuffer_alignment_bytes = 8",
            "HTK829W",
            "no multiple of 16",
        ),
        ("plant.toml", "port = 1", "port = 2", "HTK838W", "which has no zHyperLink cable"),
        ("deck.iocp", function, "", "HTK838W", "no FUNCTION of TYPE=HYL"),
    ] {
        let said = told(file, from, to);
        let line = said.lines().find(|line| line.contains(words)).unwrap_or_else(|| panic!("{said}"));
        assert!(line.starts_with(number), "{line}");
    }
}
