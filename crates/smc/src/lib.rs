//! SMC-R of RFC 7609, sans-IO: TCP connections whose data are written into memory of the peer over links of RoCE.
//! Never touches sockets, devices or clocks.
//!
//! [`message`] has the formats, [`buffer`] the memory into which peers write, and
//! [`connection`] the octets of one connection. [`handshake`] settles whether a TCP connection has SMC-R, and
//! [`link_group`] has the links over which connections move when one is lost.
#![forbid(unsafe_code)]

pub mod buffer;
pub mod connection;
pub mod handshake;
pub mod link_group;
pub mod message;
