//! A host over FCP: paths to logical units and the I/O driver over them.

use halftrack_base::Time;
use halftrack_config::channel_file::{DriveRun, FcpChannel};
use halftrack_config::read_channel;
use halftrack_input::SourceFile;
use halftrack_link::HostClock;
use halftrack_link::driver::{Driven, FcpIoDriver, FcpPathSet, IoObserver, Phase};

use crate::machine::Machine;
use crate::mutation::Mutation;
use crate::world::line::LineConnector;

/// Paths to logical units, and the I/O driver over them.
pub struct FcpSide {
    run: DriveRun,
    channel: FcpChannel,
    pub paths: FcpPathSet<LineConnector>,
    pub driver: Option<FcpIoDriver>,
}

impl FcpSide {
    /// Returns the host of a machine.
    ///
    /// # Errors
    /// Why its channel file is no such file.
    pub fn new(
        machine: &Machine,
        connectors: Vec<LineConnector>,
        clock: Option<HostClock>,
    ) -> Result<Self, String> {
        let text = machine.fcp_channel_file().ok_or("no host over FCP")?;
        let (file, found) = read_channel(&SourceFile::new("fcp.toml", text));
        let file = file.ok_or_else(|| format!("{found:?}"))?;
        let channel = file.fcp.clone().ok_or_else(|| format!("{found:?}"))?;
        let paths = FcpPathSet::new(&file, &channel, connectors, clock);
        Ok(Self { run: file.run, channel, paths, driver: None })
    }

    /// Makes the I/O driver: the units hold their records already.
    ///
    /// # Errors
    /// A stream that does not fit its units.
    pub fn prepare(&mut self, _now: Time) -> Result<(), String> {
        let driver = FcpIoDriver::new(self.run, &self.channel, self.paths.sizes());
        self.driver = Some(driver.map_err(|(_, error)| error)?);
        Ok(())
    }

    /// Returns false: nothing is laid out.
    pub fn is_preparing(&self) -> bool {
        false
    }

    /// Shows all I/Os from now on to `observer`.
    pub fn end_preparation(&mut self, observer: Box<dyn IoObserver>) {
        if let Some(driver) = &mut self.driver {
            driver.set_observer(observer);
        }
    }

    /// Returns whether the streams have begun.
    pub fn has_streams(&self) -> bool {
        self.driver.as_ref().is_some_and(|driver| driver.phase() != Phase::Before)
    }

    /// Returns whether I/O can go over a path.
    pub fn uses(&self, path: usize) -> bool {
        self.paths.paths[path].can_start()
    }

    /// Gives up paths that carry nothing while others do.
    pub fn lose_paths(&mut self, now: Time) {
        self.paths.lose_stalled(now);
    }

    /// Notes that a path has come or gone; returns whether it stays online.
    pub fn set_online(&mut self, now: Time, path: usize, online: bool) -> bool {
        online && self.paths.keep_if_same(now, path)
    }

    /// Takes the ends of commands over a path; true when there was one.
    pub fn take_ends(&mut self, now: Time, index: usize, mutation: Option<Mutation>) -> bool {
        let mut worked = false;
        while let Some(mut end) = self.paths.paths[index].poll_end(now) {
            worked = true;
            if let Some(mutation) = mutation {
                mutation.mutate_command_end(&mut end);
            }
            if let Some(driver) = &mut self.driver {
                let buffer = driver.handle_end(now, index as u8, end, &mut self.paths.paths);
                self.paths.paths[index].recycle(buffer);
            }
        }
        worked
    }

    /// Drives what is due; true when there was something.
    pub fn drive(&mut self, now: Time) -> bool {
        let Some(driver) = &mut self.driver else { return false };
        if now >= driver.poll_timeout() {
            driver.handle_timeout(now);
        }
        driver.phase() != Phase::Before && driver.work(now, &mut self.paths.paths)
    }
}
