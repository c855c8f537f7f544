//! CKD and FBA volumes: how tracks lie in image files, and how writes to them survive a crash.
//! Never touches channels or channel programs.
//!
//! ```text
//! Tracks (home address, records) ── Layout (where a track lies in the files) ── Medium (a file)
//!                                      └─ Redo (what a write changes) ── journal ─┘
//! ```

mod blocks;
pub mod cckd;
mod code_page;
pub mod layout;
pub mod medium;
pub mod redo;
mod tracks;
mod uniform_tracks;
pub mod vtoc;

pub use blocks::{BLOCK_BYTES, Blocks};
pub use code_page::CodePage;
pub use tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault, Tracks};
pub use uniform_tracks::UniformTracks;
