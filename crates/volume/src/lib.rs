//! CKD and FBA volumes: how tracks lie in image files, and how writes to them survive a crash.
//! Never touches channels or channel programs.
//!
//! ```text
//! Tracks (home address, records) ── Layout (where a track lies in the files) ── Medium (a file)
//!                                      └─ RedoRecord (what a write changes) ── journal ─┘
//! ```

mod blocks;
pub mod cckd;
mod chain_groups;
mod changed_unit;
mod check;
mod ckd_layout;
mod ckd_volume;
mod compressed_files;
mod copy;
mod create;
mod create_options;
mod device_header;
mod directory;
mod disk;
mod fba_layout;
mod fba_volume;
mod file_barrier;
mod file_medium;
pub mod file_names;
mod fingerprint;
mod foreign_journal;
mod format;
pub mod journal;
mod journal_header;
pub mod layout;
pub mod medium;
mod memory_medium;
mod open;
mod open_error;
mod overlay;
pub mod power_cut;
mod recovery;
pub mod redo;
pub mod salvage;
mod sector;
mod stamp;
mod standard_label;
pub mod track_image;
mod track_index;
mod tracks;
pub mod transaction;
mod uniform_tracks;
mod unit_store;
mod unpacked_units;
pub mod vtoc;

pub use blocks::{BLOCK_BYTES, Blocks};
pub use chain_groups::Group;
pub use changed_unit::ChangedUnit;
pub use check::{
    Fault, MOST_FINDINGS, VolumeFinding, check, check_files, check_with, repair, repair_files, repair_with,
};
pub use ckd_layout::CkdLayout;
pub use ckd_volume::CkdVolume;
pub use compressed_files::{Compacted, Repaired, check_compressed, compact, compact_with, repair_compressed};
pub use create::{NewFormat, VolumeDevice, create, create_in_memory, create_with};
pub use create_options::CreateOptions;
pub use device_header::{DEVICE_HEADER_BYTES, DeviceHeader, PLAIN_CKD};
pub use directory::sync_directory_of;
pub use disk::Disk;
pub use fba_layout::{FbaLayout, GROUP_BLOCKS, GROUP_BYTES};
pub use fba_volume::FbaVolume;
pub use file_barrier::FileBarrier;
pub use file_medium::FileMedium;
pub use foreign_journal::ForeignJournal;
pub use format::{CkdFormat, FbaFormat, Format};
pub use memory_medium::MemoryMedium;
pub use open::{Opening, Volume};
pub use open_error::{Flaw, ImageError, OpenError};
pub use recovery::{recover, replay_unchecked};
pub use standard_label::VolumeSerial;
pub use track_index::TrackView;
pub use tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES, Track, TrackFault, Tracks};
pub use uniform_tracks::UniformTracks;
pub use unit_store::{
    LONGEST_CHAIN_BYTES, Mode, UnitStore, WRITE_BACK_BYTES, WRITE_BACK_IN_CHAIN, WRITE_BACK_TIME,
};
