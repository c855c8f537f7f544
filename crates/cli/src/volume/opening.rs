//! Opening of volumes and data sets for reading, and messages about missing ones.

use std::path::Path;

use clap::Args;
use halftrack_program::{Geometry, TrackAddress};
use halftrack_volume::vtoc::{DataSet, DataSetKind, Directory, Vtoc};
use halftrack_volume::{CkdVolume, FbaVolume, FileMedium, Mode, Opening, Track, Tracks, Volume};

use crate::failure::Failure;

/// Treatment of a journal that a crash has left beside a volume.
#[derive(Debug, Clone, Copy, Args)]
pub struct JournalArgument {
    /// Ignore the journal beside the image; a command that writes removes the journal
    #[arg(long)]
    discard_journal: bool,
}

impl JournalArgument {
    /// Returns whether the journal is left out.
    pub const fn discards(self) -> bool {
        self.discard_journal
    }

    /// Returns the options for a volume with this guarantee for writes.
    pub const fn opening(self, mode: Mode) -> Opening {
        Opening { mode, discards_journal: self.discard_journal }
    }
}

/// Makes the failure of a volume, or of a request for it.
pub fn unusable(volume: &Path, reason: impl Into<String>) -> Failure {
    Failure::Volume { volume: volume.to_owned(), reason: reason.into() }
}

/// Opens a volume for reading. What its journal holds is seen, and nothing is written.
///
/// # Errors
/// Why it cannot be opened.
pub fn open(volume: &Path, journal: JournalArgument) -> Result<Volume, Failure> {
    Ok(Volume::open(volume, journal.opening(Mode::ReadOnly))?)
}

/// Opens a CKD volume for reading.
///
/// # Errors
/// Why it cannot be opened, or that it has blocks instead.
pub fn ckd(volume: &Path, journal: JournalArgument) -> Result<CkdVolume<FileMedium>, Failure> {
    match open(volume, journal)? {
        Volume::Ckd(tracks) => Ok(tracks),
        Volume::Fba(_) => {
            let reason = "a fixed-block volume has no tracks; `halftrack volume read --blocks` and `halftrack volume show \
                          --block` read it";
            Err(unusable(volume, reason))
        }
    }
}

/// Opens a fixed-block volume for reading.
///
/// # Errors
/// Why it cannot be opened, or that it has tracks instead.
pub fn fba(volume: &Path, journal: JournalArgument) -> Result<FbaVolume<FileMedium>, Failure> {
    match open(volume, journal)? {
        Volume::Fba(blocks) => Ok(blocks),
        Volume::Ckd(_) => {
            Err(unusable(volume, "a count-key-data volume has no blocks; read its tracks or records"))
        }
    }
}

/// Returns the data set of a name.
///
/// # Errors
/// A table of contents that cannot be read, or has no such data set.
pub fn data_set(volume: &Path, tracks: &mut impl Tracks, name: &str) -> Result<DataSet, Failure> {
    let vtoc = Vtoc::read(tracks).map_err(|error| unusable(volume, error.to_string()))?;
    vtoc.find(name).cloned().ok_or_else(|| {
        let list = format!("`halftrack volume list {}` lists those that are", volume.display());
        unusable(volume, format!("data set {name} is not on the volume; {list}"))
    })
}

/// Returns a partitioned data set and its directory.
///
/// # Errors
/// Errors of [`data_set`], and a missing directory.
pub fn directory(
    volume: &Path,
    tracks: &mut impl Tracks,
    name: &str,
) -> Result<(DataSet, Directory), Failure> {
    let data_set = data_set(volume, tracks, name)?;
    let directory = Directory::read(&data_set, tracks);
    let directory = directory.map_err(|error| unusable(volume, format!("{name}: {error}")))?;
    Ok((data_set, directory))
}

/// Returns the name of a kind of data set.
pub const fn kind(kind: DataSetKind) -> &'static str {
    match kind {
        DataSetKind::Plain => "plain",
        DataSetKind::Pdse => "PDSE",
        DataSetKind::Hfs => "HFS",
        DataSetKind::Extended => "extended",
    }
}

/// Returns the name of a track for messages.
pub fn named(track: TrackAddress) -> String {
    format!("cylinder {} head {}", track.cylinder(), track.head())
}

/// Says that a volume has no such track.
pub fn no_track(track: TrackAddress, geometry: &Geometry) -> String {
    let (cylinders, heads) = (geometry.cylinders(), geometry.heads());
    format!("the volume has no {}; it has {cylinders} cylinders of {heads} heads, from 0", named(track))
}

/// Says that a track has no such record.
pub fn no_record(track: &impl Track, at: TrackAddress) -> String {
    let numbers = (0..track.records()).filter_map(|place| Some(track.count(place)?.record.to_string()));
    let numbers: Vec<String> = numbers.collect();
    format!("{} has no such record; its records are {}", named(at), numbers.join(", "))
}
