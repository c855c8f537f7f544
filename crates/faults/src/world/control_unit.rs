//! The control unit of a world: its ports, and its volume in files.

use std::io;
use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_config::control_unit_file::WriteMode;
use halftrack_config::{ControlUnitFile, read_control_unit};
use halftrack_input::SourceFile;
use halftrack_link::HostClock;
use halftrack_link::control_unit::{HostAdapterPort, LunTable, PortOptions, UnitTable, UnitVolume};
use halftrack_link::plug::{Plug, PlugState};
use halftrack_volume::Disk;
use tempfile::TempDir;

use super::disk::{Barriers, FaultyDisk};
use super::line::LineEnd;
use super::line_plug::LinePlug;
use super::volume_files::VolumeFiles;
use crate::machine::Machine;
use crate::mutation::Mutation;

/// How long the devices of a process that began anew change their state. Our choice: long enough for starts to meet it.
const WARM_START: Span = Span::from_ms(700);

/// The process of a control unit.
pub struct ControlUnitProcess {
    pub ports: Vec<HostAdapterPort<LineEnd>>,
    pub units: UnitTable,
}

/// End of a process that is not in order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProcessEnd {
    /// It ends at once, and files stay as they are.
    Killed,
    /// The disk loses its power too: what no barrier made safe may be lost.
    PowerLost,
}

/// Faults of a disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FaultsOfDisk {
    /// Its power may fail too.
    WithPower,
    /// Its power does not fail.
    WithoutPower,
}

/// A control unit, whose process may be gone.
pub struct ControlUnitRun {
    file: ControlUnitFile,
    files: VolumeFiles,
    pub plugs: Vec<LinePlug>,
    clock: Option<HostClock>,
    mutation: Option<Mutation>,
    /// Nothing while the process is gone.
    pub process: Option<ControlUnitProcess>,
    /// It does no turn before, or its process is gone until then.
    rests: Time,
    nonce: u64,
    pub disk: Arc<FaultyDisk>,
    /// The disk with faults that the volume lies on, if it does.
    on_disk: Option<FaultsOfDisk>,
    /// Why the process cannot begin anew, which it does not try again.
    pub trouble: String,
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
        let files = VolumeFiles::create(directory, machine.fcp.as_ref())?;
        let text = machine.control_unit_file();
        let (file, found) = read_control_unit(&SourceFile::new("control-unit.toml", text));
        let barriers = match mutation {
            Some(Mutation::BarriersSkipped) => Barriers::None,
            Some(Mutation::ImageBarriersSkipped) => Barriers::OfJournal,
            _ => Barriers::All,
        };
        let disk = FaultyDisk::new(machine.seed, barriers);
        let mut file = file.ok_or_else(|| format!("{found:?}"))?;
        if mutation == Some(Mutation::UnitsGatherWrites) {
            file.luns.iter_mut().for_each(|lun| lun.write = WriteMode::Writeback);
        }
        let mut run = Self {
            file,
            files,
            plugs,
            clock,
            mutation,
            process: None,
            rests: Time::ZERO,
            nonce: 0,
            disk: Arc::new(disk),
            on_disk: None,
            trouble: String::new(),
        };
        run.begin()?;
        Ok(run)
    }

    /// Begins the process: opens the volume with its journal, and the ports.
    fn begin(&mut self) -> Result<(), String> {
        let mut units = UnitTable::default();
        let discards_journals = self.mutation == Some(Mutation::JournalDiscarded);
        if discards_journals {
            units.discard_journals();
        }
        for volume in UnitVolume::of_file(&self.file, self.files.directory()) {
            units.open_volume(&volume).map_err(|error| error.to_string())?;
        }
        let luns = LunTable::of_file(&self.file, self.files.directory(), discards_journals);
        units.set_luns(luns.map_err(|failed| format!("{failed:?}"))?);
        units.set_fenced(!matches!(self.mutation, Some(Mutation::NoFence | Mutation::ImmediateRedrive)));
        let images = units.images().collect();
        let options = self.file.ports.iter().map(|port| PortOptions::of_entry(&self.file, port));
        let ports = (0..).zip(options).map(|(number, options)| HostAdapterPort::new(options, number, images));
        self.process = Some(ControlUnitProcess { ports: ports.collect(), units });
        if let Some(faults) = self.on_disk {
            self.put_on_disk(faults).map_err(|error| error.to_string())?;
        }
        Ok(())
    }

    /// Puts the volume on the disk with faults, from now on also after the process begins anew. All that is in its files
    /// by now counts as safe.
    ///
    /// # Errors
    /// Files that cannot be read.
    pub fn put_on_disk(&mut self, faults: FaultsOfDisk) -> io::Result<()> {
        self.on_disk = Some(faults);
        if faults == FaultsOfDisk::WithPower {
            self.disk.begin(self.files.read()?);
        }
        let disk: Arc<dyn Disk> = self.disk.clone();
        if let Some(process) = &mut self.process {
            process.units.set_disk(&disk);
        }
        Ok(())
    }

    /// Ends the process in order, and returns the files of its volume and units.
    ///
    /// # Errors
    /// A volume that cannot be closed.
    pub fn close(&mut self) -> Result<&VolumeFiles, String> {
        let units = self.process.take().map(|process| process.units);
        units.map_or(Ok(()), UnitTable::close).map_err(|failed| format!("{failed:?}"))?;
        if self.mutation == Some(Mutation::ForeignJournal) {
            self.files.replay_old_journal().map_err(|error| error.to_string())?;
        }
        Ok(&self.files)
    }

    /// Stops the process until then.
    pub fn stall(&mut self, until: Time) {
        self.rests = self.rests.max(until);
    }

    /// Ends the process at once; it begins anew at `until`, with the files as this end leaves them.
    ///
    /// # Errors
    /// Files that cannot be read or written.
    pub fn kill(&mut self, until: Time, end: ProcessEnd) -> io::Result<()> {
        self.stall(until);
        let Some(mut process) = self.process.take() else { return Ok(()) };
        if self.mutation == Some(Mutation::ForeignJournal) {
            self.files.keep_journal();
        }
        // A volume that is dropped is closed in order, which a process that is killed does not do.
        self.disk.end();
        let disk: Arc<dyn Disk> = self.disk.clone();
        process.units.set_disk(&disk);
        drop(process);
        let torn = self.disk.write_torn();
        self.disk.forget();
        torn?;
        if end == ProcessEnd::PowerLost { self.files.write(&self.disk.cut_power()) } else { Ok(()) }
    }

    /// Runs one turn; true when there was something to do.
    pub fn turn(&mut self, now: Time) -> bool {
        if now < self.rests {
            return false;
        }
        if self.process.is_none() {
            if let Err(trouble) = self.begin() {
                self.trouble = trouble;
                self.rests = Time::MAX;
                return false;
            }
            if let Some(process) = &mut self.process {
                process.units.change_state(now.saturating_add(WARM_START));
            }
        }
        self.disk.set_now(now);
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
        timers.chain(plugs).chain(self.disk.has_space_at()).min()
    }
}
