//! Octets of an element that lie together.

use super::position::Position;

/// Octets of an element, or of the ring from which they are written: both have the same size and offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct ElementSpan {
    /// First octet.
    pub offset: u32,
    /// Number of octets.
    pub length_bytes: u32,
}

/// Returns where the octets from a place on lie: up to the end of the element, and from its start. Either may be empty.
///
/// At most the octets of the element are meant.
pub const fn spans(from: Position, length_bytes: u32, element_bytes: u32) -> [ElementSpan; 2] {
    let offset = (from.0 % element_bytes as u64) as u32;
    let to_end = element_bytes - offset;
    let first = if length_bytes < to_end { length_bytes } else { to_end };
    [
        ElementSpan { offset, length_bytes: first },
        ElementSpan { offset: 0, length_bytes: length_bytes - first },
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn octets_across_the_end_lie_in_two_spans() {
        let span = |offset, length_bytes| ElementSpan { offset, length_bytes };
        assert_eq!(spans(Position(16_380), 4, 16_384), [span(16_380, 4), span(0, 0)]);
        assert_eq!(spans(Position(16_380), 5, 16_384), [span(16_380, 4), span(0, 1)]);
        assert_eq!(spans(Position(3 * 16_384), 16_384, 16_384), [span(0, 16_384), span(0, 0)]);
    }
}
