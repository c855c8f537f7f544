//! The DIB header: contents of a device-level IU (reference section 6.2, offsets 16 to 27).

use crate::choices;
use crate::error::ParseError;
use crate::kind::IuKind;

/// Octets of the header.
pub const DIB_BYTES: usize = 12;

/// IU types (reference section 6.1).
mod iu_type {
    pub const DATA: u8 = 0;
    pub const COMMAND: u8 = 1;
    pub const STATUS: u8 = 2;
    pub const CONTROL: u8 = 3;
    pub const COMMAND_DATA: u8 = 4;
}

/// Flags of a CCW in a command IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ChainFlags(pub u8);

impl ChainFlags {
    /// Chain data.
    pub const CD: ChainFlags = ChainFlags(0x80);
    /// Chain command.
    pub const CC: ChainFlags = ChainFlags(0x40);
    /// Suppress incorrect length.
    pub const SLI: ChainFlags = ChainFlags(0x20);
    /// Command response requested.
    pub const CRR: ChainFlags = ChainFlags(0x08);

    /// Returns both sets of flags.
    #[must_use]
    pub const fn with(self, other: ChainFlags) -> ChainFlags {
        ChainFlags(self.0 | other.0)
    }

    /// Returns true when every flag of `other` is on.
    #[must_use]
    pub const fn has(self, other: ChainFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// DIB of a command IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct CommandDib {
    /// CCW command code.
    pub command: u8,
    /// CCW flags.
    pub flags: ChainFlags,
    /// CCW count, octets.
    pub count: u16,
    /// I/O priority.
    pub priority: u8,
    /// Command flags: DU 0x10, COC 0x08, SYR 0x04, REX 0x02, SSS 0x01.
    pub command_flags: u8,
}

/// Flags of a status IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StatusFlags(pub u8);

impl StatusFlags {
    /// Code 2 of the upper three bits: resetting event, the device was reset for the path.
    pub const RESETTING_EVENT: StatusFlags = StatusFlags(0x40);
    /// The channel began the operation that this status ends.
    pub const CHANNEL_INITIATED: StatusFlags = StatusFlags(0x10);
    /// Command retry.
    pub const RETRY: StatusFlags = StatusFlags(0x04);
    /// The record was longer than the CCW's count.
    pub const LONG_RECORD: StatusFlags = StatusFlags(0x02);
    /// Residual count valid.
    pub const RESIDUAL_VALID: StatusFlags = StatusFlags(0x01);

    /// Returns both sets of flags.
    #[must_use]
    pub const fn with(self, other: StatusFlags) -> StatusFlags {
        StatusFlags(self.0 | other.0)
    }

    /// Returns true when every flag of `other` is on.
    #[must_use]
    pub const fn has(self, other: StatusFlags) -> bool {
        self.0 & other.0 == other.0
    }
}

/// DIB of a status IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct StatusDib {
    /// Status flags.
    pub flags: StatusFlags,
    /// Device status (unit status).
    pub device_status: u8,
    /// Residual count when [`StatusFlags::RESIDUAL_VALID`] is on, else the IU-pacing value in the low octet.
    pub information: u16,
    /// Queue time: 4-bit factor, 12-bit value.
    pub queue_time: u16,
    /// Defer time: 4-bit factor, 12-bit value.
    pub defer_time: u16,
}

impl StatusDib {
    /// Returns the residual count of the last CCW, octets, when the IU has one.
    #[must_use]
    pub const fn residual(&self) -> Option<u16> {
        if self.flags.has(StatusFlags::RESIDUAL_VALID) { Some(self.information) } else { None }
    }
}

/// Function of a control IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum ControlFunction {
    /// Control end.
    ControlEnd = 0x00,
    /// Command response (CMR).
    CommandResponse = 0x10,
    /// Stack status.
    StackStatus = 0x20,
    /// Cancel.
    Cancel = 0x30,
    /// System reset.
    SystemReset = 0x40,
    /// Selective reset.
    SelectiveReset = 0x50,
    /// Request status.
    RequestStatus = 0x70,
    /// Device-level exception.
    DeviceException = 0x80,
    /// Status accepted.
    StatusAccepted = 0xA0,
    /// Device-level acknowledge.
    DeviceAck = 0xB0,
    /// Purge path.
    PurgePath = 0xC1,
    /// Purge-path response.
    PurgePathResponse = 0xD0,
}

impl ControlFunction {
    /// Every function, in the order of their codes.
    pub const ALL: [ControlFunction; 12] = [
        ControlFunction::ControlEnd,
        ControlFunction::CommandResponse,
        ControlFunction::StackStatus,
        ControlFunction::Cancel,
        ControlFunction::SystemReset,
        ControlFunction::SelectiveReset,
        ControlFunction::RequestStatus,
        ControlFunction::DeviceException,
        ControlFunction::StatusAccepted,
        ControlFunction::DeviceAck,
        ControlFunction::PurgePath,
        ControlFunction::PurgePathResponse,
    ];

    /// Returns the function with this code.
    #[must_use]
    pub fn from_code(code: u8) -> Option<ControlFunction> {
        ControlFunction::ALL.into_iter().find(|function| *function as u8 == code)
    }

    /// Returns the kind of the IU that carries the function.
    #[must_use]
    pub const fn kind(self) -> IuKind {
        match self {
            ControlFunction::ControlEnd => IuKind::ControlEnd,
            ControlFunction::CommandResponse => IuKind::CommandResponse,
            ControlFunction::StackStatus => IuKind::StackStatus,
            ControlFunction::Cancel => IuKind::Cancel,
            ControlFunction::SystemReset => IuKind::SystemReset,
            ControlFunction::SelectiveReset => IuKind::SelectiveReset,
            ControlFunction::RequestStatus => IuKind::RequestStatus,
            ControlFunction::DeviceException => IuKind::DeviceException,
            ControlFunction::StatusAccepted => IuKind::StatusAccepted,
            ControlFunction::DeviceAck => IuKind::DeviceAck,
            ControlFunction::PurgePath => IuKind::PurgePath,
            ControlFunction::PurgePathResponse => IuKind::PurgePathResponse,
        }
    }
}

/// DIB of a control IU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ControlDib {
    /// Function.
    pub function: ControlFunction,
    /// Parameter of the function.
    pub parameter: [u8; 3],
}

impl ControlDib {
    /// Returns a function without parameter.
    #[must_use]
    pub const fn plain(function: ControlFunction) -> ControlDib {
        ControlDib { function, parameter: [0; 3] }
    }

    /// Returns a command response that carries an IU-pacing value; 0 grants no change.
    #[must_use]
    pub const fn command_response(pacing: u8) -> ControlDib {
        let mut parameter = [0; 3];
        parameter[choices::PACING_INDEX] = pacing;
        ControlDib { function: ControlFunction::CommandResponse, parameter }
    }

    /// Returns a device-level exception with one of the codes of reference section 6.2.
    #[must_use]
    pub const fn device_exception(code: u8) -> ControlDib {
        let mut parameter = [0; 3];
        parameter[choices::CONTROL_CODE_INDEX] = code;
        ControlDib { function: ControlFunction::DeviceException, parameter }
    }

    /// Returns a request to purge the path, with one of the purge-path error codes of reference section 6.2.
    #[must_use]
    pub const fn purge_path(code: u8) -> ControlDib {
        let mut parameter = [0; 3];
        parameter[choices::CONTROL_CODE_INDEX] = code;
        ControlDib { function: ControlFunction::PurgePath, parameter }
    }
}

/// A DIB header without its last word (IU count and data count).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Dib {
    /// Data IU.
    Data,
    /// Command IU.
    Command(CommandDib),
    /// Command+data IU.
    CommandData(CommandDib),
    /// Status IU.
    Status(StatusDib),
    /// Control IU.
    Control(ControlDib),
}

impl Dib {
    /// Returns the IU type, as the IU header has it.
    #[must_use]
    pub const fn iu_type(&self) -> u8 {
        match self {
            Dib::Data => iu_type::DATA,
            Dib::Command(_) => iu_type::COMMAND,
            Dib::CommandData(_) => iu_type::COMMAND_DATA,
            Dib::Status(_) => iu_type::STATUS,
            Dib::Control(_) => iu_type::CONTROL,
        }
    }

    /// Returns the kind of the IU.
    #[must_use]
    pub const fn kind(&self) -> IuKind {
        match self {
            Dib::Data => IuKind::Data,
            Dib::Command(_) => IuKind::Command,
            Dib::CommandData(_) => IuKind::CommandData,
            Dib::Status(_) => IuKind::Status,
            Dib::Control(control) => control.function.kind(),
        }
    }

    /// Reads the first eight octets of the header.
    ///
    /// # Errors
    /// An IU type that is not a device-level one, or an undefined control function.
    pub fn parse(iu_type: u8, octets: &[u8; DIB_BYTES]) -> Result<Dib, ParseError> {
        let half = |offset: usize| u16::from_be_bytes([octets[offset], octets[offset + 1]]);
        let command = CommandDib {
            command: octets[0],
            flags: ChainFlags(octets[1]),
            count: half(2),
            priority: octets[5],
            command_flags: octets[7],
        };
        match iu_type {
            iu_type::DATA => Ok(Dib::Data),
            iu_type::COMMAND => Ok(Dib::Command(command)),
            iu_type::COMMAND_DATA => Ok(Dib::CommandData(command)),
            iu_type::STATUS => Ok(Dib::Status(StatusDib {
                flags: StatusFlags(octets[0]),
                device_status: octets[1],
                information: half(2),
                queue_time: half(4),
                defer_time: half(6),
            })),
            iu_type::CONTROL => {
                let function =
                    ControlFunction::from_code(octets[0]).ok_or(ParseError::Function(octets[0]))?;
                Ok(Dib::Control(ControlDib { function, parameter: [octets[1], octets[2], octets[3]] }))
            }
            other => Err(ParseError::Type(other)),
        }
    }

    /// Returns the header's octets, with the counts that every DIB ends with.
    #[must_use]
    pub fn emit(&self, iu_count: u8, data_count: u16) -> [u8; DIB_BYTES] {
        let mut octets = [0; DIB_BYTES];
        match self {
            Dib::Data => {}
            Dib::Command(command) | Dib::CommandData(command) => {
                octets[0] = command.command;
                octets[1] = command.flags.0;
                octets[2..4].copy_from_slice(&command.count.to_be_bytes());
                octets[5] = command.priority;
                octets[7] = command.command_flags;
            }
            Dib::Status(status) => {
                octets[0] = status.flags.0;
                octets[1] = status.device_status;
                octets[2..4].copy_from_slice(&status.information.to_be_bytes());
                octets[4..6].copy_from_slice(&status.queue_time.to_be_bytes());
                octets[6..8].copy_from_slice(&status.defer_time.to_be_bytes());
            }
            Dib::Control(control) => {
                octets[0] = control.function as u8;
                octets[1..4].copy_from_slice(&control.parameter);
            }
        }
        octets[9] = iu_count;
        octets[10..12].copy_from_slice(&data_count.to_be_bytes());
        octets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_its_code_and_kind() {
        let kinds: std::collections::BTreeSet<_> = ControlFunction::ALL.map(ControlFunction::kind).into();
        assert_eq!(kinds.len(), ControlFunction::ALL.len());
        for function in ControlFunction::ALL {
            assert_eq!(ControlFunction::from_code(function as u8), Some(function));
        }
        assert_eq!(ControlFunction::from_code(0x60), None);
    }

    #[test]
    fn pacing_stands_in_the_low_octet() {
        assert_eq!(
            Dib::Control(ControlDib::command_response(16)).emit(1, 0),
            [0x10, 0, 0, 0x10, 0, 0, 0, 0, 0, 1, 0, 0]
        );
    }

    #[test]
    fn residual_only_when_valid() {
        let mut status = StatusDib { information: 7, ..StatusDib::default() };
        assert_eq!(status.residual(), None);
        status.flags = StatusFlags::RESIDUAL_VALID;
        assert_eq!(status.residual(), Some(7));
    }
}
