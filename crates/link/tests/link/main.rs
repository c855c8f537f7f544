//! The working link on sockets of this host and within the process.

mod control_unit;
mod ctc;
mod driven;
mod guarded;
mod islink;
mod plans;
mod relocation;
