//! A fragment of an assembled program: octets or an area with their place in storage.

use std::ops::Range;

use halftrack_program::IdawFormat;

use crate::content::{AddressText, Content};

/// Place of a fragment.
#[derive(Debug, Clone)]
pub(crate) enum Place {
    /// Anywhere on its boundary.
    Anywhere,
    /// At an address.
    At(AddressText),
}

/// A list of indirect words that is made of where its data lie.
#[derive(Debug, Clone)]
pub(crate) struct List {
    pub kind: WordKind,
    pub data: AddressText,
    /// Bytes and flags of the pieces; each is cut further where a word must not go on.
    pub pieces: Vec<(u64, u8)>,
}

/// The words of a list.
#[derive(Debug, Clone, Copy)]
pub(crate) enum WordKind {
    Idaw(IdawFormat),
    Midaw,
    Tidaw,
}

/// Octets or an area that get one address.
#[derive(Debug, Clone)]
pub(crate) struct Fragment {
    pub place: Place,
    pub boundary: u64,
    /// Must not cross 4 KiB.
    pub within_page: bool,
    pub bytes: u64,
    /// Octets of the block; an area has none.
    pub content: Option<Content>,
    pub list: Option<List>,
    pub span: Range<usize>,
    /// Known after placement.
    pub address: Option<u64>,
}

impl Fragment {
    /// Returns the octets.
    pub(crate) fn data(content: Content, boundary: u64, span: Range<usize>) -> Self {
        Self { bytes: content.bytes.len() as u64, content: Some(content), ..Self::area(0, boundary, span) }
    }

    /// Returns the room.
    pub(crate) fn area(bytes: u64, boundary: u64, span: Range<usize>) -> Self {
        Self {
            place: Place::Anywhere,
            boundary,
            within_page: false,
            bytes,
            content: None,
            list: None,
            span,
            address: None,
        }
    }

    /// Creates a list of indirect words.
    pub(crate) fn list(list: List, span: Range<usize>) -> Self {
        Self { list: Some(list), ..Self::area(0, 16, span) }
    }

    /// Returns the same at a place.
    pub(crate) fn at(self, place: Option<AddressText>) -> Self {
        Self { place: place.map_or(Place::Anywhere, Place::At), ..self }
    }
}
