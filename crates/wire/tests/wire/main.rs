//! Formats beside published vectors and arbitrary octets.

mod fuzz_corpus;
mod vectors;
