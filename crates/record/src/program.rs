//! Traffic of the channel programs of a stream on the fibre.

use halftrack_program::Protocol;
use serde::{Deserialize, Serialize};

use crate::zero::is_zero;

/// One I/O of a stream as a fault-free exchange: what crosses the fibre, channel to control unit (`out`) and back
/// (`in`). The values come from the recorded exchange, not from counting in the run.
///
/// A stream has one for every operation, protocol and outcome of the cache lookup that its I/Os can have. It has more
/// where the ends of its paths agreed on different values at login and the exchanges therefore differ.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProgramSummary {
    /// Stream name.
    pub stream: String,
    /// `read` or `write`.
    pub operation: String,
    /// Command or transport mode; that of SCSI commands is transport.
    pub protocol: Protocol,
    /// It is a SCSI command over FCP.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub is_scsi: bool,
    /// The control unit answers from its cache; true for every write.
    pub hit: bool,
    /// Information units to the control unit.
    pub units_out: u32,
    /// Information units to the channel.
    pub units_in: u32,
    /// FC-2 frames to the control unit.
    pub frames_out: u32,
    /// FC-2 frames to the channel.
    pub frames_in: u32,
    /// Bytes on the fibre to the control unit, FC-2 framing included.
    pub wire_out_bytes: u64,
    /// Bytes on the fibre to the channel, FC-2 framing included.
    pub wire_in_bytes: u64,
    /// Bytes of user data to the control unit.
    pub data_out_bytes: u64,
    /// Bytes of user data to the channel.
    pub data_in_bytes: u64,
    /// Mean size of the frames in the direction of the data, bytes with FC-2 framing.
    pub mean_frame_bytes: f64,
}

impl ProgramSummary {
    /// Returns the name of its protocol in reports.
    #[must_use]
    pub const fn protocol_name(&self) -> &'static str {
        match self.protocol {
            Protocol::Transport if self.is_scsi => "fcp",
            Protocol::Transport => "transport",
            Protocol::Command => "command",
        }
    }
}
