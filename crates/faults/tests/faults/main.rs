//! Tests of the crate.

mod disk;
mod fence;
mod power;
mod scripts;
mod swarm;
