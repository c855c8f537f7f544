//! An information unit as plain values: what the exchange machines build and read.

use std::borrow::Cow;

use halftrack_base::SharedOctets;

use crate::choices::SENSE_BYTES;
use crate::device_frame::DeviceFrame;
use crate::dib::{Dib, StatusDib};
use crate::fcp::FcpUnit;
use crate::iu_header::DataFlags;
use crate::kind::IuKind;
use crate::transport_response::TransportResponse;

/// Octets of the overhead of a command-mode IU, LRC included (reference section 6.1).
pub const COMMAND_OVERHEAD_BYTES: u32 = 32;

/// Whom an IU is for and which operation it belongs to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Address {
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Device (unit) address.
    pub device: u8,
    /// The channel's 24-bit operation number: that of the start at its subchannel ([`crate::StartNumber`]). Of a
    /// transport-mode IU only the command carries it.
    pub token: u32,
}

/// Data of an IU.
#[derive(Debug, Clone, Default)]
pub enum IuData {
    /// No data.
    #[default]
    None,
    /// The octets themselves.
    Bytes(Vec<u8>),
    /// Octets that are cut into parts and never copied.
    Shared(SharedOctets),
    /// Data known by its length only: the twin moves no octets.
    Count(u32),
}

impl IuData {
    /// Returns the octets of data, without padding.
    #[must_use]
    pub fn len(&self) -> u32 {
        match self {
            IuData::None => 0,
            IuData::Bytes(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX),
            IuData::Shared(octets) => u32::try_from(octets.len()).unwrap_or(u32::MAX),
            IuData::Count(count) => *count,
        }
    }

    /// Returns true when there is no octet of data.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the octets; zeros where only the length is known.
    #[must_use]
    pub fn octets(&self) -> Cow<'_, [u8]> {
        match self {
            IuData::None => Cow::Borrowed(&[]),
            IuData::Bytes(bytes) => Cow::Borrowed(bytes),
            IuData::Shared(octets) => Cow::Borrowed(octets),
            IuData::Count(count) => Cow::Owned(vec![0; *count as usize]),
        }
    }

    /// Returns the part of the data from `from` for at most `length` octets.
    #[must_use]
    pub fn slice(&self, from: u32, length: u32) -> IuData {
        let length = length.min(self.len().saturating_sub(from));
        if length == 0 {
            return IuData::None;
        }
        match self {
            IuData::None => IuData::None,
            IuData::Bytes(bytes) => IuData::Bytes(bytes[from as usize..(from + length) as usize].to_vec()),
            IuData::Shared(octets) => IuData::Shared(octets.slice(from as usize..(from + length) as usize)),
            IuData::Count(_) => IuData::Count(length),
        }
    }

    /// Returns the first `length` octets of the data, or all.
    #[must_use]
    pub fn first(self, length: u32) -> IuData {
        match self {
            _ if length == 0 => IuData::None,
            IuData::None => IuData::None,
            IuData::Bytes(mut bytes) => {
                bytes.truncate(length as usize);
                IuData::Bytes(bytes)
            }
            IuData::Shared(octets) => IuData::Shared(octets.slice(0..octets.len().min(length as usize))),
            IuData::Count(count) => IuData::Count(count.min(length)),
        }
    }

    /// Adds what follows. Octets stay known as long as all of them are.
    pub fn append(&mut self, next: &IuData) {
        match (&mut *self, next) {
            (_, IuData::None) => {}
            (IuData::None, _) => *self = next.clone(),
            (IuData::Bytes(bytes), IuData::Bytes(more)) => bytes.extend_from_slice(more),
            (IuData::Bytes(bytes), IuData::Shared(more)) => bytes.extend_from_slice(more),
            (IuData::Shared(octets), IuData::Bytes(_) | IuData::Shared(_)) => {
                *self = IuData::Bytes([&octets[..], &next.octets()].concat());
            }
            (IuData::Bytes(_) | IuData::Shared(_) | IuData::Count(_), _) => {
                *self = IuData::Count(self.len().saturating_add(next.len()));
            }
        }
    }

    /// Returns the data as sense, when it is known and has a sense's length.
    #[must_use]
    pub fn sense(&self) -> Option<[u8; SENSE_BYTES]> {
        match self {
            IuData::Bytes(bytes) => bytes.as_slice().try_into().ok(),
            IuData::Shared(octets) => octets[..].try_into().ok(),
            IuData::None | IuData::Count(_) => None,
        }
    }

    /// Returns the octets as a vector of their own; zeros where only the length is known.
    #[must_use]
    pub fn into_octets(self) -> Vec<u8> {
        match self {
            IuData::Bytes(bytes) => bytes,
            other => other.octets().into_owned(),
        }
    }
}

impl PartialEq for IuData {
    fn eq(&self, other: &IuData) -> bool {
        match (self, other) {
            (IuData::None, IuData::None) => true,
            (IuData::Count(count), IuData::Count(other)) => count == other,
            (IuData::Bytes(_) | IuData::Shared(_), IuData::Bytes(_) | IuData::Shared(_)) => {
                self.octets() == other.octets()
            }
            _ => false,
        }
    }
}

impl Eq for IuData {}

/// Fields of a command-mode IU beside its addresses and data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CommandMode {
    /// Flags about the data.
    pub flags: DataFlags,
    /// CCW number.
    pub ccw: u16,
    /// IUs so far in this direction of the exchange, this one included, modulo 256.
    pub iu_count: u8,
    /// Header of the device-level IU.
    pub dib: Dib,
}

/// Contents of an IU, by protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Body {
    /// A device-level IU of command mode (reference sections 6.1, 6.2).
    CommandMode(CommandMode),
    /// Transport command; its data is the TCCB as in storage (reference section 6.6).
    TransportCommand {
        /// Data moves to the channel (RDDATA).
        read: bool,
        /// Data moves to the control unit (WRDATA).
        write: bool,
    },
    /// Transfer ready.
    TransferReady {
        /// Where in the transfer the burst begins, octets.
        relative_offset: u32,
        /// Octets of the burst, check words and padding included.
        burst_bytes: u32,
    },
    /// A burst of transport data; its data is the transfer's octets, padded to words.
    TransportData {
        /// Where in the transfer the burst begins, octets.
        relative_offset: u32,
        /// Octets of the data that are not the user's: check words at track ends, and padding.
        inserted_bytes: u32,
        /// The transfer ends here, so the closing check word follows the data.
        ends_transfer: bool,
    },
    /// Transport response; its data is the sense.
    TransportResponse(TransportResponse),
    /// A device-level frame of a circuit.
    Device(DeviceFrame),
    /// ABTS.
    Abort,
    /// BA_ACC.
    AbortAccept {
        /// Originator's exchange id of the aborted exchange.
        ox_id: u16,
        /// Responder's exchange id of the aborted exchange.
        rx_id: u16,
    },
    /// A unit that FCP alone has; the others of an FCP exchange are as in transport mode.
    Fcp(FcpUnit),
}

/// An information unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Iu {
    /// Whom it is for.
    pub address: Address,
    /// Contents by protocol.
    pub body: Body,
    /// Its data.
    pub data: IuData,
}

impl Iu {
    /// Returns the kind of the IU.
    #[must_use]
    pub const fn kind(&self) -> IuKind {
        match &self.body {
            Body::CommandMode(fields) => fields.dib.kind(),
            Body::TransportCommand { .. } => IuKind::TransportCommand,
            Body::TransferReady { .. } => IuKind::TransferReady,
            Body::TransportData { .. } => IuKind::TransportData,
            Body::TransportResponse(_) => IuKind::TransportResponse,
            Body::Device(frame) => frame.kind(),
            Body::Abort => IuKind::Abort,
            Body::AbortAccept { .. } => IuKind::AbortAccept,
            Body::Fcp(unit) => unit.kind(),
        }
    }

    /// Returns the octets of the whole IU: headers, data, padding and check words, without FC-2 framing.
    #[must_use]
    pub fn payload_bytes(&self) -> u32 {
        let data = self.data.len();
        let padded = data.next_multiple_of(4);
        match &self.body {
            Body::CommandMode(fields) => {
                let has_crc = data > 0 && !fields.flags.has(DataFlags::NO_CRC);
                COMMAND_OVERHEAD_BYTES + padded + if has_crc { 4 } else { 0 }
            }
            Body::TransportCommand { .. } => crate::transport_iu::COMMAND_PREFIX_BYTES as u32 + data,
            Body::TransferReady { .. } => crate::transfer_ready::TRANSFER_READY_BYTES as u32,
            Body::TransportData { ends_transfer, .. } => padded + if *ends_transfer { 4 } else { 0 },
            Body::TransportResponse(_) => crate::transport_response::RESPONSE_BYTES as u32 + data,
            Body::Device(_) => data,
            Body::Abort => 0,
            Body::AbortAccept { .. } => crate::transport_iu::ABORT_ACCEPT_BYTES as u32,
            Body::Fcp(unit) => unit.payload_bytes(data),
        }
    }

    /// Returns the octets of user data in it: what a program reads or writes, not parameters, sense or check words.
    #[must_use]
    pub fn data_bytes(&self) -> u32 {
        match &self.body {
            Body::CommandMode(CommandMode { dib: Dib::Data, .. }) => self.data.len(),
            Body::CommandMode(CommandMode { dib: Dib::CommandData(command), .. })
                if !is_control_command(command.command) =>
            {
                self.data.len()
            }
            Body::TransportData { inserted_bytes, .. } => self.data.len().saturating_sub(*inserted_bytes),
            Body::Device(DeviceFrame::Data { parameters: false, .. }) | Body::Fcp(FcpUnit::Data { .. }) => {
                self.data.len()
            }
            Body::CommandMode(_)
            | Body::TransportCommand { .. }
            | Body::TransferReady { .. }
            | Body::TransportResponse(_)
            | Body::Device(_)
            | Body::Abort
            | Body::AbortAccept { .. }
            | Body::Fcp(_) => 0,
        }
    }

    /// Returns true when both are equal except for their addresses.
    #[must_use]
    pub fn same_but_address(&self, other: &Iu) -> bool {
        self.body == other.body && self.data == other.data
    }

    /// Returns the same IU for another operation.
    #[must_use]
    pub fn readdressed(&self, address: Address) -> Iu {
        Iu { address, ..self.clone() }
    }

    /// Returns the fields of a command-mode IU.
    #[must_use]
    pub const fn command_mode(&self) -> Option<&CommandMode> {
        match &self.body {
            Body::CommandMode(fields) => Some(fields),
            _ => None,
        }
    }

    /// Returns the status of a status IU.
    #[must_use]
    pub const fn status(&self) -> Option<&StatusDib> {
        match &self.body {
            Body::CommandMode(CommandMode { dib: Dib::Status(status), .. }) => Some(status),
            _ => None,
        }
    }
}

/// Returns true for command codes of the control class (xxxxxx11), whose data are parameters.
#[must_use]
pub const fn is_control_command(command: u8) -> bool {
    command & 0x03 == 0x03
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dib::{ChainFlags, CommandDib};

    fn command_data(command: u8, data: IuData) -> Iu {
        let dib = Dib::CommandData(CommandDib { command, flags: ChainFlags::CC, ..CommandDib::default() });
        let body = Body::CommandMode(CommandMode { flags: DataFlags::END, ccw: 1, iu_count: 1, dib });
        Iu { address: Address::default(), body, data }
    }

    #[test]
    fn parameters_are_not_user_data() {
        let prefix = command_data(0xE7, IuData::Bytes(vec![0; 64]));
        assert_eq!((prefix.payload_bytes(), prefix.data_bytes()), (100, 0));
        let write = command_data(0x05, IuData::Count(4095));
        assert_eq!((write.payload_bytes(), write.data_bytes()), (32 + 4096 + 4, 4095));
    }

    #[test]
    fn slices_keep_to_the_data() {
        let data = IuData::Bytes(vec![1, 2, 3]);
        assert_eq!(data.slice(1, 9), IuData::Bytes(vec![2, 3]));
        assert_eq!(data.slice(3, 1), IuData::None);
        assert_eq!(IuData::Count(10).slice(8, 4), IuData::Count(2));
        assert_eq!(IuData::Count(10).slice(11, 4), IuData::None);
    }

    #[test]
    fn octets_stay_known_while_all_are() {
        let mut data = IuData::None;
        data.append(&IuData::Bytes(vec![1, 2]));
        data.append(&IuData::Bytes(vec![3]));
        assert_eq!(data, IuData::Bytes(vec![1, 2, 3]));
        data.append(&IuData::Count(4));
        assert_eq!(data, IuData::Count(7));
    }
}
