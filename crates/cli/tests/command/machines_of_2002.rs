//! Studies of machines without PCHIDs: a z900 in LPAR mode and a G6 in BASIC mode, with cards and storage of 2002.

use crate::support::{Study, code, stderr, stdout};

/// Returns the output of a run of `name`, which must not warn of anything.
fn report(name: &str) -> String {
    let output = Study::copy(name).halftrack("run", &[]);
    assert_eq!((code(&output), stderr(&output)), (0, ""));
    stdout(&output).to_owned()
}

/// Returns CHPID and the SHR and PART columns of each row of the channel report.
fn rows(report: &str) -> Vec<(String, String)> {
    let row = |line: &str| {
        let of_channel = line.get(4..8)? == "FC_S";
        of_channel.then(|| Some((line.get(1..3)?.to_owned(), line.get(22..31)?.trim().to_owned())))?
    };
    report.lines().filter_map(row).collect()
}

#[test]
fn a_z900_reports_its_channels_without_pchids() {
    let report = report("z900-ficon");
    assert!(report.contains("MODE: LPAR ") && !report.contains("PCHID"), "{report}");
    let rows = rows(&report);
    let chpids: Vec<_> = rows.iter().map(|row| row.0.as_str()).collect();
    assert_eq!(chpids, ["40", "41", "42", "43"]);
    assert!(
        rows.iter().all(|row| row.1.starts_with("Y   ") && row.1.ends_with(char::is_numeric)),
        "{rows:?}"
    );
}

#[test]
fn a_g6_in_basic_mode_has_no_part_columns() {
    let report = report("g6-basic");
    assert!(report.contains("MODE: BASIC ") && report.contains("SYSTEM ID SYS1"), "{report}");
    let of = |chpid: &str| (chpid.to_owned(), String::new());
    assert_eq!(rows(&report), [of("20"), of("21")]);
}
