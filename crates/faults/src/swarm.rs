//! The swarm: random machines with random scripts, seed by seed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;

use halftrack_base::Decision;
use serde::Serialize;

use crate::check::{Verdict, check};
use crate::machine::Machine;
use crate::mutation::Mutation;
use crate::script::{FaultKind, Script};

/// Range of seeds.
#[derive(Debug, Clone)]
pub struct Swarm {
    /// Seeds.
    pub seeds: Range<u64>,
    /// A bug put back.
    pub mutation: Option<Mutation>,
}

/// A run that failed.
#[derive(Debug, Clone, PartialEq)]
pub struct Failure {
    /// Its seed.
    pub seed: u64,
    /// Its machine.
    pub machine: Machine,
    /// Its script.
    pub script: Script,
    /// Its verdict.
    pub verdict: Verdict,
}

/// Sums over the seeds of a swarm.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct SwarmOutcome {
    /// Seeds run.
    pub seeds: u64,
    /// I/Os started.
    pub ios: u64,
    /// I/Os that ended with an error, as a program may see.
    pub failed: u64,
    /// Ends beside the one that each I/O has.
    pub ended_twice: u64,
    /// I/Os that did not end.
    pub never_ended: u64,
    /// Records that lost a write.
    pub lost_records: u64,
    /// Reads of an older value.
    pub stale_records: u64,
    /// Seeds after which something was still held.
    pub held: u64,
    /// Seeds that could not be run.
    pub unable: u64,
    /// Seeds with each kind of fault.
    pub kinds: BTreeMap<&'static str, u64>,
    /// How often each decision of recovery was taken.
    pub decisions: BTreeMap<&'static str, u64>,
    /// The runs that failed, by seed.
    #[serde(skip)]
    pub failures: Vec<Failure>,
}

impl SwarmOutcome {
    /// Returns whether every run was as it must be.
    #[must_use]
    pub fn is_good(&self) -> bool {
        self.failures.is_empty()
    }

    /// Returns the decisions of recovery that were never taken.
    pub fn never_taken(&self) -> impl Iterator<Item = &'static str> {
        self.decisions.iter().filter(|(_, count)| **count == 0).map(|(word, _)| *word)
    }

    fn add(&mut self, run: Failure) {
        let verdict = &run.verdict;
        self.seeds += 1;
        self.ios += verdict.ios;
        self.failed += verdict.failed;
        self.ended_twice += verdict.ended_twice;
        self.never_ended += verdict.never_ended;
        self.lost_records += verdict.lost_records;
        self.stale_records += verdict.stale_records;
        self.held += u64::from(!verdict.held.is_empty());
        self.unable += u64::from(verdict.trouble.is_some());
        for kind in FaultKind::ALL {
            let has_kind = run.script.events.iter().any(|event| event.kind == kind);
            *self.kinds.entry(kind.word()).or_default() += u64::from(has_kind);
        }
        for (decision, count) in Decision::ALL.into_iter().zip(&verdict.decisions) {
            *self.decisions.entry(decision.word()).or_default() += count;
        }
        if !verdict.is_good() {
            self.failures.push(run);
        }
    }
}

impl Swarm {
    /// Runs the seeds on as many threads as the pool has, and adds them up in their order, as long as `goes_on` of the seeds so
    /// far. The outcome is the same on any number of threads.
    #[must_use]
    pub fn run(&self, mut goes_on: impl FnMut(&SwarmOutcome) -> bool) -> SwarmOutcome {
        let mut outcome = SwarmOutcome::default();
        let (next, is_over) = (AtomicU64::new(self.seeds.start), AtomicBool::new(!goes_on(&outcome)));
        let (ended, runs) = mpsc::channel();
        let run_seeds = |ended: mpsc::Sender<Failure>| {
            while !is_over.load(Relaxed) {
                let seed = next.fetch_add(1, Relaxed);
                // The receiver takes everything until the last sender is gone.
                if seed >= self.seeds.end || ended.send(run_seed(seed, self.mutation)).is_err() {
                    break;
                }
            }
        };
        thread::scope(|scope| {
            for ended in vec![ended; rayon::current_num_threads()] {
                scope.spawn(|| run_seeds(ended));
            }
            // Runs that ended before one of an earlier seed.
            let mut early = BTreeMap::new();
            for run in runs {
                early.insert(run.seed, run);
                while !is_over.load(Relaxed)
                    && let Some(run) = early.remove(&(self.seeds.start + outcome.seeds))
                {
                    outcome.add(run);
                    is_over.store(!goes_on(&outcome), Relaxed);
                }
            }
        });
        outcome
    }
}

/// Runs one script.
#[must_use]
pub fn run_script(machine: Machine, script: Script) -> SwarmOutcome {
    let verdict = check(&machine, &script, None);
    let mut outcome = SwarmOutcome::default();
    outcome.add(Failure { seed: machine.seed, machine, script, verdict });
    outcome
}

/// Runs one seed.
#[must_use]
pub fn run_seed(seed: u64, mutation: Option<Mutation>) -> Failure {
    let machine = Machine::of_seed(seed);
    let script = Script::of_seed(seed, &machine);
    let verdict = check(&machine, &script, mutation);
    Failure { seed, machine, script, verdict }
}
