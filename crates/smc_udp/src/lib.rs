//! SMC-R over UDP: an end of a link group whose packets of RoCE version 2 leave and enter through sockets at port 4791.
//!
//! A thread drives the end; [`Fabric`] gives it commands and waits for their answers. Messages of the rendezvous travel in
//! the TCP connection, which is the caller's.
#![forbid(unsafe_code)]

mod carriage;
mod clock;
mod command;
mod driver;
mod fabric;
mod sockets;

pub use carriage::Bells;
pub use command::FabricError;
pub use fabric::{Fabric, SentDatagram, Settings};
