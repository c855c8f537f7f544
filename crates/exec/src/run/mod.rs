//! A program run against a device: what was seen, and whether it was what the text expects.

pub(crate) mod ending;
pub(crate) mod ipl;
pub(crate) mod record;
pub(crate) mod running;
pub(crate) mod sense_words;
pub(crate) mod verdict;
pub(crate) mod watcher;
