//! Cards of a deck in virtual time.

mod files;
mod rig;
mod runs;
