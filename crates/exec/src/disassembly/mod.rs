//! From storage and ORBs back to a text.

pub(crate) mod ccw_chain;
pub(crate) mod ccw_words;
pub(crate) mod data_words;
pub(crate) mod image;
pub(crate) mod setting_words;
pub(crate) mod transport_words;
pub(crate) mod writer;
