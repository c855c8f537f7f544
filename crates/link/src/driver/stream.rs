//! Stream of the driver in a run: its I/Os, and where on which volume they go.

use halftrack_base::Time;
use halftrack_config::channel_file::{DriveStream, Synchronous};
use halftrack_config::{Arrivals, ProtocolChoice};
use halftrack_engine::RandomStream;
use halftrack_exchange::program::ProgramError;
use halftrack_program::Protocol;
use halftrack_workload::StreamState;
use thiserror::Error;

use super::contents::Contents;
use super::region::{Place, Region, RegionError};
use super::statistics::StreamStatistics;
use super::template::Template;
use super::volume::Volume;
use super::volume_size::VolumeSize;

/// Records tried for some that are free before the I/O waits for the end of another.
const MOST_PROBES: u32 = 64;

/// Why a stream cannot run.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum StreamError {
    /// No place on the volume.
    #[error(transparent)]
    Region(#[from] RegionError),
    /// No channel program.
    #[error("no channel program: {0}")]
    Program(#[from] ProgramError),
    /// No place on a logical unit.
    #[error("{0}")]
    Blocks(String),
    /// Reads and writes of different records.
    #[error("it reads records of {read} bytes and writes records of {write} to the same tracks")]
    Lengths {
        /// Record length of `program`, bytes.
        read: u16,
        /// Record length of `write_program`, bytes.
        write: u16,
    },
    /// Two streams want records of different lengths on the same tracks.
    #[error("stream {other} wants records of another length on the same tracks")]
    Overlap {
        /// The other stream.
        other: String,
    },
    /// Transport mode is wanted and not to be had.
    #[error("it wants transport mode, which the control unit did not agree to at login")]
    NoTransport,
    /// Transport mode is wanted for fixed blocks.
    #[error("it wants transport mode, which a device with fixed blocks does not have")]
    BlocksInTransport,
}

/// Reads and writes of one region of volumes of one size.
#[derive(Debug)]
struct Programs {
    size: VolumeSize,
    region: Region,
    read: Template,
    write: Template,
}

/// One device of the stream.
#[derive(Debug, Clone, Copy)]
pub struct Device {
    /// The volume.
    pub volume: u16,
    /// Which of its records.
    pub contents: u16,
    programs: u16,
}

/// A stream.
#[derive(Debug)]
pub struct StreamRun {
    /// Its name.
    pub name: String,
    /// I/Os that are synchronous first.
    pub synchronous: Synchronous,
    /// Protocol of its I/O.
    pub protocol: Protocol,
    /// Random state of the stream.
    pub state: StreamState,
    /// When the next I/O of an open stream comes.
    pub next_arrival: Time,
    /// Statistics of its I/Os.
    pub statistics: StreamStatistics,
    open: bool,
    devices: Vec<Device>,
    programs: Vec<Programs>,
    records: RandomStream,
}

impl StreamRun {
    /// Returns the stream on `volumes`; `volume_of` gives the place among them of a unit address.
    ///
    /// # Errors
    /// [`StreamError`].
    pub fn new(
        asked: &DriveStream,
        seed: u64,
        transport: bool,
        volumes: &mut [Volume],
        contents: impl Fn(&Volume, Region) -> Contents,
        volume_of: impl Fn(u8) -> Option<usize>,
    ) -> Result<Self, StreamError> {
        let stream = &asked.stream;
        let (read, write) = (stream.read.record_bytes, stream.write.record_bytes);
        if read != write {
            return Err(StreamError::Lengths { read, write });
        }
        let places = stream.devices.iter().filter_map(|unit| volume_of(*unit as u8));
        let has_blocks =
            places.map(|place| &volumes[place]).any(|volume| volume.size.last_cylinder().is_none());
        let protocol = match stream.protocol {
            ProtocolChoice::Always(Protocol::Transport) if has_blocks => {
                return Err(StreamError::BlocksInTransport);
            }
            ProtocolChoice::Fcp => return Err(StreamError::NoTransport),
            ProtocolChoice::Always(Protocol::Transport) if !transport => {
                return Err(StreamError::NoTransport);
            }
            ProtocolChoice::Eligible if has_blocks => Protocol::Command,
            ProtocolChoice::Always(protocol) => protocol,
            ProtocolChoice::Eligible if transport => Protocol::Transport,
            ProtocolChoice::Eligible => Protocol::Command,
        };
        let mut run = Self {
            name: stream.name.clone(),
            synchronous: asked.synchronous,
            protocol,
            state: StreamState::new(stream, seed),
            next_arrival: Time::MAX,
            statistics: StreamStatistics::default(),
            open: matches!(stream.arrivals, Arrivals::Open { .. }),
            devices: Vec::new(),
            programs: Vec::new(),
            records: RandomStream::new(seed, &format!("stream {} record", stream.name)),
        };
        for &unit in &stream.devices {
            let unit = unit as u8;
            let Some(place) = volume_of(unit) else { continue };
            let volume = &mut volumes[place];
            let cylinders = asked.cylinders.map(|range| (range.first, range.last));
            let region = Region::on(unit, &volume.size, read, cylinders)?;
            region.check(unit, &volume.size, &stream.read)?;
            region.check(unit, &volume.size, &stream.write)?;
            let programs = run.programs_for(asked, &volume.size, region)?;
            let whole = region.whole(unit, &volume.size)?;
            let new = contents(volume, whole);
            let contents = volume.contents_of(read, || new);
            run.devices.push(Device { volume: place as u16, contents, programs });
        }
        Ok(run)
    }

    fn programs_for(
        &mut self,
        asked: &DriveStream,
        size: &VolumeSize,
        region: Region,
    ) -> Result<u16, StreamError> {
        let found = self.programs.iter().position(|one| one.size == *size && one.region == region);
        if let Some(found) = found {
            return Ok(found as u16);
        }
        let template = |shape| Template::new(shape, self.protocol, size, &region);
        let (read, write) = (template(&asked.stream.read)?, template(&asked.stream.write)?);
        self.programs.push(Programs { size: *size, region, read, write });
        Ok((self.programs.len() - 1) as u16)
    }

    /// Returns whether I/Os come at a rate, whatever is in progress.
    #[inline]
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Returns a device of the stream.
    #[inline]
    pub fn device(&self, device: u16) -> Device {
        self.devices[usize::from(device)]
    }

    /// Returns the devices.
    pub fn devices(&self) -> &[Device] {
        &self.devices
    }

    /// Returns where the records lie of a device.
    pub fn region(&self, device: u16) -> &Region {
        &self.programs[usize::from(self.device(device).programs)].region
    }

    /// Chooses records that nobody has and takes them; nothing when none were found.
    #[inline]
    pub fn claim(&mut self, device: Device, contents: &mut Contents, write: bool) -> Option<Place> {
        let programs = &self.programs[usize::from(device.programs)];
        let template = if write { &programs.write } else { &programs.read };
        let records = template.shape().records;
        let starts = programs.region.starts(records);
        let first = self.records.below(u64::from(starts)) as u32;
        (0..starts.min(MOST_PROBES)).find_map(|probe| {
            let start = (u64::from(first) + u64::from(probe)) % u64::from(starts);
            let place = programs.region.start(records, start as u32);
            contents.claim(place, records, write).then_some(place)
        })
    }

    /// Returns the programs of a device.
    #[inline]
    pub fn template(&mut self, device: Device, write: bool) -> &mut Template {
        let programs = &mut self.programs[usize::from(device.programs)];
        if write { &mut programs.write } else { &mut programs.read }
    }
}
