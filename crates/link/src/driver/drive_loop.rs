//! The loop of a drive: its links served, what becomes of its paths, and the callbacks of its owner.

use std::io;

use halftrack_base::{Span, Time};

use super::link_path::LinkPath;
use super::path_states::PathStates;
use super::{
    Begun, CLOSE_WAIT, DriveError, IncidentListener, PATH_WAIT, PROGRESS_STEP, PathReport, Progress,
    TROUBLE_WAIT, Taps,
};
use crate::{Clock, Poller, StopSignal, Transport};

/// The loop of a drive. Its paths are handed to it, always the same in the same order.
pub(super) struct DriveLoop {
    pub clock: Clock,
    poller: Poller,
    /// By path.
    pub states: PathStates,
    /// When the progress is reported next.
    progress_at: Time,
    /// How long at least one path may take to come online, and I/O waits when all are lost.
    pub path_wait: Span,
    is_patient: bool,
    begun: Option<Box<Begun>>,
    incidents: Option<Box<IncidentListener>>,
}

impl DriveLoop {
    /// Returns the loop of a drive with so many paths.
    pub fn new(clock: Clock, paths: usize) -> Self {
        Self {
            clock,
            poller: Poller::default(),
            states: PathStates::new(paths),
            progress_at: Time::ZERO,
            path_wait: PATH_WAIT,
            is_patient: false,
            begun: None,
            incidents: None,
        }
    }

    /// Calls `begun` when the streams begin.
    pub fn set_begun(&mut self, begun: Box<Begun>) {
        self.begun = Some(begun);
    }

    /// Waits so long for paths that are refused or whose ports are held, at the start and when all are lost.
    pub fn wait_for_paths(&mut self, span: Span) {
        (self.path_wait, self.is_patient) = (span, true);
    }

    /// Gives the link incidents of the paths to `listener`.
    pub fn set_incident_listener(&mut self, listener: Box<IncidentListener>) {
        self.incidents = Some(listener);
    }

    /// Notes that the streams begin. Returns the time.
    pub fn begin(&mut self) -> Time {
        let now = self.clock.now();
        if let Some(begun) = &mut self.begun {
            begun(now);
        }
        now
    }

    /// Returns whether any path is online.
    pub fn has_path(&self) -> bool {
        self.states.has_path()
    }

    /// Returns whether the wait for paths is over: all are online and the drive `is_complete`, or one is and the others had
    /// their time.
    ///
    /// # Errors
    /// No path came online in time.
    pub fn has_waited<P: LinkPath>(
        &self,
        paths: &[P],
        waited: Span,
        is_complete: bool,
    ) -> Result<bool, DriveError> {
        let mut both = paths.iter().zip(&self.states.online);
        let is_settled = |(path, online): (&P, &bool)| *online || !path.trouble().is_empty();
        let is_hopeless = waited >= TROUBLE_WAIT && both.all(is_settled);
        let is_late = waited >= self.path_wait;
        if self.has_path() {
            let all = self.states.online.iter().all(|online| *online);
            return Ok(all && is_complete || is_hopeless || is_late);
        }
        if is_late || is_hopeless && !self.is_patient {
            return Err(DriveError::NoPath(troubles(paths)));
        }
        Ok(false)
    }

    /// Takes what has come over the links; true when there was anything.
    #[inline]
    pub fn receive<P: LinkPath>(&mut self, paths: &mut [P], taps: &mut Taps<'_>) -> bool {
        let now = self.clock.now();
        let mut worked = false;
        for (index, path) in paths.iter_mut().enumerate() {
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
        worked
    }

    /// Returns the paths that came or went, by place.
    pub fn changes<P: LinkPath>(&mut self, paths: &mut [P]) -> Vec<(u8, bool)> {
        let mut changes = Vec::new();
        for (index, path) in paths.iter_mut().enumerate() {
            let change = path.poll_change().and_then(|change| self.states.take(index, change));
            changes.extend(change.map(|online| (index as u8, online)));
        }
        changes
    }

    /// Reports the progress, when it is time to.
    pub fn notify(
        &mut self,
        now: Time,
        progress: &mut dyn FnMut(&Progress),
        what: impl FnOnce() -> Progress,
    ) {
        if now >= self.progress_at {
            self.progress_at = now.saturating_add(PROGRESS_STEP);
            let paths = self.states.online.iter().filter(|online| **online).count();
            progress(&Progress { paths, ..what() });
        }
    }

    /// Looks again or sleeps, until the next progress, or `until` if that is earlier.
    pub fn rest<P: LinkPath>(
        &mut self,
        paths: &mut [P],
        worked: bool,
        until: Time,
        stop: Option<&StopSignal>,
    ) -> io::Result<()> {
        let now = self.clock.now();
        if !self.poller.end_turn(worked, now) {
            return Ok(());
        }
        let until = paths.iter().map(P::poll_timeout).fold(until.min(self.progress_at), Time::min);
        let fibres = paths.iter_mut().filter_map(P::fibre);
        let mut transports: Vec<&mut dyn Transport> =
            fibres.map(|fibre| fibre.transport() as &mut dyn Transport).collect();
        let others: Vec<_> = stop.iter().map(|stop| stop.fd()).collect();
        self.poller.sleep(&self.clock, Some(until), &mut transports, &others)
    }

    /// Returns the results of the paths.
    pub fn reports<P: LinkPath>(&self, paths: &[P]) -> Vec<PathReport> {
        let report = |(index, path): (usize, &P)| PathReport {
            chpid: path.chpid(),
            port_name: path.port_name(),
            losses: self.states.losses[index],
            trouble: self.states.troubles[index].clone(),
            online: self.states.online[index],
        };
        paths.iter().enumerate().map(report).collect()
    }

    /// Logs out, and closes the links when that was answered, so that nothing is on its way to them any more.
    pub fn close<P: LinkPath>(&mut self, paths: &mut [P]) {
        let now = self.clock.now();
        for path in &mut *paths {
            path.send(now, true);
            path.log_out(now);
        }
        let until = now.saturating_add(CLOSE_WAIT);
        self.progress_at = Time::MAX;
        while self.clock.now() < until {
            let now = self.clock.now();
            let is_over = paths.iter_mut().fold(true, |is_over, path| path.finish(now) & is_over);
            if is_over || self.rest(paths, false, until, None).is_err() {
                return;
            }
        }
    }
}

/// Sends over all paths; true when there was anything.
#[inline]
pub(super) fn send<P: LinkPath>(paths: &mut [P], now: Time, idle: bool) -> bool {
    paths.iter_mut().fold(false, |worked, path| path.send(now, idle) | worked)
}

/// Returns the troubles of all paths, by channel-path id.
pub(super) fn troubles<P: LinkPath>(paths: &[P]) -> Vec<(u8, String)> {
    paths.iter().map(|path| (path.chpid(), path.trouble().to_owned())).collect()
}
