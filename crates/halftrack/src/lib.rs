//! The IBM Z I/O subsystem in software, as a library: a study (IOCP deck, plant, workload) is loaded and checked, its machine
//! is simulated in virtual time, and the record of the run is reported as RMF does.
//!
//! ```
//! use halftrack::{LoadOptions, Study, report};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! # let mut options = LoadOptions::default();
//! # options.set = vec!["workload.run.interval_s=0.05".to_owned()];
//! let study = Study::load("../../studies/fex32s-zhpf-4k", &options)?;
//! let mut simulation = study.simulate(&study.options())?;
//! let (run, _) = simulation.run(&mut |progress| eprintln!("{} I/Os", progress.ios));
//! println!("{}", report::summary(&run));
//! println!("{}", report::postprocessor(&run, "PROD1", 0)?);
//! assert!(run.streams[0].rate_per_s.mean > 200_000.0);
//! # Ok(())
//! # }
//! ```
//!
//! A run that takes long is cancelled by its observer ([`Simulation::try_run`]), or simulated piece by piece
//! ([`Simulation::advance`], [`Simulation::moment`]).

mod cache;
mod capture_file;
mod catalog;
pub mod deck;
mod explained;
mod failing_parts;
pub mod new_study;
mod option_error;
mod output;
mod precision;
mod published;
mod run_files;
mod study;
mod study_summary;
mod sweep;
mod threads;
mod warnings;

pub use cache::run_cache;
pub use capture_file::{CLEAR_TEXT, write_capture};
pub use catalog::load_catalog;
pub use explained::{explained, message_json};
pub use failing_parts::failing_parts;
pub use halftrack_catalog::{Catalog, Compression, CompressionFamily, Payer, ZEDC};
pub use halftrack_config::workload_file::RUN_MAX_S;
pub use halftrack_config::{Configuration, Plant, Site, StudyFiles};
/// Requests for studies of whole machines.
pub use halftrack_generate as generate;
pub use halftrack_input::{Diagnostic, Severity, SourceFile};
pub use halftrack_machine::{
    Cancelled, Capture, ExchangeMode, Fidelity, Options, Precision, Progress, RunCounters, Simulation,
    Threads, Variation, WiringError,
};
/// Published figures, experiments and scoreboards.
pub use halftrack_published as figures;
/// Records of a run.
pub use halftrack_record as record;
pub use halftrack_record::Run;
/// RMF reports, quantities, summaries, pages and operators' displays of a run.
pub use halftrack_report as report;
pub use halftrack_sweep::{
    AnsweredPoint, Cache, Change, ContentKey, Key, NONE, Outcome, Outcomes, PackedSweep, PlannedPoint,
    PointError, PointIdentity, PointOptions, PointOutcome, StudyFile, Table, UnpackError, ValueSet,
    WrongAnswer, sets_in_step,
};
pub use option_error::OptionError;
pub use output::{OutputDirectory, OutputError, OutputFile};
pub use precision::{CONFIDENCE_LIMITS, INTERVALS_LIMIT, RELATIVE_LIMITS, WARMUP_LIMIT_S, check_precision};
pub use published::{Experiments, Published, PublishedOptions, Runner, TrialObserver};
pub use run_files::{INTERVALS, REPORT, SUMMARY, reports_of, run_files};
pub use study::{LoadError, LoadOptions, MomentError, Study};
pub use study_summary::StudySummary;
pub use sweep::{
    EarlierSweep, GuidelineOption, Mark, POINTS, POINTS_CSV, PackError, PackOptions, PictureOptions,
    Pictures, Sweep, SweepOptions, SweepRuns, finite, pack_sweep, sweep_files,
};
pub use warnings::{offered_warnings, refused_events};

/// Version of the model: a hash of all code on which results depend. Runs of one [`ContentKey`] have the same record.
pub const MODEL_VERSION: &str = env!("HALFTRACK_MODEL");
