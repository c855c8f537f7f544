use std::collections::BTreeSet;

use halftrack_record::PoolInterval;

use super::*;
use crate::golden;
use crate::quantity::{quantity, quantity_names};
use crate::{ChannelPathActivity, ChannelRow, Scope};

fn texts<'a>(frame: &'a Frame, name: &str) -> Vec<Option<&'a str>> {
    match &frame.column(name).unwrap_or_else(|| panic!("no column {name}")).cells {
        Cells::Texts(texts) => texts.iter().collect(),
        other => panic!("{other:?}"),
    }
}

fn numbers(frame: &Frame, name: &str) -> Vec<Option<f64>> {
    match &frame.column(name).unwrap_or_else(|| panic!("no column {name}")).cells {
        Cells::Numbers(numbers) => numbers.iter().collect(),
        other => panic!("{other:?}"),
    }
}

fn all(grain: Grain) -> Vec<Frame> {
    let run = golden::run();
    let of = |one: FrameDefinition| frame(&run, one.name, grain).ok();
    frames().into_iter().filter_map(of).collect()
}

#[test]
fn columns_of_every_frame_are_as_long_and_stand_once() {
    assert_eq!(all(Grain::Run).len(), frames().len());
    assert_eq!(all(Grain::Interval).len(), frames().iter().filter(|one| one.by_interval).count());
    for frame in [all(Grain::Run), all(Grain::Interval)].concat() {
        let names: BTreeSet<_> = frame.columns.iter().map(|column| &column.name).collect();
        assert_eq!(names.len(), frame.columns.len(), "{}", frame.name);
        assert!(frame.columns.iter().all(|column| column.cells.len() == frame.rows()), "{}", frame.name);
        assert!(frame.columns.iter().all(|column| !column.definition.is_empty()), "{}", frame.name);
    }
}

/// A row whose first key is the subject of quantities has their values.
#[test]
fn rows_have_the_values_of_the_quantities() {
    let mut run = golden::run();
    let name = "channel CSS0.40 open exchanges".to_owned();
    run.intervals[1].pools.push(PoolInterval { name, tokens: 64, taken_ns: 32_000_000_000, short_ps: 7 });
    for name in ["streams", "channels", "iops", "caches", "links", "stations", "pools"] {
        let found = frame(&run, name, Grain::Run).expect("a frame");
        let key = found.columns[0].name.clone().into_owned();
        assert!(found.rows() > 0 || name == "caches", "{name}");
        let figures = found.columns.iter().filter(|column| column.unit.is_some());
        for column in figures {
            for (subject, value) in texts(&found, &key).into_iter().zip(numbers(&found, &column.name)) {
                let full = format!("{}:{}", column.name, subject.expect("a subject"));
                let Ok(expected) = quantity(&run, &full) else { continue };
                assert_eq!(value.unwrap_or(0.0), expected.value, "{full}");
            }
        }
    }
}

#[test]
fn a_device_has_a_row_for_each_system() {
    let run = golden::run();
    let devices = frame(&run, "devices", Grain::Run).expect("a frame");
    let rows: BTreeSet<_> = texts(&devices, "system").into_iter().zip(texts(&devices, "device")).collect();
    assert_eq!(rows.len(), devices.rows());
    let of_run: f64 = numbers(&devices, "activity_per_s").into_iter().flatten().sum();
    let expected = quantity(&run, "activity_per_s").expect("a quantity").value;
    assert!((of_run / expected - 1.0).abs() < 1e-12, "{of_run} {expected}");
    let lcus = frame(&run, "lcus", Grain::Run).expect("a frame");
    assert!(texts(&devices, "lcu").iter().all(|lcu| texts(&lcus, "lcu").contains(lcu)));
}

#[test]
fn intervals_have_rows_of_their_own() {
    let run = golden::run();
    let whole = frame(&run, "channels", Grain::Run).expect("a frame");
    let each = frame(&run, "channels", Grain::Interval).expect("a frame");
    assert_eq!(each.rows(), whole.rows() * run.intervals.len());
    let Cells::Counts(intervals) = &each.columns[0].cells else { panic!("{:?}", each.columns[0]) };
    assert_eq!((intervals.iter().next(), intervals.iter().last()), (Some(Some(0)), Some(Some(1))));
    let mut first = run.clone();
    first.intervals.truncate(1);
    let alone = frame(&first, "channels", Grain::Run).expect("a frame");
    let rates = numbers(&each, "mb_per_s");
    assert_eq!(rates[..alone.rows()], numbers(&alone, "mb_per_s")[..]);
}

/// By interval, shares are those of CHANNEL PATH ACTIVITY.
#[test]
fn shares_are_of_systems() {
    let run = golden::run();
    let mut listed = Vec::new();
    for interval in 0..run.intervals.len() {
        for system in &run.header.systems {
            let scope = Scope::new(&run, &system.name, interval).expect("a scope");
            let mut rows = ChannelPathActivity::compute(&scope).rows;
            rows.retain(|row| row.measured.is_some());
            let of = |row: &ChannelRow| row.measured.as_ref().and_then(|one| one.get("read_part_mb_per_s"));
            listed.extend(rows.iter().map(of));
        }
    }
    let shares = frame(&run, "channel_shares", Grain::Interval).expect("a frame");
    let mut found = numbers(&shares, "read_part_mb_per_s");
    let order = |one: &Option<f64>, other: &Option<f64>| one.partial_cmp(other).expect("numbers");
    listed.sort_by(order);
    found.sort_by(order);
    // Channels that are offline are not listed.
    found.drain(..found.len() - listed.len());
    assert!(listed.iter().flatten().sum::<f64>() > 0.0);
    assert_eq!(found, listed);
    let whole = frame(&run, "channel_shares", Grain::Run).expect("a frame");
    assert_eq!(whole.rows() * run.intervals.len(), shares.rows());
}

#[test]
fn the_frame_of_quantities_has_them_all() {
    let run = golden::run();
    let found = frame(&run, "quantities", Grain::Run).expect("a frame");
    let names: Vec<String> = texts(&found, "name").into_iter().flatten().map(str::to_owned).collect();
    assert_eq!(names, quantity_names(&run));
    for (name, value) in names.iter().zip(numbers(&found, "value")) {
        assert_eq!(value, quantity(&run, name).ok().map(|found| found.value), "{name}");
    }
}

#[test]
fn a_system_named_as_one_of_its_devices_counts_it_once() {
    let mut run = golden::run();
    let device = &run.intervals[0].devices[0];
    let (old, new) = (device.lpar.clone(), format!("{:04X}", device.number));
    let systems = run.header.systems.iter_mut().filter(|system| system.name == old);
    systems.for_each(|system| system.name.clone_from(&new));
    let devices = run.intervals.iter_mut().flat_map(|interval| &mut interval.devices);
    devices.filter(|device| device.lpar == old).for_each(|device| device.lpar.clone_from(&new));
    let found = frame(&run, "quantities", Grain::Run).expect("a frame");
    let named = texts(&found, "name").into_iter().flatten().zip(numbers(&found, "value"));
    let of_both: Vec<_> = named.filter(|(name, _)| name.ends_with(&format!(":{new}"))).collect();
    assert!(of_both.iter().any(|(name, value)| name.starts_with("activity_per_s:") && *value > Some(0.0)));
    for (name, value) in of_both {
        assert_eq!(value, quantity(&run, name).ok().map(|found| found.value), "{name}");
    }
}

#[test]
fn a_run_without_intervals_has_frames_without_rows() {
    let mut run = golden::run();
    run.intervals.clear();
    for definition in frames().into_iter().filter(|one| one.by_interval) {
        for grain in [Grain::Run, Grain::Interval] {
            let found = frame(&run, definition.name, grain).expect("a frame");
            assert_eq!(found.rows(), 0, "{}", definition.name);
            assert!(found.columns.len() > definition.keys.len());
        }
    }
}

#[test]
fn what_is_not_there_is_listed() {
    let run = golden::run();
    let error = frame(&run, "chanels", Grain::Run).expect_err("no frame").to_string();
    assert!(error.starts_with("no table is called \"chanels\"; known are streams, channels, "), "{error}");
    let error = frame(&run, "streams", Grain::Interval).expect_err("not by interval").to_string();
    assert!(error.starts_with("a run has streams as a whole and not by interval; "), "{error}");
}
