//! Ports: all open exchanges of one channel path, and all of one host-adapter port, on frames.
//!
//! ```text
//! frame ─► exchange by (S_ID, OX_ID), or by address and token ─► sequence ─► IU ─► machine
//! frame ◄─ one exchange after the other, a few frames each     ◄─ sequence ◄─ IU ◄─ machine
//! ```
//!
//! A port is driven like an end: `handle_*`, then `poll_frame` as long as there is a buffer credit, then `poll_end` at
//! the channel, then `poll_timeout` for when to come again. Both ports are one [`Port`], each with its role.

mod buffers;
mod channel_port;
mod control_unit_port;
mod discard;
mod exchange_state;
mod held_data;
mod open_index;
mod open_port;
mod outgoing;
mod path_pacing;
mod resting;
mod role;
mod table;
mod turns;
mod units;

pub(crate) use buffers::Buffers;
pub use channel_port::{ChannelPort, ExchangeEnd, Target};
pub use control_unit_port::{ControlUnitPort, PortCounts};
pub use discard::Discard;
pub use exchange_state::ExchangeState;
pub(crate) use held_data::HeldData;
pub(crate) use open_index::OpenIndex;
pub use open_port::Port;
pub use outgoing::Outgoing;
pub use table::OPEN_EXCHANGES_MAX;
pub(crate) use table::{Found, Table};
pub(crate) use turns::Turns;
pub use units::{Opened, Start, Units};
