//! Channels with their I/O drivers and a control unit with volumes of bytes in virtual time, over lines with length and
//! faults, or over directors: the loops of `Drive`, `Director` and `ControlUnit` without threads, sockets and clock.
//! Everything follows from the seed.

mod cascade;
mod control_unit;
mod disk;
mod host;
mod injection;
mod line;
mod line_plug;
mod liveness;
mod read_back;
mod volume_files;

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_link::HostClock;
use tempfile::TempDir;

use self::cascade::{Cascade, CascadeOptions};
use self::control_unit::{ControlUnitRun, FaultsOfDisk};
use self::host::Host;
use self::line::{LEAST_DELAY, Line, LineClock, SharedLine};
use self::line_plug::LinePlug;
use crate::check::Account;
use crate::machine::Machine;
use crate::mutation::Mutation;
use crate::script::{FaultEvent, FaultKind, Script};

/// Clock that all processes of a world have in common.
const CLOCK: HostClock = HostClock { id: 19, start_ns: 1_000_000_000_000 };
/// How long the paths may take to come online, and the tracks to be laid out.
const BRING_UP_MAX: Span = Span::from_s(60);
/// How long I/Os may take to end when no more are requested.
const DRAIN_MAX: Span = Span::from_s(120);
/// How long the streams go on at most after their script to do the I/Os that a run has at least.
const LONGER_MAX: Span = Span::from_s(120);
/// Interval at which the I/Os are counted meanwhile.
const LONGER_STEP: Span = Span::from_ms(100);
/// Turns at one instant beyond which the parts work without end; the longest bursts take some hundred.
const TURNS_MAX: u32 = 100_000;

/// Cascade of a path, and its place there.
type CascadePlace = Option<(usize, usize)>;

/// A machine in virtual time.
pub struct World {
    now: Rc<Cell<Time>>,
    /// Line from the channel, by path: to the control unit, or to a director.
    lines: Vec<SharedLine>,
    cascades: Vec<Cascade>,
    /// The cascade of each path, and its place there.
    places: Vec<CascadePlace>,
    hosts: Vec<Host>,
    control_unit: ControlUnitRun,
    /// Faults to come, by time.
    faults: Vec<(Time, Time, FaultEvent)>,
    /// Lines whose ends lose the light, by time and way.
    darkens: Vec<(Time, SharedLine, usize)>,
    /// Why the run means nothing.
    trouble: Option<String>,
}

impl World {
    /// Returns a machine whose volume lies in a directory of its own, with a bug put back.
    ///
    /// # Errors
    /// Why the directory or the volume cannot be made.
    pub fn new(machine: &Machine, mutation: Option<Mutation>) -> Result<Self, String> {
        let lines_clock = LineClock::new(machine.seed).map_err(|error| error.to_string())?;
        let clock = machine.has_clock.then_some(CLOCK);
        let (cascades, places) = cascades(&lines_clock, machine, clock);
        let (lines, plugs) = lines(&lines_clock, machine, &cascades, &places);
        let control_unit = ControlUnitRun::new(machine, directory()?, plugs, clock, mutation)?;
        Ok(Self {
            now: Rc::clone(&lines_clock.now),
            hosts: Host::all(machine, &lines, clock, mutation)?,
            lines,
            cascades,
            places,
            control_unit,
            faults: Vec::new(),
            darkens: Vec::new(),
            trouble: None,
        })
    }

    /// Returns the time of the world.
    #[must_use]
    pub fn now(&self) -> Time {
        self.now.get()
    }

    /// Brings the paths up and lays the tracks out.
    ///
    /// # Errors
    /// A path does not come online, or a track cannot be laid out.
    pub fn bring_up(&mut self) -> Result<(), String> {
        self.run_while(|world| !world.hosts.iter().all(Host::is_online), BRING_UP_MAX);
        if let Some(host) = self.hosts.iter().find(|host| !host.is_online()) {
            return Err(format!("a path does not come online: {}", host.trouble()));
        }
        let now = self.now.get();
        self.hosts.iter_mut().try_for_each(|host| host.prepare(now))?;
        self.run_while(|world| world.hosts.iter().any(Host::is_preparing), BRING_UP_MAX);
        if self.hosts.iter().any(Host::is_preparing) {
            return Err("the tracks cannot be laid out".to_owned());
        }
        self.hosts.iter_mut().for_each(Host::end_preparation);
        Ok(())
    }

    /// Runs the streams with a script until it is over and `ios_min` I/Os were started. Then waits until all have ended, and
    /// `rest` more after the last fault.
    ///
    /// # Errors
    /// Files of the volume that cannot be read or written.
    pub fn run(&mut self, script: &Script, ios_min: u64, rest: Span) -> Result<(), String> {
        let start = self.now();
        let with_times = |event: &FaultEvent| {
            let (begins, ends) = event.times(start);
            (begins, ends, *event)
        };
        self.faults = script.events.iter().map(with_times).collect();
        self.faults.sort_by_key(|(begins, ..)| *begins);
        if script.events.iter().any(FaultEvent::needs_disk) {
            let power_fails = script.events.iter().any(|event| event.kind == FaultKind::PowerLost);
            let faults = if power_fails { FaultsOfDisk::WithPower } else { FaultsOfDisk::WithoutPower };
            let put = self.control_unit.put_on_disk(faults);
            put.map_err(|error| format!("the files of the volume: {error}"))?;
        }
        self.hosts.iter_mut().for_each(|host| host.begin(start));
        self.run_while(|_| true, script.duration);
        let until = self.now().saturating_add(LONGER_MAX);
        while self.fewest_ios() < ios_min && self.now() < until && self.trouble.is_none() {
            self.run_while(|_| true, LONGER_STEP);
        }
        let now = self.now.get();
        self.hosts.iter_mut().for_each(|host| host.drain(now));
        self.run_while(|world| !world.hosts.iter().all(Host::is_done), DRAIN_MAX);
        let rested = start.saturating_add(script.last_end()).saturating_add(rest);
        self.run_while(|_| true, rested.saturating_since(self.now()));
        self.trouble.take().map_or(Ok(()), Err)
    }

    /// Returns the starts and ends, reads and writes of each host so far.
    #[must_use]
    pub fn accounts(&self) -> Vec<Rc<RefCell<Account>>> {
        self.hosts.iter().map(Host::account).collect()
    }

    /// Returns the I/Os of the host that has done the fewest.
    fn fewest_ios(&self) -> u64 {
        self.hosts.iter().map(|host| host.account().borrow().ledger.ios()).min().unwrap_or(0)
    }

    /// Returns how often starts were answered busy.
    #[must_use]
    pub fn busy(&self) -> u64 {
        self.hosts.iter().map(Host::busy).sum()
    }

    fn run_while(&mut self, goes_on: impl Fn(&World) -> bool, at_most: Span) {
        let until = self.now().saturating_add(at_most);
        while self.now() < until && self.trouble.is_none() && goes_on(self) {
            self.inject();
            if !(0..TURNS_MAX).any(|_| !self.turn()) {
                self.trouble =
                    Some(format!("the parts work without end at {} us", self.now().as_ps() / 1_000_000));
                break;
            }
            let next = self.next().max(self.now().saturating_add(Span::from_us(1)));
            self.now.set(next.min(until));
        }
    }

    /// Runs one turn of all parts; true when there was something to do.
    fn turn(&mut self) -> bool {
        let now = self.now();
        let mut worked = false;
        for cascade in &mut self.cascades {
            worked |= cascade.turn(now);
        }
        worked |= self.control_unit.turn(now);
        self.follow_disk(now);
        self.hosts.iter_mut().fold(worked, |worked, host| host.turn(now) | worked)
    }

    /// Returns the time at which something happens next.
    fn next(&self) -> Time {
        let now = self.now();
        let lines = self.lines.iter().filter_map(|line| line.borrow().next());
        let cascades = self.cascades.iter().filter_map(|cascade| cascade.next(now));
        let faults = self.faults.iter().map(|(begins, ..)| *begins);
        let darkens = self.darkens.iter().map(|(at, ..)| *at);
        let parts = self.control_unit.next(now).into_iter().chain(self.hosts.iter().map(Host::next));
        let all = lines.chain(cascades).chain(parts).chain(faults).chain(darkens);
        all.map(|at| at.max(now)).min().unwrap_or(Time::MAX)
    }
}

/// Returns a directory for the files of a world, in memory where the system has one there.
fn directory() -> Result<TempDir, String> {
    let in_memory = std::path::Path::new("/dev/shm");
    let mut builder = tempfile::Builder::new();
    let builder = builder.prefix("halftrack-faults-");
    let made = builder.tempdir_in(in_memory).or_else(|_| builder.tempdir());
    made.map_err(|error| format!("a directory for the volume cannot be made: {error}"))
}

/// Returns the directors of a machine; the cascade of each path, and its place there.
fn cascades(
    lines: &LineClock,
    machine: &Machine,
    clock: Option<HostClock>,
) -> (Vec<Cascade>, Vec<CascadePlace>) {
    let mut options: Vec<CascadeOptions> = Vec::new();
    let mut places = Vec::new();
    for (&km, cascade) in machine.km.iter().zip(&machine.cascades) {
        places.push(cascade.map(|number| {
            if number == options.len() {
                options.push(CascadeOptions { number, paths: 0, links: machine.links, km, clock });
            }
            options[number].paths += 1;
            (number, options[number].paths - 1)
        }));
    }
    (options.into_iter().map(|options| Cascade::new(lines, options)).collect(), places)
}

/// Returns the lines of the channel, and the plugs of the control unit, by path.
fn lines(
    clock: &LineClock,
    machine: &Machine,
    cascades: &[Cascade],
    places: &[CascadePlace],
) -> (Vec<SharedLine>, Vec<LinePlug>) {
    let of_path = |(place, km): (&CascadePlace, &u64)| match *place {
        None => {
            let line = Line::new(clock, Span::from_us(5 * km).saturating_add(LEAST_DELAY));
            (Rc::clone(&line), LinePlug::accepting(line))
        }
        Some((cascade, place)) => {
            let Cascade { to_channels, to_control_unit, .. } = &cascades[cascade];
            (Rc::clone(&to_channels[place]), LinePlug::opening(Rc::clone(&to_control_unit[place])))
        }
    };
    places.iter().zip(&machine.km).map(of_path).unzip()
}
