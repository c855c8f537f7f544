use std::fs::{self, File};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, UInt64Type};
use arrow_schema::DataType;
use halftrack_arrow::{DEFINITION, DataSet, DataSetError, UNIT};
use halftrack_report::quantity_unit;
use halftrack_sweep::{Column, Outcome, PointIdentity, Row, Table};
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

fn identities() -> Vec<Option<PointIdentity>> {
    let content_key = "ab".repeat(32).parse().expect("a key");
    vec![
        Some(PointIdentity { content_key, seed: u64::MAX }),
        None,
        Some(PointIdentity { content_key, seed: 7 }),
    ]
}

fn table() -> Table {
    let columns = ["rate_per_s", "response_ms:OLTP"]
        .map(|name| Column { name: name.to_owned(), unit: quantity_unit(name).expect("a quantity") });
    let ran = |rate: f64, overloaded: &[&str]| Outcome::Ran {
        values: vec![Some(rate), None],
        bottleneck: "channel CSS0.40 processor".to_owned(),
        violations: vec![],
        overloaded: overloaded.iter().map(|&words| words.to_owned()).collect(),
        offered_too_much: vec![],
    };
    let row = |set_to: [&str; 3], outcome| Row { set_to: set_to.map(str::to_owned).into(), outcome };
    Table {
        study: "two sites/4k".to_owned(),
        keys: ["plant.cable.*.km", "workload.stream.A.closed.jobs", "plant.card.0.type"]
            .map(str::to_owned)
            .into(),
        steps: vec![0, 1, 2],
        columns: columns.to_vec(),
        rows: vec![
            row(["0.5", "1_000", "fex32s"], ran(120_000.25, &[])),
            row(["none", "2", "fex16sa"], Outcome::Failed(vec!["HTK896E".to_owned(), "neither".to_owned()])),
            row(["100", "3", "none"], ran(0.1 + 0.2, &["OVERLOADED: A"])),
        ],
        missing: vec![],
    }
}

fn written(directory: &Path) {
    let data_set = DataSet::new(directory, &table().study).expect("a place");
    data_set.write(&table(), &identities()).expect("written");
}

fn read(directory: &Path, name: &str) -> RecordBatch {
    let file = directory.join("study=two%20sites%2F4k").join(name).join("part-0.parquet");
    let file = File::open(&file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    let reader = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
    reader.build().expect("a reader").next().expect("rows").expect("a batch")
}

fn texts(batch: &RecordBatch, name: &str) -> Vec<Option<String>> {
    let column = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    column.as_string::<i64>().iter().map(|text| text.map(str::to_owned)).collect()
}

fn numbers(batch: &RecordBatch, name: &str) -> Vec<Option<f64>> {
    let column = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    column.as_primitive::<Float64Type>().iter().collect()
}

fn counts(batch: &RecordBatch, name: &str) -> Vec<Option<u64>> {
    let column = batch.column_by_name(name).unwrap_or_else(|| panic!("no column {name}"));
    column.as_primitive::<UInt64Type>().iter().collect()
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|&text| (!text.is_empty()).then(|| text.to_owned())).collect()
}

#[test]
fn points_are_read_back_with_types_units_and_keys() {
    let root = tempfile::tempdir().expect("temporary directory");
    written(root.path());
    let points = read(root.path(), "points");
    assert_eq!(counts(&points, "point"), [Some(0), Some(1), Some(2)]);
    assert_eq!(numbers(&points, "plant.cable.*.km"), [Some(0.5), None, Some(100.0)]);
    assert_eq!(counts(&points, "workload.stream.A.closed.jobs"), [Some(1000), Some(2), Some(3)]);
    assert_eq!(texts(&points, "plant.card.0.type"), some(&["fex32s", "fex16sa", "none"]));
    assert_eq!(numbers(&points, "rate_per_s"), [Some(120_000.25), None, Some(0.1 + 0.2)]);
    assert_eq!(numbers(&points, "response_ms:OLTP"), [None, None, None]);
    let channel = "channel CSS0.40 processor";
    assert_eq!(texts(&points, "bottleneck"), some(&[channel, "", channel]));
    assert_eq!(texts(&points, "status"), some(&["ok", "failed", "overloaded"]));
    assert_eq!(texts(&points, "messages"), some(&["", "HTK896E\nneither", "OVERLOADED: A"]));
    let key = "ab".repeat(32);
    assert_eq!(texts(&points, "content_key"), some(&[&key, "", &key]));
    assert_eq!(counts(&points, "seed"), [Some(u64::MAX), None, Some(7)]);
    let schema = points.schema();
    let metadata = schema.field_with_name("response_ms:OLTP").expect("a field").metadata();
    assert_eq!(metadata[UNIT], "ms");
    assert!(metadata[DEFINITION].starts_with("Response time of an I/O"), "{metadata:?}");
    assert_eq!(schema.field(0).data_type(), &DataType::UInt64);
}

#[test]
fn values_have_a_row_each_with_unit_and_definition() {
    let root = tempfile::tempdir().expect("temporary directory");
    written(root.path());
    let values = read(root.path(), "values");
    assert_eq!(values.num_rows(), 6);
    assert_eq!(counts(&values, "point"), [0, 0, 1, 1, 2, 2].map(Some));
    let each = ["rate_per_s", "response_ms"];
    assert_eq!(texts(&values, "quantity"), some(&[each, each, each].concat()));
    assert_eq!(texts(&values, "subject")[..2], some(&["", "OLTP"]));
    assert_eq!(texts(&values, "unit")[..2], some(&["1/s", "ms"]));
    assert_eq!(numbers(&values, "value")[4], Some(0.1 + 0.2));
    assert!(texts(&values, "definition").iter().all(Option::is_some));
}

/// Maps of metadata have no order of their own.
#[test]
fn the_same_sweep_is_the_same_octets() {
    let root = tempfile::tempdir().expect("temporary directory");
    let octets = |number: usize| {
        let directory = root.path().join(number.to_string());
        written(&directory);
        ["points", "values"].map(|name| {
            let file = directory.join("study=two%20sites%2F4k").join(name).join("part-0.parquet");
            fs::read(file).expect("octets")
        })
    };
    let first = octets(0);
    assert!((1..20).all(|number| octets(number) == first));
}

#[test]
fn studies_stand_side_by_side_and_a_sweep_replaces_its_own() {
    let root = tempfile::tempdir().expect("temporary directory");
    written(root.path());
    let other = Table { study: "other".to_owned(), ..table() };
    DataSet::new(root.path(), "other").expect("a place").write(&other, &identities()).expect("written");
    let mut fewer = table();
    fewer.rows.truncate(1);
    let again = DataSet::new(root.path(), &fewer.study).expect("a place");
    again.write(&fewer, &identities()[..1]).expect("written");
    assert_eq!(read(root.path(), "points").num_rows(), 1);
    assert_eq!(fs::read_dir(root.path()).expect("entries").count(), 2, "nothing is left beside them");
}

#[test]
fn a_place_that_is_none_is_refused_before_the_work() {
    let root = tempfile::tempdir().expect("temporary directory");
    let refused = |place: &Path| match DataSet::new(place, "study") {
        Err(error @ DataSetError::Place { .. }) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let file = root.path().join("file");
    fs::write(&file, "mine").expect("a file");
    assert!(refused(&file).ends_with("it is not a directory"), "{}", refused(&file));
    let place = root.path().join("out");
    fs::create_dir_all(place.join("study=study")).expect("a directory");
    fs::write(place.join("study=study/notes.txt"), "mine").expect("a file");
    assert!(refused(&place).ends_with("it holds notes.txt"), "{}", refused(&place));
    assert!(refused(Path::new("/proc/data")).contains("/proc"), "{}", refused(Path::new("/proc/data")));
}

#[test]
fn a_failure_while_writing_leaves_what_was_there() {
    let root = tempfile::tempdir().expect("temporary directory");
    let place = root.path().join("out");
    written(&place);
    let data_set = DataSet::new(&place, &table().study).expect("a place");
    // A file in place of the hidden directory, which cannot be removed as one.
    let blocked = place.join(".study=two%20sites%2F4k.halftrack-partial");
    fs::write(&blocked, "").expect("a file");
    let error = data_set.write(&table(), &identities()).expect_err("no directory there").to_string();
    assert!(error.ends_with("; what was there is unchanged"), "{error}");
    assert_eq!(read(&place, "points").num_rows(), 3);
}
