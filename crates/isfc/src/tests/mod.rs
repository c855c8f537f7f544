//! Whole links over adapters.

mod arbitrary;
mod islink_replies;
mod linking;
mod rig;
mod streams;
