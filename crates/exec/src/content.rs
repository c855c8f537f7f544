//! Octets of a text, and the addresses in them that are known only when everything has its place.

use std::ops::Range;

/// Base of an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Base {
    /// Zero.
    Absolute,
    /// A label.
    Label(String),
    /// The statement with the address: `*`.
    Here,
    /// A fragment of the assembly, by its number.
    Fragment(usize),
}

/// An address as written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AddressText {
    pub base: Base,
    pub offset: i128,
    pub span: Range<usize>,
}

impl AddressText {
    pub(crate) fn absolute(address: u64) -> Self {
        Self { base: Base::Absolute, offset: i128::from(address), span: 0..0 }
    }

    /// Returns the same with `*` for `offset` in the fragment `number`.
    pub(crate) fn rooted(self, number: usize, offset: u64) -> Self {
        match self.base {
            Base::Here => {
                Self { base: Base::Fragment(number), offset: self.offset + i128::from(offset), ..self }
            }
            _ => self,
        }
    }

    pub(crate) fn fragment(number: usize, offset: u64) -> Self {
        Self { base: Base::Fragment(number), offset: i128::from(offset), span: 0..0 }
    }
}

/// An address to put into octets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Patch {
    /// Offset in the octets.
    pub at: usize,
    /// Bytes of the address.
    pub width: usize,
    pub address: AddressText,
}

/// Octets with addresses in them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Content {
    pub bytes: Vec<u8>,
    pub patches: Vec<Patch>,
}

impl Content {
    pub(crate) fn of(bytes: Vec<u8>) -> Self {
        Self { bytes, patches: Vec::new() }
    }

    /// Returns the same with `*` for the fragment `number`.
    pub(crate) fn rooted(self, number: usize) -> Self {
        let patches = self.patches.into_iter();
        let patches = patches.map(|patch| Patch { address: patch.address.rooted(number, 0), ..patch });
        Self { bytes: self.bytes, patches: patches.collect() }
    }

    /// Puts `other` behind.
    pub(crate) fn append(&mut self, other: Self) {
        self.put(self.bytes.len(), other);
    }

    /// Puts `other` at `at`, over what is there.
    pub(crate) fn put(&mut self, at: usize, other: Self) {
        let end = at + other.bytes.len();
        if self.bytes.len() < end {
            self.bytes.resize(end, 0);
        }
        self.bytes[at..end].copy_from_slice(&other.bytes);
        self.patches.extend(other.patches.into_iter().map(|patch| Patch { at: patch.at + at, ..patch }));
    }
}
