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
    /// Returns the word of the command line and of `intervals.json`.
    pub fn name(self) -> &'static str {
        match self {
            Fidelity::Burst => "burst",
            Fidelity::Frame => "frame",
        }
    }
}

/// The kind of exchanges: recorded plans, or live machines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ExchangeMode {
    /// Plans, left for the live machines at the first fault.
    #[default]
    Planned,
    /// Live machines everywhere.
    Live,
}

/// How sharp the estimates of every stream must be before a run stops.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Precision {
    /// Confidence level of the intervals, above 0 and below 1.
    pub confidence: f64,
    /// Half-width of the intervals of rate and of response, as a share of the mean, above 0.
    pub relative: f64,
    /// Intervals of the workload's length after which the run ends in any case, at least 1.
    pub at_most: u32,
}

impl Precision {
    /// Confidence level where none is given.
    pub const CONFIDENCE_DEFAULT: f64 = 0.95;
    /// Most intervals where no number is given.
    pub const AT_MOST_DEFAULT: u32 = 100;

    /// Half-widths of `relative` of the mean at `confidence`, within the default number of intervals.
    pub const fn new(confidence: f64, relative: f64) -> Self {
        Self { confidence, relative, at_most: Self::AT_MOST_DEFAULT }
    }
}

/// How service times of processors vary about the prices of the catalog.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Variation {
    /// By the catalog, for each kind of station.
    #[default]
    Varying,
    /// Not at all: for checks against closed forms of constant service.
    Constant,
    /// Exponentially: for checks against mean value analysis.
    Exponential,
}

/// Worker threads of one run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Threads {
    /// As many as the run is expected to be fastest with, by its configuration, and no more than these.
    AtMost(usize),
    /// These, though fewer may be faster.
    Exactly(usize),
}

/// Options of one run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Seed of every random stream.
    pub seed: u64,
    /// Fidelity.
    pub fidelity: Fidelity,
    /// Planned or live exchanges.
    pub exchange: ExchangeMode,
    /// How service times vary.
    pub variation: Variation,
    /// Worker threads; the result does not depend on them.
    pub threads: Threads,
    /// Run until the estimates are this sharp, however many intervals the workload has; `None` runs those.
    pub precision: Option<Precision>,
    /// I/Os in which an octet is changed on the way; only where the data are real.
    pub corrupt: u32,
}

impl Options {
    /// Makes the options of a run of the workload's length that `seed` alone decides: planned, in bursts, on one thread.
    pub const fn new(seed: u64) -> Self {
        Self {
            seed,
            fidelity: Fidelity::Burst,
            exchange: ExchangeMode::Planned,
            variation: Variation::Varying,
            threads: Threads::Exactly(1),
            precision: None,
            corrupt: 0,
        }
    }
}
