//! Devices of a control unit at its end of an exchange. The twin's has every track full of records of one length, of which
//! only the lengths are known.

use halftrack_program::{ChainEnd, DataPort, DeviceEnd, Octets, ProgramShape, Transfer};
use halftrack_volume::{Blocks, TrackFault, Tracks, UniformTracks};
use halftrack_wire::IuData;
use halftrack_wire::choices::track_check_word;

use crate::device::{Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding, PlanDevice};
use crate::program::plan_geometry;

/// A device at the control unit's end of an exchange.
#[derive(Debug, Clone)]
pub struct AttachedDevice<D> {
    device: D,
    /// A buffer for the next data read.
    spare: Vec<u8>,
}

/// A device with uniform tracks, or others.
pub type EckdDevice<T = UniformTracks> = AttachedDevice<halftrack_control_unit::EckdDevice<T>>;
/// A device with fixed blocks.
pub type FbaDevice<B> = AttachedDevice<halftrack_control_unit::FbaDevice<B>>;

impl PlanDevice for EckdDevice {
    /// Returns a device whose tracks are full of the shape's records.
    fn for_shape(shape: &ProgramShape) -> EckdDevice {
        EckdDevice::new(UniformTracks::new(plan_geometry(), shape.record_bytes))
    }
}

impl<D> AttachedDevice<D> {
    /// Returns `device` at the end of an exchange.
    pub fn of(device: D) -> Self {
        Self { device, spare: Vec::new() }
    }

    /// Returns the device itself.
    pub fn unit(&self) -> &D {
        &self.device
    }

    /// Returns the device itself, for what is no exchange.
    pub fn unit_mut(&mut self) -> &mut D {
        &mut self.device
    }
}

impl<B: Blocks> FbaDevice<B> {
    /// Returns the blocks, for what is no command of a channel.
    pub fn blocks_mut(&mut self) -> &mut B {
        self.device.blocks_mut()
    }

    /// Returns the ending of a chain whose blocks could not be made safe, in the place of the one that it had reached.
    pub fn fail_chain(&mut self, fault: TrackFault) -> DeviceEnding {
        ending(&self.device.fail_chain(fault), IuData::None)
    }
}

impl<T: Tracks> EckdDevice<T> {
    /// Returns a device with these tracks.
    pub fn new(tracks: T) -> EckdDevice<T> {
        Self::of(halftrack_control_unit::EckdDevice::new(tracks))
    }

    /// Returns the ending of a chain whose records could not be made safe, in the place of the one that it had reached.
    pub fn fail_chain(&mut self, fault: TrackFault) -> DeviceEnding {
        ending(&self.device.fail_chain(fault), IuData::None)
    }

    /// Returns the tracks.
    pub fn tracks(&self) -> &T {
        self.device.tracks()
    }

    /// Returns the tracks, for what is no command of a channel.
    pub fn tracks_mut(&mut self) -> &mut T {
        self.device.tracks_mut()
    }
}

/// Output of an exchange for a command, and the input that the command sends back.
struct ExchangePort<'a> {
    output: Octets<'a>,
    /// Octets of the output that were taken, and how many of them before the track in progress.
    taken: u32,
    track_from: u32,
    /// Octets that may still be sent back.
    room: u32,
    input: IuData,
    /// A buffer for it.
    spare: &'a mut Vec<u8>,
}

impl<'a> ExchangePort<'a> {
    fn new(output: Octets<'a>, room: u32, spare: &'a mut Vec<u8>) -> ExchangePort<'a> {
        ExchangePort { output, taken: 0, track_from: 0, room, input: IuData::None, spare }
    }
}

/// Returns the data of an exchange as a device sees them.
fn octets(data: &IuData) -> Octets<'_> {
    match data {
        IuData::None => Octets::NONE,
        IuData::Bytes(bytes) => Octets::Bytes(bytes),
        IuData::Shared(octets) => Octets::Bytes(octets),
        IuData::Count(count) => Octets::Count(*count),
    }
}

impl DataPort for ExchangePort<'_> {
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        let octets = octets.first(self.room);
        self.room -= octets.len();
        match (octets, &mut self.input) {
            (Octets::Bytes(bytes), IuData::Bytes(input)) => input.extend_from_slice(bytes),
            (Octets::Bytes([]), _) => {}
            (Octets::Bytes(bytes), input @ IuData::None) => {
                let mut buffer = std::mem::take(self.spare);
                buffer.extend_from_slice(bytes);
                *input = IuData::Bytes(buffer);
            }
            // Octets beside others that nobody keeps are not kept either.
            (octets, input) => *input = IuData::Count(input.len() + octets.len()),
        }
        octets.len()
    }

    fn take(&mut self, limit: u32) -> Octets<'_> {
        let run = match self.output {
            Octets::Bytes(bytes) => Octets::Bytes(&bytes[self.taken as usize..]),
            Octets::Count(count) => Octets::Count(count - self.taken),
        }
        .first(limit);
        self.taken += run.len();
        run
    }

    fn take_check_word(&mut self) -> bool {
        let Octets::Bytes(octets) = self.output else { return true };
        let track = &octets[self.track_from as usize..self.taken as usize];
        let from = self.track_from as usize + track.len().next_multiple_of(4);
        let found = octets.get(from..).and_then(|rest| rest.first_chunk());
        self.taken = octets.len().min(from + 4) as u32;
        self.track_from = self.taken;
        found.is_some_and(|word| u32::from_be_bytes(*word) == track_check_word(track))
    }
}

fn ending(end: &DeviceEnd, data: IuData) -> DeviceEnding {
    DeviceEnding {
        device_status: end.status.0,
        moved_bytes: end.moved_bytes,
        device_bytes: end.device_bytes,
        data,
        retry: false,
        sense: end.sense,
    }
}

impl<D: halftrack_program::Device> Device for AttachedDevice<D> {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        let output = if command.parameters.is_empty() {
            octets(command.data)
        } else {
            Octets::Bytes(command.parameters)
        };
        let mut port = ExchangePort::new(output, command.count, &mut self.spare);
        let end = self.device.execute(command.command, &mut port);
        ending(&end, port.input)
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        self.device.end_chain(end).map(|end| ending(&end, IuData::None))
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        let transfer = match (operation.read, operation.write) {
            (false, false) => Transfer::None,
            (true, false) => Transfer::Read,
            (false, true) => Transfer::Write,
            (true, true) => Transfer::Bidirectional,
        };
        let mut port = ExchangePort::new(octets(operation.data), u32::MAX, &mut self.spare);
        let end = self.device.execute_operation(operation.tccb, transfer, &mut port);
        let failed = self.device.end_chain(ChainEnd::Broken);
        OperationEnding {
            device_status: failed.map_or(end.status, |failed| failed.status).0,
            data: port.input,
            residual: end.residual,
            dcw_offset: end.dcw_offset,
            program_check: end.program_check,
            sense: failed.map_or(end.sense, |failed| failed.sense),
        }
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        if self.spare.capacity() == 0 {
            self.spare = std::mem::take(buffer);
        }
    }

    fn reset(&mut self) {
        self.device.end_chain(ChainEnd::Broken);
    }
}
