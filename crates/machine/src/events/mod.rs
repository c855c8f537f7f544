//! The events and messages of the logical processes, the values that cross edges between rooms, and the sets that hold them.
//! All are plain values, which every room may hold.
//!
//! Behaviour is in the rooms; no state of a component is here.

mod brief_times;
pub(crate) mod cargo;
pub(crate) mod crossing;
pub(crate) mod drive;
pub(crate) mod ended;
pub(crate) mod event;
pub(crate) mod host_context;
pub(crate) mod message;
pub(crate) mod outlet;
pub(crate) mod pending;
pub(crate) mod reached;
pub(crate) mod slab;
pub(crate) mod unit;
