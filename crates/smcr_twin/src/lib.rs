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
//!
//! A client connects at a time, over the first path of its plan that has a way then: SMC-R, or TCP where no function is there.
//! When functions are lost, connections move to others of their path; those that find none are lost, and their clients may
//! connect again.
#![forbid(unsafe_code)]

mod connection;
mod conversation_plan;
mod counts;
mod making;
mod moves;
mod network;
mod network_event;
mod port;
mod transport;

pub use conversation_plan::{
    ConversationPlan, NetworkPlan, PathPlan, PortPlan, RouteEnd, RoutePlan, Traffic,
};
pub use counts::{ConversationCounts, Exchanges};
pub use network::Network;
pub use network_event::{NetworkEvent, Step};
pub use transport::Transport;
