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
//! | `drive_loop`, `link_path` | the loop of every drive: links served, paths that come and go |
//! | `driver_turn` | one turn of the I/O driver over its paths |
//! | `course` | the course of a run: phases, the end |
//! | `disk_run`, `unit_paths` | a run over paths that another loop serves |
//! | `driver_plan` | streams of a driver, and where they go |
//! | `stream`, `volume`, `region`, `template` | the I/Os requested: of which device, where, by which program |
//! | `contents` | expected contents of every record |
//! | `bring_up` | before the streams: paths online, tracks laid out |
//! | `channel_path` | one path: its port, link and login |
//! | `unit_path`, `discovery` | the path to a control unit: logical path, devices varied online, exchanges |
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
mod course;
mod discovery;
mod disk_run;
mod drive_error;
mod drive_loop;
mod driver_plan;
mod driver_turn;
mod fcp;
mod formatting;
mod io_driver;
mod io_observer;
mod link_path;
mod path_set;
mod path_states;
mod paths;
mod phases;
mod region;
mod report;
mod statistics;
mod stream;
mod synchronous;
mod template;
mod unit_path;
mod unit_paths;
mod volume;
mod volume_size;

use halftrack_base::{Span, Time};
use halftrack_config::ChannelFile;
use halftrack_wire::StartNumber;
use halftrack_wire::els::LinkIncident;
use halftrack_workload::UNWRITTEN;

use crate::{Clock, FrameTap, StopSignal};

pub use crate::connector::{Connector, SingleConnector, TcpConnector};
pub(crate) use channel_path::node_descriptor;
pub use channel_path::{ChannelPath, PathChange};
pub use contents::Mismatch;
pub use course::Driven;
pub use discovery::path_group_id;
pub use disk_run::{DiskPlan, DiskRun};
pub use drive_error::DriveError;
pub use driver_plan::DriverPlan;
pub use fcp::{FcpDrive, FcpIoDriver, FcpPath, FcpPathSet, LunSize};
pub use formatting::{FormatError, Formatting};
pub use io_driver::{IoDriver, Ledger};
pub use io_observer::{IoEnd, IoObserver, IoStart};
pub use link_path::LinkPath;
pub use path_set::PathSet;
pub use paths::ChannelPaths;
pub use phases::Phase;
pub use region::{Place, RegionError};
pub use report::{PathReport, Progress, Report, Stage, StreamReport};
pub use statistics::{IoError, StreamStatistics};
pub use stream::StreamError;
pub use synchronous::{SynchronousEnd, SynchronousLinkReport, SynchronousPath, SynchronousStatistics};
pub use unit_path::{UnitPath, UnitPathOptions};
pub use unit_paths::UnitPaths;
pub use volume_size::{RecordPlace, VolumeSize};

use course::{Course, progress_of};
use drive_loop::{DriveLoop, send, troubles};
use driver_turn::{drive_on, format_on, take_ends};

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
    turns: DriveLoop,
    paths: PathSet<C>,
    observer: Option<Box<dyn IoObserver>>,
    last_write: u32,
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
        let paths = PathSet::new(&file, connectors, last_number(&clock), clock.host());
        Self {
            turns: DriveLoop::new(clock, paths.paths.len()),
            paths,
            file,
            observer: None,
            last_write: UNWRITTEN,
            synchronous: None,
        }
    }

    /// Calls `begun` when the streams begin.
    pub fn set_begun(&mut self, begun: impl FnMut(Time) + 'static) {
        self.turns.set_begun(Box::new(begun));
    }

    /// Shows the start and the end of every I/O of the streams to `observer`. Writes are numbered behind `last_write`, which
    /// distinguishes them from those of an earlier run.
    pub fn observe(&mut self, observer: Box<dyn IoObserver>, last_write: u32) {
        (self.observer, self.last_write) = (Some(observer), last_write);
    }

    /// Waits so long for paths that are refused or whose ports are held, at the start and when all are lost.
    pub fn wait_for_paths(&mut self, span: Span) {
        self.turns.wait_for_paths(span);
    }

    /// Gives the link incidents of the paths to `listener`.
    pub fn set_incident_listener(&mut self, listener: Box<IncidentListener>) {
        self.turns.set_incident_listener(listener);
    }

    /// Gives the host links for synchronous I/O.
    pub fn set_synchronous(&mut self, links: Box<dyn SynchronousPath>) {
        self.synchronous = Some(links);
    }

    /// Returns the clock of the run, for captures.
    pub fn clock(&self) -> Clock {
        self.turns.clock
    }

    /// Brings the paths up, formats if requested, and runs the streams to their end.
    ///
    /// # Errors
    /// [`DriveError`]: it did not come to I/O. What went wrong with I/O is in the report.
    pub fn run(&mut self, format: bool, around: &mut Surroundings<'_>) -> Result<Report, DriveError> {
        let (sizes, transport) = self.bring_up(around)?;
        let mut driver = IoDriver::new(&self.file, &sizes, transport)
            .map_err(|(stream, error)| DriveError::Stream { stream, error })?;
        for path in 0..self.turns.states.online.len() {
            if self.turns.states.online[path] {
                driver.set_online(self.turns.clock.now(), path as u8, true, &mut self.paths);
            }
        }
        if format {
            self.format(&mut driver, around)?;
        }
        let report = self.drive(&mut driver, around);
        self.turns.close(&mut self.paths.paths);
        report
    }

    /// Takes what has come over the links; true when there was anything.
    fn receive(&mut self, taps: &mut Taps<'_>) -> bool {
        let worked = self.turns.receive(&mut self.paths.paths, taps);
        let now = self.turns.clock.now();
        self.paths.lose_stalled(now);
        self.paths.lose_failing(now);
        worked
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
        driver.begin(self.turns.begin());
    }

    fn drive(&mut self, driver: &mut IoDriver, around: &mut Surroundings<'_>) -> Result<Report, DriveError> {
        self.begin(driver);
        let mut course = Course::new(driver);
        while !driver.is_done() {
            let received = self.receive(around.taps);
            let now = self.turns.clock.now();
            let ended = take_ends(now, driver, &mut self.paths);
            let mut worked = ended || received;
            // What has ended was compared: the next I/O of its job is requested afterwards.
            let now = if ended { self.turns.clock.now() } else { now };
            let changes = self.turns.changes(&mut self.paths.paths);
            worked |= drive_on(now, driver, &changes, &mut self.paths);
            worked |= send(&mut self.paths.paths, now, !worked);
            self.turns.notify(now, around.progress, || progress_of(driver, now));
            course.follow_phase(driver);
            course.follow_wish(now, driver, around.stop.as_deref_mut());
            let has_path = driver.has_path();
            course.follow_end(now, driver, (has_path, self.turns.path_wait), || troubles(&self.paths.paths));
            self.turns.rest(&mut self.paths.paths, worked, driver.poll_timeout(), around.stop.as_deref())?;
        }
        Ok(course.report(driver, self.turns.reports(&self.paths.paths), self.turns.clock.now()))
    }
}

/// Returns the number behind which a host that starts counts its starts. Our choice: it goes with the time of day, so that the host
/// is ahead of what it was before.
fn last_number(clock: &Clock) -> StartNumber {
    StartNumber::new((clock.unix_ns(Time::ZERO) / NS_PER_NUMBER) as u32)
}
