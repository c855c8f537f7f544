//! Links and buses that both ends of the fibre are made of: information units in groups and chunks, transmitters with
//! their credits, routes of hops, buses and what they share, and the ports that circuits hold.
//!
//! Channels, host-adapter ports and exchanges are elsewhere: nothing here tells one from the other.

pub(crate) mod bus;
pub(crate) mod group;
pub(crate) mod link;
pub(crate) mod link_counters;
pub(crate) mod sending;
pub(crate) mod share;
