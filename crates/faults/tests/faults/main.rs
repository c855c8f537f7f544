//! Tests of the crate.

mod disk;
mod fcp;
mod fence;
mod fuzz_corpus;
mod power;
mod scripts;
mod swarm;
