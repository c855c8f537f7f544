//! Packets beside other implementations, and queue pairs over links that fail them.

mod captured;
mod datagram;
mod ends;
mod errors;
mod fuzz_corpus;
mod lossy;
mod requester;
mod responder;
mod steady_state;
mod vectors;
