//! End of a host in SMC-R, sans-IO: a link group whose links are RoCE queue pairs, buffers in plain memory, and the
//! connections that write into them. Never touches sockets, devices or clocks.
//!
//! Messages of the rendezvous travel in the TCP connection, which is the caller's; [`Stack`] makes the ends in them.
//! Packets go in by [`Stack::handle_datagram`] and come out of [`Stack::poll_transmit`]; time is an argument.
#![forbid(unsafe_code)]

mod actions;
mod buffer;
mod link;
mod messages;
mod rendezvous;
mod settings;
mod socket;
mod stack;
mod streams;

pub use settings::{PortSettings, Settings};
pub use stack::{Datagram, Stack};
