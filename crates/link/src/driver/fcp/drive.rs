//! A channel of FCP: its paths brought up, its streams run to their end.

use std::io;

use halftrack_base::{Span, Time};
use halftrack_config::ChannelFile;
use halftrack_config::channel_file::FcpChannel;

use super::finding::LunSize;
use super::io_driver::FcpIoDriver;
use super::path::FcpPath;
use crate::connector::Connector;
use crate::driver::channel_path::PathChange;
use crate::driver::drive_error::words;
use crate::driver::io_driver::Phase;
use crate::driver::statistics::StreamStatistics;
use crate::driver::{
    CLOSE_WAIT, DRAIN_WAIT, DriveError, ENDS_AT_ONCE, IncidentListener, PATH_WAIT, PROGRESS_STEP, PathReport,
    Progress, Report, Stage, StreamError, StreamReport, Surroundings, TROUBLE_WAIT, Taps, processor_time,
};
use crate::{Clock, Poller, StopSignal, Transport};

/// A channel of FCP with its I/O driver.
pub struct FcpDrive<C: Connector> {
    file: ChannelFile,
    channel: FcpChannel,
    clock: Clock,
    poller: Poller,
    paths: Vec<FcpPath<C>>,
    losses: Vec<u32>,
    troubles: Vec<String>,
    online: Vec<bool>,
    progress_at: Time,
    path_wait: Span,
    is_patient: bool,
    begun: Option<Box<dyn FnMut(Time)>>,
    incidents: Option<Box<IncidentListener>>,
}

impl<C: Connector> FcpDrive<C> {
    /// Returns the channel of `file`, whose streams are `channel`, with the clock that its connectors have. Its paths get their
    /// links from `connectors`, in order.
    pub fn new(file: ChannelFile, channel: FcpChannel, connectors: Vec<C>, clock: Clock) -> Self {
        let mut luns: Vec<u8> = channel
            .streams
            .iter()
            .flat_map(|stream| &stream.stream.devices)
            .filter_map(|lun| u8::try_from(*lun).ok())
            .collect();
        luns.sort_unstable();
        luns.dedup();
        let paths: Vec<_> = file
            .paths
            .iter()
            .zip(connectors)
            .map(|(entry, connector)| {
                FcpPath::new(&file, entry, channel.timeouts, luns.clone(), connector, clock.host())
            })
            .collect();
        let count = paths.len();
        Self {
            file,
            channel,
            clock,
            poller: Poller::default(),
            paths,
            losses: vec![0; count],
            troubles: vec![String::new(); count],
            online: vec![false; count],
            progress_at: Time::ZERO,
            path_wait: PATH_WAIT,
            is_patient: false,
            begun: None,
            incidents: None,
        }
    }

    /// Calls `begun` when the streams begin.
    pub fn set_begun(&mut self, begun: impl FnMut(Time) + 'static) {
        self.begun = Some(Box::new(begun));
    }

    /// Waits so long for paths that are refused or whose ports are held, at the start and when all are lost.
    pub fn wait_for_paths(&mut self, span: Span) {
        (self.path_wait, self.is_patient) = (span, true);
    }

    /// Gives the link incidents of the paths to `listener`.
    pub fn set_incident_listener(&mut self, listener: Box<IncidentListener>) {
        self.incidents = Some(listener);
    }

    /// Returns the clock of the run, for captures.
    pub fn clock(&self) -> Clock {
        self.clock
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
        self.close();
        report
    }

    /// Waits until all paths are online, or one is and the others had their time. Returns the units.
    fn bring_up(&mut self, around: &mut Surroundings<'_>) -> Result<Vec<(u8, LunSize)>, DriveError> {
        let began = self.clock.now();
        loop {
            let received = self.receive(around.taps);
            let now = self.clock.now();
            for path in &mut self.paths {
                // Units are found within the path; nothing else was started.
                while path.poll_end(now).is_some() {}
            }
            self.changes();
            let worked = self.send(now, !received) || received;
            let waited = now.saturating_since(began);
            let some = self.online.iter().any(|online| *online);
            let troubled = |(path, online): (&FcpPath<C>, &bool)| *online || !path.trouble().is_empty();
            let hopeless = self.paths.iter().zip(&self.online).all(troubled) && waited >= TROUBLE_WAIT;
            if self.online.iter().all(|online| *online) || some && hopeless {
                break;
            }
            if waited >= self.path_wait || hopeless && !self.is_patient {
                if some {
                    break;
                }
                return Err(DriveError::NoPath(self.troubles()));
            }
            if around.stop.as_ref().is_some_and(|stop| stop.is_wished()) {
                return Err(DriveError::Interrupted);
            }
            self.notify(now, around.progress, Progress::default);
            self.rest(worked, now.saturating_add(PROGRESS_STEP), around.stop.as_deref())?;
        }
        let found = self.paths.iter().find(|path| path.is_online());
        Ok(found.map(|path| path.sizes().to_vec()).unwrap_or_default())
    }

    fn receive(&mut self, taps: &mut Taps<'_>) -> bool {
        let now = self.clock.now();
        let mut worked = false;
        for (index, path) in self.paths.iter_mut().enumerate() {
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
        self.lose_stalled(now);
        worked
    }

    /// Gives up paths over which nothing comes though they were tested, as long as another has answered since. Units that are
    /// not those of the first path make a path useless.
    fn lose_stalled(&mut self, now: Time) {
        for index in 0..self.paths.len() {
            let Some(since) = self.paths[index].stalled_since(now) else { continue };
            let others = self.paths.iter().enumerate().filter(|(other, _)| *other != index);
            if others.into_iter().any(|(_, path)| path.has_answered_since(since)) {
                self.paths[index]
                    .lose(now, "nothing comes over it, and its test was not answered".to_owned());
            }
        }
    }

    /// Notes what became of the paths.
    fn changes(&mut self) {
        for index in 0..self.paths.len() {
            match self.paths[index].poll_change() {
                None => {}
                Some(PathChange::Online) => {
                    self.online[index] = true;
                    self.check_units(index);
                }
                Some(PathChange::Offline { why }) => {
                    if std::mem::replace(&mut self.online[index], false) {
                        self.losses[index] += 1;
                    }
                    self.troubles[index] = why;
                }
            }
        }
    }

    /// Gives up a path whose units are others than those of the first that is online.
    fn check_units(&mut self, index: usize) {
        let now = self.clock.now();
        let first = self.paths.iter().find(|path| path.is_online()).map(|path| path.sizes().to_vec());
        if first.is_some_and(|first| first != self.paths[index].sizes()) {
            self.paths[index].lose(now, "its units are not those of the other paths".to_owned());
            self.online[index] = false;
        }
    }

    fn send(&mut self, now: Time, idle: bool) -> bool {
        self.paths.iter_mut().fold(false, |worked, path| path.send(now, idle) | worked)
    }

    /// Looks again or sleeps, until `until` at most.
    fn rest(&mut self, worked: bool, until: Time, stop: Option<&StopSignal>) -> io::Result<()> {
        let now = self.clock.now();
        if !self.poller.end_turn(worked, now) {
            return Ok(());
        }
        let until = self.paths.iter().map(FcpPath::poll_timeout).fold(until, Time::min);
        let fibres = self.paths.iter_mut().filter_map(FcpPath::fibre);
        let mut transports: Vec<&mut dyn Transport> =
            fibres.map(|fibre| fibre.transport() as &mut dyn Transport).collect();
        let others: Vec<_> = stop.iter().map(|stop| stop.fd()).collect();
        self.poller.sleep(&self.clock, Some(until), &mut transports, &others)
    }

    fn troubles(&self) -> Vec<(u8, String)> {
        self.paths.iter().map(|path| (path.chpid(), path.trouble().to_owned())).collect()
    }

    fn notify(&mut self, now: Time, progress: &mut dyn FnMut(&Progress), what: impl FnOnce() -> Progress) {
        if now >= self.progress_at {
            self.progress_at = now.saturating_add(PROGRESS_STEP);
            let paths = self.online.iter().filter(|online| **online).count();
            progress(&Progress { paths, ..what() });
        }
    }

    fn drive(
        &mut self,
        driver: &mut FcpIoDriver,
        around: &mut Surroundings<'_>,
    ) -> Result<Report, DriveError> {
        let now = self.clock.now();
        if let Some(begun) = &mut self.begun {
            begun(now);
        }
        driver.begin(now);
        let (mut processor_from, mut processor_to, mut phase) = (processor_time(), None, driver.phase());
        let (mut lost_at, mut drained_by, mut interrupted, mut broken_off) = (None, None, false, None);
        while !driver.is_done() {
            let received = self.receive(around.taps);
            let now = self.clock.now();
            let ended = self.ends(now, driver);
            self.changes();
            // What has ended was compared: the next I/O of its job is requested afterwards.
            let now = if ended { self.clock.now() } else { now };
            if now >= driver.poll_timeout() {
                driver.handle_timeout(now);
            }
            let mut worked = driver.work(now, &mut self.paths) | ended | received;
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
            if self.online.iter().any(|online| *online) {
                lost_at = None;
            } else if now.saturating_since(*lost_at.get_or_insert(now)) >= self.path_wait {
                broken_off = Some(format!("all channel paths were lost: {}", words(&self.troubles())));
                driver.break_off(now);
            }
            let drains = driver.phase() == Phase::Draining;
            if drains && now.saturating_since(*drained_by.get_or_insert(now)) >= DRAIN_WAIT {
                broken_off = Some("I/Os under way did not end".to_owned());
                driver.break_off(now);
            }
            self.rest(worked, driver.poll_timeout().min(self.progress_at), around.stop.as_deref())?;
        }
        let processor = processor_to.unwrap_or_else(processor_time).saturating_sub(processor_from);
        Ok(self.report(driver, Span::from_ps(processor), interrupted, broken_off))
    }

    /// Takes the ends of commands, and starts what they make room for every now and then.
    #[inline]
    fn ends(&mut self, now: Time, driver: &mut FcpIoDriver) -> bool {
        let mut taken = 0;
        for index in 0..self.paths.len() {
            while let Some(end) = self.paths[index].poll_end(now) {
                taken += 1;
                let buffer = driver.handle_end(now, index as u8, end, &mut self.paths);
                self.paths[index].recycle(buffer);
                if taken % ENDS_AT_ONCE == 0 {
                    driver.work(now, &mut self.paths);
                    self.send(now, false);
                }
            }
        }
        taken > 0
    }

    fn report(
        &self,
        driver: &FcpIoDriver,
        processor: Span,
        interrupted: bool,
        broken_off: Option<String>,
    ) -> Report {
        let streams = driver
            .streams()
            .iter()
            .map(|stream| StreamReport { name: stream.name.clone(), statistics: stream.statistics.clone() });
        let paths = self.paths.iter().enumerate().map(|(index, path)| PathReport {
            chpid: path.chpid(),
            port_name: path.port_name(),
            losses: self.losses[index],
            trouble: self.troubles[index].clone(),
            online: self.online[index],
        });
        Report {
            streams: streams.collect(),
            paths: paths.collect(),
            synchronous_links: Vec::new(),
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
        for path in &mut self.paths {
            path.send(now, true);
            path.log_out(now);
        }
        let until = now.saturating_add(CLOSE_WAIT);
        while self.clock.now() < until {
            let now = self.clock.now();
            let is_over = self.paths.iter_mut().fold(true, |is_over, path| path.finish(now) & is_over);
            if is_over || self.rest(false, until, None).is_err() {
                return;
            }
        }
    }
}

fn progress_of(driver: &FcpIoDriver, now: Time) -> Progress {
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
