//! Compressed images as files: checked, and written anew, without the space that nothing uses or of what can be
//! read of a damaged one.
//!
//! The new image is made under another name and takes the place of the old one when it is whole and safe.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::cckd::{self, CheckDepth, Finding, Repair};
use crate::file_medium::FileMedium;
use crate::file_names;
use crate::layout::LayoutError;
use crate::medium::Medium;
use crate::open::{Opening, is_compressed, open_files, open_journal, openable, sync_directory};
use crate::open_error::OpenError;
use crate::recovery::recover;
use crate::unit_store::Mode;

/// Result of compacting an image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compacted {
    /// Bytes of the image before.
    pub before_bytes: u64,
    /// Bytes of the image now.
    pub after_bytes: u64,
}

/// Result of repairing a compressed image.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// Contents of the new image, and losses.
    pub repair: Repair,
    /// Where the image is as it was before.
    pub aside: PathBuf,
}

/// Compacts the compressed image at `path`. Its journal is brought into it first. `watch` gets the number of units
/// that are done, and of all.
///
/// # Errors
/// The image is in use, is not compressed, or is damaged: then it has to be repaired first; files cannot be written.
pub fn compact(path: &Path, watch: &mut dyn FnMut(u32, u32)) -> Result<Compacted, OpenError> {
    compact_with(path, false, watch)
}

/// Returns the same; the journal is perhaps discarded instead of replayed.
///
/// # Errors
/// Errors of [`compact`].
pub fn compact_with(
    path: &Path,
    discards_journal: bool,
    watch: &mut dyn FnMut(u32, u32),
) -> Result<Compacted, OpenError> {
    let file = with_journal(path, Opening { mode: Mode::Sync, discards_journal })?;
    if is_compressed(&file).map_err(OpenError::image(&[path.to_owned()], PathBuf::new()))? {
        let opens = openable(std::slice::from_ref(&file), Mode::ReadOnly);
        opens.map_err(OpenError::image(&[path.to_owned()], PathBuf::new()))?;
    }
    let before_bytes = file.len().map_err(OpenError::io(path))?;
    let after_bytes = write_anew(path, |unfinished| cckd::compact(&file, unfinished, watch))?;
    put_in_place(path)?;
    Ok(Compacted { before_bytes, after_bytes })
}

/// Repairs the compressed image at `path`, after its journal was brought into it. The image as it was is kept
/// beside it, under its name with `.before-repair`: what cannot be read is still there.
///
/// # Errors
/// The image is in use, or its headers cannot be used; an image is kept aside already; files cannot be written.
pub fn repair_compressed(path: &Path) -> Result<Repaired, OpenError> {
    let aside = file_names::before_repair(path);
    if aside.exists() {
        return Err(OpenError::Exists { path: aside });
    }
    let file = with_journal(path, Mode::Sync.into())?;
    let repair = write_anew(path, |unfinished| cckd::repair(&file, unfinished))?;
    keep(path, &aside)?;
    put_in_place(path)?;
    Ok(Repaired { repair, aside })
}

/// Checks the compressed image at `path` as it is with its journal; nothing is written.
///
/// # Errors
/// The image is open for writing elsewhere, or cannot be read.
pub fn check_compressed(path: &Path) -> Result<Vec<Finding>, OpenError> {
    let file = with_journal(path, Mode::ReadOnly.into())?;
    cckd::check(&file, CheckDepth::Units).map_err(OpenError::io(path))
}

/// Opens an image and brings its journal into it; in memory for reading only. Otherwise the journal
/// is empty then, and goes when it is closed.
fn with_journal(path: &Path, opening: Opening) -> Result<FileMedium, OpenError> {
    let (paths, mut files) = open_files(path, opening.mode)?;
    let journal_path = file_names::journal(&paths[0]);
    if let Some(mut journal) = open_journal(&files, &journal_path, opening)? {
        recover(&mut files, &mut journal, opening.mode).map_err(OpenError::image(&paths, journal_path))?;
    }
    files.into_iter().next().ok_or_else(|| OpenError::io(path)(io::ErrorKind::NotFound.into()))
}

/// Writes the file that is to replace `path`, with its permissions.
fn write_anew<T>(
    path: &Path,
    write: impl FnOnce(&mut FileMedium) -> Result<T, LayoutError>,
) -> Result<T, OpenError> {
    let unfinished = file_names::unfinished(path);
    // What an earlier attempt left that was killed.
    let _ = fs::remove_file(&unfinished);
    let permissions = fs::metadata(path).map_err(OpenError::io(path))?.permissions();
    let mut file = FileMedium::create_new(&unfinished).map_err(OpenError::io(&unfinished))?;
    let written = write(&mut file).and_then(|written| {
        fs::set_permissions(&unfinished, permissions)?;
        file.sync()?;
        Ok(written)
    });
    written.map_err(|error| {
        // One that cannot be removed has a name that explains it.
        let _ = fs::remove_file(&unfinished);
        OpenError::Layout { path: path.to_owned(), error }
    })
}

/// Gives the image at `path` a second name; a copy where files can have one only.
fn keep(path: &Path, aside: &Path) -> Result<(), OpenError> {
    fs::hard_link(path, aside).or_else(|_| fs::copy(path, aside).map(drop)).map_err(OpenError::io(aside))
}

fn put_in_place(path: &Path) -> Result<(), OpenError> {
    fs::rename(file_names::unfinished(path), path).map_err(OpenError::io(path))?;
    sync_directory(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cckd::Compression;
    use crate::create::{NewFormat, VolumeDevice, create};
    use crate::open::Volume;
    use crate::tracks::{CountArea, Track, Tracks};
    use halftrack_program::{Geometry, Octets, TrackAddress};

    /// Returns a volume of which tracks of the first cylinder were written twice.
    fn written(directory: &Path) -> PathBuf {
        let path = directory.join("work.cckd");
        let device = VolumeDevice::Ckd(Geometry::with_cylinders(20).unwrap());
        create(&path, device, NewFormat::Compressed(Compression::zlib()), None).unwrap();
        let Volume::Ckd(mut volume) = Volume::open(&path, Mode::Sync).unwrap() else { panic!("FBA") };
        for turn in [1_u8, 2] {
            for head in 0..15 {
                let address = TrackAddress::new(0, head).unwrap();
                let count = CountArea { cchh: address.to_cchh(), record: 1, key_bytes: 0, data_bytes: 2000 };
                let octets: Vec<u8> = (0..2000_u32).map(|at| (at * at / 13) as u8 ^ turn ^ head).collect();
                volume.format_record(address, 1, count, Octets::Bytes(&octets)).unwrap();
                volume.commit().unwrap();
            }
        }
        volume.close().unwrap();
        path
    }

    fn first_octet(path: &Path, head: u8) -> u8 {
        let Volume::Ckd(mut volume) = Volume::open(path, Mode::ReadOnly).unwrap() else { panic!("FBA") };
        let track = volume.track(TrackAddress::new(0, head).unwrap()).unwrap();
        track.data(1).bytes().unwrap()[0]
    }

    #[test]
    fn a_compacted_image_takes_the_place_of_the_old_one() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path());
        let compacted = compact(&path, &mut |_, _| {}).unwrap();
        assert!(compacted.after_bytes < compacted.before_bytes, "{compacted:?}");
        assert_eq!(fs::metadata(&path).unwrap().len(), compacted.after_bytes);
        assert_eq!(first_octet(&path, 7), 2 ^ 7);
        assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "nothing is left over");
        assert_eq!(compact(&path, &mut |_, _| {}).unwrap().after_bytes, compacted.after_bytes);
    }

    #[test]
    fn a_repaired_image_leaves_the_damaged_one_beside_it() {
        let directory = tempfile::tempdir().unwrap();
        let path = written(directory.path());
        let mut octets = fs::read(&path).unwrap();
        octets[1024..1028].fill(0xEE);
        fs::write(&path, &octets).unwrap();
        let findings = check_compressed(&path).unwrap();
        assert_eq!(findings.iter().map(|finding| finding.offset).collect::<Vec<_>>(), [1024]);
        assert_eq!(fs::read(&path).unwrap(), octets, "a check writes nothing");
        assert!(matches!(compact(&path, &mut |_, _| {}), Err(OpenError::Layout { .. })));
        let repaired = repair_compressed(&path).unwrap();
        assert_eq!(repaired.repair.found.len(), 15);
        assert_eq!(fs::read(&repaired.aside).unwrap(), octets);
        assert_eq!(first_octet(&path, 7), 2 ^ 7);
        assert_eq!(check_compressed(&path).unwrap(), []);
        assert!(matches!(repair_compressed(&path), Err(OpenError::Exists { .. })));
    }
}
