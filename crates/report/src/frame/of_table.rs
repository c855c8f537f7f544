//! Frame of a table of figures: a row for each thing that its records are about.

use std::borrow::Cow;
use std::collections::HashMap;

use halftrack_record::{Interval, Run};

use super::{Cells, Frame, FrameColumn, FrameDefinition, Framed, Grain};
use crate::column::Column;
use crate::formula::seconds;
use crate::quantity::Unit;
use crate::records::Records;
use crate::rows::{Row, Source};
use crate::table::{Table, measured_ps};

/// Records of one row.
pub(crate) struct Group<'a, R> {
    /// Texts of the keys.
    pub keys: Vec<Cow<'a, str>>,
    /// Interval, where the row is of one.
    pub interval: Option<&'a Interval>,
    /// Records.
    pub records: Records<'a, R>,
}

impl<R: Sync> Framed for Table<R> {
    fn frame_definition(&self) -> FrameDefinition {
        let by_interval = matches!(self.rows.source, Source::Interval(_));
        FrameDefinition { name: self.rows.frame, keys: self.rows.keys, by_interval }
    }

    fn frame(&self, run: &Run, grain: Grain) -> Frame {
        let whole = || measured_ps(&run.intervals);
        let groups = match (&self.rows.source, grain) {
            (Source::Run(rows), _) => grouped(rows(run), None, whole()),
            (Source::Interval(rows), Grain::Run) => {
                grouped(run.intervals.iter().flat_map(|interval| rows(run, interval)), None, whole())
            }
            (Source::Interval(rows), Grain::Interval) => {
                let of = |one| grouped(rows(run, one), Some(one), one.length_ps);
                run.intervals.iter().flat_map(of).collect()
            }
        };
        let columns = self.columns.iter().filter(|column| !column.is_of_system);
        frame_of(&self.frame_definition(), grain, &groups, frame_columns(columns, &groups))
    }
}

/// Puts rows with the same keys into one group, in the order of their first.
pub(crate) fn grouped<'a, R>(
    rows: impl IntoIterator<Item = Row<'a, R>>,
    interval: Option<&'a Interval>,
    length_ps: u64,
) -> Vec<Group<'a, R>> {
    let mut places: HashMap<Vec<Cow<'a, str>>, usize> = HashMap::new();
    let mut groups: Vec<Group<'a, R>> = Vec::new();
    for Row { keys, record } in rows {
        match places.get(&keys) {
            Some(&place) => groups[place].records.each.push(record),
            None => {
                places.insert(keys.clone(), groups.len());
                groups.push(Group { keys, interval, records: Records::of_thing(vec![record], length_ps) });
            }
        }
    }
    groups
}

/// Returns the figures of the groups, column by column.
pub(crate) fn frame_columns<'c, R: 'static>(
    columns: impl Iterator<Item = &'c Column<R>>,
    groups: &[Group<'_, R>],
) -> Vec<FrameColumn> {
    let of = |column: &Column<R>| FrameColumn {
        name: column.name.into(),
        unit: Some(column.unit),
        definition: column.definition,
        cells: Cells::Numbers(groups.iter().map(|group| column.of(&group.records)).collect()),
    };
    columns.map(of).collect()
}

/// Returns the frame of groups: the interval where `grain` is that, keys, and `figures`.
pub(crate) fn frame_of<R>(
    definition: &FrameDefinition,
    grain: Grain,
    groups: &[Group<'_, R>],
    figures: Vec<FrameColumn>,
) -> Frame {
    let mut columns = match grain {
        Grain::Run => Vec::new(),
        Grain::Interval => interval_columns(groups),
    };
    columns.extend(definition.keys.iter().enumerate().map(|(place, (name, definition))| FrameColumn {
        name: (*name).into(),
        unit: None,
        definition,
        cells: Cells::Texts(groups.iter().map(|group| &group.keys[place]).collect()),
    }));
    columns.extend(figures);
    Frame { name: definition.name.into(), columns }
}

fn interval_columns<R>(groups: &[Group<'_, R>]) -> Vec<FrameColumn> {
    let intervals = || groups.iter().filter_map(|group| group.interval);
    let of_time = |name: &'static str, definition: &'static str, time_ps: fn(&Interval) -> u64| FrameColumn {
        name: name.into(),
        unit: Some(Unit::Seconds),
        definition,
        cells: Cells::Numbers(intervals().map(|one| Some(seconds(time_ps(one)))).collect()),
    };
    let number = FrameColumn {
        name: "interval".into(),
        unit: None,
        definition: "Number of the interval, from 0",
        cells: Cells::Counts(intervals().map(|one| Some(one.index.into())).collect()),
    };
    let start =
        of_time("start_s", "Beginning of the interval after the start of measuring", |one| one.start_ps);
    vec![number, start, of_time("length_s", "Length of the interval", |one| one.length_ps)]
}
