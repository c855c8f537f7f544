//! Sequences: one information unit as FC-2 frames, and back (Fibre Channel reference 1.4, 6.1, 6.3, 6.6).

mod reading;
mod receiver;
mod sender;

pub use reading::most_bytes;
pub use receiver::{Received, Sequence, SequenceFault, SequenceReceiver};
pub use sender::SequenceSender;

use halftrack_wire::fc_header::{FcHeader, fc_type, routing};
use halftrack_wire::iu::COMMAND_OVERHEAD_BYTES;
use halftrack_wire::transport_iu::COMMAND_PREFIX_BYTES;

/// Most octets that stand before the data of an IU on the link and are read apart from them.
pub(crate) const HEAD_MAX_BYTES: usize = COMMAND_OVERHEAD_BYTES as usize;

/// Returns how many octets at the beginning of a sequence are no data of its IU. They are the overhead of command mode
/// and the prefix of the TCCB; the octets of any other sequence are taken as one.
pub(crate) fn head_bytes(header: &FcHeader) -> usize {
    match (header.fc_type, header.r_ctl) {
        (fc_type::SB_CHANNEL | fc_type::SB_CONTROL_UNIT, _) => HEAD_MAX_BYTES,
        (fc_type::FCP, routing::COMMAND) => COMMAND_PREFIX_BYTES,
        _ => 0,
    }
}
