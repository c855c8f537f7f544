//! Sockets between partitions of a study: both paths, reports, and reasons of TCP.

use serde_json::Value;

use crate::support::{Study, code, number, reports, stderr, stdout};

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

/// The three uses of the paper, between two sites: work of a sysplex, a log that is replicated, and files. Each takes less time over
/// SMC-R than over TCP, at 10 km and at 100.
#[test]
fn a_sysplex_over_two_sites_a_replica_and_files_gain_at_10_and_at_100_km() {
    let latency = |km: u32, path: &str| {
        let study = Study::copy("sysplex-two-sites");
        study.rewrite("plant.toml", |text| text.replace("km = 10\n", &format!("km = {km}\n")));
        study.edit("workload.toml", |text| {
            text.replace("interval_s = 1.0", "interval_s = 0.5").replace("\"smc-r\"", &format!("\"{path}\""))
        });
        let report = reports(&study, &[]);
        let rows = "/systems/SYSA/socket_activity/conversations";
        let rows = report.pointer(rows).and_then(Value::as_array).expect("conversations");
        let names: Vec<_> = rows.iter().filter_map(|one| one["name"].as_str()).collect();
        assert_eq!(names, ["FILES", "REPLICA", "SYSPLEX"]);
        assert!(rows.iter().all(|one| one["path"].as_str() == Some(path)), "{rows:?}");
        [0, 1, 2].map(|at| number(&rows[at], "/figures/latency_us"))
    };
    for (km, way_us) in [(10, 100.0), (100, 1000.0)] {
        let (tcp, smc_r) = (latency(km, "tcp"), latency(km, "smc-r"));
        for (tcp, smc_r) in tcp.into_iter().zip(smc_r) {
            assert!(way_us < smc_r && smc_r < 0.95 * tcp, "{km} km: {smc_r} us, {tcp} us over TCP");
        }
    }
}

/// Returns the states at a time of the RoCE functions of a system, which are those of its virtual function, by PFID.
fn states(study: &Study, (system, vf): (&str, &str), at_s: &str) -> String {
    let output = study.halftrack("display", &["D PCIE", "--system", system, "--at", at_s]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let is_own = |line: &&str| line.contains("10GbE RoCE Express") && line.ends_with(vf);
    let lines = stdout(&output).lines().filter(is_own);
    lines.filter_map(|line| line.get(34..38)).collect::<Vec<_>>().join(" ")
}

#[test]
fn roce_functions_are_shown_in_update_and_standing_by_while_their_adapter_is_away() {
    let study = Study::short("smcr-distance");
    let events = "[[event]]\nkind = \"firmware-update\"\ngroup = \"RG1\"\nat_s = 0.002\nlasts_s = 0.008\n\
                  [[event]]\nkind = \"adapter-pulled\"\npchid = \"110\"\nat_s = 0.004\nlasts_s = 0.003\n\
                  [[event]]\nkind = \"adapter-pulled\"\npchid = \"170\"\nat_s = 0\nlasts_s = 0.001\n";
    study.edit("workload.toml", |text| format!("{text}\n{events}"));
    let of = |system: (&str, &str)| {
        ["0.0005", "0.0015", "0.003", "0.005", "0.008", "0.011"].map(|at| states(&study, system, at))
    };
    // Of those that talk over SMC-R, and of those that have their functions for nothing.
    let smc_r = ["ALLC STBY", "ALLC ALLC", "UPDT ALLC", "STBY ALLC", "UPDT ALLC", "ALLC ALLC"];
    assert_eq!(of(("LP03", "0003")), smc_r);
    assert_eq!(of(("LP02", "0002")), smc_r.map(|states| states.replace("ALLC", "CNFG")));
    // The same where nobody uses them: an update of firmware that moves no connection is none the less one.
    study.edit("workload.toml", |text| text.replace("\"smc-r\"", "\"tcp\""));
    assert_eq!(of(("LP03", "0003")), smc_r.map(|states| states.replace("ALLC", "CNFG")));
}

/// An adapter comes in the run: the conversation that began before it goes over TCP, the one that begins after it over SMC-R.
#[test]
fn an_adapter_that_is_plugged_serves_without_a_restart() {
    let study = Study::short("smcr-distance");
    let script = study.beside("script.toml");
    let pull = |pchid: &str| {
        format!("[[event]]\nkind = \"adapter-pulled\"\npchid = \"{pchid}\"\nat_s = 0\nlasts_s = 0.003\n")
    };
    let events = pull("110") + &pull("170");
    std::fs::write(&script, format!("duration_s = 0.025\n{events}")).expect("a script");
    let script = script.to_str().expect("a path in UTF-8");
    study.edit("workload.toml", |text| {
        let late = "\n[[conversation]]\nname = \"LATE\"\nclient = \"LP03\"\nserver = \"LP04\"\npath = \"smc-r\"\n\
                    request = \"1K\"\nresponse = \"1K\"\nat_s = 0.004\n";
        text.to_owned() + late
    });
    let output = study.halftrack("run", &["--system", "LP03", "--faults", script]);
    assert_eq!(code(&output), 0, "{}", stderr(&output));
    let words = "0 s to 0.003 s: adapter 110 is not plugged";
    assert!(stderr(&output).contains(words), "{}", stderr(&output));
    let listing: Vec<&str> = stdout(&output).lines().collect();
    let behind = |name: &str| {
        let at = listing.iter().position(|line| line.starts_with(name)).expect("the conversation");
        listing.get(at + 1).copied().unwrap_or_default()
    };
    assert_eq!(behind("SMCR "), "  CONNECTIONS OVER TCP: 1");
    assert!(!behind("LATE ").contains("TCP:"), "{}", behind("LATE "));
    let output = study.halftrack("run", &["--json", "--faults", script]);
    let report: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    let of = |at: usize, key: &str| {
        number(&report, &format!("/systems/LP03/socket_activity/conversations/{at}/{key}"))
    };
    assert_eq!([of(0, "fallen_back"), of(1, "fallen_back")], [0.0, 1.0]);
    assert!(of(0, "figures/latency_us") < 0.6 * of(1, "figures/latency_us"), "SMC-R beside TCP");
}
