//! Plans: the causal graph of one fault-free exchange, recorded from the two live machines.
//!
//! Each machine sends as soon as it is allowed to and each direction is first in, first out, so the graph has
//! a compact form: step `k` of a direction may be sent once steps `0..k` of the same direction have been sent
//! and the first [`Step::after_received`] steps of the other direction have been received. Pacing and
//! transfer-ready appear as edges of that kind and are written down nowhere else.

use halftrack_program::{Operation, ProgramShape, Protocol};
use halftrack_wire::choices::COMMAND_FRAME_PAYLOAD_BYTES;
use halftrack_wire::{FrameProtection, Iu};

use crate::outcome::ChannelOutcome;
use crate::program::Program;
use crate::step::{FrameForm, Side, Step};

/// Interface that carries the channel program between channel and control unit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub enum Carrier {
    /// Fibre Channel: exchanges share the link.
    #[default]
    Ficon,
    /// ESCON: a circuit, held by one program, with every command and response interlocked.
    Escon,
    /// Parallel (bus and tag): a circuit, too.
    Parallel,
    /// Fibre Channel, by SCSI commands (FCP): exchanges share the link.
    Fcp,
}

impl Carrier {
    /// Returns true when one program holds the path from connection to disconnection.
    #[must_use]
    pub const fn is_circuit(self) -> bool {
        matches!(self, Carrier::Escon | Carrier::Parallel)
    }
}

/// Returns the most payload octets of a frame in an exchange of `protocol` between ports that take `receive_bytes`.
/// Command mode fills its frames, header and all; transport mode keeps data in blocks of `block_bytes`.
#[must_use]
pub const fn frame_payload_bytes(protocol: Protocol, receive_bytes: u32, block_bytes: u32) -> u32 {
    let wanted = match protocol {
        Protocol::Command => COMMAND_FRAME_PAYLOAD_BYTES,
        Protocol::Transport => block_bytes,
    };
    if wanted < receive_bytes { wanted } else { receive_bytes }
}

/// Values that channel and control unit agreed on at login, or remember of the logical path.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Login {
    /// Most payload bytes of an FC-2 frame: 2048 or 2112.
    pub frame_payload_bytes: u32,
    /// IUs that the channel may have outstanding until the first command response (IU pacing).
    pub initial_pacing: u8,
    /// IU-pacing value that the control unit grants in a command response; 0 grants no change.
    pub granted_pacing: u8,
    /// Bytes of a transport-mode write that may follow the command at once; 0 when none may.
    pub first_transfer_bytes: u32,
    /// Most bytes that one transfer-ready requests; 0 for no limit.
    pub transfer_ready_bytes: u32,
    /// Interface that carries the program.
    pub carrier: Carrier,
    /// Data that may be under way unanswered on a circuit, bytes: the receiver's buffer.
    pub window_bytes: u32,
    /// Octets that encryption adds to a frame.
    pub protection: FrameProtection,
}

impl Login {
    /// Returns the form of its frames.
    #[must_use]
    pub const fn frames(&self) -> FrameForm {
        FrameForm { payload_bytes: self.frame_payload_bytes, protection: self.protection }
    }
}

/// Every choice of an exchange that is made without a timer or a fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PlanKey {
    /// Shape of the program.
    pub shape: ProgramShape,
    /// Protocol that carries it.
    pub protocol: Protocol,
    /// The data, or for a write the track, is in cache.
    pub hit: bool,
    /// Agreed values.
    pub login: Login,
}

/// Number of a plan among [`crate::Plans`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct PlanId(pub u16);

/// The recorded graph of one exchange.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// Key that it was recorded for.
    pub key: PlanKey,
    /// Steps from the channel, in order.
    pub outbound: Vec<Step>,
    /// Steps from the control unit, in order.
    pub inbound: Vec<Step>,
    /// The IUs of `outbound`, for a representative address.
    pub outbound_ius: Vec<Iu>,
    /// The IUs of `inbound`, for a representative address.
    pub inbound_ius: Vec<Iu>,
    /// How the exchange ends at the channel.
    pub channel_outcome: ChannelOutcome,
    /// The program that was run, for live ends of the same exchange.
    pub program: Program,
}

impl Plan {
    /// Returns the steps that this side sends.
    #[inline]
    #[must_use]
    pub fn steps(&self, side: Side) -> &[Step] {
        match side {
            Side::Channel => &self.outbound,
            Side::ControlUnit => &self.inbound,
        }
    }

    /// Returns the IUs that this side sends, for a representative address.
    #[inline]
    #[must_use]
    pub fn ius(&self, side: Side) -> &[Iu] {
        match side {
            Side::Channel => &self.outbound_ius,
            Side::ControlUnit => &self.inbound_ius,
        }
    }

    /// Returns the FC-2 frames that this side sends.
    #[must_use]
    pub fn frames(&self, side: Side) -> u32 {
        self.steps(side).iter().map(|step| u32::from(step.frames)).sum()
    }

    /// Returns the bytes that this side puts on the fibre, framing included.
    #[must_use]
    pub fn wire_bytes(&self, side: Side) -> u64 {
        self.steps(side).iter().map(Step::octets).sum()
    }

    /// Returns the mean size of the frames that this side sends, bytes with framing; for reports.
    #[must_use]
    pub fn mean_frame_bytes(&self, side: Side) -> f64 {
        self.wire_bytes(side) as f64 / f64::from(self.frames(side))
    }

    /// Returns the bytes of user data that the exchange moves.
    #[must_use]
    pub fn data_bytes(&self) -> u64 {
        let side = match self.key.shape.operation {
            Operation::Read => Side::ControlUnit,
            Operation::UpdateWrite => Side::Channel,
        };
        self.steps(side).iter().map(|step| u64::from(step.data_bytes)).sum()
    }

    /// Returns the first step from the control unit: command response, transfer ready, data or status.
    #[must_use]
    pub fn first_response(&self) -> Option<&Step> {
        self.inbound.first()
    }

    /// Returns the largest number of IUs that the channel sends before it must have received something.
    #[must_use]
    pub fn opening_ius(&self) -> usize {
        self.outbound.iter().take_while(|step| step.after_received == 0).count()
    }
}
