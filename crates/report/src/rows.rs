//! Rows of a frame: records of a run, with what identifies each.

use std::borrow::Cow;

use halftrack_record::{Interval, Run, RunHeader};

use crate::table::Named;

/// How the records of a table make the rows of a frame.
pub(crate) struct Rows<R: 'static> {
    /// Name of the frame.
    pub frame: &'static str,
    /// Columns that identify a row, or describe it.
    pub keys: &'static [Key],
    /// Records.
    pub source: Source<R>,
}

/// Name and definition of a column of texts.
pub(crate) type Key = (&'static str, &'static str);

/// Place of the records in a run.
pub(crate) enum Source<R: 'static> {
    /// Each interval has its own.
    Interval(for<'a> fn(&'a Run, &'a Interval) -> Vec<Row<'a, R>>),
    /// The run as a whole has them.
    Run(for<'a> fn(&'a Run) -> Vec<Row<'a, R>>),
}

/// A record and the texts of its keys; an empty text is none.
pub(crate) struct Row<'a, R> {
    /// Texts, in the order of the keys.
    pub keys: Vec<Cow<'a, str>>,
    /// Record.
    pub record: &'a R,
}

impl<'a, R> Row<'a, R> {
    pub fn new<const N: usize>(keys: [Cow<'a, str>; N], record: &'a R) -> Self {
        Self { keys: keys.into(), record }
    }
}

impl<R> Named<R> {
    /// Returns the rows of an interval, whose only key is the name.
    pub fn rows<'a>(&self, run: &'a Run, interval: &'a Interval) -> Vec<Row<'a, R>> {
        self.rows_with(run, interval, |_, _, name| [name])
    }

    /// Returns the rows of an interval, with the keys that `keys` makes of a record and its name.
    pub fn rows_with<'a, const N: usize>(
        &self,
        run: &'a Run,
        interval: &'a Interval,
        keys: impl Fn(&'a RunHeader, &'a R, Cow<'a, str>) -> [Cow<'a, str>; N],
    ) -> Vec<Row<'a, R>> {
        let header = &run.header;
        let row = |one: &'a R| Row::new(keys(header, one, (self.name)(header, one).into()), one);
        (self.records)(interval).iter().map(row).collect()
    }
}
