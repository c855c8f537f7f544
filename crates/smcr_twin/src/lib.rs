//! The twin of sockets between partitions: connections over TCP on an OSD, or over SMC-R on RoCE functions, in virtual time.
//!
//! ```text
//! processors ─► port ─► way ─► port ─► adapters ─► processors        a chunk of a transfer
//!     ▲                                                │
//!     └──────────── window opens again ◄───────────────┘             streams
//! ```
//!
//! A connection carries one transfer at a time: a request, its response, or one way of a stream. Messages go as a whole, streams
//! in chunks, of which no more are open than the window of the receiver takes. Whoever has the clock calls [`Network`], and gives
//! its events back when their time has come; nothing depends on anything but the plan.
#![forbid(unsafe_code)]

mod connection;
mod conversation_plan;
mod counts;
mod moves;
mod network;
mod network_event;
mod port;
mod transport;

pub use conversation_plan::{ConversationPlan, NetworkPlan, PortPlan, RouteEnd, RoutePlan, Traffic};
pub use counts::ConversationCounts;
pub use network::{Exchanges, Network};
pub use network_event::{NetworkEvent, Step};
pub use transport::Transport;
