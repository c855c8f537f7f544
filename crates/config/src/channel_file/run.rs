//! `[run]`: how long the driver runs, and what it expects the records to hold.

use halftrack_base::Span;
use halftrack_input::{Expect, Fields};

use crate::workload_file::RUN_MAX_S;

/// Run when the file gives neither a time nor a number of I/Os, s.
const DURATION_DEFAULT_S: f64 = 10.0;
/// Longest warm-up, s.
const WARMUP_MAX_S: f64 = 86_400.0;

/// Contents of the records before the driver starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Contents {
    /// Unknown contents: the first read of a record learns them, later ones are compared with it.
    Unknown,
    /// Pattern of an earlier run of the driver with the same `contents_seed`, which formatted or wrote the records.
    Pattern,
}

/// How long to run, and what the records hold.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct DriveRun {
    /// Seed of every random stream.
    pub seed: u64,
    /// Not measured at the beginning.
    pub warmup: Span,
    /// Longest time that I/O is started, warm-up left out.
    pub duration: Option<Span>,
    /// Most I/Os that are started, warm-up left out.
    pub ios: Option<u64>,
    /// Contents of the records before the driver starts.
    pub contents: Contents,
    /// Seed of what the driver writes.
    pub contents_seed: u64,
}

pub(super) fn read_run(fields: &mut Fields<'_>) -> DriveRun {
    fields.optional_table("run", |run| Some(read_keys(run))).unwrap_or(DriveRun {
        seed: 1,
        warmup: Span::ZERO,
        duration: Some(Span::from_s_f64(DURATION_DEFAULT_S)),
        ios: None,
        contents: Contents::Unknown,
        contents_seed: 1,
    })
}

/// Reads the keys of a run.
pub(crate) fn read_keys(run: &mut Fields<'_>) -> DriveRun {
    let duration_s = run.optional("duration_s", Expect::positive(RUN_MAX_S)).map(|found| found.value);
    let ios = run.optional("ios", Expect::integer(1..=u64::MAX)).map(|found| found.value);
    let duration_s = if run.has("ios") { duration_s } else { duration_s.or(Some(DURATION_DEFAULT_S)) };
    let contents = Expect::one_of([("unknown", Contents::Unknown), ("pattern", Contents::Pattern)]);
    DriveRun {
        seed: run.or("seed", Expect::integer(0..=u64::MAX), 1),
        warmup: Span::from_s_f64(run.or("warmup_s", Expect::number(0.0..=WARMUP_MAX_S), 0.0)),
        duration: duration_s.map(Span::from_s_f64),
        ios,
        contents: run.or("contents", contents, Contents::Unknown),
        contents_seed: run.or("contents_seed", Expect::integer(0..=u64::MAX), 1),
    }
}
