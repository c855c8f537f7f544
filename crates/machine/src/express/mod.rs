//! The express lane: exchanges of one chunk each way.

mod one_chunk;
