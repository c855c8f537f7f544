//! The host of a world: channel paths and I/O driver.

use std::cell::RefCell;
use std::rc::Rc;

use halftrack_base::Time;
use halftrack_config::{ChannelFile, read_channel};
use halftrack_input::SourceFile;
use halftrack_link::HostClock;
use halftrack_link::driver::{Driven, Formatting, IoDriver, LinkPath, PathChange, PathSet, Phase};
use halftrack_wire::StartNumber;

use super::line::{LineConnector, SharedLine};
use crate::check::{Account, Accountant};
use crate::machine::Machine;
use crate::mutation::Mutation;

/// Number after which the subchannels count on: they wrap within a run.
const BEFORE: u32 = 0x00FF_FF00;

/// A host with its channel paths.
pub struct Host {
    file: ChannelFile,
    pub paths: PathSet<LineConnector>,
    online: Vec<bool>,
    driver: Option<IoDriver>,
    formatting: Option<Formatting>,
    mutation: Option<Mutation>,
}

impl Host {
    /// Returns the host of a machine.
    ///
    /// # Errors
    /// Why its channel file is no such file.
    pub fn new(
        machine: &Machine,
        lines: &[SharedLine],
        clock: Option<HostClock>,
        mutation: Option<Mutation>,
    ) -> Result<Self, String> {
        let text = machine.channel_file();
        let (file, found) = read_channel(&SourceFile::new("channel.toml", text));
        let file = file.ok_or_else(|| format!("{found:?}"))?;
        let connectors = lines.iter().map(|line| LineConnector(Rc::clone(line))).collect();
        Ok(Self {
            paths: PathSet::new(&file, connectors, StartNumber::new(BEFORE), clock),
            online: vec![false; lines.len()],
            driver: None,
            formatting: None,
            mutation,
            file,
        })
    }

    /// Returns whether all paths are online.
    pub fn is_online(&self) -> bool {
        self.online.iter().all(|online| *online)
    }

    /// Returns the first error of a path.
    pub fn trouble(&self) -> String {
        let mut troubles = self.paths.paths.iter().map(|path| path.trouble());
        troubles.find(|trouble| !trouble.is_empty()).unwrap_or_default().to_owned()
    }

    /// Begins to lay the tracks out.
    ///
    /// # Errors
    /// A stream that does not fit the volume.
    pub fn begin_formatting(&mut self, now: Time) -> Result<(), String> {
        let path = self.paths.paths.first().ok_or("no path")?;
        let (sizes, transport) = (path.sizes().clone(), path.has_transport());
        let driver = IoDriver::new(&self.file, &sizes, transport);
        let mut driver = driver.map_err(|(_, error)| error.to_string())?;
        for path in 0..self.online.len() {
            driver.set_online(now, path as u8, true, &mut self.paths);
        }
        self.formatting = Some(Formatting::new(&mut driver, self.file.run.contents_seed));
        self.driver = Some(driver);
        Ok(())
    }

    /// Returns whether tracks are still to be laid out.
    pub fn is_formatting(&self) -> bool {
        self.formatting.as_ref().is_some_and(|formatting| !formatting.is_done())
    }

    /// Ends the formatting, and shows all I/Os from now on to `account`.
    pub fn end_formatting(&mut self, account: Rc<RefCell<Account>>) {
        self.formatting = None;
        if let Some(driver) = &mut self.driver {
            driver.formatted();
            driver.set_observer(Box::new(Accountant(account)));
        }
    }

    /// Begins the streams.
    pub fn begin(&mut self, now: Time) {
        if let Some(driver) = &mut self.driver {
            driver.begin(now);
        }
    }

    /// Requests no more I/Os.
    pub fn drain(&mut self, now: Time) {
        if let Some(driver) = &mut self.driver {
            driver.drain(now);
        }
    }

    /// Returns how often a start was answered busy.
    pub fn busy(&self) -> u64 {
        let streams = self.driver.iter().flat_map(|driver| driver.streams());
        streams.map(|stream| stream.statistics.busy).sum()
    }

    /// Returns by path whether the I/O driver uses it.
    pub fn used_paths(&self) -> Vec<bool> {
        let uses = |path| self.driver.as_ref().is_some_and(|driver| driver.uses(path as u8));
        (0..self.online.len()).map(uses).collect()
    }

    /// Returns whether all I/Os have ended after [`Host::drain`].
    pub fn is_done(&self) -> bool {
        self.driver.as_ref().is_some_and(IoDriver::is_done)
    }

    /// Runs one turn; true when there was something to do.
    pub fn turn(&mut self, now: Time) -> bool {
        let mut worked = false;
        let has_timers = self.has_timers();
        for path in &mut self.paths.paths {
            if has_timers && now >= path.poll_timeout() {
                path.handle_timeout(now);
            }
            worked |= path.receive(now, &mut || None);
        }
        self.paths.lose_stalled(now);
        self.paths.lose_failing(now);
        for index in 0..self.paths.paths.len() {
            worked |= self.take_ends(now, index);
            if let Some(change) = self.paths.paths[index].poll_change() {
                self.online[index] = change == PathChange::Online;
                let is_noticed = !self.online[index] || self.mutation != Some(Mutation::ReturnUnnoticed);
                if let Some(driver) = self.driver.as_mut().filter(|_| is_noticed) {
                    driver.set_online(now, index as u8, self.online[index], &mut self.paths);
                }
            }
        }
        worked |= self.drive(now);
        for path in &mut self.paths.paths {
            worked |= path.send(now, true);
        }
        worked
    }

    /// Returns whether the timers of the paths are handled: always before the streams.
    fn has_timers(&self) -> bool {
        let has_streams = self.driver.as_ref().is_some_and(|driver| driver.phase() != Phase::Before);
        self.mutation != Some(Mutation::ChannelTimersIgnored) || !has_streams
    }

    fn take_ends(&mut self, now: Time, index: usize) -> bool {
        let mut worked = false;
        while let Some(mut end) = self.paths.paths[index].poll_end() {
            worked = true;
            if let Some(mutation) = self.mutation.filter(|_| self.formatting.is_none()) {
                mutation.mutate_end(&mut end);
            }
            match (&mut self.formatting, &mut self.driver) {
                (Some(formatting), _) => {
                    formatting.handle_end(&end).expect("no fault comes before the streams")
                }
                (None, Some(driver)) => {
                    driver.handle_end(now, index as u8, &end, &mut self.paths);
                }
                (None, None) => {}
            }
            self.paths.paths[index].recycle(end.data);
        }
        worked
    }

    fn drive(&mut self, now: Time) -> bool {
        if let Some(formatting) = &mut self.formatting {
            let worked = formatting.work(now, self.online.len() as u8, &mut self.paths);
            return worked.expect("every track has its program");
        }
        let Some(driver) = &mut self.driver else { return false };
        let is_freed = self.paths.subchannels.borrow_mut().take_freed();
        if is_freed {
            driver.handle_subchannel_free(now, &mut self.paths);
        }
        if now >= driver.poll_timeout() {
            driver.handle_timeout(now, &mut self.paths);
        }
        driver.phase() != Phase::Before && driver.work(now, &mut self.paths)
    }

    /// Returns the time at which something happens next.
    pub fn next(&self) -> Time {
        let paths = self.paths.paths.iter().filter(|_| self.has_timers()).map(|path| path.poll_timeout());
        let driver = self.driver.iter().map(IoDriver::poll_timeout);
        paths.chain(driver).min().unwrap_or(Time::MAX)
    }
}
