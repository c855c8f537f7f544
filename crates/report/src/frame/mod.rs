//! Frames: the figures of a run as columns of numbers, a row for each thing, for tools that compute with whole columns.

mod cells;
mod channel_shares;
mod of_table;
mod quantities;

use std::borrow::Cow;

use halftrack_record::Run;
use thiserror::Error;

use crate::columns::TABLES;
use crate::quantity::Unit;
use crate::rows::Key;
use crate::table::listed;

pub use cells::{Cells, Counts, Numbers, Texts};

use channel_shares::ChannelShares;
use quantities::AllQuantities;

/// Columns of equal length.
#[derive(Debug, Clone, PartialEq)]
pub struct Frame {
    /// Name, such as `channels`.
    pub name: Cow<'static, str>,
    /// Columns.
    pub columns: Vec<FrameColumn>,
}

/// A column of a frame.
#[derive(Debug, Clone, PartialEq)]
pub struct FrameColumn {
    /// Name, each only once in a frame.
    pub name: Cow<'static, str>,
    /// Unit; `None` for texts and numbers of the user.
    pub unit: Option<Unit>,
    /// Definition.
    pub definition: &'static str,
    /// Cells.
    pub cells: Cells,
}

impl Frame {
    /// Returns the number of rows.
    pub fn rows(&self) -> usize {
        self.columns.first().map_or(0, |column| column.cells.len())
    }

    /// Returns the column of this name.
    pub fn column(&self, name: &str) -> Option<&FrameColumn> {
        self.columns.iter().find(|column| column.name == name)
    }
}

/// Time that a row of a frame covers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Grain {
    /// All intervals together, as quantities do.
    #[default]
    Run,
    /// One interval.
    Interval,
}

/// A frame that runs can have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FrameDefinition {
    /// Name.
    pub name: &'static str,
    /// Columns that identify a row.
    pub keys: &'static [Key],
    /// It can have a row for each interval.
    pub by_interval: bool,
}

/// Why a run has no such frame.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum FrameError {
    /// No frame has the name.
    #[error("no table is called {name:?}; known are {known}")]
    Unknown {
        /// The name.
        name: String,
        /// All names, comma-separated.
        known: String,
    },
    /// The figures are only kept of the run as a whole.
    #[error("a run has {name} as a whole and not by interval; by interval it has {known}")]
    NotByInterval {
        /// The name.
        name: &'static str,
        /// Names of the frames by interval, comma-separated.
        known: String,
    },
}

/// A source of one frame.
pub(crate) trait Framed: Sync {
    /// Returns its definition.
    fn frame_definition(&self) -> FrameDefinition;

    /// Returns the frame of `run`; one that is not kept by interval is of the run.
    fn frame(&self, run: &Run, grain: Grain) -> Frame;
}

fn sources() -> impl Iterator<Item = &'static dyn Framed> {
    let others: [&dyn Framed; 2] = [&ChannelShares, &AllQuantities];
    TABLES.into_iter().map(|table| table as &dyn Framed).chain(others)
}

/// Returns the definition of every frame, that of all quantities last.
pub fn frames() -> Vec<FrameDefinition> {
    sources().map(Framed::frame_definition).collect()
}

/// Returns the frame `name` of `run`: keys, then every figure of that kind with unit and definition. A figure that a row
/// does not have is missing. By interval the columns `interval`, `start_s` and `length_s` come first.
///
/// # Errors
/// `Unknown`; `NotByInterval` for what is only kept of the run as a whole.
pub fn frame(run: &Run, name: &str, grain: Grain) -> Result<Frame, FrameError> {
    let Some(source) = sources().find(|source| source.frame_definition().name == name) else {
        let known = listed(frames().iter().map(|known| known.name.to_owned()));
        return Err(FrameError::Unknown { name: name.to_owned(), known });
    };
    let found = source.frame_definition();
    if grain == Grain::Interval && !found.by_interval {
        let known = frames().into_iter().filter(|known| known.by_interval);
        let known = listed(known.map(|known| known.name.to_owned()));
        return Err(FrameError::NotByInterval { name: found.name, known });
    }
    Ok(source.frame(run, grain))
}

#[cfg(test)]
mod tests;
