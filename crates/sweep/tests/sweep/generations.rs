//! Older cards and control units: what one number fewer, a faster link or a newer box does to them.

use std::fs;
use std::path::Path;

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_record::Run;
use halftrack_sweep::{Cache, Change, PointOptions, change, product, run_sweep};

/// Returns one FICON Express4 channel before a DS8950, in command mode: reads of `records` blocks of 4 KiB.
fn study(records: u32) -> StudyFiles {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/published/fex32s-one-channel");
    let files = StudyFiles::read(&directory).expect("a study of the repository");
    let changes = [
        ("plant.card.0.type", "ficon-express4".to_owned()),
        ("plant.director.0.type", "director-8g".to_owned()),
        ("workload.run", "{ warmup_s = 0.02, interval_s = 0.1, intervals = 1 }".to_owned()),
        ("workload.stream.MAIN.protocol", "command".to_owned()),
        ("workload.stream.MAIN.program.records", records.to_string()),
        ("workload.stream.MAIN.closed.jobs", "32".to_owned()),
    ];
    let changes = changes.map(|(key, value)| Change { key: key.parse().expect("a key"), value });
    change(&files, &changes).expect("an older card")
}

fn runs(study: &StudyFiles, catalog: &Catalog, set: &str) -> Vec<Run> {
    let points = product(&[vec![set.parse().expect("a set")]]).expect("points");
    let runs = run_sweep(study, &points, catalog, &PointOptions::default(), &Cache::none(), &|_| ());
    runs.into_iter().map(|run| run.expect("a run")).collect()
}

fn rates(study: &StudyFiles, catalog: &Catalog, set: &str) -> Vec<f64> {
    runs(study, catalog, set).iter().map(|run| run.streams[0].rate_per_s.mean).collect()
}

fn built_in() -> Catalog {
    Catalog::load(&[]).0
}

const PROTOCOLS: &str = "workload.stream.MAIN.protocol=command,transport";

/// Returns FICON Express4 with other maxima: its rates in command mode and in transport mode.
fn with_maxima(command: Option<f64>, transport: Option<f64>) -> Vec<f64> {
    let most = |table: &str, most: Option<f64>| {
        let number =
            |most| format!("read_4k_per_s = {{ value = {most}, source = \"assumed\", reason = \"test\" }}\n");
        format!("[{table}]\n{}", most.map(number).unwrap_or_default())
    };
    let directory = tempfile::tempdir().expect("temporary directory");
    fs::create_dir(directory.path().join("channel")).expect("directory");
    let text = format!(
        "title = \"a card\"\nfirmware = \"ficon-2005\"\n\
         bus_mb_per_s = {{ value = 408, source = \"assumed\", reason = \"test\" }}\n[[speed]]\ngbps = 4\n{}{}",
        most("command", command),
        most("transport", transport)
    );
    fs::write(directory.path().join("channel/ficon-express4.toml"), text).expect("file");
    let (catalog, found) = Catalog::load(&[directory.path()]);
    assert_eq!(found, []);
    rates(&study(1), &catalog, PROTOCOLS)
}

#[test]
fn one_maximum_gives_the_other() {
    let both = with_maxima(Some(14_000.0), Some(26_398.0));
    assert!((both[0] / 14_000.0 - 1.0).abs() < 0.02, "{both:?}");
    assert!((both[1] / 26_398.0 - 1.0).abs() < 0.02, "{both:?}");
    // 71.43 us, of which 4.36 are the data and the rest six units, three of which a transport-mode read has too.
    for fewer in [with_maxima(Some(14_000.0), None), with_maxima(None, Some(26_398.0))] {
        for (with, without) in both.iter().zip(&fewer) {
            assert!((without / with - 1.0).abs() < 0.02, "{fewer:?} {both:?}");
        }
    }
}

#[test]
fn more_link_is_never_less_rate() {
    for records in [1, 32] {
        let rates = rates(&study(records), &built_in(), "plant.card.0.link_gbps=1,2,4");
        assert!(rates.windows(2).all(|pair| pair[1] > 0.99 * pair[0]), "{records}: {rates:?}");
        assert!(records == 1 || rates[2] > 1.3 * rates[1], "the link decides: {rates:?}");
    }
}

/// Bus and processor of the card work side by side, and so do those of a port: what comes sooner is handled sooner.
#[test]
fn a_faster_link_and_a_newer_port_shorten_what_an_older_card_does() {
    let study = change(
        &study(32),
        &[Change { key: "workload.stream.MAIN.closed.jobs".parse().expect("a key"), value: "1".to_owned() }],
    );
    let study = study.expect("one job");
    let links = rates(&study, &built_in(), "plant.card.0.link_gbps=2,4");
    assert!(links[1] > 1.02 * links[0], "{links:?}");
    let boxes = rates(&study, &built_in(), "plant.control_unit.BOXA.type=ds8700,ds8950");
    assert!(boxes[1] > 1.02 * boxes[0], "{boxes:?}");
}

#[test]
fn disks_behind_firmware_that_moves_the_data_are_slower_than_its_bus() {
    let mb_per_s = |share: &str| {
        let set = format!("workload.stream.MAIN.read_share={share}");
        let rates = rates(&study(32), &built_in(), &set);
        rates[0] * 131_072.0 / 1e6
    };
    // isfc-fe4-full-duplex-mbps and isfc-fe4-half-duplex-mbps; 355 and 408 are the bus.
    let (mix, reads) = (mb_per_s("0.5"), mb_per_s("1.0"));
    assert!((mix / 350.0 - 1.0).abs() < 0.03, "{mix}");
    assert!((reads / 330.0 - 1.0).abs() < 0.07 && reads <= 1.01 * mix, "{reads} of {mix}");
}

#[test]
fn newer_control_units_answer_sooner_and_carry_more() {
    let boxes = "plant.control_unit.BOXA.type=ess-800,ds8300,ds8700,ds8800,ds8870,ds8880,ds8950";
    let one_job = [("workload.stream.MAIN.closed.jobs", "1"), ("plant.card.0.type", "ficon-express8")];
    let one_job =
        one_job.map(|(key, value)| Change { key: key.parse().expect("a key"), value: value.to_owned() });
    let alone = runs(&change(&study(1), &one_job).expect("one job"), &built_in(), boxes);
    let responses: Vec<f64> = alone.iter().map(|run| run.streams[0].response_us.mean).collect();
    assert!(responses.windows(2).all(|pair| pair[1] < pair[0]), "{responses:?}");
    let many = change(&study(1), &one_job[1..]).expect("another card");
    let carried = rates(&many, &built_in(), boxes);
    assert!(carried.windows(2).all(|pair| pair[1] > 0.99 * pair[0]), "{carried:?}");
}
