//! Sockets between partitions of a study: both paths, reports, and reasons of TCP.

use serde_json::Value;

use crate::support::{Study, number, reports, stderr, stdout};

/// Returns a figure of the only conversation of `system`.
fn figure(report: &Value, system: &str, key: &str) -> f64 {
    number(report, &format!("/systems/{system}/socket_activity/conversations/0/figures/{key}"))
}

/// The paper: 47 % less time over SMC-R at 10 km, and 9 % at 100 km; processors work as much at both.
#[test]
fn smc_r_saves_the_same_time_at_any_distance() {
    let study = Study::short("smcr-distance");
    let cut = |report: &Value| {
        let [tcp, smc_r] = ["LP01", "LP03"].map(|system| figure(report, system, "latency_us"));
        (100.0 * (1.0 - smc_r / tcp), tcp - smc_r)
    };
    let near = reports(&study, &[]);
    study.edit("plant.toml", |text| text.replace("km = 10\n", "km = 100\n"));
    let far = reports(&study, &[]);
    let ((near_percent, near_us), (far_percent, far_us)) = (cut(&near), cut(&far));
    assert!((46.5..47.5).contains(&near_percent), "{near_percent} %");
    assert!((8.5..9.5).contains(&far_percent), "{far_percent} %");
    assert!((near_us - far_us).abs() < 0.1, "{near_us} us, {far_us} us");
    let work = |report| figure(report, "LP01", "client_us");
    assert!((work(&near) / work(&far) - 1.0).abs() < 0.1, "{} us, {} us", work(&near), work(&far));
}

#[test]
fn the_listing_and_the_page_have_conversations() {
    let study = Study::short("smcr-distance");
    let directory = tempfile::tempdir().expect("temporary directory");
    let out = directory.path().join("out");
    let printed = study.halftrack("run", &["--system", "LP04", "--out", out.to_str().expect("path")]);
    assert!(stdout(&printed).contains("S O C K E T   A C T I V I T Y"), "{}", stdout(&printed));
    assert!(
        stdout(&printed).contains("SMCR             LP03     LP04     smc-r NET1"),
        "{}",
        stdout(&printed)
    );
    let page = std::fs::read_to_string(out.join("report.html")).expect("a page");
    assert!(page.contains("<h2>Conversations</h2>") && page.contains("SMCR"));
}

#[test]
fn a_conversation_without_a_common_network_of_functions_runs_over_tcp() {
    let study = Study::short("smcr-distance");
    study.edit("deck.iocp", |text| text.replace("PNETID=(NET1,NET2)", "PNETID=(NET3,NET2)"));
    let printed = study.halftrack("run", &["--json"]);
    let report: Value = serde_json::from_str(stdout(&printed)).expect("JSON");
    let one = report.pointer("/systems/LP03/socket_activity/conversations/0").expect("a conversation");
    assert_eq!(one["path"].as_str(), Some("tcp"));
    let words = "the RoCE functions of LP03 are on NET2, NET3, and its OSD on NET1";
    assert_eq!(one["fallback"].as_str(), Some(words));
    let printed = study.halftrack("run", &["--system", "LP03"]);
    assert!(stderr(&printed).contains("HTK709W"), "{}", stderr(&printed));
    assert!(stdout(&printed).contains(&format!("FALLS BACK TO TCP: {words}")), "{}", stdout(&printed));
}

#[test]
fn a_sweep_draws_both_paths() {
    let study = Study::short("smcr-distance");
    let swept = study.halftrack(
        "sweep",
        &[
            "--set",
            "plant.network.NET1.km=10,100",
            "--set",
            "workload.conversation.SMCR.path=tcp,smc-r",
            "--y",
            "conversation_latency_us:SMCR",
            "--no-cache",
            "--json",
        ],
    );
    let sheet: Value = serde_json::from_str(stdout(&swept)).expect("JSON");
    let points = sheet["points"].as_array().expect("points");
    let of = |point: &Value| point["values"]["conversation_latency_us:SMCR"].as_f64();
    let us: Vec<f64> = points.iter().filter_map(of).collect();
    // TCP and SMC-R at 10 km, then at 100 km: 90 km are 900 us.
    let [tcp, smc_r, far_tcp, far_smc_r] = us[..] else { panic!("{sheet}") };
    assert!(smc_r < tcp && far_smc_r < far_tcp, "{us:?}");
    assert!((far_tcp - tcp - 900.0).abs() < 0.1 && (far_smc_r - smc_r - 900.0).abs() < 0.1, "{us:?}");
}
