//! Volumes that Hercules' utilities make are read by halftrack, and those that halftrack makes are read by them.
//!
//! The utilities are looked for in the PATH. Without them these tests say so and hold nothing, unless
//! `HALFTRACK_HERCULES=required` is set, as CI does once they are installed.

pub mod cards;
mod channel_program;
mod compressed;
pub mod filled;
pub mod layout;
mod loaded;
mod tools;
mod unload;
mod written;
