//! Status of a card and its functions, as operators get it.

use serde::{Deserialize, Serialize};

/// Card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CardStatus {
    /// Number in the machine.
    pub card: u8,
    /// Feature code and name.
    pub feature: String,
    /// Resource group.
    pub group: String,
    /// Engine.
    pub engine: String,
    /// Version of the command that runs it.
    pub firmware: String,
    /// Process.
    pub process: u32,
    /// Time since it was started, s.
    pub up_s: f64,
    /// Functions that are configured.
    pub functions: Vec<FunctionStatus>,
}

/// Function. Counts are those of SMF 74 subtype 9.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionStatus {
    /// Number.
    pub vf: u8,
    /// State.
    pub state: String,
    /// Processes that use it.
    pub processes: Vec<u32>,
    /// Requests that ended here.
    pub requests: u64,
    /// Octets that were deflated, and to which.
    pub deflate_bytes: (u64, u64),
    /// Octets that were inflated, and to which.
    pub inflate_bytes: (u64, u64),
    /// Ratio of compression.
    pub ratio: f64,
    /// Mean time of a request in the queue, µs.
    pub queue_us: f64,
    /// Mean time of a request in the engine, µs.
    pub execution_us: f64,
    /// Part of the time since the start in which the engine worked for it, percent.
    pub busy_percent: f64,
}
