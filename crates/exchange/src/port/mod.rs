//! Ports: all open exchanges of one channel path, and all of one host-adapter port, on frames.
//!
//! ```text
//! frame ─► exchange by (S_ID, OX_ID), or by address and token ─► sequence ─► IU ─► machine
//! frame ◄─ one exchange after the other, a few frames each     ◄─ sequence ◄─ IU ◄─ machine
//! ```
//!
//! A port is driven like an end: `handle_*`, then `poll_frame` as long as there is a buffer credit, then `poll_end` at
//! the channel, then `poll_timeout` for when to come again.

mod buffers;
mod channel_port;
mod control_unit_port;
mod discard;
mod open_index;
mod outgoing;
mod path_pacing;
mod resting;
mod table;
mod turns;
mod units;

pub use channel_port::{ChannelPort, ExchangeEnd, Target};
pub use control_unit_port::{ControlUnitPort, PortCounts};
pub use discard::Discard;
pub use outgoing::Outgoing;
pub use table::OPEN_EXCHANGES_MAX;
pub use units::{Opened, Start, Units};

use halftrack_base::Span;
use halftrack_program::Protocol;
use halftrack_wire::choices::TRANSPORT_FRAME_PAYLOAD_BYTES;

use crate::plan::{Login, frame_payload_bytes};

/// How often a port looks at the timers of its exchanges. The times themselves are seconds (E_D_TOV and more), so a
/// twentieth of the shortest is near enough, and nothing is kept in order for it.
const TIMER_STEP: Span = Span::from_ms(100);

/// Returns a login for an exchange of `protocol`: its frames carry as much as senders of the protocol fill.
const fn in_frames_of(protocol: Protocol, login: &Login) -> Login {
    let frame_payload_bytes =
        frame_payload_bytes(protocol, login.frame_payload_bytes, TRANSPORT_FRAME_PAYLOAD_BYTES);
    Login { frame_payload_bytes, ..*login }
}
