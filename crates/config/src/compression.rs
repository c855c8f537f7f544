//! Compression by zEDC Express cards in a run.

use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc_twin::{InstallationPlan, Stream};

/// Cards and their work; empty where nothing is compressed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compression {
    /// The machines with work for cards, by CPC.
    pub machines: Vec<CardMachine>,
    /// Compression without I/O, by name.
    pub work: Vec<CompressionWork>,
    /// Data that one processor compresses in software, MB/s; `None` where nothing is given.
    pub software_mb_per_s: Option<f64>,
}

/// Cards of a machine.
#[derive(Debug, Clone, PartialEq)]
pub struct CardMachine {
    /// Index of the CPC.
    pub cpc: u8,
    /// Speed of each card.
    pub speed: CardSpeed,
    /// Cards and functions at the start of the run.
    pub plan: InstallationPlan,
}

/// Requests of one program.
#[derive(Debug, Clone, PartialEq)]
pub struct CompressionWork {
    /// Index of its partition.
    pub lpar: u32,
    /// Rate, lengths and ratio.
    pub stream: Stream,
}
