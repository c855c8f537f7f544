//! Tests of the twin of sockets.

mod laws;
mod making;
mod moves;
mod rig;
