//! Studies of whole machines, written and read again.

mod fuzz_corpus;
mod studies;
