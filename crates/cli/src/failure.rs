//! Failures of commands, with their exit codes.

use std::io;
use std::path::PathBuf;

use halftrack::{OptionError, OutputError, WiringError};
use halftrack_arrow::DataSetError;
use halftrack_bench::BenchError;
use halftrack_report::MeasureError;
use halftrack_volume::OpenError;
use halftrack_zedc_rings::OperateError;
use thiserror::Error;

/// Why a command ended without a result.
#[derive(Debug, Error)]
pub enum Failure {
    /// The study or the catalog has errors, which have been shown.
    #[error("{study} cannot be run")]
    Study {
        /// Directory of the study.
        study: PathBuf,
    },
    /// The requested study cannot be made; the reason has been shown.
    #[error("{study} is not written")]
    NoNewStudy {
        /// The directory that it was to be.
        study: PathBuf,
    },
    /// The requested partition has no work.
    #[error("partition {name} has no work; the systems of this study are {known}")]
    System {
        /// Requested partition.
        name: String,
        /// Partitions with work, comma-separated.
        known: String,
    },
    /// An operator's command that is none; its error has been shown.
    #[error("the command cannot be answered")]
    OperatorCommand,
    /// An option that does not suit the others or the study.
    #[error(transparent)]
    Option(#[from] OptionError),
    /// An argument that does not suit the others or the study.
    #[error("{0}")]
    Argument(String),
    /// The cluster cannot be used; the reason has been shown.
    #[error("the points were not run on Ray")]
    Ray,
    /// Octets are to be changed where only lengths move.
    #[error(
        "--inject-corruption changes octets, and this run has only their lengths: add --data real, or \
         data = \"real\" under [run] of the workload"
    )]
    NoDataToCorrupt,
    /// No data set can be written.
    #[error(transparent)]
    DataSet(#[from] DataSetError),
    /// The output cannot be at its place.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Figures, experiments, their studies or the catalog have errors, which have been shown.
    #[error("the published figures cannot be answered")]
    Published,
    /// No figure has the pattern in its id or source.
    #[error("no figure has {pattern:?} in its id or source; `halftrack published --all` lists every figure")]
    NoFigure {
        /// The pattern.
        pattern: String,
    },
    /// The study is well-formed but its machine cannot be wired.
    #[error(transparent)]
    Wiring(#[from] WiringError),
    /// A volume, or a request for it, cannot be used.
    #[error("{volume}: {reason}")]
    Volume {
        /// Image.
        volume: PathBuf,
        /// Why, and what to do about it.
        reason: String,
    },
    /// A volume cannot be opened, made or copied.
    #[error(transparent)]
    Image(#[from] OpenError),
    /// The text of a channel program has errors, which have been shown.
    #[error("{program} cannot be run")]
    Program {
        /// The text.
        program: PathBuf,
    },
    /// A channel file has errors, which have been shown.
    #[error("{file} cannot be driven")]
    Channel {
        /// The file.
        file: PathBuf,
    },
    /// A system's file has errors, which have been shown.
    #[error("{file} is no end of a logical link")]
    Islink {
        /// The file.
        file: PathBuf,
    },
    /// No I/O came about.
    #[error("{0}")]
    Drive(String),
    /// A control-unit file has errors, which have been shown.
    #[error("{file} cannot be served")]
    ControlUnit {
        /// The file.
        file: PathBuf,
    },
    /// A zEDC Express card does not do what it was to do.
    #[error(transparent)]
    Card(OperateError),
    /// A director file has errors, which have been shown.
    #[error("{file} cannot be a director")]
    Director {
        /// The file.
        file: PathBuf,
    },
    /// A file holds something else than link incidents; that has been shown.
    #[error("{file} has no link incidents to show")]
    Incidents {
        /// The file.
        file: PathBuf,
    },
    /// A script of faults has errors, which have been shown.
    #[error("{file} cannot be run")]
    Script {
        /// The file.
        file: PathBuf,
    },
    /// A deck cannot be read at all; the reason has been shown.
    #[error("{file} cannot be read as a deck")]
    Deck {
        /// The file.
        file: PathBuf,
    },
    /// Decks are compared that were not understood whole; how far they are alike has been printed.
    #[error("{deck} could not be understood completely: the decks may or may not mean the same")]
    NotUnderstood {
        /// The deck, or both.
        deck: String,
    },
    /// The description of a deck cannot be used; the reason has been shown.
    #[error("{file} gives no deck")]
    Description {
        /// The file.
        file: PathBuf,
    },
    /// The hardware of a machine cannot be read; the reason has been shown.
    #[error("{file} cannot be read as hardware")]
    Hardware {
        /// The file.
        file: PathBuf,
    },
    /// A report could not be made.
    #[error(transparent)]
    Report(#[from] MeasureError),
    /// Part to be timed that did not do what it should.
    #[error(transparent)]
    Bench(#[from] BenchError),
    /// Printing failed.
    #[error("cannot print: {0}")]
    Print(#[from] io::Error),
}

impl Failure {
    /// Makes the failure of `path`, which cannot be written or read.
    pub fn output(path: PathBuf, source: io::Error) -> Self {
        OutputError::Output { path, source }.into()
    }

    /// Returns 2 for bad input, 1 for everything that failed afterwards.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Published
            | Self::NoFigure { .. }
            | Self::Study { .. }
            | Self::NoNewStudy { .. }
            | Self::System { .. }
            | Self::OperatorCommand
            | Self::Argument(_)
            | Self::Ray
            | Self::Option(_)
            | Self::NoDataToCorrupt
            | Self::DataSet(DataSetError::Place { .. })
            | Self::Output(OutputError::Occupied { .. } | OutputError::NoFile { .. })
            | Self::Volume { .. }
            | Self::Image(_)
            | Self::Program { .. }
            | Self::Channel { .. }
            | Self::ControlUnit { .. }
            | Self::Director { .. }
            | Self::Islink { .. }
            | Self::Script { .. }
            | Self::Incidents { .. }
            | Self::Deck { .. }
            | Self::NotUnderstood { .. }
            | Self::Description { .. }
            | Self::Hardware { .. }
            | Self::Wiring(_) => 2,
            Self::Bench(error) if error.is_bad_input() => 2,
            Self::Output(OutputError::Output { .. })
            | Self::DataSet(DataSetError::Output { .. })
            | Self::Report(_)
            | Self::Bench(_)
            | Self::Card(_)
            | Self::Drive(_)
            | Self::Print(_) => 1,
        }
    }
}
