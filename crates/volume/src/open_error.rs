//! Why a volume cannot be opened, made or copied.

use std::io;
use std::path::{Path, PathBuf};

use thiserror::Error;

use crate::foreign_journal::ForeignJournal;
use crate::layout::LayoutError;

/// Flaw of a file: its place, the contents, and the expected contents or the fix.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("at offset {offset}: {found}; {expected}")]
pub struct Flaw {
    /// Offset in the file, bytes.
    pub offset: u64,
    /// Contents of the file.
    pub found: String,
    /// Expected contents, or the fix.
    pub expected: String,
}

impl Flaw {
    /// Creates a flaw at an offset.
    pub fn new(offset: u64, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self { offset, found: found.into(), expected: expected.into() }
    }
}

/// Why the files of a volume are none, or cannot be used.
#[derive(Debug, Error)]
pub enum ImageError {
    /// A file failed.
    #[error("file {file} of the volume: {error}")]
    Io {
        /// Number of the file among the files of the volume, from 0.
        file: usize,
        /// Error of the operating system.
        error: io::Error,
    },
    /// A file is not as its format wants it.
    #[error("file {file} of the volume: {flaw}")]
    Flaw {
        /// Number of the file among the files of the volume, from 0.
        file: usize,
        /// Flaw in the file.
        flaw: Flaw,
    },
    /// The journal failed.
    #[error("the journal: {0}")]
    Journal(io::Error),
    /// The journal is not that of these files.
    #[error("the journal is not that of the image: {0}")]
    OtherJournal(ForeignJournal),
    /// A unit cannot be read or written.
    #[error(transparent)]
    Layout(#[from] LayoutError),
}

/// How to go on when a journal is not that of the image beside it.
pub(crate) const OTHER_JOURNAL_FIX: &str = "put the image that it belongs to back beside it (`mv` or `cp -a` both \
    files), or give --discard-journal to use this image as it is, without what the journal holds";

/// Returns why an image that lacks its journal is refused.
pub(crate) fn lacks_journal(journal: &Path) -> String {
    let journal = journal.display();
    format!("the image was not closed, and the journal that may hold a part of it, {journal}, is not there")
}

/// How to go on when an image lacks its journal.
pub(crate) const LACKING_JOURNAL_FIX: &str = "put the journal back beside the image (`mv` or `cp -a` both files), or \
    give --discard-journal to use the image as it is";

impl From<ForeignJournal> for ImageError {
    fn from(why: ForeignJournal) -> Self {
        Self::OtherJournal(why)
    }
}

impl From<io::Error> for ImageError {
    fn from(error: io::Error) -> Self {
        Self::Journal(error)
    }
}

impl ImageError {
    /// Creates a failure of a file.
    pub fn io(file: usize) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io { file, error }
    }

    /// Creates a flaw in a file.
    pub fn flaw(file: usize) -> impl FnOnce(Flaw) -> Self {
        move |flaw| Self::Flaw { file, flaw }
    }
}

/// Why a volume cannot be opened, made, copied or checked.
#[derive(Debug, Error)]
pub enum OpenError {
    /// A file cannot be opened, read or written.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        error: io::Error,
    },
    /// Somebody else has the file open for writing, or has it open at all while this is for writing.
    #[error("{}: in use by another program; wait until it has ended, or open it read-only", path.display())]
    InUse {
        /// The file.
        path: PathBuf,
    },
    /// A file is not as its format wants it.
    #[error("{} {flaw}", path.display())]
    Flaw {
        /// The file.
        path: PathBuf,
        /// Flaw in the file.
        flaw: Flaw,
    },
    /// The journal beside a volume is not that of its image.
    #[error("{}: this journal is not that of the image beside it: {why}; {OTHER_JOURNAL_FIX}", path.display())]
    OtherJournal {
        /// The journal.
        path: PathBuf,
        /// How that is known.
        why: ForeignJournal,
    },
    /// The image has the mark of a journal, and no journal lies beside it.
    #[error("{}: {}; {LACKING_JOURNAL_FIX}", path.display(), lacks_journal(journal))]
    LacksJournal {
        /// The marked file.
        path: PathBuf,
        /// Where its journal should lie.
        journal: PathBuf,
    },
    /// The file exists already.
    #[error("{}: exists already; remove it first, or choose another name", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// The request cannot be carried out.
    #[error("{0}")]
    Request(String),
    /// A unit of the volume cannot be read or written.
    #[error("{}: {error}", path.display())]
    Layout {
        /// The first file of the volume.
        path: PathBuf,
        /// Error of the layout.
        error: LayoutError,
    },
}

impl OpenError {
    /// Creates a failure of the file at `path`; one that is locked is in use.
    pub fn io(path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |error| match error.kind() {
            io::ErrorKind::WouldBlock => Self::InUse { path },
            io::ErrorKind::AlreadyExists => Self::Exists { path },
            _ => Self::Io { path, error },
        }
    }

    /// Adds the names of the files to an error.
    pub fn image(paths: &[PathBuf], journal: PathBuf) -> impl FnOnce(ImageError) -> Self {
        let named = |file: usize| paths.get(file).or(paths.first()).cloned().unwrap_or_default();
        move |error| match error {
            ImageError::Io { file, error } => Self::io(named(file))(error),
            ImageError::Flaw { file, flaw } => Self::Flaw { path: named(file), flaw },
            ImageError::Journal(error) => Self::io(journal)(error),
            ImageError::OtherJournal(why) => Self::OtherJournal { path: journal, why },
            ImageError::Layout(error) => Self::Layout { path: named(0), error },
        }
    }
}
