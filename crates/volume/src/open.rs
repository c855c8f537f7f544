//! Opening a volume: which format its files have, what its journal still holds, and who else uses it.

use std::io;
use std::path::{Path, PathBuf};

use halftrack_program::{DeviceType, Geometry};

use crate::cckd::{CckdDevice, CckdImage};
use crate::ckd_layout::{CkdLayout, FileFlaw};
use crate::ckd_volume::CkdVolume;
use crate::device_header::{DEVICE_HEADER_BYTES, DeviceHeader, PLAIN_CKD, has_header};
use crate::directory::{directory_of, sync_directory_of};
use crate::fba_layout::FbaLayout;
use crate::fba_volume::FbaVolume;
use crate::file_medium::FileMedium;
use crate::file_names::{self, MOST_FILES};
use crate::format::{CkdFormat, FbaFormat, Format};
use crate::journal::Journal;
use crate::layout::LayoutError;
use crate::medium::Medium;
use crate::open_error::{Flaw, ImageError, OpenError};
use crate::recovery::{discard, recover};
use crate::stamp::{self, Stamped};
use crate::unit_store::{Mode, UnitStore};

/// A volume that is open.
#[derive(Debug)]
pub enum Volume<M: Medium = FileMedium> {
    /// Count-key-data.
    Ckd(CkdVolume<M>),
    /// Fixed-block.
    Fba(FbaVolume<M>),
}

/// Returns the first bytes of a file, zeros behind its end.
fn head<M: Medium>(medium: &M) -> Result<[u8; DEVICE_HEADER_BYTES], ImageError> {
    let mut head = [0; DEVICE_HEADER_BYTES];
    let length = medium.len().map_err(ImageError::io(0))?.min(DEVICE_HEADER_BYTES as u64);
    medium.read_at(0, &mut head[..length as usize]).map_err(ImageError::io(0))?;
    Ok(head)
}

/// Returns whether a volume is compressed, by the first bytes of its file.
pub(crate) fn is_compressed<M: Medium>(first: &M) -> Result<bool, ImageError> {
    let head = head(first)?;
    Ok(has_header(&head) && !head.starts_with(&PLAIN_CKD))
}

/// Kind of the files of a volume.
enum Found {
    Ckd(CkdFormat, Geometry),
    Fba(FbaFormat, u32),
}

/// Returns the kind of the files of a volume. No command can use files that this refuses.
fn found<M: Medium>(files: &[M], mode: Mode) -> Result<Found, ImageError> {
    let Some(first) = files.first() else {
        let flaw = Flaw::new(0, "no file", "a volume has one at least");
        return Err(ImageError::Flaw { file: 0, flaw });
    };
    let head = head(first)?;
    if head.starts_with(&PLAIN_CKD) {
        let (layout, flaws) = CkdLayout::examine(files)?;
        refuse(flaws, mode)?;
        let geometry = layout.geometry();
        return Ok(Found::Ckd(Format::Plain(layout), geometry));
    }
    if !has_header(&head) {
        let (layout, flaws) = FbaLayout::examine(first)?;
        refuse(flaws, mode)?;
        return Ok(Found::Fba(Format::Plain(layout), layout.blocks()));
    }
    let mut image = CckdImage::open(first)?;
    let device = image.device();
    let geometry = match device {
        CckdDevice::Ckd { .. } => Some(geometry_of(device)?),
        CckdDevice::Fba { .. } => None,
    };
    if mode != Mode::ReadOnly {
        image.prepare_writing(first)?;
    }
    let image = Box::new(image);
    Ok(match (device, geometry) {
        (CckdDevice::Fba { blocks }, _) => Found::Fba(Format::Compressed(image), blocks),
        (_, Some(geometry)) => Found::Ckd(Format::Compressed(image), geometry),
        (_, None) => return Err(no_geometry(16, "no device".to_owned())),
    })
}

/// Returns whether a volume in these files can be opened: by every command, when it can be for writing.
///
/// # Errors
/// Why it cannot be.
pub(crate) fn openable<M: Medium>(files: &[M], mode: Mode) -> Result<(), ImageError> {
    found(files, mode).map(drop)
}

impl<M: Medium> Volume<M> {
    /// Opens the volume in these files, of which there is one unless it is an uncompressed CKD volume in several.
    /// The journal is replayed first. Files that are cut short can be read as far as they go, and not be written.
    ///
    /// # Errors
    /// A file fails, or is no image; the journal is that of another one.
    pub fn from_media(mut files: Vec<M>, journal: Option<M>, mode: Mode) -> Result<Self, ImageError> {
        let mut journal = journal;
        if let Some(journal) = &mut journal {
            recover(&mut files, journal, mode)?;
        }
        let found = found(&files, mode)?;
        let journal = journal.filter(|_| mode != Mode::ReadOnly).map(Journal::on_empty);
        Ok(match found {
            Found::Ckd(format, geometry) => {
                Self::Ckd(CkdVolume::new(UnitStore::new(files, format, journal, mode), geometry))
            }
            Found::Fba(format, blocks) => {
                Self::Fba(FbaVolume::new(UnitStore::new(files, format, journal, mode), blocks))
            }
        })
    }

    /// Makes everything safe in the files themselves and gives the volume up: other programs may use it.
    ///
    /// # Errors
    /// Journal or files failed; the journal still has what was safe.
    pub fn close(self) -> Result<(), LayoutError> {
        match self {
            Self::Ckd(volume) => volume.close(),
            Self::Fba(volume) => volume.close(),
        }
    }
}

/// Returns whether a volume with these flaws may be used.
fn refuse(flaws: Vec<FileFlaw>, mode: Mode) -> Result<(), ImageError> {
    match flaws.into_iter().next() {
        Some((file, flaw)) if mode != Mode::ReadOnly => Err(ImageError::Flaw { file, flaw }),
        _ => Ok(()),
    }
}

/// Returns the geometry of a compressed image's device.
fn geometry_of(device: CckdDevice) -> Result<Geometry, ImageError> {
    let CckdDevice::Ckd { device_type, cylinders, heads, .. } = device else {
        return Err(no_geometry(16, "the image is of an FBA device".to_owned()));
    };
    let Some(known) = DeviceType::from_low_byte(device_type) else {
        return Err(no_geometry(16, format!("device type {device_type:02X} is unknown")));
    };
    if heads != u32::from(known.heads()) {
        return Err(no_geometry(8, format!("{heads} tracks a cylinder")));
    }
    Geometry::of_type(known, cylinders).ok_or_else(|| no_geometry(552, format!("{cylinders} cylinders")))
}

fn no_geometry(offset: u64, found: String) -> ImageError {
    let known: Vec<_> = DeviceType::ALL.iter().map(|device| format!("{:04X}", device.number())).collect();
    let expected = format!("halftrack opens {} with their heads and cylinders", known.join(", "));
    ImageError::Flaw { file: 0, flaw: Flaw::new(offset, found, expected) }
}

/// How a volume is opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Opening {
    /// Guarantee for writes.
    pub mode: Mode,
    /// Whether a journal beside the image is left out, and removed when the volume is opened for writing. It is for a
    /// user who is sure that the image is right as it is; otherwise the contents of the journal are lost.
    pub discards_journal: bool,
}

impl From<Mode> for Opening {
    fn from(mode: Mode) -> Self {
        Self { mode, discards_journal: false }
    }
}

impl Volume {
    /// Opens the volume at `path`, which may be its first file, or the name under which several were made. A journal left
    /// by a crash is replayed, unless it is to be discarded: into the files, or, for reading only, in memory.
    ///
    /// # Errors
    /// Names file and offset, what was expected, and how to fix it.
    pub fn open(path: &Path, opening: impl Into<Opening>) -> Result<Self, OpenError> {
        let opening = opening.into();
        let (paths, files) = open_files(path, opening.mode)?;
        let journal_path = file_names::journal(&paths[0]);
        let journal = open_journal(&files, &journal_path, opening)?;
        Self::from_media(files, journal, opening.mode).map_err(OpenError::image(&paths, journal_path))
    }
}

/// Opens the files of a volume: the one at `path`, and those that follow by its header.
pub(crate) fn open_files(path: &Path, mode: Mode) -> Result<(Vec<PathBuf>, Vec<FileMedium>), OpenError> {
    let open = |path: &Path| {
        let file = match mode {
            Mode::ReadOnly => FileMedium::open_read_only(path),
            Mode::Sync | Mode::WriteBack => FileMedium::open(path),
        };
        file.map_err(OpenError::io(path))
    };
    let path = &file_names::first(path);
    let mut paths = vec![path.clone()];
    let mut files = vec![open(path)?];
    let head = head(&files[0]).map_err(OpenError::image(&paths, PathBuf::new()))?;
    let in_several = head.starts_with(&PLAIN_CKD)
        && DeviceHeader::from_bytes(&head).is_ok_and(|header| header.file_number == 1);
    for number in 2..=MOST_FILES {
        let next = file_names::member(path, number);
        if !in_several || is_last(files.last())? {
            break;
        }
        files.push(open(&next)?);
        paths.push(next);
    }
    Ok((paths, files))
}

/// Returns whether no file follows this one.
fn is_last(file: Option<&FileMedium>) -> Result<bool, OpenError> {
    let Some(file) = file else { return Ok(true) };
    let head = head(file).map_err(OpenError::image(&[file.path().to_owned()], PathBuf::new()))?;
    Ok(DeviceHeader::from_bytes(&head).map_or(true, |header| header.highest_cylinder == 0))
}

/// Returns the journal of these files: made for writing, read if it is there for reading; one to be discarded is empty, or not
/// there. An image that was not closed has one.
pub(crate) fn open_journal(
    files: &[FileMedium],
    path: &Path,
    opening: Opening,
) -> Result<Option<FileMedium>, OpenError> {
    if !opening.discards_journal {
        refuse_without_journal(files, path)?;
    }
    if opening.mode == Mode::ReadOnly {
        return match FileMedium::open_read_only(path) {
            Ok(journal) => Ok(Some(journal).filter(|_| !opening.discards_journal)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(OpenError::io(path)(error)),
        };
    }
    let mut journal = FileMedium::open_or_create(path).map_err(OpenError::io(path))?;
    sync_directory(path)?;
    if opening.discards_journal {
        discard(&mut journal).map_err(OpenError::io(path))?;
    }
    Ok(Some(journal))
}

/// Refuses an image with the mark of a journal and without the journal: it was copied alone, or its journal removed.
/// The mark is written when a journal begins and removed before the journal is.
fn refuse_without_journal(files: &[FileMedium], journal: &Path) -> Result<(), OpenError> {
    for file in files {
        let mark = stamp::read(file).map_err(OpenError::io(file.path()))?;
        if matches!(mark, Stamped::With(_)) && !journal.try_exists().map_err(OpenError::io(journal))? {
            return Err(OpenError::LacksJournal {
                path: file.path().to_owned(),
                journal: journal.to_owned(),
            });
        }
    }
    Ok(())
}

/// Makes the names in the directory of a file safe.
pub(crate) fn sync_directory(path: &Path) -> Result<(), OpenError> {
    sync_directory_of(path).map_err(OpenError::io(directory_of(path)))
}
