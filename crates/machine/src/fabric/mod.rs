//! Links and buses that both ends of the fibre are made of: information units in groups, transmitters with their credits,
//! sending over the hops of a route, buses and their shares.
//!
//! Channels, host-adapter ports and exchanges are elsewhere: nothing here distinguishes one from the other.

pub(crate) mod bus;
mod frame_loss;
pub(crate) mod group;
pub(crate) mod link;
pub(crate) mod link_counters;
pub(crate) mod sending;
pub(crate) mod share;
pub(crate) mod watches;
