//! For tests: a device that follows a script, and a channel and a control unit that run until both are quiet.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_program::{Grouping, Operation, Positioning, ProgramShape, Protocol};
use halftrack_wire::fcp::{FcpIu, ScsiStatus};
use halftrack_wire::heading::heading;
use halftrack_wire::{
    Body, ChainFlags, FcHeader, FrameProtection, FromSide, Heading, Iu, IuData, IuKind, Place, TransportPart,
};

use crate::channel_end::ChannelEnd;
use crate::control_unit_end::ControlUnitEnd;
use crate::device::{
    Begun, Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding, PlanDevice, ScsiOperation,
    ScsiOperationEnding,
};
use crate::end::{End, Identity};
use crate::outcome::{ChannelOutcome, ControlUnitOutcome};
use crate::plan::{Carrier, Login, PlanKey};
use crate::program::{ChainCommand, CommandChain};

pub(crate) const IDENTITY: Identity =
    Identity { channel_image: 1, control_unit_image: 2, device: 0x34, token: 0xABCD };

pub(crate) const LOGIN: Login = Login {
    frame_payload_bytes: 2048,
    initial_pacing: 16,
    granted_pacing: 0,
    first_transfer_bytes: 0,
    transfer_ready_bytes: 0,
    carrier: Carrier::Ficon,
    window_bytes: 0,
    protection: FrameProtection::NONE,
};

/// Channel end and device end.
pub(crate) const NORMAL: u8 = 0x0C;

/// A device that ends each command as scripted, and normally with all bytes when the script is over.
#[derive(Debug, Default)]
pub(crate) struct Scripted {
    pub endings: VecDeque<DeviceEnding>,
    pub operation: Option<OperationEnding>,
    pub scsi: Option<ScsiOperationEnding>,
    /// Command and operation codes executed.
    pub executed: Vec<u8>,
    /// Data written.
    pub written: Vec<IuData>,
    pub resets: u32,
    /// Command codes that wait, and the ending of the one that does when it is set.
    pub waiting: Vec<u8>,
    pub released: Option<DeviceEnding>,
}

/// Returns the command ended with this status, and `moved` bytes where the device has `device`.
pub(crate) fn ending(device_status: u8, moved: u32, device: u32) -> DeviceEnding {
    DeviceEnding {
        device_status,
        moved_bytes: moved,
        device_bytes: device,
        data: IuData::Count(moved),
        retry: false,
        sense: None,
    }
}

impl Device for Scripted {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        self.executed.push(command.command);
        self.written.push(command.data.clone());
        let count = command.count;
        self.endings.pop_front().unwrap_or_else(|| ending(NORMAL, count, count))
    }

    fn begin(&mut self, command: u8, _count: u32, output: &mut IuData) -> Begun {
        if !self.waiting.contains(&command) {
            return Begun::AtOnce;
        }
        self.executed.push(command);
        self.written.push(std::mem::take(output));
        Begun::Waits
    }

    fn poll_ending(&mut self) -> Option<DeviceEnding> {
        self.released.take()
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        self.written.push(operation.data.clone());
        self.operation.take().unwrap_or(OperationEnding {
            device_status: NORMAL,
            data: if operation.read { IuData::Count(4096) } else { IuData::None },
            residual: 0,
            dcw_offset: None,
            program_check: None,
            sense: None,
        })
    }

    fn execute_scsi(&mut self, operation: &ScsiOperation<'_>) -> ScsiOperationEnding {
        self.executed.push(operation.cdb.operation_code());
        self.written.push(operation.data.clone());
        let data = IuData::Bytes((0..operation.room_bytes).map(|octet| octet as u8).collect());
        let good = ScsiOperationEnding { status: ScsiStatus::GOOD, data, sense: Vec::new() };
        self.scsi.take().unwrap_or(good)
    }

    fn reset(&mut self) {
        self.resets += 1;
    }
}

impl PlanDevice for Scripted {
    fn for_shape(_shape: &ProgramShape) -> Scripted {
        Scripted::default()
    }
}

pub(crate) fn key(protocol: Protocol) -> PlanKey {
    let shape = ProgramShape {
        operation: Operation::Read,
        record_bytes: 4096,
        records: 1,
        grouping: Grouping::Records,
        positioning: Positioning::Prefix,
    };
    PlanKey { shape, protocol, hit: true, login: LOGIN }
}

/// Returns a Prefix and then these commands with these counts, all but the last with command chaining.
pub(crate) fn chain(commands: &[(u8, u16, ChainFlags)]) -> CommandChain {
    let prefix = (0xE7, 64, ChainFlags::default());
    let all: Vec<_> = std::iter::once(&prefix).chain(commands).collect();
    let last = all.len() - 1;
    let command = |(index, (command, count, flags)): (usize, &&(u8, u16, ChainFlags))| ChainCommand {
        command: *command,
        flags: if index < last { flags.with(ChainFlags::CC) } else { *flags },
        count: *count,
        output: match command {
            0xE7 => IuData::Bytes(vec![7; usize::from(*count)]),
            0x85 => IuData::Bytes((0..*count).map(|octet| octet as u8).collect()),
            _ => IuData::None,
        },
    };
    CommandChain::new(all.iter().enumerate().map(command).collect()).unwrap()
}

/// Kinds of the IUs of an exchange, and its outcomes.
#[derive(Debug, Default)]
pub(crate) struct Conversation {
    pub outbound: Vec<IuKind>,
    pub inbound: Vec<IuKind>,
    pub channel: Vec<ChannelOutcome>,
    pub control_unit: Vec<ControlUnitOutcome>,
}

/// Runs both ends until they are quiet. Every IU goes through its octets.
pub(crate) fn run_until_quiet(
    channel: &mut ChannelEnd,
    control_unit: &mut ControlUnitEnd<Scripted>,
) -> Conversation {
    let now = Time::ZERO;
    let mut conversation = Conversation::default();
    loop {
        let (outbound, inbound) = (channel.poll_transmit(), control_unit.poll_transmit());
        if outbound.is_none() && inbound.is_none() {
            conversation.channel.extend(channel.poll_outcome());
            conversation.control_unit.extend(control_unit.poll_outcome());
            return conversation;
        }
        if let Some(iu) = outbound.map(|(iu, _)| over_the_wire(&iu)) {
            conversation.outbound.push(iu.kind());
            control_unit.handle_iu(now, &iu);
        }
        if let Some(iu) = inbound.map(|(iu, _)| over_the_wire(&iu)) {
            conversation.inbound.push(iu.kind());
            channel.handle_iu(now, &iu);
        }
    }
}

/// Returns the IU that comes out of the other end of the fibre.
pub(crate) fn over_the_wire(iu: &Iu) -> Iu {
    let octets = iu.emit().unwrap();
    assert_eq!(octets.len() as u32, iu.payload_bytes());
    let part = match iu.body {
        Body::CommandMode(_) => return Iu::parse_command_mode(&octets).unwrap(),
        Body::Device(_) => return iu.clone(),
        Body::TransportCommand { .. } => TransportPart::Command,
        Body::TransferReady { .. } => TransportPart::TransferReady,
        Body::TransportData { relative_offset, inserted_bytes, ends_transfer } => {
            TransportPart::Data { relative_offset, inserted_bytes, ends_transfer }
        }
        Body::TransportResponse(_) => TransportPart::Response,
        Body::Abort => TransportPart::Abort,
        Body::AbortAccept { .. } => TransportPart::AbortAccept,
        Body::Fcp(_) => {
            let Heading { r_ctl, fc_type, f_ctl, parameter } =
                heading(iu, FromSide::Channel, Place::default());
            let header = FcHeader { r_ctl, fc_type, f_ctl, parameter, ..FcHeader::default() };
            return Iu::of_fcp(iu.address, FcpIu::parse(&header, &octets).unwrap());
        }
    };
    Iu::parse_transport_mode(part, iu.address, &octets).unwrap()
}
