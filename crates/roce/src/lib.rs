//! RoCE version 2, sans-IO: packets of InfiniBand over UDP, and reliable connected queue pairs that exchange them.
//! Never touches sockets, devices or clocks.
//!
//! The rules are those of the *InfiniBand Architecture Specification, Volume 1* and of its annex *RoCEv2 (IP Routable
//! RoCE)*, cited by the names of their sections. [`packet`] has the formats, [`queue_pair`] the machine of one connection.
#![forbid(unsafe_code)]

pub mod packet;
pub mod queue_pair;
