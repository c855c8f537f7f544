//! How a run is carried out, as opposed to what runs.

/// How finely frames are simulated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Fidelity {
    /// At most four frames (8 KiB) travel as one; links whose credits can bind run frame by frame all the same.
    #[default]
    Burst,
    /// Every frame travels by itself, each with its buffer credit.
    Frame,
}

impl Fidelity {
    /// The word of the command line and of `intervals.json`.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Burst => "burst",
            Fidelity::Frame => "frame",
        }
    }
}

/// Whether exchanges follow recorded plans.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExchangeMode {
    /// Plans, left for the live machines at the first fault.
    #[default]
    Planned,
    /// Live machines everywhere.
    Live,
}

/// Options of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Seed of every random stream.
    pub seed: u64,
    /// Fidelity.
    pub fidelity: Fidelity,
    /// Planned or live exchanges.
    pub exchange: ExchangeMode,
    /// Worker threads; the result does not depend on it.
    pub threads: usize,
}
