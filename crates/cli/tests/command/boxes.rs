//! Storage boxes as users meet them: ports of an ESS between cards of 2002, boxes of unlike hit ratios on one channel,
//! several systems and adapters, aliases in the report.

use std::fs;

use serde_json::Value;

use crate::support::{Study, code, number, reports, repository, stderr, stdout};

/// Returns the values of `quantities`, of the study with `set`.
fn values<const N: usize>(study: &Study, set: &[&str], quantities: [&str; N]) -> [f64; N] {
    let mut arguments = vec!["--json", "--no-cache", "--y"];
    let list = quantities.join(",");
    arguments.push(&list);
    // A change that changes nothing: a sweep wants one.
    arguments.extend(["--set", "workload.run.seed=1"]);
    set.iter().for_each(|one| arguments.extend(["--set", one]));
    let output = study.halftrack("sweep", &arguments);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    let points: Value = serde_json::from_str(stdout(&output)).expect("JSON");
    quantities.map(|name| {
        points["points"][0]["values"][name].as_f64().unwrap_or_else(|| panic!("{name} in {points:#}"))
    })
}

fn rate(study: &Study, set: &[&str]) -> f64 {
    values(study, set, ["rate_per_s"])[0]
}

/// A port of model F10 or F20 is faster than a channel of G5 or G6: a second channel adds to it.
#[test]
fn two_channels_of_a_g6_on_one_port_beat_one() {
    for model in ["ess-f10", "ess-f20"] {
        let kind = format!("plant.control_unit.ESS1.type={model}");
        let one_port = ["workload.stream.MAIN.devices=[\"1000-103F\"]", &kind];
        let study = Study::copy("published/ficon-2002-g6");
        let one = rate(&study, &one_port);
        study.edit("deck.iocp", |text| {
            let path = "PATH=(40),SHARED,SWITCH=11,TYPE=FC\n";
            text.replacen(path, &format!("{path}         CHPID PATH=(41),SHARED,SWITCH=11,TYPE=FC\n"), 1)
                .replacen(
                    "PATH=(40),UNITADD=((00,256)),           *",
                    "PATH=(40,41),UNITADD=((00,256)),        *",
                    1,
                )
                .replacen("LINK=(04)", "LINK=(04,04)", 1)
        });
        study.edit("plant.toml", |text| {
            let card = "[[card]]\ntype = \"ficon-g5g6\"\nchpids = [\"41\"]\n\n[[cable]]\nchpid = \"41\"\nto = \"11.21\"\nkm = 0.1\n\n";
            text.replacen("[[director]]", &format!("{card}[[director]]"), 1)
        });
        let two = rate(&study, &one_port);
        assert!(two > 1.25 * one && two < 1.95 * one, "{model}: {one} and {two} a second");
    }
}

/// It is slower than a channel of the z900: a second port adds to one channel.
#[test]
fn two_ports_behind_a_channel_of_a_z900_beat_one() {
    let study = Study::copy("published/ficon-2002-channel");
    for model in ["ess-f10", "ess-f20"] {
        let kind = format!("plant.control_unit.ESS1.type={model}");
        let one = rate(&study, &["workload.stream.MAIN.devices=[\"1000-103F\"]", &kind]);
        let two = rate(&study, &[&kind]);
        assert!(two > 1.25 * one, "{model}: {one} and {two} a second");
    }
}

/// The paper of 2002: a control unit with few hits fills the 32 open exchanges of its channel while the channel has
/// little to do; one with many hits beside it uses what is left.
#[test]
fn a_low_hit_box_fills_the_exchanges_and_a_high_hit_box_beside_it_the_channel() {
    let study = Study::copy("published/ficon-2002-boxes");
    let words = ["ficon_active", "channel_estimate_percent", "rate_per_s", "cache_hit_percent:LOW"];
    let [active, busy, alone, hits] = values(&study, &["workload.stream.HIGH=none"], words);
    assert!(active > 31.5 && busy < 45.0, "{active} exchanges, channel {busy} %");
    assert!((20.0..40.0).contains(&hits), "{hits} %");
    let [active, busy_together, together, _] = values(&study, &[], words);
    assert!(active > 31.5 && busy_together > 1.5 * busy, "{active} exchanges, channel {busy_together} %");
    assert!(together > 1.5 * alone, "{alone} and {together} a second");
    // The box itself reports its hits: with more of them less of the exchanges is waited for.
    let [_, _, better, _] = values(&study, &["plant.control_unit.HIGH.hit_ratio=1"], words);
    let [_, _, worse, _] = values(&study, &["plant.control_unit.HIGH.hit_ratio=0.3"], words);
    assert!(better > 1.05 * together && together > 1.3 * worse, "{worse}, {together}, {better} a second");
}

/// Four adapters carry what one channel can; one of them does not. Two systems get no more out of it together than one.
#[test]
fn the_maximum_of_a_channel_is_seen_over_several_adapters_and_from_several_systems() {
    let study = Study::short("fex32s-zhpf-4k");
    let command = ["workload.stream.READ4K.protocol=command", "workload.stream.READ4K.closed.jobs=60"];
    let over_four = rate(&study, &command);
    let over_one =
        rate(&study, &[&command[..], &["workload.stream.READ4K.devices=[\"1000-103F\"]"]].concat());
    assert!(over_one < 0.85 * over_four, "{over_one} over one adapter, {over_four} over four");
    let four = rate(&study, &[]);
    study.edit("deck.iocp", |text| {
        text.replace("((CSS(0),(PROD1,1)))", "((CSS(0),(PROD1,1),(PROD2,2)))").replacen(
            "RESOURCE PARTITION=((CSS(0),(PROD1,1),(PROD2,2))),                      *",
            "RESOURCE PARTITION=((CSS(0),(PROD1,1),(PROD2,2))),            *",
            1,
        )
    });
    study.edit("plant.toml", |text| {
        let system =
            "[[lpar]]\nname = \"PROD2\"\nsmfid = \"PRD2\"\ncps = 8\nzhpf = \"YES\"\nhyperpav = \"YES\"\n\n";
        text.replacen("[[card]]", &format!("{system}[[card]]"), 1)
    });
    study.edit("workload.toml", |text| {
        let (_, stream) = text.split_once("[[stream]]").expect("a stream");
        let second = stream.replace("READ4K", "SECOND").replace("PROD1", "PROD2");
        format!("{text}\n[[stream]]{second}")
    });
    let [both, second] = values(&study, &[], ["rate_per_s", "rate_per_s:SECOND"]);
    assert!((both / four - 1.0).abs() < 0.02, "{four} of one system, {both} of both");
    assert!((second / both - 0.5).abs() < 0.02, "{second} of {both} are the second system's");
}

/// PAV and IOSQ of DIRECT ACCESS DEVICE ACTIVITY for one base, with aliases and without.
#[test]
fn the_report_shows_aliases_and_iosq_falls_with_them() {
    let study = Study::short("fex32s-zhpf-4k");
    study.edit("workload.toml", |text| {
        text.replace("\"1000-103F\", \"1100-113F\", \"1200-123F\", \"1300-133F\"", "\"1000\"")
            .replace("jobs = 96", "jobs = 8")
    });
    let row = || {
        let output = study.halftrack("run", &[]);
        assert_eq!(code(&output), 0, "{}", stderr(&output));
        let line = stdout(&output)
            .lines()
            .find(|line| line.trim_start().starts_with("01000 "))
            .expect("a row")
            .to_owned();
        let columns: Vec<&str> = line.split_whitespace().collect();
        (columns[4].to_owned(), columns[8].parse::<f64>().expect("IOSQ"))
    };
    let (pav, iosq) = row();
    let exposures: f64 = pav.strip_suffix('H').expect("a HyperPAV base").parse().expect("a number");
    assert!(exposures > 6.0 && iosq < 0.005, "{pav} {iosq}");
    study.edit("plant.toml", |text| text.replace("hyperpav = \"YES\"", "hyperpav = \"NO\""));
    let (pav, without) = row();
    assert!(pav == "1.0" && without > 0.3, "{pav} {without}");
}

/// Makes `fex32s-zhpf-4k` on control units of the user's own catalog: the DS8950 with `more` numbers.
fn of_own_catalog(more: &str) -> (Study, Vec<String>) {
    let study = Study::short("fex32s-zhpf-4k");
    let built_in = fs::read_to_string(repository().join("catalog/control-unit/ds8950.toml")).expect("a box");
    fs::create_dir_all(study.beside("catalog/control-unit")).expect("a directory");
    fs::write(study.beside("catalog/control-unit/narrow.toml"), format!("{built_in}\n{more}"))
        .expect("a box");
    study.edit("plant.toml", |text| text.replace("type = \"ds8950\"", "type = \"narrow\""));
    let catalog = study.beside("catalog").to_str().expect("a path in UTF-8").to_owned();
    (study, vec!["--catalog".to_owned(), catalog])
}

fn limit(table: &str, key: &str, value: u32) -> String {
    format!("[{table}.{key}]\nvalue = {value}\nsource = \"assumed\"\nreason = \"a test\"\n")
}

/// Blocks of 4 KiB: 1,000 MB/s are 244,000 a second, four microseconds an I/O at most 250,000, where the channel has 300,000.
#[test]
fn a_box_of_the_users_catalog_limits_what_its_adapters_do_together() {
    let run = |more: &str| {
        let (study, catalog) = of_own_catalog(more);
        // Behind a narrow place it takes a while until the jobs have come to rest.
        let found = reports(&study, &[&catalog[0], &catalog[1], "--warmup", "0.1"]);
        let bottleneck =
            found.pointer("/summary/bottleneck/name").and_then(Value::as_str).unwrap_or_default();
        (number(&found, "/summary/streams/0/rate_per_s/mean"), bottleneck.to_owned())
    };
    let (free, of_free) = run("");
    assert!(free > 290_000.0 && of_free.starts_with("channel"), "{free} by {of_free}");
    let (bus, of_bus) = run(&limit("box", "mb_per_s", 1000));
    assert!((bus / 244_141.0 - 1.0).abs() < 0.02 && of_bus == "box BOXA bus", "{bus} by {of_bus}");
    let (work, of_work) = run(&limit("box", "io_us", 5));
    assert!((work / 200_000.0 - 1.0).abs() < 0.02 && of_work == "box BOXA clusters", "{work} by {of_work}");
    // Ports 0100 and 0130 are in bay 01, which has half of the work; the others have a bay each.
    let (bay, of_bay) = run(&limit("bay", "mb_per_s", 300));
    assert!(bay < 0.6 * free && of_bay == "bay 01 of BOXA bus", "{bay} by {of_bay}");
}

#[test]
fn a_box_that_shares_nothing_is_refused() {
    let (study, catalog) = of_own_catalog("[box]\n");
    let output = study.halftrack("run", &[catalog[0].as_str(), catalog[1].as_str()]);
    assert_eq!(code(&output), 2);
    assert!(
        stderr(&output).contains("HTK893E") && stderr(&output).contains("narrow.toml:"),
        "{}",
        stderr(&output)
    );
}
