//! Work on EADM subchannels in the reports.

use serde_json::Value;

use crate::support::{Study, code, number, reports, stderr, stdout};

const FLOWS: &str = "
[[eadm]]
name = \"ZIP\"
lpar = \"PROD1\"
kind = \"compression\"
rate_per_s = 100000

[[eadm]]
name = \"PAGE\"
lpar = \"PROD2\"
kind = \"scm\"
rate_per_s = 40000
arrivals = \"deterministic\"
";

#[test]
fn compression_and_storage_class_memory_have_their_columns_and_no_device() {
    let study = Study::short("z16-oltp");
    let quiet = reports(&study, &[]);
    study.edit("workload.toml", |text| text.to_owned() + FLOWS);
    let busy = reports(&study, &[]);
    let sys = |object, key: &str| number(object, &format!("/systems/PROD1/io_queuing_activity/sys/{key}"));
    assert_eq!((sys(&quiet, "compression_busy_percent"), sys(&quiet, "scm_busy_percent")), (0.0, 0.0));
    let (compression, scm) = (sys(&busy, "compression_busy_percent"), sys(&busy, "scm_busy_percent"));
    // Four operations of one kind for ten of the other, at one price.
    assert!((scm / compression - 0.4).abs() < 0.04, "{compression} %, {scm} %");
    let added = sys(&busy, "busy_percent") - sys(&quiet, "busy_percent");
    assert!((added / (compression + scm) - 1.0).abs() < 0.05, "{added} % more");
    let flow = |system: &str, key: &str| {
        number(&busy, &format!("/systems/{system}/eadm_activity/flows/0/figures/{key}"))
    };
    assert!((flow("PROD1", "ssch_per_s") / 100_000.0 - 1.0).abs() < 0.1);
    assert!((flow("PROD2", "ssch_per_s") / 40_000.0 - 1.0).abs() < 0.1);
    let parts = flow("PROD1", "iop_queue_us") + flow("PROD1", "iop_us");
    assert!((flow("PROD1", "response_us") - parts).abs() < 1e-9);
    assert!(quiet.pointer("/systems/PROD1/eadm_activity").is_none());
    let devices = |object: &Value| -> usize {
        let lcus = object.pointer("/systems/PROD1/direct_access_device_activity/lcus");
        let rows = |lcu: &Value| lcu["devices"].as_array().map_or(0, Vec::len);
        lcus.and_then(Value::as_array).expect("logical control units").iter().map(rows).sum()
    };
    assert!(devices(&quiet) > 0 && devices(&quiet) == devices(&busy));
    let printed = study.halftrack("run", &[]);
    assert!(stdout(&printed).contains("E A D M   A C T I V I T Y"));
    let line =
        stdout(&printed).lines().find(|line| line.starts_with("SYS")).expect("the SYS line").to_owned();
    let shown: Vec<f64> = line.split_whitespace().skip(4).take(2).map(|cell| cell.parse().unwrap()).collect();
    assert!(shown.iter().all(|cell| *cell > 0.0), "{line}");
}

#[test]
fn flows_that_no_machine_can_serve_are_refused_where_they_stand() {
    let study = Study::short("z16-oltp");
    study.edit("workload.toml", |text| text.to_owned() + &FLOWS.replace("PROD2", "PROD9"));
    let refused = study.halftrack("run", &[]);
    assert_eq!((code(&refused), stdout(&refused)), (2, ""));
    let said = stderr(&refused);
    assert!(said.contains("HTK967E") && said.contains("eadm PAGE runs in PROD9"), "{said}");
    assert!(said.contains("fix: did you mean `PROD"), "{said}");
}
