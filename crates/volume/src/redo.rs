//! Changes of one transaction in the files of a volume: octets at offsets. Applying it twice is applying it once, so
//! it can be applied again after a crash from whatever state the files are in.

use crate::layout::LayoutError;
use crate::medium::Medium;

/// One run of octets of a transaction.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece<'a> {
    /// Number of the file among the files of the volume.
    pub file: u16,
    /// Offset in the file, bytes.
    pub offset: u64,
    /// The octets.
    pub octets: &'a [u8],
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Span {
    file: u16,
    offset: u64,
    end: usize,
}

/// The pieces of a transaction, in the order in which they are applied. The storage is kept when it is cleared.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RedoRecord {
    spans: Vec<Span>,
    octets: Vec<u8>,
}

impl RedoRecord {
    /// Makes an empty transaction.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a piece.
    pub fn push(&mut self, file: u16, offset: u64, octets: &[u8]) {
        self.octets.extend_from_slice(octets);
        self.spans.push(Span { file, offset, end: self.octets.len() });
    }

    /// Returns the pieces, in order.
    pub fn pieces(&self) -> impl Iterator<Item = Piece<'_>> {
        let mut begin = 0;
        self.spans.iter().map(move |span| {
            let octets = &self.octets[begin..span.end];
            begin = span.end;
            Piece { file: span.file, offset: span.offset, octets }
        })
    }

    /// Returns whether there is no piece.
    pub fn is_empty(&self) -> bool {
        self.spans.is_empty()
    }

    /// Returns the octets of all pieces.
    pub fn octets(&self) -> usize {
        self.octets.len()
    }

    /// Forgets the pieces.
    pub fn clear(&mut self) {
        self.spans.clear();
        self.octets.clear();
    }
}

/// Writes the pieces into the files.
///
/// # Errors
/// A file cannot be written, or there is none of a number.
pub(crate) fn apply<M: Medium>(redo: &RedoRecord, files: &mut [M]) -> Result<(), LayoutError> {
    for piece in redo.pieces() {
        let file = files.get_mut(usize::from(piece.file));
        let file =
            file.ok_or_else(|| LayoutError::Corrupt(format!("the volume has no file {}", piece.file)))?;
        file.write_at(piece.offset, piece.octets)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_come_in_the_order_in_which_they_were_added() {
        let mut redo = RedoRecord::new();
        redo.push(0, 512, &[1, 2]);
        redo.push(1, 0, &[3]);
        let pieces: Vec<_> =
            redo.pieces().map(|piece| (piece.file, piece.offset, piece.octets.to_vec())).collect();
        assert_eq!(pieces, [(0, 512, vec![1, 2]), (1, 0, vec![3])]);
        assert_eq!(redo.octets(), 3);
        redo.clear();
        assert!(redo.is_empty());
        assert_eq!(redo.pieces().count(), 0);
    }
}
