//! Laws of the tables, and of their listings' print positions.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::{TABLES, channels, devices, iops, lcus, paths, synchronous};
use crate::column::Column;
use crate::field::{Field, Line};
use crate::golden::assert_columns;

fn fields<R>(columns: &'static [Column<R>]) -> Vec<Field> {
    columns.iter().filter_map(|column| Some(column.listed?.field)).collect()
}

/// Returns the fields of each listing, from left to right.
fn listings() -> [Vec<Field>; 5] {
    let queuing = [fields(paths::TABLE.columns), fields(lcus::TABLE.columns)].concat();
    [
        fields(channels::TABLE.columns),
        fields(iops::TABLE.columns),
        queuing,
        fields(devices::TABLE.columns),
        fields(synchronous::TABLE.columns),
    ]
}

#[test]
fn names_stand_once_and_definitions_are_phrases() {
    let all: Vec<_> = TABLES.into_iter().flat_map(|table| table.definitions()).collect();
    assert_eq!(all.iter().map(|one| one.name).collect::<BTreeSet<_>>().len(), all.len());
    for one in all {
        let is_phrase = one.definition.starts_with(|first: char| first.is_ascii_uppercase())
            && !one.definition.ends_with('.')
            && !one.definition.contains("  ");
        assert!(is_phrase, "{}: {}", one.name, one.definition);
        assert_eq!(
            one.heading.is_some(),
            one.report.is_some_and(|report| !report.is_empty()),
            "{}",
            one.name
        );
    }
}

/// Line of a heading, right edge of a word, and the word.
type Edge = (usize, usize, &'static str);

/// Right edges of words of the headings, from the drawings.
const EDGES: [(&[&str], &[Edge]); 5] = [
    (
        channels::HEADING,
        &[
            (4, 30, "PART"),
            (4, 37, "TOTAL"),
            (4, 44, "BUS"),
            (4, 51, "PART"),
            (4, 58, "TOTAL"),
            (4, 65, "PART"),
            (4, 72, "TOTAL"),
            (4, 82, "RATE"),
            (4, 90, "ACTIVE"),
            (4, 98, "DEFER"),
            (4, 106, "RATE"),
            (4, 114, "ACTIVE"),
            (4, 122, "DEFER"),
        ],
    ),
    (
        iops::HEADING,
        &[
            (1, 12, "ACTIVITY"),
            (2, 21, "LNGTH"),
            (1, 29, "% IOP"),
            (1, 55, "I/O START"),
            (1, 67, "INTERRUPT"),
            (1, 74, "ALL"),
            (2, 80, "BUSY"),
            (2, 98, "BUSY"),
            (1, 106, "ALL"),
            (2, 130, "BUSY"),
        ],
    ),
    (lcus::HEADING, &[(1, 44, "BUSY"), (1, 50, "BUSY"), (1, 93, "WAIT"), (1, 104, "EXCH"), (2, 110, "CONC")]),
    (
        devices::HEADING,
        &[
            (1, 56, "ACTIVITY"),
            (1, 61, "RESP"),
            (1, 66, "IOSQ"),
            (1, 71, "CMR"),
            (2, 76, "DLY"),
            (1, 81, "INT"),
            (1, 88, "PEND"),
            (1, 93, "DISC"),
            (1, 98, "CONN"),
            (2, 105, "CONN"),
            (2, 112, "UTIL"),
            (2, 118, "RESV"),
            (2, 125, "ALLOC"),
            (2, 132, "ALLOC"),
        ],
    ),
    (
        synchronous::HEADING,
        &[
            (2, 42, "READ"),
            (2, 50, "WRITE"),
            (2, 58, "I/O"),
            (2, 66, "READ"),
            (2, 72, "WRITE"),
            (2, 78, "I/O"),
            (2, 87, "READ"),
            (2, 94, "WRITE"),
            (2, 103, "SUCCESS"),
            (2, 110, "BUSY"),
            (2, 117, "MISS"),
            (2, 124, "READ"),
            (2, 131, "WRITE"),
        ],
    ),
];

#[test]
fn figures_end_under_their_headings() {
    for ((heading, words), fields) in EDGES.into_iter().zip(listings()) {
        for &(line, right, word) in words {
            assert!(fields.iter().any(|field| field.right == right), "no figure ends at {right}");
            assert_eq!(&heading[line][right + 1 - word.len()..=right], word);
        }
    }
}

proptest! {
    #[test]
    fn columns_stay_apart_at_any_magnitude(values in prop::collection::vec(prop_oneof![
        Just(0.0), 0.0..1.0f64, 0.0..1e3f64, 0.0..1e14f64, Just(1e30)
    ], 17)) {
        for fields in listings() {
            let number = |line: Line, (field, value): (&Field, &f64)| line.number(field, *value);
            let line = fields.iter().zip(&values).fold(Line::new(), number).finish();
            assert_columns(&line, &fields);
        }
    }
}

/// Every quantity with its unit and definition: a figure that is added, or defined anew, shows here.
#[test]
fn quantities() {
    let line = |one: crate::QuantityDefinition| {
        let heading = one.heading.map_or(String::new(), |heading| format!(" [{heading}]"));
        format!("{} {}{heading}: {}\n", one.name, one.unit, one.definition)
    };
    insta::assert_snapshot!(crate::quantities().map(line).collect::<String>());
}
