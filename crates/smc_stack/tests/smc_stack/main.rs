//! Two ends of a group over links that lose, reorder and duplicate packets, and that are pulled.

mod fuzz_corpus;
mod late;
mod network;
mod run;
mod runs;
mod sharing;
