//! A wired machine at some instant of its run.

use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_config::Configuration;
use halftrack_engine::{WindowError, WindowStats, windows};
use halftrack_record::{CheckerReport, CreditShortage, LinkInterval, Moment, OfferedTooMuch, PoolInterval};

use crate::events::outlet::{HOST, SAPS, STORAGE};
use crate::fabric::link_counters::LinkCounters;
use crate::host::HostState;
use crate::images::Images;
use crate::laws::census::Census;
use crate::laws::law::Law;
use crate::laws::traffic::check_traffic;
use crate::run::disturbance;
use crate::run::process::{Process, Side, assert_routed};
use crate::saps::Saps;
use crate::storage::StorageState;
use crate::wiring::Wiring;
use crate::wiring::error::WiringError;
use crate::wiring::offered::offered_too_much;
use crate::wiring::options::Options;
use thiserror::Error;

#[cfg(test)]
mod law_faults;
mod run;

/// How far a run has come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Progress {
    /// Virtual time simulated.
    pub done: Span,
    /// Virtual time of the whole run, warm-up included, if it is not over before.
    pub total: Span,
    /// I/Os ended.
    pub ios: u64,
}

/// Counts of a whole run, warm-up included.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunCounters {
    /// I/Os ended.
    pub ios: u64,
    /// Events handled.
    pub events: u64,
    /// Virtual time simulated.
    pub simulated: Span,
}

/// One machine, wired and at some instant of its run.
#[derive(Debug)]
pub struct Simulation {
    wiring: Arc<Wiring>,
    processes: [Process; 2],
    threads: usize,
    now: Time,
    links: LinkCounters,
}

impl Simulation {
    /// Wires `configuration`: plans are recorded, components built, the first arrivals scheduled.
    ///
    /// # Errors
    /// [`WiringError`] when a stream's program cannot be exchanged over its paths, or when the run may take too long.
    pub fn new(configuration: Arc<Configuration>, options: Options) -> Result<Self, WiringError> {
        assert_routed(&configuration);
        run::check_length(&configuration.run, &options)?;
        Ok(Self::of(Arc::new(Wiring::new(configuration, options)?)))
    }

    /// Makes the machine that is wired so.
    pub(crate) fn of(wiring: Arc<Wiring>) -> Self {
        let (mut processes, threads) = Process::both(&wiring);
        disturbance::schedule(&wiring, &mut processes);
        let links = LinkCounters::new(&wiring);
        Self { wiring, processes, threads, now: Time::ZERO, links }
    }

    /// Answers in the express lane that are under way to a channel.
    #[cfg(test)]
    pub(crate) fn answers_under_way(&mut self) -> usize {
        self.sides().0.context().pending.answers_under_way().len()
    }

    /// Returns the links whose credits do not cover their distance at their rate, for the frames of the programs that cross
    /// them.
    pub fn credit_shortages(&self) -> Vec<CreditShortage> {
        self.wiring.reach.shortages(&self.wiring.configuration)
    }

    /// Returns stations and pools of which the open streams demand more than there is, by the demands of their programs.
    pub fn offered_too_much(&self) -> Vec<OfferedTooMuch> {
        offered_too_much(&self.wiring)
    }

    /// Returns the number of threads that the run is simulated on.
    pub fn threads(&self) -> usize {
        self.threads
    }

    /// Simulates `span` more of virtual time.
    pub fn advance(&mut self, span: Span) {
        self.now += span;
        let ran = windows::run(&mut self.processes, self.now, self.threads);
        expect_run(ran).expect("nothing watches that could stop it");
    }

    /// Simulates `span` more of virtual time on one thread. Returns by how much `clock`, which only goes forward, has gone on while
    /// the process with the channels worked, and while the other did. They are as for the threads of the run.
    pub fn advance_timed(&mut self, span: Span, clock: impl Fn() -> u64 + Copy + Send) -> [u64; 2] {
        self.now += span;
        let spent =
            windows::run_timed(&mut self.processes, self.now, clock).unwrap_or_else(|error| broken(error));
        [spent[HOST], spent[STORAGE]]
    }

    /// Returns true when the images are simulated with the storage.
    pub fn has_images_with_storage(&self) -> bool {
        self.processes[STORAGE].separate_images.is_some()
    }

    /// Returns true when images and SAPs are one process, channels and storage the other.
    pub fn has_images_with_saps(&self) -> bool {
        matches!(self.processes[SAPS].side, Side::Saps(_))
    }

    /// Counts so far.
    pub fn counters(&mut self) -> RunCounters {
        let simulated = self.now.since(Time::ZERO);
        let synchronous = self.images().synchronous_successes();
        let images = self.processes[STORAGE].separate_images.as_ref().map_or(0, |images| images.events());
        let ios = self.sides().0.ios_ended() + synchronous;
        let events = self.processes.iter().map(Process::events).sum::<u64>() + images;
        RunCounters { ios, events, simulated }
    }

    /// Returns the state of paths and channels now.
    pub fn moment(&mut self) -> Moment {
        let at_ps = self.now.since(Time::ZERO).as_ps();
        let wiring = Arc::clone(&self.wiring);
        let functions = self.images().function_conditions(&wiring.configuration);
        Moment { functions, ..self.sides().0.moment(&wiring, at_ps) }
    }

    /// Applies the laws that hold at any instant to the whole run so far.
    pub fn check(&mut self) -> Vec<CheckerReport> {
        let (wiring, now) = (Arc::clone(&self.wiring), self.now);
        let additive = self.images().additive.report();
        let synchronous = self.images().check_synchronous();
        let compression = self.images().check_compression();
        let conversations = self.images().check_conversations(&wiring.configuration);
        self.settle_credits();
        let (host, storage) = self.sides();
        let mut traffic = Law::new("frames and bytes are conserved");
        let mut census = Census::new(&wiring);
        host.census(&wiring, &mut census);
        storage.census(&wiring, &mut census);
        check_traffic(&mut traffic, "outbound", host.traffic(), storage.traffic(), census.outbound);
        check_traffic(&mut traffic, "inbound", storage.traffic(), host.traffic(), census.inbound);
        if let Some(units) = host.unit_traffic() {
            check_traffic(&mut traffic, "between channels", units, units, census.units);
        }
        let mut little = Law::new("Little's law for the open exchanges of every channel");
        host.check_little(&wiring, now, &mut little);
        let mut credits = Law::new("credits are never negative, leaked or left while frames wait");
        host.check_credits(&wiring, &census, &mut credits);
        storage.check_credits(&wiring, &census, &mut credits);
        let adapters = host.check_adapters(&wiring).into_iter().flatten();
        let mut utilisation = Law::new("utilisation law of every IOP");
        self.saps().check_utilisation(now, &mut utilisation);
        let laws = [&traffic, &little, &utilisation, &credits].map(Law::report);
        let starts = std::iter::once(self.saps().check_starts());
        let images = [synchronous, compression, conversations].into_iter().flatten();
        starts.chain(laws).chain([additive]).chain(images).chain(adapters).collect()
    }

    /// Gives every link the credits that are back by now.
    fn settle_credits(&mut self) {
        let now = self.now;
        let (host, storage) = self.sides();
        host.settle_credits(now);
        storage.settle_credits(now);
    }

    fn collect_links(&mut self) -> (Vec<LinkInterval>, Vec<PoolInterval>) {
        self.settle_credits();
        let Self { wiring, processes, links, now, .. } = self;
        let (host, storage) = sides(processes);
        links.collect(wiring, [host.links(), storage.links()], *now)
    }

    /// Returns the side of the images, whichever process holds it.
    fn images(&mut self) -> &mut Images {
        let [host, other] = &mut self.processes;
        match (&mut host.side, &mut other.side, &mut other.separate_images) {
            (_, Side::Saps(separate), _) => &mut separate.images,
            (_, _, Some(separate)) => &mut separate.images,
            (Side::Host(host), ..) => host.images().expect("one of the processes holds it"),
            _ => unreachable!("process {HOST} is the host"),
        }
    }

    /// Returns the SAPs, whichever process holds them.
    fn saps(&mut self) -> &mut Saps {
        let [host, other] = &mut self.processes;
        match (&mut host.side, &mut other.side) {
            (_, Side::Saps(separate)) => &mut separate.saps,
            (Side::Host(host), _) => host.saps().expect("one of the processes holds them"),
            _ => unreachable!("process {HOST} is the host"),
        }
    }

    fn sides(&mut self) -> (&mut HostState, &mut StorageState) {
        sides(&mut self.processes)
    }
}

/// Returns the two sides of the fibre, whichever processes hold them.
fn sides([host, other]: &mut [Process; 2]) -> (&mut HostState, &mut StorageState) {
    match (&mut host.side, &mut other.side) {
        (Side::Host(host), Side::Storage(storage)) => (host, storage),
        (Side::Both(both), _) => (&mut both.host, &mut both.storage),
        _ => unreachable!("process {HOST} is the host and {STORAGE} the storage"),
    }
}

/// The end of a run that its observer has cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the run was cancelled")]
pub struct Cancelled;

/// Reports whether a run went to its end. Lookaheads come from the links' own delays, so a broken window is a defect of the
/// model.
fn expect_run(ran: Result<WindowStats, WindowError>) -> Result<(), Cancelled> {
    match ran {
        Ok(_) => Ok(()),
        Err(WindowError::Stopped) => Err(Cancelled),
        Err(error) => broken(error),
    }
}

/// Fails: a process has broken its promise.
#[cold]
fn broken(error: WindowError) -> ! {
    panic!("a process does not talk as far ahead as it says: {error}")
}
