//! A channel of FCP: its paths brought up, its streams run to their end.

use halftrack_base::{Span, Time};
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::FcpChannel;
use halftrack_workload::UNWRITTEN;

use super::finding::LunSize;
use super::io_driver::FcpIoDriver;
use super::path_set::FcpPathSet;
use crate::Clock;
use crate::connector::Connector;
use crate::driver::course::{Course, progress_of};
use crate::driver::drive_loop::{DriveLoop, send, troubles};
use crate::driver::{
    DriveError, ENDS_AT_ONCE, IncidentListener, IoObserver, PROGRESS_STEP, Progress, Report, StreamError,
    Surroundings, Taps,
};

/// A channel of FCP with its I/O driver.
pub struct FcpDrive<C: Connector> {
    file: ChannelFile,
    channel: FcpChannel,
    turns: DriveLoop,
    paths: FcpPathSet<C>,
    observer: Option<Box<dyn IoObserver>>,
    last_write: u32,
}

impl<C: Connector> FcpDrive<C> {
    /// Returns the channel of `file`, whose streams are `channel`, with the clock that its connectors have. Its paths get their
    /// links from `connectors`, in order.
    pub fn new(file: ChannelFile, channel: FcpChannel, connectors: Vec<C>, clock: Clock) -> Self {
        let paths = FcpPathSet::new(&file, &channel, connectors, clock.host());
        Self {
            turns: DriveLoop::new(clock, paths.paths.len()),
            file,
            channel,
            paths,
            observer: None,
            last_write: UNWRITTEN,
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

    /// Brings the paths up, and runs the streams to their end.
    ///
    /// # Errors
    /// [`DriveError`]: it did not come to I/O. What went wrong with I/O is in the report.
    pub fn run(&mut self, around: &mut Surroundings<'_>) -> Result<Report, DriveError> {
        let sizes = self.bring_up(around)?;
        let mut driver = FcpIoDriver::new(self.file.run, &self.channel, &sizes)
            .map_err(|(stream, why)| DriveError::Stream { stream, error: StreamError::Blocks(why) })?;
        let report = self.drive(&mut driver, around);
        self.turns.close(&mut self.paths.paths);
        report
    }

    /// Waits until all paths are online, or one is and the others had their time. Returns the units.
    fn bring_up(&mut self, around: &mut Surroundings<'_>) -> Result<Vec<(u8, LunSize)>, DriveError> {
        let began = self.turns.clock.now();
        loop {
            let received = self.receive(around.taps);
            let now = self.turns.clock.now();
            for path in &mut self.paths.paths {
                // Units are found within the path; nothing else was started.
                while path.poll_end(now).is_some() {}
            }
            self.changes();
            let worked = send(&mut self.paths.paths, now, !received) || received;
            if self.turns.has_waited(&self.paths.paths, now.saturating_since(began), true)? {
                break;
            }
            if around.stop.as_ref().is_some_and(|stop| stop.is_wished()) {
                return Err(DriveError::Interrupted);
            }
            self.turns.notify(now, around.progress, Progress::default);
            let until = now.saturating_add(PROGRESS_STEP);
            self.turns.rest(&mut self.paths.paths, worked, until, around.stop.as_deref())?;
        }
        Ok(self.paths.sizes().to_vec())
    }

    /// Takes what has come over the links; true when there was anything.
    fn receive(&mut self, taps: &mut Taps<'_>) -> bool {
        let worked = self.turns.receive(&mut self.paths.paths, taps);
        self.paths.lose_stalled(self.turns.clock.now());
        worked
    }

    /// Notes what became of the paths.
    fn changes(&mut self) {
        for (index, online) in self.turns.changes(&mut self.paths.paths) {
            if online {
                let index = usize::from(index);
                self.turns.states.online[index] = self.paths.keep_if_same(self.turns.clock.now(), index);
            }
        }
    }

    fn drive(
        &mut self,
        driver: &mut FcpIoDriver,
        around: &mut Surroundings<'_>,
    ) -> Result<Report, DriveError> {
        if let Some(observer) = self.observer.take() {
            driver.set_observer(observer);
        }
        driver.number_writes_behind(self.last_write);
        driver.begin(self.turns.begin());
        let mut course = Course::new(driver);
        while !driver.is_done() {
            let received = self.receive(around.taps);
            let now = self.turns.clock.now();
            let ended = self.ends(now, driver);
            self.changes();
            // What has ended was compared: the next I/O of its job is requested afterwards.
            let now = if ended { self.turns.clock.now() } else { now };
            if now >= driver.poll_timeout() {
                driver.handle_timeout(now);
            }
            let mut worked = driver.work(now, &mut self.paths.paths) | ended | received;
            worked |= send(&mut self.paths.paths, now, !worked);
            self.turns.notify(now, around.progress, || progress_of(driver, now));
            course.follow_phase(driver);
            course.follow_wish(now, driver, around.stop.as_deref_mut());
            let has_path = self.turns.has_path();
            course.follow_end(now, driver, (has_path, self.turns.path_wait), || troubles(&self.paths.paths));
            self.turns.rest(&mut self.paths.paths, worked, driver.poll_timeout(), around.stop.as_deref())?;
        }
        Ok(course.report(driver, self.turns.reports(&self.paths.paths), self.turns.clock.now()))
    }

    /// Takes the ends of commands, and starts what they make room for every now and then.
    #[inline]
    fn ends(&mut self, now: Time, driver: &mut FcpIoDriver) -> bool {
        let mut taken = 0;
        for index in 0..self.paths.paths.len() {
            while let Some(end) = self.paths.paths[index].poll_end(now) {
                taken += 1;
                let buffer = driver.handle_end(now, index as u8, end, &mut self.paths.paths);
                self.paths.paths[index].recycle(buffer);
                if taken % ENDS_AT_ONCE == 0 {
                    driver.work(now, &mut self.paths.paths);
                    send(&mut self.paths.paths, now, false);
                }
            }
        }
        taken > 0
    }
}
