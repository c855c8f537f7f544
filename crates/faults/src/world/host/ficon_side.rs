//! A host over FICON: channel paths and I/O driver.

use halftrack_base::Time;
use halftrack_config::{ChannelFile, read_channel};
use halftrack_input::SourceFile;
use halftrack_link::HostClock;
use halftrack_link::driver::{Driven, Formatting, IoDriver, IoObserver, PathSet, Phase};
use halftrack_wire::StartNumber;

use crate::machine::Machine;
use crate::mutation::Mutation;
use crate::world::line::LineConnector;

/// Number after which the subchannels count on: they wrap within a run.
const BEFORE: u32 = 0x00FF_FF00;

/// Channel paths to devices, and the I/O driver over them.
pub struct FiconSide {
    file: ChannelFile,
    pub paths: PathSet<LineConnector>,
    pub driver: Option<IoDriver>,
    formatting: Option<Formatting>,
}

impl FiconSide {
    /// Returns the host of a machine.
    ///
    /// # Errors
    /// Why its channel file is no such file.
    pub fn new(
        machine: &Machine,
        connectors: Vec<LineConnector>,
        clock: Option<HostClock>,
    ) -> Result<Self, String> {
        let text = machine.channel_file();
        let (file, found) = read_channel(&SourceFile::new("channel.toml", text));
        let file = file.ok_or_else(|| format!("{found:?}"))?;
        Ok(Self {
            paths: PathSet::new(&file, connectors, StartNumber::new(BEFORE), clock),
            driver: None,
            formatting: None,
            file,
        })
    }

    /// Begins to lay the tracks out.
    ///
    /// # Errors
    /// A stream that does not fit the volume.
    pub fn prepare(&mut self, now: Time) -> Result<(), String> {
        let path = self.paths.paths.first().ok_or("no path")?;
        let (sizes, transport) = (path.sizes().clone(), path.has_transport());
        let driver = IoDriver::new(&self.file, &sizes, transport);
        let mut driver = driver.map_err(|(_, error)| error.to_string())?;
        for path in 0..self.paths.paths.len() {
            driver.set_online(now, path as u8, true, &mut self.paths);
        }
        self.formatting = Some(Formatting::new(&mut driver, self.file.run.contents_seed));
        self.driver = Some(driver);
        Ok(())
    }

    /// Returns whether tracks are still to be laid out.
    pub fn is_preparing(&self) -> bool {
        self.formatting.as_ref().is_some_and(|formatting| !formatting.is_done())
    }

    /// Ends the formatting, and shows all I/Os from now on to `observer`.
    pub fn end_preparation(&mut self, observer: Box<dyn IoObserver>) {
        self.formatting = None;
        if let Some(driver) = &mut self.driver {
            driver.formatted();
            driver.set_observer(observer);
        }
    }

    /// Returns whether the streams have begun.
    pub fn has_streams(&self) -> bool {
        self.driver.as_ref().is_some_and(|driver| driver.phase() != Phase::Before)
    }

    /// Returns whether the I/O driver uses a path.
    pub fn uses(&self, path: usize) -> bool {
        self.driver.as_ref().is_some_and(|driver| driver.uses(path as u8))
    }

    /// Gives up paths that carry nothing while others do.
    pub fn lose_paths(&mut self, now: Time) {
        self.paths.lose_stalled(now);
        self.paths.lose_failing(now);
    }

    /// Notes that a path has come or gone; returns whether it stays online.
    pub fn set_online(&mut self, now: Time, path: usize, online: bool) -> bool {
        if let Some(driver) = &mut self.driver {
            driver.set_online(now, path as u8, online, &mut self.paths);
        }
        online
    }

    /// Takes the ends of exchanges over a path; true when there was one.
    pub fn take_ends(&mut self, now: Time, index: usize, mutation: Option<Mutation>) -> bool {
        let mut worked = false;
        while let Some(mut end) = self.paths.paths[index].poll_end() {
            worked = true;
            if let Some(mutation) = mutation.filter(|_| self.formatting.is_none()) {
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

    /// Drives what is due; true when there was something.
    pub fn drive(&mut self, now: Time) -> bool {
        if let Some(formatting) = &mut self.formatting {
            let worked = formatting.work(now, self.paths.paths.len() as u8, &mut self.paths);
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
}
