//! Compression by zEDC Express cards in a run.

use halftrack_base::Span;
use halftrack_zedc::Operation;
use halftrack_zedc::sizing::CardSpeed;
use halftrack_zedc_twin::{Exploiter, InstallationPlan};

/// Cards and their work; empty where nothing is compressed.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Compression {
    /// The machines with work for cards, by CPC.
    pub machines: Vec<CardMachine>,
    /// Work of cards, by name.
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
    /// Name, unique in the workload.
    pub name: String,
    /// When they come.
    pub arrivals: CompressionArrivals,
    /// Length, ratio and function of each.
    pub request: CompressedStream,
}

/// When requests come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CompressionArrivals {
    /// At random times, with this mean between two.
    Every(Span),
    /// Before each write of the stream of this index, or behind each read.
    Stream(u32),
}

/// Requests of a program.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct CompressedStream {
    /// Program.
    pub exploiter: Exploiter,
    /// Function of the card.
    pub operation: Operation,
    /// Length of a request before compression, bytes.
    pub plain_bytes: u32,
    /// Ratio of compression.
    pub ratio: f64,
}
