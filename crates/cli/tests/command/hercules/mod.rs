//! Volumes that Hercules' utilities make are read by halftrack, and those that halftrack makes are read by them; and
//! channel programs end on its disks as on those of halftrack.
//!
//! The utilities are searched for in the PATH. Without them these tests report that and check nothing, unless
//! `HALFTRACK_HERCULES=required` is set, as CI does once they are installed.

pub mod cards;
mod channel_program;
mod compressed;
pub mod filled;
pub mod layout;
mod loaded;
mod machine;
mod programs;
mod tools;
mod unload;
mod written;
