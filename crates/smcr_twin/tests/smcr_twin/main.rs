//! Tests of the twin of sockets.

mod laws;
mod moves;
mod rig;
