//! Opening a volume: which format its files have, what its journal still holds, and who else uses it.

use std::io;
use std::path::{Path, PathBuf};

use halftrack_program::{DeviceType, Geometry};

use crate::cckd::{CckdDevice, CckdImage};
use crate::ckd_layout::{CkdLayout, FileFlaw};
use crate::ckd_volume::CkdVolume;
use crate::device_header::{DEVICE_HEADER_BYTES, DeviceHeader, PLAIN_CKD};
use crate::fba_layout::FbaLayout;
use crate::fba_volume::FbaVolume;
use crate::file_medium::FileMedium;
use crate::file_names::{self, MOST_FILES};
use crate::format::Format;
use crate::journal::{Journal, Pending, replay};
use crate::layout::LayoutError;
use crate::medium::Medium;
use crate::open_error::{Flaw, ImageError, OpenError};
use crate::unit_store::{Mode, UnitStore, apply};

/// What a file of a compressed CKD volume begins with; `CKD_C064` is refused by its reader.
const COMPRESSED_CKD: &[u8] = b"CKD_";
/// What a file of a compressed FBA volume begins with.
const COMPRESSED_FBA: &[u8] = b"FBA_";

/// A volume that is open.
#[derive(Debug)]
pub enum Volume<M: Medium = FileMedium> {
    /// Count-key-data.
    Ckd(CkdVolume<M>),
    /// Fixed-block.
    Fba(FbaVolume<M>),
}

/// The first bytes of a file, zeros behind its end.
fn head<M: Medium>(medium: &M) -> Result<[u8; DEVICE_HEADER_BYTES], ImageError> {
    let mut head = [0; DEVICE_HEADER_BYTES];
    let length = medium.len().map_err(ImageError::io(0))?.min(DEVICE_HEADER_BYTES as u64);
    medium.read_at(0, &mut head[..length as usize]).map_err(ImageError::io(0))?;
    Ok(head)
}

/// Whether a volume is compressed, by the first bytes of its file.
pub(crate) fn is_compressed<M: Medium>(first: &M) -> Result<bool, ImageError> {
    let head = head(first)?;
    let packed = head.starts_with(COMPRESSED_CKD) || head.starts_with(COMPRESSED_FBA);
    Ok(packed && !head.starts_with(&PLAIN_CKD))
}

/// By what a journal knows its volume: the device header, or the number of blocks of an FBA volume.
fn identity<M: Medium>(first: &M) -> Result<u32, ImageError> {
    let head = head(first)?;
    if head.starts_with(COMPRESSED_CKD) || head.starts_with(COMPRESSED_FBA) {
        return Ok(crc32fast::hash(&head));
    }
    Ok(crc32fast::hash(&first.len().map_err(ImageError::io(0))?.to_be_bytes()))
}

/// Brings the files to the state that their journal holds, and empties it. Returns how many transactions were
/// whole. In files for reading only this happens in memory.
///
/// # Errors
/// A file or the journal fails; the journal belongs to another volume.
pub fn recover<M: Medium>(files: &mut [M], journal: &mut M, mode: Mode) -> Result<u64, ImageError> {
    let Some(first) = files.first() else { return Ok(0) };
    let identity = identity(first)?;
    let pending = replay(journal, identity, |redo| apply(redo, files).map_err(ImageError::from))?;
    let transactions = match pending {
        Pending::OtherVolume => return Err(ImageError::OtherJournal),
        Pending::Nothing => 0,
        Pending::Transactions(transactions) => transactions,
    };
    if mode != Mode::ReadOnly && journal.len().map_err(ImageError::Journal)? > 0 {
        for (file, medium) in files.iter_mut().enumerate() {
            medium.sync().map_err(ImageError::io(file))?;
        }
        journal.set_len(0).and_then(|()| journal.sync()).map_err(ImageError::Journal)?;
    }
    Ok(transactions)
}

impl From<io::Error> for ImageError {
    fn from(error: io::Error) -> Self {
        Self::Journal(error)
    }
}

impl<M: Medium> Volume<M> {
    /// Opens the volume in these files, of which there is one unless it is an uncompressed CKD volume in several.
    /// The journal is replayed first. Files that are cut short can be read as far as they go, and not be written.
    ///
    /// # Errors
    /// A file fails, or is no image; the journal belongs to another volume.
    pub fn from_media(mut files: Vec<M>, journal: Option<M>, mode: Mode) -> Result<Self, ImageError> {
        let mut journal = journal;
        if let Some(journal) = &mut journal {
            recover(&mut files, journal, mode)?;
        }
        let Some(first) = files.first() else {
            let flaw = Flaw::new(0, "no file", "a volume has one at least");
            return Err(ImageError::Flaw { file: 0, flaw });
        };
        let head = head(first)?;
        let journal = match journal {
            Some(medium) if mode != Mode::ReadOnly => Some(Journal::on_empty(medium, identity(first)?)),
            _ => None,
        };
        if head.starts_with(&PLAIN_CKD) {
            let (layout, flaws) = CkdLayout::examine(&files)?;
            refuse(flaws, mode)?;
            let geometry = layout.geometry();
            let store = UnitStore::new(files, Format::Plain(layout), journal, mode);
            return Ok(Self::Ckd(CkdVolume::new(store, geometry)));
        }
        if !head.starts_with(COMPRESSED_CKD) && !head.starts_with(COMPRESSED_FBA) {
            let (layout, flaws) = FbaLayout::examine(first)?;
            refuse(flaws, mode)?;
            let blocks = layout.blocks();
            let store = UnitStore::new(files, Format::Plain(layout), journal, mode);
            return Ok(Self::Fba(FbaVolume::new(store, blocks)));
        }
        let mut image = CckdImage::open(first)?;
        if mode != Mode::ReadOnly {
            image.prepare_writing(first)?;
        }
        let device = image.device();
        let compressed = Box::new(image);
        Ok(match device {
            CckdDevice::Ckd { .. } => {
                let store = UnitStore::new(files, Format::Compressed(compressed), journal, mode);
                Self::Ckd(CkdVolume::new(store, geometry_of(device)?))
            }
            CckdDevice::Fba { blocks } => {
                let store = UnitStore::new(files, Format::Compressed(compressed), journal, mode);
                Self::Fba(FbaVolume::new(store, blocks))
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

/// Whether a volume with these flaws may be used.
fn refuse(flaws: Vec<FileFlaw>, mode: Mode) -> Result<(), ImageError> {
    match flaws.into_iter().next() {
        Some((file, flaw)) if mode != Mode::ReadOnly => Err(ImageError::Flaw { file, flaw }),
        _ => Ok(()),
    }
}

/// The geometry of a compressed image's device.
fn geometry_of(device: CckdDevice) -> Result<Geometry, ImageError> {
    let CckdDevice::Ckd { device_type, cylinders, heads, .. } = device else {
        return Err(no_geometry("the image is of an FBA device".to_owned()));
    };
    let Some(known) = DeviceType::from_low_byte(device_type) else {
        return Err(no_geometry(format!("device type {device_type:02X} is not known")));
    };
    if heads != u32::from(known.heads()) {
        return Err(no_geometry(format!("{heads} tracks a cylinder")));
    }
    Geometry::of_type(known, cylinders).ok_or_else(|| no_geometry("no cylinders".to_owned()))
}

fn no_geometry(found: String) -> ImageError {
    let known: Vec<_> = DeviceType::ALL.iter().map(|device| format!("{:04X}", device.number())).collect();
    let expected = format!("halftrack knows {} with their heads", known.join(", "));
    ImageError::Flaw { file: 0, flaw: Flaw::new(8, found, expected) }
}

impl Volume {
    /// Opens the volume at `path`, which may be its first file, or the name under which several were made. A journal left by a crash is replayed: into the files, or,
    /// for reading only, in memory.
    ///
    /// # Errors
    /// Names file and offset, what was expected, and how to mend it.
    pub fn open(path: &Path, mode: Mode) -> Result<Self, OpenError> {
        let (paths, files) = open_files(path, mode)?;
        let journal_path = file_names::journal(&paths[0]);
        let journal = open_journal(&journal_path, mode)?;
        Self::from_media(files, journal, mode).map_err(OpenError::image(&paths, journal_path))
    }
}

/// Opens the files of a volume: the one at `path`, and those that its header says follow.
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

/// Whether no file follows this one.
fn is_last(file: Option<&FileMedium>) -> Result<bool, OpenError> {
    let Some(file) = file else { return Ok(true) };
    let head = head(file).map_err(OpenError::image(&[file.path().to_owned()], PathBuf::new()))?;
    Ok(DeviceHeader::from_bytes(&head).map_or(true, |header| header.highest_cylinder == 0))
}

/// The journal: made for writing, read if it is there for reading.
pub(crate) fn open_journal(path: &Path, mode: Mode) -> Result<Option<FileMedium>, OpenError> {
    if mode == Mode::ReadOnly {
        return match FileMedium::open_read_only(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            journal => journal.map(Some).map_err(OpenError::io(path)),
        };
    }
    let journal = FileMedium::open_or_create(path).map_err(OpenError::io(path))?;
    sync_directory(path)?;
    Ok(Some(journal))
}

/// Makes the names in the directory of a file safe.
pub(crate) fn sync_directory(path: &Path) -> Result<(), OpenError> {
    let directory = match path.parent() {
        Some(parent) if parent != Path::new("") => parent,
        _ => Path::new("."),
    };
    let sync = std::fs::File::open(directory).and_then(|directory| directory.sync_all());
    sync.map_err(OpenError::io(directory))
}
