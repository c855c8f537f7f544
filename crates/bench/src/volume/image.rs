//! The volume of the bench: a 3390 in a temporary directory, every track behind cylinder 0 full of 4 KiB records.

use std::cell::Cell;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use halftrack_control_unit::EckdDevice;
use halftrack_program::{Geometry, TrackAddress};
use halftrack_volume::file_names::journal;
use halftrack_volume::layout::{Layout, Place};
use halftrack_volume::track_image::{END_MARKER, push_empty_track};
use halftrack_volume::{
    CkdVolume, CountArea, FileMedium, Mode, NewFormat, OpenError, Volume, VolumeDevice, create,
};
use tempfile::TempDir;

use super::content::{BLOCK_BYTES, fill};
use super::counted_medium::CountedMedium;
use super::guest::Guest;
use super::records::tracks;
use crate::bench_error::BenchError;

/// Bytes beside the image: journal and bare file.
const BESIDE_BYTES: u64 = 256 << 20;

/// A volume in a directory that is removed with it.
#[derive(Debug)]
pub struct Image {
    directory: TempDir,
    path: PathBuf,
    geometry: Geometry,
}

/// Volume of a guest's device.
pub type BenchVolume = CkdVolume<CountedMedium>;

/// A guest with the volume as its device, and the counter of the bytes written to its files.
pub type CountedGuest = (Guest<EckdDevice<BenchVolume>>, Rc<Cell<u64>>);

impl Image {
    /// Makes a volume whose records behind cylinder 0 have `data_bytes` or little more, in `directory`.
    ///
    /// # Errors
    /// A directory that is not there or has no room; files that fail.
    pub fn make(directory: Option<&Path>, data_bytes: u64) -> Result<Self, BenchError> {
        let around = directory.map_or_else(std::env::temp_dir, Path::to_owned);
        let geometry = geometry(data_bytes);
        check_room(&around, &geometry)?;
        let made = tempfile::Builder::new().prefix("halftrack-bench-volume-").tempdir_in(&around);
        let directory = made.map_err(|error| no_directory(&around, &error))?;
        let path = directory.path().join("volume.ckd");
        let image = Self { directory, path, geometry };
        let names = create(&image.path, VolumeDevice::Ckd(geometry), NewFormat::OneFile, None);
        names.map_err(failed)?;
        image.fill_tracks()?;
        Ok(image)
    }

    /// Returns cylinders, heads and track format.
    pub fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    /// Writes the records into the image itself: through the journal they would be written twice.
    fn fill_tracks(&self) -> Result<(), BenchError> {
        let places = self.track_places()?;
        let file = OpenOptions::new().write(true).open(&self.path).map_err(|error| self.output(error))?;
        let per_track = self.geometry.records_per_track(BLOCK_BYTES as u16, 0);
        let (mut octets, mut block, mut number) = (Vec::new(), [0; BLOCK_BYTES], 0);
        for (address, place) in places {
            octets.clear();
            push_empty_track(address, &mut octets);
            octets.truncate(octets.len() - END_MARKER.len());
            for record in 1..=per_track {
                let count = CountArea {
                    cchh: address.to_cchh(),
                    record,
                    key_bytes: 0,
                    data_bytes: BLOCK_BYTES as u16,
                };
                fill(number, &mut block);
                octets.extend_from_slice(&count.to_bytes());
                octets.extend_from_slice(&block);
                number += 1;
            }
            octets.extend_from_slice(&END_MARKER);
            file.write_all_at(&octets, place.offset).map_err(|error| self.output(error))?;
        }
        file.sync_all().map_err(|error| self.output(error))
    }

    /// Returns the places in the file of the tracks behind cylinder 0.
    fn track_places(&self) -> Result<Vec<(TrackAddress, Place)>, BenchError> {
        let (volume, _) = self.open(Mode::ReadOnly)?;
        let first = u32::from(self.geometry.heads());
        let places = (first..).map_while(|unit| Layout::<CountedMedium>::place(volume.format(), unit));
        Ok(tracks(&self.geometry).zip(places).collect())
    }

    /// Opens the volume; the counter counts the bytes written to its files.
    fn open(&self, mode: Mode) -> Result<(BenchVolume, Rc<Cell<u64>>), BenchError> {
        let written = Rc::new(Cell::new(0));
        let counted = |medium: io::Result<FileMedium>| {
            medium
                .map(|medium| CountedMedium::new(medium, Rc::clone(&written)))
                .map_err(|error| self.output(error))
        };
        let (file, journal) = match mode {
            Mode::ReadOnly => (FileMedium::open_read_only(&self.path), None),
            _ => (FileMedium::open(&self.path), Some(FileMedium::open_or_create(&journal(&self.path)))),
        };
        let journal = journal.map(&counted).transpose()?;
        match Volume::from_media(vec![counted(file)?], journal, mode) {
            Ok(Volume::Ckd(volume)) => Ok((volume, written)),
            Ok(Volume::Fba(_)) => Err(BenchError::Failed(format!("{}: no CKD volume", self.path.display()))),
            Err(error) => Err(BenchError::Failed(format!("{}: {error}", self.path.display()))),
        }
    }

    /// Returns a guest with the volume as its device, and the counter of the bytes written to its files.
    ///
    /// # Errors
    /// Files that cannot be opened or are not what was made.
    pub fn guest(&self, mode: Mode) -> Result<CountedGuest, BenchError> {
        let (volume, written) = self.open(mode)?;
        let guest = Guest::new(&self.geometry, EckdDevice::new(volume));
        guest.map(|guest| (guest, written)).map_err(|error| BenchError::Failed(error.to_string()))
    }

    /// Creates a file beside the volume.
    ///
    /// # Errors
    /// Errors of the operating system.
    pub fn file_beside(&self) -> Result<File, BenchError> {
        let path = self.directory.path().join("bare");
        File::create_new(&path).map_err(|source| BenchError::Output { path, source })
    }

    fn output(&self, source: io::Error) -> BenchError {
        BenchError::Output { path: self.path.clone(), source }
    }
}

/// Returns cylinder 0 and as many as hold `data_bytes` of records.
fn geometry(data_bytes: u64) -> Geometry {
    let of_one = Geometry::with_cylinders(1);
    let cylinder_bytes = of_one.map_or(1, |one| {
        u64::from(one.heads()) * u64::from(one.records_per_track(BLOCK_BYTES as u16, 0)) * BLOCK_BYTES as u64
    });
    let cylinders = 1 + data_bytes.div_ceil(cylinder_bytes);
    let geometry = u32::try_from(cylinders).ok().and_then(Geometry::with_cylinders);
    geometry.expect("the argument's range keeps the volume within what a CCHH can name")
}

/// Fails when the file system has less room than volume, journal and bare file need.
fn check_room(directory: &Path, geometry: &Geometry) -> Result<(), BenchError> {
    let room = rustix::fs::statvfs(directory).map_err(|error| no_directory(directory, &error.into()))?;
    let free_bytes = room.f_bavail.saturating_mul(room.f_frsize);
    let needed_bytes =
        geometry.tracks() * u64::from(geometry.device_type().image_track_bytes()) + BESIDE_BYTES;
    if free_bytes >= needed_bytes {
        return Ok(());
    }
    Err(BenchError::Directory(format!(
        "{}: {free_bytes} bytes are free and {needed_bytes} are needed; give another --directory or a smaller \
         --size-mib",
        directory.display()
    )))
}

fn no_directory(directory: &Path, error: &io::Error) -> BenchError {
    BenchError::Directory(format!(
        "{}: {error}; give a directory that can be written as --directory",
        directory.display()
    ))
}

fn failed(error: OpenError) -> BenchError {
    BenchError::Failed(error.to_string())
}
