//! Ports of FCP: all open exchanges of an initiator's port, and of a target's, on frames.
//!
//! ```text
//! frame ─► exchange by OX_ID, or by (S_ID, OX_ID) ─► sequence ─► IU ─► machine ─► device
//! frame ◄─ services (REC, SRR, RRQ) before, then one exchange after the other ◄─ IU ◄─ machine
//! ```
//!
//! A port is driven like one of FICON: `handle_*`, then `poll_frame` as long as there is a buffer credit, then `poll_end`
//! at the initiator, then `poll_timeout` for when to come again.

mod initiator_port;
mod kept_exchanges;
mod outgoing;
mod peer;
mod services;
mod target_port;
#[cfg(test)]
mod tests;

pub use initiator_port::{CommandEnd, FcpInitiatorPort};
pub use peer::FcpPeer;
pub use target_port::FcpTargetPort;
