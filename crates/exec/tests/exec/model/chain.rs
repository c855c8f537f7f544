//! State of a chain of commands.

use crate::model::domain::Domain;

/// The extent of a Define Extent.
#[derive(Debug, Clone, Copy)]
pub struct Extent {
    /// File mask.
    pub mask: u8,
    /// Block size in bytes.
    pub block_bytes: u16,
    /// First track.
    pub begin: u32,
    /// Last track.
    pub end: u32,
    /// Records on each track, when the program declares them.
    pub records: Option<u8>,
}

/// The area of the track passed last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum At {
    /// The index: nothing yet.
    Index,
    /// Home address.
    Home,
    /// Count area of a record.
    Count(usize),
    /// Key area of a record.
    Key(usize),
    /// Data area of a record.
    Data(usize),
    /// All of the track.
    End,
}

/// Effect of the preceding command, as far as the next one depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Before {
    /// Nothing that matters.
    Other,
    /// Locate Record in any form.
    Locate,
    /// Read Track.
    ReadTrack,
    /// Search ID Equal was satisfied.
    FoundId,
    /// Search Key Equal was satisfied.
    FoundKey,
    /// Search Home Address Equal was satisfied, or the home address was written.
    FoundHome,
    /// A format write.
    Format,
}

/// State of a chain.
#[derive(Debug, Clone)]
pub struct Chain {
    /// Define Extent was given, or Read IPL.
    pub extent: Option<Extent>,
    /// File mask of Set File Mask.
    pub mask: Option<u8>,
    /// The track that was sought or located.
    pub track: Option<u32>,
    /// Where on the track.
    pub at: At,
    /// Index points passed by searches in a row.
    pub passes: u32,
    /// The command before.
    pub before: Before,
    /// The domain that is open.
    pub domain: Option<Domain>,
    /// The commands that ended normally.
    pub commands: Vec<u8>,
}

impl Chain {
    pub fn new() -> Self {
        Self {
            extent: None,
            mask: None,
            track: None,
            at: At::Index,
            passes: 0,
            before: Before::Other,
            domain: None,
            commands: vec![],
        }
    }

    /// Returns the file mask: that of Define Extent, or of Set File Mask.
    pub fn mask(&self) -> u8 {
        self.extent.map(|extent| extent.mask).or(self.mask).unwrap_or(0)
    }
}
