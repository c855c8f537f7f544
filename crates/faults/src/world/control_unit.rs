//! The control unit of a world: its ports, and its volume in files.

use std::{fs, io};

use halftrack_base::{Span, Time};
use halftrack_config::{ControlUnitFile, read_control_unit};
use halftrack_input::SourceFile;
use halftrack_link::HostClock;
use halftrack_link::control_unit::{HostAdapterPort, PortOptions, UnitTable, UnitVolume};
use halftrack_link::plug::{Plug, PlugState};
use halftrack_program::Geometry;
use halftrack_volume::{NewFormat, VolumeDevice, create};
use tempfile::TempDir;

use super::line::LineEnd;
use super::line_plug::LinePlug;
use crate::machine::Machine;
use crate::mutation::Mutation;

/// How long the devices of a process that began anew change their state. Our choice: long enough for starts to meet it.
const WARM_START: Span = Span::from_ms(700);

/// File of the volume.
pub const VOLUME_FILE: &str = "a.ckd";

/// The process of a control unit.
pub struct ControlUnitProcess {
    pub ports: Vec<HostAdapterPort<LineEnd>>,
    pub units: UnitTable,
}

/// A control unit, whose process may be gone.
pub struct ControlUnitRun {
    file: ControlUnitFile,
    directory: TempDir,
    pub plugs: Vec<LinePlug>,
    clock: Option<HostClock>,
    mutation: Option<Mutation>,
    /// Nothing while the process is gone.
    pub process: Option<ControlUnitProcess>,
    /// It does no turn before, or its process is gone until then.
    rests: Time,
    nonce: u64,
}

impl ControlUnitRun {
    /// Returns the control unit of a machine, whose volume is made in `directory`.
    ///
    /// # Errors
    /// Why the volume cannot be made or opened.
    pub fn new(
        machine: &Machine,
        directory: TempDir,
        plugs: Vec<LinePlug>,
        clock: Option<HostClock>,
        mutation: Option<Mutation>,
    ) -> Result<Self, String> {
        let geometry = Geometry::with_cylinders(1).ok_or("a volume of one cylinder")?;
        let path = directory.path().join(VOLUME_FILE);
        create(&path, VolumeDevice::Ckd(geometry), NewFormat::Plain, None)
            .map_err(|error| format!("the volume cannot be made: {error}"))?;
        let text = machine.control_unit_file();
        let (file, found) = read_control_unit(&SourceFile::new("control-unit.toml", text));
        let file = file.ok_or_else(|| format!("{found:?}"))?;
        let mut run =
            Self { file, directory, plugs, clock, mutation, process: None, rests: Time::ZERO, nonce: 0 };
        run.begin()?;
        Ok(run)
    }

    /// Begins the process: opens the volume with its journal, and the ports.
    fn begin(&mut self) -> Result<(), String> {
        let mut units = UnitTable::default();
        for volume in UnitVolume::of_file(&self.file, self.directory.path()) {
            units.open_volume(&volume).map_err(|error| error.to_string())?;
        }
        units.set_fenced(self.mutation != Some(Mutation::NoFence));
        let images = units.images().collect();
        let options = self.file.ports.iter().map(|port| PortOptions::of_entry(&self.file, port));
        let ports = (0..).zip(options).map(|(number, options)| HostAdapterPort::new(options, number, images));
        self.process = Some(ControlUnitProcess { ports: ports.collect(), units });
        Ok(())
    }

    /// Returns the path of the volume's file.
    pub fn volume_path(&self) -> std::path::PathBuf {
        self.directory.path().join(VOLUME_FILE)
    }

    /// Stops the process until then.
    pub fn stall(&mut self, until: Time) {
        self.rests = self.rests.max(until);
    }

    /// Ends the process at once; it begins anew at `until`, with the files as they are now.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn kill(&mut self, until: Time) -> io::Result<()> {
        self.stall(until);
        let Some(process) = self.process.take() else { return Ok(()) };
        let entries = fs::read_dir(self.directory.path())?.collect::<io::Result<Vec<_>>>()?;
        let paths = entries.into_iter().map(|entry| entry.path());
        let files = paths.map(|path| fs::read(&path).map(|octets| (path, octets)));
        let files = files.collect::<io::Result<Vec<_>>>()?;
        // A volume that is dropped is closed in order, which a process that is killed does not do.
        drop(process);
        files.into_iter().try_for_each(|(path, octets)| fs::write(path, octets))
    }

    /// Runs one turn; true when there was something to do.
    pub fn turn(&mut self, now: Time) -> bool {
        if now < self.rests {
            return false;
        }
        if self.process.is_none() {
            self.begin().expect("the volume was open before");
            if let Some(process) = &mut self.process {
                process.units.change_state(now.saturating_add(WARM_START));
            }
        }
        let has_timers = self.has_timers();
        let Some(process) = &mut self.process else { return false };
        let mut worked = false;
        for (port, plug) in process.ports.iter_mut().zip(&mut self.plugs) {
            if port.is_dark()
                && port.holds_off(now).is_none()
                && let PlugState::New(plugged) = plug.poll(now)
            {
                self.nonce += 1;
                let is_accepted = !plugged.opened;
                let fibre = port.fibre_of(now, plugged, self.nonce, self.clock);
                port.plug(fibre, is_accepted, None);
                worked = true;
            }
            if has_timers {
                port.handle_timeout(now, &mut process.units, &mut |_| ());
            }
            worked |= port.turn(now, &mut process.units, &mut |_| ());
        }
        worked
    }

    /// Returns whether the timers of the ports are handled.
    fn has_timers(&self) -> bool {
        self.mutation != Some(Mutation::ControlUnitTimersIgnored)
    }

    /// Returns the time at which something happens next.
    pub fn next(&self, now: Time) -> Option<Time> {
        if now < self.rests {
            return Some(self.rests);
        }
        let Some(process) = &self.process else { return Some(now) };
        let timed = process.ports.iter().filter(|_| self.has_timers());
        let timers = timed.filter_map(HostAdapterPort::poll_timeout);
        let dark = process.ports.iter().zip(&self.plugs).filter(|(port, _)| port.is_dark());
        let plugs = dark.filter_map(|(port, plug)| port.holds_off(now).or_else(|| plug.poll_timeout()));
        timers.chain(plugs).min()
    }
}
