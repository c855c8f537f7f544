//! Fields of a block of parameters.

use std::ops::Range;

use crate::content::AddressText;

/// Names of values or bits; several are joined with `+`.
pub(crate) type Names = &'static [(&'static str, u64)];

/// How the octets of a field are to be read.
#[derive(Debug, Clone, Copy)]
pub(crate) enum FieldKind {
    /// A number of so many bytes, shown in decimal.
    Number(usize),
    /// A number of so many bytes, shown in hexadecimal.
    Hex(usize),
    /// The bits of one byte under the mask, in their place.
    Bits(u8),
    /// CCHH.
    Track,
    /// CCHHR.
    Record,
    /// Two CCHH: first and last track.
    Extent,
    /// An address of so many bytes.
    Address(usize),
    /// Another block.
    Block(&'static Block),
    /// Octets behind the fixed fields.
    Tail,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field {
    pub name: &'static str,
    /// Offset in bytes.
    pub at: usize,
    pub kind: FieldKind,
    pub names: Names,
}

impl Field {
    pub(crate) const fn new(name: &'static str, at: usize, kind: FieldKind) -> Self {
        Self { name, at, kind, names: &[] }
    }

    pub(crate) const fn named(name: &'static str, at: usize, kind: FieldKind, names: Names) -> Self {
        Self { name, at, kind, names }
    }

    /// Returns the bytes that the field takes; 0 for a tail.
    pub(crate) fn bytes(&self) -> usize {
        match self.kind {
            FieldKind::Number(bytes) | FieldKind::Hex(bytes) | FieldKind::Address(bytes) => bytes,
            FieldKind::Bits(_) => 1,
            FieldKind::Track => 4,
            FieldKind::Record => 5,
            FieldKind::Extent => 8,
            FieldKind::Block(block) => block.bytes,
            FieldKind::Tail => 0,
        }
    }
}

/// Fills fields that follow from others: octets and whether a field was given.
pub(crate) type Derive = fn(&mut [u8], &dyn Fn(&str) -> bool);

/// A block.
#[derive(Debug)]
pub(crate) struct Block {
    pub name: &'static str,
    /// Bytes with all fields but the tail.
    pub bytes: usize,
    /// Bytes when no field behind them is given.
    pub short_bytes: usize,
    /// Boundary that the block has to lie on.
    pub boundary: u64,
    pub fields: &'static [Field],
    /// Offsets and values of bytes whose default is not zero.
    pub template: &'static [(usize, u8)],
    pub derive: Derive,
}

impl Block {
    pub(crate) fn field(&self, name: &str) -> Option<usize> {
        self.fields.iter().position(|field| field.name == name)
    }

    /// Returns the octets of a block without settings.
    pub(crate) fn template_octets(&self) -> Vec<u8> {
        let mut octets = vec![0; self.bytes];
        for (at, value) in self.template {
            octets[*at] = *value;
        }
        octets
    }
}

/// A value for a field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Value {
    Number(u64),
    /// The octets of a track, a record or an extent, or a tail.
    Octets(Vec<u8>),
    Address(AddressText),
    Block(Vec<Setting>),
}

/// Target of a setting.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Target {
    /// The field of this number.
    Field(usize),
    /// One byte, whatever lies there.
    Byte(usize),
}

/// Setting of a field or byte of a block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Setting {
    pub target: Target,
    pub value: Value,
    pub span: Range<usize>,
}
