//! Device-level frames of a circuit: the dialogue of channel and control unit over ESCON or a parallel interface.
//!
//! One frame has one purpose and is answered before the next of its kind is sent (published/ficon-2002: "six
//! handshakes" for a read of 4K). Their octets are in no public document, so the product carries them as values: they
//! have a length on the link, but cannot be captured.

use crate::dib::ChainFlags;
use crate::kind::IuKind;

/// Characters of a frame beside the data: delimiters, link header, device header and check word: assumed. Small
/// against the time of a handshake: 1 µs at 17 MB/s.
pub const CIRCUIT_FRAMING_BYTES: u32 = 16;

/// Contents of a device-level frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceFrame {
    /// A CCW is to be executed. It accepts the status of the CCW before.
    Command {
        /// CCW number.
        ccw: u16,
        /// Command code.
        command: u8,
        /// Chain-command and suppress-incorrect-length flags.
        flags: ChainFlags,
        /// Count, bytes.
        count: u16,
        /// The channel has parameters or data for the CCW.
        output: bool,
    },
    /// The control unit has the command; data may follow.
    CommandResponse {
        /// CCW number.
        ccw: u16,
    },
    /// The channel has the command response: the control unit may transfer.
    CommandResponseAccepted {
        /// CCW number.
        ccw: u16,
    },
    /// Data of a CCW, in either direction.
    Data {
        /// CCW number.
        ccw: u16,
        /// Parameters of a control command, not user data.
        parameters: bool,
        /// The transfer of this CCW ends.
        ends: bool,
    },
    /// The receiver has taken data: as much more may be sent.
    DataRequest {
        /// CCW number.
        ccw: u16,
    },
    /// How the CCW ended; its data is the sense.
    Status {
        /// CCW number.
        ccw: u16,
        /// Device status.
        device_status: u8,
        /// Bytes of the count that were not moved.
        residual: u16,
        /// The record was longer than the count.
        is_long: bool,
        /// The command is to be sent again.
        retry: bool,
        /// The chain ends with it; else the next command accepts it.
        ends_chain: bool,
    },
    /// The channel has the status that ends the chain.
    StatusAccepted,
    /// The sender gives the program up.
    Cancel {
        /// Why, by the codes of a purge path.
        code: u8,
    },
}

impl DeviceFrame {
    /// Returns the kind of information unit that it is.
    #[must_use]
    pub const fn kind(&self) -> IuKind {
        match self {
            DeviceFrame::Command { .. } => IuKind::Command,
            DeviceFrame::CommandResponse { .. } => IuKind::CommandResponse,
            DeviceFrame::CommandResponseAccepted { .. } => IuKind::CommandResponseAccepted,
            DeviceFrame::Data { .. } => IuKind::Data,
            DeviceFrame::DataRequest { .. } => IuKind::DataRequest,
            DeviceFrame::Status { .. } => IuKind::Status,
            DeviceFrame::StatusAccepted => IuKind::StatusAccepted,
            DeviceFrame::Cancel { .. } => IuKind::Cancel,
        }
    }
}
