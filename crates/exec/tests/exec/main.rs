//! Channel programs as text: assembled, run, and beside an independent model.

mod assembly;
mod disassembly;
mod fuzz_corpus;
mod model;
mod programs;
mod running;
