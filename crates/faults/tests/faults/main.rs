//! Tests of the crate.

mod fence;
mod power;
mod scripts;
mod swarm;
