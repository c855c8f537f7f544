//! Why a journal is not that of the image beside it.

use std::fmt;

/// Why a journal is not that of the image beside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ForeignJournal {
    /// Another version of halftrack wrote it, or it is damaged at its beginning.
    Unreadable,
    /// Its volume has another identity, format or number of files.
    OtherVolume,
    /// The image has no mark of a journal: it is as some closed volume, or was made anew.
    Unmarked,
    /// The image is older than the journal.
    OlderImage {
        /// Journals that the image has had.
        image: u64,
        /// Journals that the volume had had with this one.
        journal: u64,
    },
    /// The image is newer than the journal.
    NewerImage {
        /// Journals that the image has had.
        image: u64,
        /// Journals that the volume had had with this one.
        journal: u64,
    },
    /// The image is of the same volume, but was written on its own since.
    Parted,
    /// A file has a length that the volume did not have.
    Length {
        /// Number of the file among the files of the volume, from 0.
        file: usize,
        /// Its bytes.
        bytes: u64,
        /// Fewest bytes that it had.
        least_bytes: u64,
    },
    /// A sector that the journal changes holds what was neither there before nor came there.
    Sector {
        /// Number of the file among the files of the volume, from 0.
        file: usize,
        /// Offset in the file, bytes.
        offset: u64,
        /// How many such sectors there are.
        sectors: u64,
    },
    /// The image differs in places that the journal does not change.
    Elsewhere,
}

impl fmt::Display for ForeignJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable => f.write_str("another version of halftrack wrote it, or its first sector is damaged"),
            Self::OtherVolume => f.write_str("it is of another volume"),
            Self::Unmarked => f.write_str(
                "the image has no mark of a journal; it is another volume, a backup from before the journal began, or \
                 was closed or made anew since",
            ),
            Self::OlderImage { image, journal } => write!(
                f,
                "the image is older than it, an earlier copy (it is journal {journal} of the run, the image is of \
                 {image})"
            ),
            Self::NewerImage { image, journal } => write!(
                f,
                "it is older than the image (it is journal {journal} of the run, the image is of {image})"
            ),
            Self::Parted => f.write_str("the image is a copy of its volume that was written on its own since"),
            Self::Length { file, bytes, least_bytes } => write!(
                f,
                "file {} of the image has {bytes} bytes, and the volume's had {least_bytes}",
                file + 1
            ),
            Self::Sector { file, offset, sectors } => write!(
                f,
                "{sectors} of the sectors that it changes hold neither the old nor the new octets, the \
                 first at offset {offset} of file {}: another program has written the image since, or it is of \
                 another volume",
                file + 1
            ),
            Self::Elsewhere => f.write_str(
                "the image is not as it was when the journal began: another program has written it since, or it is \
                 of another volume",
            ),
        }
    }
}
