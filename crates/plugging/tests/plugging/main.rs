//! Where cards are plugged: hardware files, advice, mapping, cables.

mod advising;
mod cabling;
mod fuzz_corpus;
mod hardware;
mod mapping;
mod structure;
