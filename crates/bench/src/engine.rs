//! Speed of the engine beside a hand-written loop, in the same run.

use serde::Serialize;

use crate::calibration::calibration_ns;
use crate::processor_time::thread_time;
use crate::tandem::{ByHand, Immediate, Prefetched, Tandem, ThroughEngine, time_of_hops};

/// Rounds that each program makes; odd, so that one of them is the median. In a round of a few milliseconds the
/// branch predictor has time to learn the program.
const ROUNDS: u64 = 101;
/// The tandem through the engine, by hand, and by hand with services drawn one ahead.
const PROGRAMS: usize = 3;
/// Seed of every random stream.
const SEED: u64 = 1;
/// Shortest processor time that a speed is computed from, s.
const SHORTEST_S: f64 = 1e-9;

/// Speeds of the programs.
#[derive(Debug, Clone, Serialize)]
pub struct Figures {
    /// Hops for each second of processor time through the engine, with statistics: median of the rounds.
    pub tandem_hops_per_s: f64,
    /// Hops for each second of the hand-written loop.
    pub hand_loop_hops_per_s: f64,
    /// Hops for each second of the hand-written loop that draws services one ahead.
    pub hand_loop_ahead_hops_per_s: f64,
    /// `tandem_hops_per_s` / `hand_loop_hops_per_s`.
    pub ratio: f64,
    /// `tandem_hops_per_s` / `hand_loop_ahead_hops_per_s`.
    pub ratio_ahead: f64,
    /// Hops of the first program.
    pub hops: u64,
    /// Rounds of each program.
    pub rounds: u64,
    /// Worker threads.
    pub threads: usize,
    /// Time of the fixed arithmetic loop, ns.
    pub calibration_ns: u64,
    /// Hops of each program: equal, or the programs are not one model.
    #[serde(skip)]
    pub hops_of_programs: [u64; PROGRAMS],
}

impl Figures {
    /// Returns true when all programs made the same number of hops.
    #[must_use]
    pub fn programs_agree(&self) -> bool {
        self.hops_of_programs.iter().all(|&of_one| of_one == self.hops)
    }
}

/// A program and its speed in every round, hops for each second of processor time.
struct Timed {
    program: Box<dyn Tandem>,
    hops_per_s: Vec<f64>,
}

impl Timed {
    fn new(program: impl Tandem + 'static) -> Self {
        Self { program: Box::new(program), hops_per_s: Vec::new() }
    }

    /// Goes on until about `hops` hops are made in all.
    fn round(&mut self, hops: u64) {
        let until = time_of_hops(hops);
        let hops_before = self.program.hops();
        let began = thread_time();
        self.program.run_until(until);
        let spent_s = (thread_time() - began).as_secs_f64().max(SHORTEST_S);
        self.hops_per_s.push((self.program.hops() - hops_before) as f64 / spent_s);
    }

    fn median_hops_per_s(mut self) -> f64 {
        self.hops_per_s.sort_by(f64::total_cmp);
        self.hops_per_s[self.hops_per_s.len() / 2]
    }
}

/// Measures the three programs in turn, each over about `hops` hops.
#[must_use]
pub fn measure(hops: u64, threads: usize) -> Figures {
    let calibration_ns = calibration_ns();
    let mut programs: [_; PROGRAMS] = [
        Timed::new(ThroughEngine::new(SEED)),
        Timed::new(ByHand::<Immediate>::new(SEED)),
        Timed::new(ByHand::<Prefetched>::new(SEED)),
    ];
    for round in 0..ROUNDS {
        let hops = hops / ROUNDS * (round + 1);
        // Each is the first as often as any other.
        for turn in 0..PROGRAMS {
            programs[(round as usize + turn) % PROGRAMS].round(hops);
        }
    }
    let hops_of_programs = programs.each_ref().map(|timed| timed.program.hops());
    let [tandem, hand_loop, hand_loop_ahead] = programs.map(Timed::median_hops_per_s);
    Figures {
        tandem_hops_per_s: tandem,
        hand_loop_hops_per_s: hand_loop,
        hand_loop_ahead_hops_per_s: hand_loop_ahead,
        ratio: tandem / hand_loop,
        ratio_ahead: tandem / hand_loop_ahead,
        hops: hops_of_programs[0],
        rounds: ROUNDS,
        threads,
        calibration_ns,
        hops_of_programs,
    }
}
