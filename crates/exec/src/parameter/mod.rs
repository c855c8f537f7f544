//! Blocks of parameters with named fields: Define Extent, Locate Record, Prefix, TCW, MIDAW and the like.

pub(crate) mod blocks;
pub(crate) mod channel_blocks;
pub(crate) mod decoding;
pub(crate) mod encoding;
pub(crate) mod field;
