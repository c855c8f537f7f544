//! Why a Configuration that has been checked cannot be wired.

use halftrack_config::workload_file::RUN_MAX_S;
use halftrack_exchange::PlanError;
use halftrack_program::ProgramShape;
use thiserror::Error;

/// Why a checked Configuration cannot be wired.
#[derive(Debug, Error)]
pub enum WiringError {
    /// No exchange can be recorded for a stream's program.
    #[error("stream {stream}: the program {shape:?} cannot be exchanged: {source}")]
    Program {
        /// Stream name.
        stream: String,
        /// The program.
        shape: ProgramShape,
        /// Why.
        source: PlanError,
    },
    /// More of something than events can number.
    #[error("{count} {what}: the machine numbers at most 65,535")]
    TooMany {
        /// Of what.
        what: &'static str,
        /// How many.
        count: usize,
    },
    /// The run may take longer than virtual time is made for.
    #[error(
        "the run may take {0} s of virtual time, of at most {max} s: lower the most intervals or the interval",
        max = RUN_MAX_S
    )]
    TooLong(f64),
    /// The volumes of a run with real data cannot be held.
    #[error("real data: {reason}; use fewer devices, or leave out `data = \"real\"`")]
    Data {
        /// Why.
        reason: String,
    },
    /// A trace has no octets.
    #[error("stream {stream} follows a trace, which has no octets: leave out `data = \"real\"`")]
    TraceHasNoData {
        /// Stream name.
        stream: String,
    },
    /// A stream insists on transport mode where it is not possible.
    #[error("stream {stream} asks for transport mode, but {reason}")]
    Ineligible {
        /// Stream name.
        stream: String,
        /// Why.
        reason: String,
    },
}
