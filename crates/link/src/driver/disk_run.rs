//! A run of streams over paths that another loop serves, which share their channels with other work.
//!
//! ```text
//! paths come online ─► tracks are laid out, if wished ─► streams run ─► report
//! ```

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_config::channel_file::{DriveRun, DriveStream};
use halftrack_subsystem::Subchannels;
use halftrack_wire::WorldWideName;

use super::course::Course;
use super::driver_plan::{DriverPlan, bases};
use super::driver_turn::{drive_on, format_on, take_ends};
use super::path_set::{lose_failing, lose_stalled};
use super::path_states::PathStates;
use super::unit_path::UnitPathOptions;
use super::unit_paths::UnitPaths;
use super::{DriveError, Formatting, IoDriver, PathReport, Report, TROUBLE_WAIT, UnitPath, last_number};
use crate::Clock;

/// Exchanges of a path that are open at once: as many as a channel file has by default.
const OPEN_EXCHANGES: u16 = 128;

/// Streams of a run, the host and its paths.
#[derive(Debug, Clone)]
pub struct DiskPlan {
    /// Name of the host's node.
    pub node: WorldWideName,
    /// Image of the channel, and of the control unit.
    pub images: (u8, u8),
    /// Channel-path id and port name of each path.
    pub paths: Vec<(u8, WorldWideName)>,
    /// The cylinders of the streams are formatted first.
    pub format: bool,
    /// Length of the run, and expected contents.
    pub run: DriveRun,
    /// Streams.
    pub streams: Vec<DriveStream>,
    /// How long the streams wait without a path.
    pub path_wait: Span,
}

/// How far a run is.
enum Stage {
    /// Paths come online: whether one is, and since when that is so.
    BringingUp {
        has_path: bool,
        since: Option<Time>,
    },
    Formatting {
        driver: Box<IoDriver>,
        formatting: Formatting,
        lost_at: Option<Time>,
    },
    Running {
        driver: Box<IoDriver>,
        course: Course,
    },
    Over(Result<Report, DriveError>),
}

/// A run of streams.
pub struct DiskRun {
    plan: DiskPlan,
    subchannels: Rc<RefCell<Subchannels>>,
    states: PathStates,
    stage: Stage,
    /// Paths that came or went, with the reason, until that is taken.
    changes: Vec<(usize, Option<String>)>,
}

impl DiskRun {
    /// Returns a run that begins when its paths are online.
    pub fn new(plan: DiskPlan, clock: &Clock) -> Self {
        Self {
            subchannels: Rc::new(RefCell::new(Subchannels::new(last_number(clock)))),
            states: PathStates::new(plan.paths.len()),
            stage: Stage::BringingUp { has_path: false, since: None },
            changes: Vec::new(),
            plan,
        }
    }

    /// Returns the options of each of its paths.
    pub fn path_options(&self) -> UnitPathOptions {
        UnitPathOptions {
            node: self.plan.node,
            images: self.plan.images,
            path_group: true,
            units: bases(&self.plan.streams),
            open_exchanges: OPEN_EXCHANGES,
            subchannels: Rc::clone(&self.subchannels),
        }
    }

    /// Returns the channel-path id of a path.
    pub fn chpid(&self, path: usize) -> u8 {
        self.plan.paths[path].0
    }

    /// Returns whether every I/O has come to its end, or none can.
    pub fn is_over(&self) -> bool {
        matches!(self.stage, Stage::Over(_))
    }

    /// Returns the paths that came, or went for a reason, since this was last called.
    pub fn take_changes(&mut self) -> Vec<(usize, Option<String>)> {
        std::mem::take(&mut self.changes)
    }

    /// Returns the result of a run that is over.
    pub fn result(&self) -> Option<&Result<Report, DriveError>> {
        match &self.stage {
            Stage::Over(result) => Some(result),
            _ => None,
        }
    }

    /// Returns why no I/O came about, when that is so and the run is over.
    pub fn failure(&self) -> Option<String> {
        Some(match self.result()?.as_ref().err()? {
            DriveError::Stream { stream, error } => {
                format!("stream {}: {error}", self.plan.streams[*stream].stream.name)
            }
            error => error.to_string(),
        })
    }

    /// Returns the time at which [`DiskRun::turn`] wants to be called though nothing came.
    pub fn poll_timeout(&self) -> Time {
        match &self.stage {
            Stage::BringingUp { has_path, since } => {
                let wait = if *has_path { TROUBLE_WAIT } else { self.plan.path_wait };
                since.map_or(Time::ZERO, |since| since.saturating_add(wait))
            }
            Stage::Formatting { lost_at, .. } => {
                lost_at.map_or(Time::MAX, |at| at.saturating_add(self.plan.path_wait))
            }
            Stage::Running { driver, .. } => driver.poll_timeout(),
            Stage::Over(_) => Time::MAX,
        }
    }

    /// Runs one turn over the paths; true when there was something to do.
    pub fn turn(&mut self, now: Time, paths: &mut UnitPaths<'_>) -> bool {
        lose_stalled(&mut paths.0, now);
        lose_failing(&mut paths.0, now);
        let changes = self.follow_paths(paths);
        let stage = std::mem::replace(&mut self.stage, Stage::Over(Err(DriveError::Interrupted)));
        let (stage, worked) = match stage {
            Stage::BringingUp { has_path, since } => self.bring_up(now, (has_path, since), paths),
            Stage::Formatting { driver, formatting, lost_at } => {
                self.format(now, (driver, formatting, lost_at), &changes, paths)
            }
            Stage::Running { driver, course } => self.drive(now, (driver, course), &changes, paths),
            Stage::Over(result) => {
                paths.settle();
                (Stage::Over(result), false)
            }
        };
        self.stage = stage;
        worked
    }

    /// Ends the run early, for this reason.
    pub fn break_off(&mut self, now: Time, why: &str) {
        let stage = std::mem::replace(&mut self.stage, Stage::Over(Err(DriveError::Interrupted)));
        match stage {
            Stage::Running { mut driver, mut course } => {
                course.break_off(now, &mut *driver, why.to_owned());
                self.stage = self.report(now, &driver, course);
            }
            Stage::Over(result) => self.stage = Stage::Over(result),
            Stage::BringingUp { .. } | Stage::Formatting { .. } => {}
        }
    }

    /// Waits until all paths are online, or one is and the others had their time.
    fn bring_up(
        &mut self,
        now: Time,
        (had_path, since): (bool, Option<Time>),
        paths: &mut UnitPaths<'_>,
    ) -> (Stage, bool) {
        paths.settle();
        let has_path = self.states.has_path();
        let since = since.filter(|_| had_path == has_path).unwrap_or(now);
        let waited = now.saturating_since(since);
        if has_path && (self.states.online.iter().all(|online| *online) || waited >= TROUBLE_WAIT) {
            return (self.begin(now, paths), true);
        }
        if !has_path && waited >= self.plan.path_wait {
            return (Stage::Over(Err(DriveError::NoPath(troubles(&self.plan, paths)))), true);
        }
        (Stage::BringingUp { has_path, since: Some(since) }, false)
    }

    /// Returns the stage behind the bring-up.
    fn begin(&self, now: Time, paths: &mut UnitPaths<'_>) -> Stage {
        let online: Vec<usize> = (0..paths.0.len()).filter(|path| self.states.online[*path]).collect();
        let sizes = online.first().map(|path| paths.0[*path].sizes().clone()).unwrap_or_default();
        let has_transport = online.iter().all(|path| paths.0[*path].has_transport());
        let plan = DriverPlan {
            control_unit_image: self.plan.images.1,
            paths: paths.0.len(),
            aliases: &BTreeMap::new(),
            run: self.plan.run,
            streams: &self.plan.streams,
        };
        let mut driver = match IoDriver::new(plan, &sizes, has_transport) {
            Ok(driver) => Box::new(driver),
            Err((stream, error)) => return Stage::Over(Err(DriveError::Stream { stream, error })),
        };
        for path in online {
            driver.set_online(now, path as u8, true, paths);
        }
        if !self.plan.format {
            return run(now, driver);
        }
        let formatting = Formatting::new(&mut driver, self.plan.run.contents_seed);
        Stage::Formatting { driver, formatting, lost_at: None }
    }

    /// Lays out tracks, unless no path was there for too long.
    fn format(
        &self,
        now: Time,
        (mut driver, mut formatting, lost_at): (Box<IoDriver>, Formatting, Option<Time>),
        changes: &[(u8, bool)],
        paths: &mut UnitPaths<'_>,
    ) -> (Stage, bool) {
        let worked = match format_on(now, (&mut formatting, &mut driver), changes, paths) {
            Ok(worked) => worked,
            Err(error) => return (Stage::Over(Err(error.into())), true),
        };
        if formatting.is_done() {
            driver.formatted();
            return (run(now, driver), true);
        }
        let lost_at = if self.states.has_path() { None } else { lost_at.or(Some(now)) };
        if lost_at.is_some_and(|at| now.saturating_since(at) >= self.plan.path_wait) {
            return (Stage::Over(Err(DriveError::PathsLost(troubles(&self.plan, paths)))), true);
        }
        (Stage::Formatting { driver, formatting, lost_at }, worked)
    }

    /// Drives the streams.
    fn drive(
        &self,
        now: Time,
        (mut driver, mut course): (Box<IoDriver>, Course),
        changes: &[(u8, bool)],
        paths: &mut UnitPaths<'_>,
    ) -> (Stage, bool) {
        let ended = take_ends(now, &mut driver, paths);
        let worked = drive_on(now, &mut driver, changes, paths) | ended;
        course.follow_phase(&*driver);
        let wait = (driver.has_path(), self.plan.path_wait);
        course.follow_end(now, &mut *driver, wait, || troubles(&self.plan, paths));
        if driver.is_done() {
            return (self.report(now, &driver, course), true);
        }
        (Stage::Running { driver, course }, worked)
    }

    /// Takes what became of the paths; returns those that came or went.
    fn follow_paths(&mut self, paths: &mut UnitPaths<'_>) -> Vec<(u8, bool)> {
        let mut changes = Vec::new();
        for (place, path) in paths.0.iter_mut().enumerate() {
            let change = path.poll_change().and_then(|change| self.states.take(place, change));
            if let Some(online) = change {
                changes.push((place as u8, online));
                self.changes.push((place, (!online).then(|| self.states.troubles[place].clone())));
            }
        }
        changes
    }

    /// Returns the end of streams that ran.
    fn report(&self, now: Time, driver: &IoDriver, course: Course) -> Stage {
        let paths = self.plan.paths.iter().enumerate();
        let paths = paths.map(|(place, (chpid, port_name))| PathReport {
            chpid: *chpid,
            port_name: *port_name,
            losses: self.states.losses[place],
            trouble: self.states.troubles[place].clone(),
            online: self.states.online[place],
        });
        Stage::Over(Ok(course.report(driver, paths.collect(), now)))
    }
}

/// Returns streams that begin.
fn run(now: Time, mut driver: Box<IoDriver>) -> Stage {
    driver.begin(now);
    let course = Course::new(&*driver);
    Stage::Running { driver, course }
}

/// Returns the troubles of all paths, by channel-path id.
fn troubles(plan: &DiskPlan, paths: &UnitPaths<'_>) -> Vec<(u8, String)> {
    let of = |((chpid, _), path): (&(u8, WorldWideName), &&mut UnitPath)| (*chpid, path.trouble().to_owned());
    plan.paths.iter().zip(&paths.0).map(of).collect()
}
