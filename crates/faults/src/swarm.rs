//! The swarm: random machines with random scripts, seed by seed.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use halftrack_base::Decision;
use serde::Serialize;

use crate::check::{Verdict, check};
use crate::machine::Machine;
use crate::mutation::Mutation;
use crate::script::{FaultKind, Hosts, Script};

/// Range of seeds.
#[derive(Debug, Clone)]
pub struct Swarm {
    /// Seeds.
    pub seeds: Range<u64>,
    /// Hosts of all machines; otherwise those that each seed has.
    pub hosts: Option<Hosts>,
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
    /// Seeds with each kind of hosts.
    pub hosts: BTreeMap<&'static str, u64>,
    /// Seeds with each kind of fault.
    pub kinds: BTreeMap<&'static str, u64>,
    /// Seeds with each kind of fault and a host over FCP.
    pub fcp_kinds: BTreeMap<&'static str, u64>,
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
        for hosts in Hosts::ALL {
            *self.hosts.entry(hosts.word()).or_default() += u64::from(run.machine.hosts() == hosts);
        }
        for kind in FaultKind::ALL {
            let has_kind = run.script.events.iter().any(|event| event.kind == kind);
            *self.kinds.entry(kind.word()).or_default() += u64::from(has_kind);
            let is_of_fcp = has_kind && run.machine.hosts().has_fcp();
            *self.fcp_kinds.entry(kind.word()).or_default() += u64::from(is_of_fcp);
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
    /// Runs the seeds on as many threads as the pool has, and adds them up in their order. It ends when `goes_on` of the seeds so
    /// far is false. The outcome is the same on any number of threads.
    #[must_use]
    pub fn run(&self, goes_on: impl FnMut(&SwarmOutcome) -> bool + Send) -> SwarmOutcome {
        let next = AtomicU64::new(self.seeds.start);
        let mut ended = Ended::new(self.seeds.start, goes_on);
        let is_over = AtomicBool::new(!ended.goes_on());
        let ended = Mutex::new(ended);
        rayon::broadcast(|_| {
            while !is_over.load(Relaxed) {
                let seed = next.fetch_add(1, Relaxed);
                if seed >= self.seeds.end {
                    break;
                }
                let run = run_seed(seed, self.hosts, self.mutation);
                if lock(&ended).add(run) {
                    is_over.store(true, Relaxed);
                }
            }
        });
        ended.into_inner().unwrap_or_else(PoisonError::into_inner).outcome
    }
}

/// Runs that have ended, in any order, and their sum in the order of the seeds.
struct Ended<G> {
    outcome: SwarmOutcome,
    /// Seed of the next run of the sum.
    next: u64,
    /// Runs that ended before one of an earlier seed.
    early: BTreeMap<u64, Failure>,
    goes_on: G,
}

impl<G: FnMut(&SwarmOutcome) -> bool> Ended<G> {
    fn new(first: u64, goes_on: G) -> Self {
        Self { outcome: SwarmOutcome::default(), next: first, early: BTreeMap::new(), goes_on }
    }

    /// Returns whether a further run is wanted.
    fn goes_on(&mut self) -> bool {
        (self.goes_on)(&self.outcome)
    }

    /// Adds a run, and those behind it that ended before; true when no further run is wanted.
    fn add(&mut self, run: Failure) -> bool {
        self.early.insert(run.seed, run);
        while let Some(run) = self.early.remove(&self.next) {
            self.outcome.add(run);
            self.next += 1;
            if !self.goes_on() {
                // Seeds behind it that have run are no part of the sum.
                self.next = u64::MAX;
                return true;
            }
        }
        self.next == u64::MAX
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Runs one script.
#[must_use]
pub fn run_script(machine: Machine, script: Script) -> SwarmOutcome {
    let verdict = check(&machine, &script, None);
    let mut outcome = SwarmOutcome::default();
    outcome.add(Failure { seed: machine.seed, machine, script, verdict });
    outcome
}

/// Runs one seed, with these hosts or with its own.
#[must_use]
pub fn run_seed(seed: u64, hosts: Option<Hosts>, mutation: Option<Mutation>) -> Failure {
    let machine = Machine::new(seed, hosts);
    let script = Script::of_seed(seed, &machine);
    let verdict = check(&machine, &script, mutation);
    Failure { seed, machine, script, verdict }
}
