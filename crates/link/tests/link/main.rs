//! The working link on sockets of this host and within the process.

mod control_unit;
mod driven;
mod guarded;
mod plans;
