//! A channel with its I/O driver in real time: what `halftrack drive` runs.
//!
//! ```text
//! streams ─ requests ─► IoDriver ─ programs ─► ChannelPath ─ frames ─► Fibre ─► the other process
//!              ▲            │  path group        │ logins, logical path, open exchanges
//!              └────────────┴──── ends, data ◄───┘
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | `io_driver` | every I/O from request to end: path group, redrive, missing interrupts, verification |
//! | `stream`, `volume`, `region`, `template` | the I/Os requested: of which device, where, by which program |
//! | `contents` | expected contents of every record |
//! | `bring_up` | before the streams: paths online, tracks laid out |
//! | `channel_path`, `discovery` | one path: link, login, logical path, devices varied online |
//! | `formatting` | tracks laid out by channel programs |
//! | `path_set`, `drive_error` | the paths together; errors of a run |
//! | `io_observer` | I/Os as the program sees them, for checkers |
//! | `synchronous` | links for synchronous I/O, and the account of it |
//! | `statistics`, `report` | results |
//! | `fcp` | a channel of FCP: paths to logical units, and the driver over them |

mod block_program;
mod bring_up;
mod channel_path;
mod contents;
mod discovery;
mod drive_error;
mod fcp;
mod formatting;
mod io_driver;
mod io_observer;
mod path_set;
mod paths;
mod region;
mod report;
mod statistics;
mod stream;
mod synchronous;
mod template;
mod volume;
mod volume_size;

use std::io;

use halftrack_base::{Span, Time};
use halftrack_config::ChannelFile;
use halftrack_wire::StartNumber;
use halftrack_wire::els::LinkIncident;
use halftrack_workload::UNWRITTEN;
use rustix::time::{ClockId, clock_gettime};

use crate::{Clock, FrameTap, Poller, StopSignal, Transport};

pub use crate::connector::{Connector, SingleConnector, TcpConnector};
pub use channel_path::{ChannelPath, PathChange};
pub use contents::Mismatch;
pub use discovery::path_group_id;
pub use drive_error::DriveError;
pub use fcp::{FcpDrive, FcpPath, LunSize};
pub use formatting::{FormatError, Formatting};
pub use io_driver::{IoDriver, Ledger, Phase};
pub use io_observer::{IoEnd, IoObserver, IoStart};
pub use path_set::PathSet;
pub use paths::ChannelPaths;
pub use region::{Place, RegionError};
pub use report::{PathReport, Progress, Report, Stage, StreamReport};
pub use statistics::{IoError, StreamStatistics};
pub use stream::StreamError;
pub use synchronous::{SynchronousEnd, SynchronousLinkReport, SynchronousPath, SynchronousStatistics};
pub use volume_size::{RecordPlace, VolumeSize};

use drive_error::words;

/// How long at least one path may take to come online at the start, and how long I/O waits when all are lost.
const PATH_WAIT: Span = Span::from_s(10);
/// Time after which a start without a path ends when every path has reported an error.
const TROUBLE_WAIT: Span = Span::from_ms(1500);
/// Interval of progress reports.
const PROGRESS_STEP: Span = Span::from_ms(250);
/// How long the answers to the logouts may take at the end: a hundred times the way to the farthest control unit.
const CLOSE_WAIT: Span = Span::from_ms(300);
/// How long the last I/Os may take to end.
const DRAIN_WAIT: Span = Span::from_s(60);
/// How long a start waits whose device changes its state. Our choice: an end of the change is not signalled here, and Linux,
/// to which it is, waits 30 s at most (recovery reference 1).
const STATE_CHANGE_WAIT: Span = Span::from_ms(500);
/// Time in which a subchannel's number goes on by one between two lives of a host, ns: no subchannel has more starts, 25,000 a
/// second.
const NS_PER_NUMBER: u64 = 40_000;
/// Ends of exchanges that are handled before new programs are sent, so that the other end is not kept waiting.
const ENDS_AT_ONCE: usize = 32;

/// Gives the capture of a link that comes up, by the path's place.
pub type Taps<'a> = dyn FnMut(usize) -> Option<Box<dyn FrameTap>> + 'a;

/// Callback at the start of the streams.
type Begun = dyn FnMut(Time);
/// Receives link incidents, with the time and the channel-path id.
pub type IncidentListener = dyn FnMut(Time, u8, &LinkIncident);

/// Callbacks and controls of a run's owner.
pub struct Surroundings<'a> {
    /// Captures.
    pub taps: &'a mut Taps<'a>,
    /// Receives the progress of the run.
    pub progress: &'a mut dyn FnMut(&Progress),
    /// Whether somebody wishes that the run end.
    pub stop: Option<&'a mut StopSignal>,
}

/// A channel with its I/O driver.
pub struct Drive<C: Connector> {
    file: ChannelFile,
    clock: Clock,
    poller: Poller,
    paths: PathSet<C>,
    losses: Vec<u32>,
    troubles: Vec<String>,
    online: Vec<bool>,
    progress_at: Time,
    path_wait: Span,
    is_patient: bool,
    begun: Option<Box<Begun>>,
    observer: Option<Box<dyn IoObserver>>,
    last_write: u32,
    incidents: Option<Box<IncidentListener>>,
    /// Links for synchronous I/O, until the streams begin.
    synchronous: Option<Box<dyn SynchronousPath>>,
}

impl<C: Connector> Drive<C> {
    /// Returns the channel of `file`, whose paths get their links from `connectors`, in order.
    pub fn new(file: ChannelFile, connectors: Vec<C>) -> Self {
        Self::with_clock(file, connectors, Clock::start())
    }

    /// Returns the channel of `file` with the clock that its connectors have.
    pub fn with_clock(file: ChannelFile, connectors: Vec<C>, clock: Clock) -> Self {
        // Our choice: a host that starts anew counts on from its time of day, so that it is ahead of what it was before.
        let before = StartNumber::new((clock.unix_ns(Time::ZERO) / NS_PER_NUMBER) as u32);
        let paths = PathSet::new(&file, connectors, before, clock.host());
        let count = paths.paths.len();
        Self {
            losses: vec![0; count],
            troubles: vec![String::new(); count],
            online: vec![false; count],
            paths,
            file,
            clock,
            poller: Poller::default(),
            progress_at: Time::ZERO,
            path_wait: PATH_WAIT,
            is_patient: false,
            begun: None,
            observer: None,
            last_write: UNWRITTEN,
            incidents: None,
            synchronous: None,
        }
    }

    /// Calls `begun` when the streams begin.
    pub fn set_begun(&mut self, begun: impl FnMut(Time) + 'static) {
        self.begun = Some(Box::new(begun));
    }

    /// Shows the start and the end of every I/O of the streams to `observer`. Writes are numbered behind `last_write`, which
    /// distinguishes them from those of an earlier run.
    pub fn observe(&mut self, observer: Box<dyn IoObserver>, last_write: u32) {
        (self.observer, self.last_write) = (Some(observer), last_write);
    }

    /// Waits so long for paths that are refused or whose ports are held, at the start and when all are lost.
    pub fn wait_for_paths(&mut self, span: Span) {
        (self.path_wait, self.is_patient) = (span, true);
    }

    /// Gives the link incidents of the paths to `listener`.
    pub fn set_incident_listener(&mut self, listener: Box<IncidentListener>) {
        self.incidents = Some(listener);
    }

    /// Gives the host links for synchronous I/O.
    pub fn set_synchronous(&mut self, links: Box<dyn SynchronousPath>) {
        self.synchronous = Some(links);
    }

    /// Returns the clock of the run, for captures.
    pub fn clock(&self) -> Clock {
        self.clock
    }

    /// Brings the paths up, formats if requested, and runs the streams to their end.
    ///
    /// # Errors
    /// [`DriveError`]: it did not come to I/O. What went wrong with I/O is in the report.
    pub fn run(&mut self, format: bool, around: &mut Surroundings<'_>) -> Result<Report, DriveError> {
        let (sizes, transport) = self.bring_up(around)?;
        let mut driver = IoDriver::new(&self.file, &sizes, transport)
            .map_err(|(stream, error)| DriveError::Stream { stream, error })?;
        for path in 0..self.online.len() {
            if self.online[path] {
                driver.set_online(self.clock.now(), path as u8, true, &mut self.paths);
            }
        }
        if format {
            self.format(&mut driver, around)?;
        }
        let report = self.drive(&mut driver, around);
        self.close();
        report
    }

    /// Runs one turn of the loop but for the actions of the owner of the ends; true when there was anything to do.
    fn receive(&mut self, taps: &mut Taps<'_>) -> bool {
        let now = self.clock.now();
        let mut worked = false;
        for (index, path) in self.paths.paths.iter_mut().enumerate() {
            if now >= path.poll_timeout() {
                path.handle_timeout(now);
            }
            worked |= path.receive(now, &mut || taps(index));
            while let Some(incident) = path.poll_incident() {
                if let Some(listener) = &mut self.incidents {
                    listener(now, path.chpid(), &incident);
                }
            }
        }
        self.paths.lose_stalled(now);
        self.paths.lose_failing(now);
        worked
    }

    /// Returns what became of the paths: those that came or went, by place.
    fn changes(&mut self) -> Vec<(u8, bool)> {
        let mut changes = Vec::new();
        for (index, path) in self.paths.paths.iter_mut().enumerate() {
            match path.poll_change() {
                None => {}
                Some(PathChange::Online) => {
                    self.online[index] = true;
                    changes.push((index as u8, true));
                }
                Some(PathChange::Offline { why }) => {
                    if self.online[index] {
                        self.losses[index] += 1;
                        changes.push((index as u8, false));
                    }
                    self.online[index] = false;
                    self.troubles[index] = why;
                }
            }
        }
        changes
    }

    fn send(&mut self, now: Time, idle: bool) -> bool {
        let mut worked = false;
        for path in &mut self.paths.paths {
            worked |= path.send(now, idle);
        }
        worked
    }

    /// Looks again or sleeps, until `until` at most.
    fn rest(&mut self, worked: bool, until: Time, stop: Option<&StopSignal>) -> io::Result<()> {
        let now = self.clock.now();
        if !self.poller.end_turn(worked, now) {
            return Ok(());
        }
        let timeouts = self.paths.paths.iter().map(ChannelPath::poll_timeout);
        let until = timeouts.fold(until, Time::min);
        let fibres = self.paths.paths.iter_mut().filter_map(ChannelPath::fibre);
        let mut transports: Vec<&mut dyn Transport> =
            fibres.map(|fibre| fibre.transport() as &mut dyn Transport).collect();
        let others: Vec<_> = stop.iter().map(|stop| stop.fd()).collect();
        self.poller.sleep(&self.clock, Some(until), &mut transports, &others)
    }

    fn troubles(&self) -> Vec<(u8, String)> {
        self.paths.paths.iter().map(|path| (path.chpid(), path.trouble().to_owned())).collect()
    }

    fn notify(&mut self, now: Time, progress: &mut dyn FnMut(&Progress), what: impl FnOnce() -> Progress) {
        if now >= self.progress_at {
            self.progress_at = now.saturating_add(PROGRESS_STEP);
            let paths = self.online.iter().filter(|online| **online).count();
            progress(&Progress { paths, ..what() });
        }
    }

    /// Begins the streams.
    fn begin(&mut self, driver: &mut IoDriver) {
        if let Some(observer) = self.observer.take() {
            driver.set_observer(observer);
        }
        driver.number_writes_behind(self.last_write);
        if let Some(links) = self.synchronous.take() {
            driver.set_synchronous(links);
        }
        let now = self.clock.now();
        if let Some(begun) = &mut self.begun {
            begun(now);
        }
        driver.begin(now);
    }

    fn drive(&mut self, driver: &mut IoDriver, around: &mut Surroundings<'_>) -> Result<Report, DriveError> {
        self.begin(driver);
        let (mut processor_from, mut phase) = (processor_time(), driver.phase());
        let mut processor_to = None;
        let (mut lost_at, mut drained_by, mut interrupted, mut broken_off) = (None, None, false, None);
        while !driver.is_done() {
            let received = self.receive(around.taps);
            let now = self.clock.now();
            let ended = self.ends(now, driver);
            let mut worked = ended || received;
            // What has ended was compared: the next I/O of its job is requested afterwards.
            let now = if ended { self.clock.now() } else { now };
            for (path, online) in self.changes() {
                driver.set_online(now, path, online, &mut self.paths);
            }
            if self.paths.subchannels.borrow_mut().take_freed() {
                driver.handle_subchannel_free(now, &mut self.paths);
            }
            if now >= driver.poll_timeout() {
                driver.handle_timeout(now, &mut self.paths);
            }
            worked |= driver.work(now, &mut self.paths);
            worked |= self.send(now, !worked);
            if driver.phase() != phase {
                phase = driver.phase();
                match phase {
                    Phase::Measured => processor_from = processor_time(),
                    Phase::Draining => processor_to = Some(processor_time()),
                    Phase::Before | Phase::WarmUp => {}
                }
            }
            self.notify(now, around.progress, || progress_of(driver, now));
            if !interrupted && around.stop.as_ref().is_some_and(|stop| stop.is_wished()) {
                interrupted = true;
                driver.drain(now);
                if let Some(stop) = around.stop.as_deref_mut() {
                    stop.quiet();
                }
            }
            if driver.has_path() {
                lost_at = None;
            } else if now.saturating_since(*lost_at.get_or_insert(now)) >= self.path_wait {
                broken_off = Some(format!("all channel paths were lost: {}", words(&self.troubles())));
                driver.break_off(now);
            }
            if driver.phase() == Phase::Draining
                && now.saturating_since(*drained_by.get_or_insert(now)) >= DRAIN_WAIT
            {
                broken_off = Some("I/Os under way did not end".to_owned());
                driver.break_off(now);
            }
            self.rest(worked, driver.poll_timeout().min(self.progress_at), around.stop.as_deref())?;
        }
        let processor = processor_to.unwrap_or_else(processor_time).saturating_sub(processor_from);
        Ok(self.report(driver, Span::from_ps(processor), interrupted, broken_off))
    }

    /// Takes the ends of exchanges, and starts what they make room for every now and then.
    #[inline]
    fn ends(&mut self, now: Time, driver: &mut IoDriver) -> bool {
        let mut taken = 0;
        for index in 0..self.paths.paths.len() {
            while let Some(end) = self.paths.paths[index].poll_end() {
                taken += 1;
                driver.handle_end(now, index as u8, &end, &mut self.paths);
                self.paths.paths[index].recycle(end.data);
                if taken % ENDS_AT_ONCE == 0 {
                    driver.work(now, &mut self.paths);
                    self.send(now, false);
                }
            }
        }
        taken > 0
    }

    fn report(
        &mut self,
        driver: &IoDriver,
        processor: Span,
        interrupted: bool,
        broken_off: Option<String>,
    ) -> Report {
        let streams = driver
            .streams()
            .iter()
            .map(|stream| StreamReport { name: stream.name.clone(), statistics: stream.statistics.clone() });
        let paths = self.paths.paths.iter().enumerate().map(|(index, path)| PathReport {
            chpid: path.chpid(),
            port_name: path.port_name(),
            losses: self.losses[index],
            trouble: self.troubles[index].clone(),
            online: self.online[index],
        });
        Report {
            streams: streams.collect(),
            paths: paths.collect(),
            synchronous_links: driver.synchronous_links(),
            measured: driver.measured(self.clock.now()),
            processor,
            ledger: driver.ledger(),
            interrupted,
            broken_off,
        }
    }

    /// Logs out, and closes the links when that was answered, so that nothing is on its way to them any more.
    fn close(&mut self) {
        let now = self.clock.now();
        for path in &mut self.paths.paths {
            path.send(now, true);
            path.log_out(now);
        }
        let until = now.saturating_add(CLOSE_WAIT);
        while self.clock.now() < until {
            let now = self.clock.now();
            let mut is_over = true;
            for path in &mut self.paths.paths {
                is_over &= path.finish(now);
            }
            if is_over {
                return;
            }
            if self.rest(false, until, None).is_err() {
                return;
            }
        }
    }
}

fn progress_of(driver: &IoDriver, now: Time) -> Progress {
    let statistics = || driver.streams().iter().map(|stream| &stream.statistics);
    let ios: u64 = statistics().map(StreamStatistics::ios).sum();
    let total_ns: f64 = statistics().map(|one| one.response_ns.mean() * one.ios() as f64).sum();
    Progress {
        stage: match driver.phase() {
            Phase::Before | Phase::WarmUp => Stage::WarmUp,
            Phase::Measured => Stage::Running,
            Phase::Draining => Stage::Draining,
        },
        part: driver.part(now),
        ios,
        bytes: statistics().map(|one| one.read_bytes + one.written_bytes).sum(),
        measured: driver.measured(now),
        mean_us: if ios == 0 { 0.0 } else { total_ns / ios as f64 / 1000.0 },
        paths: 0,
    }
}

/// Returns the processor time of the process, ps.
fn processor_time() -> u64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as u64 * 1_000_000_000_000 + time.tv_nsec as u64 * 1000
}
