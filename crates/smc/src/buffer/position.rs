//! Place in a stream of octets, and its cursor in an element.

use thiserror::Error;

use crate::message::Cursor;

/// Octets of a stream before a place.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(pub u64);

/// Cursor that no place in the element has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("cursor {:04X}:{:08X} lies outside the element or beyond its window", .0.wrap, .0.count)]
pub struct CursorError(pub Cursor);

impl Position {
    /// Returns the cursor in an element of this size, a power of two.
    pub const fn cursor(self, element_bytes: u32) -> Cursor {
        let size = element_bytes as u64;
        Cursor { wrap: (self.0 / size) as u16, count: (self.0 % size) as u32 }
    }

    /// Returns the place of a cursor that has moved on from here by at most the element.
    ///
    /// Returns `None` where the cursor is older than this place, by less than half of the wrap numbers.
    ///
    /// # Errors
    /// The count lies outside the element, or the cursor is ahead by more than the element.
    pub const fn advanced_to(self, cursor: Cursor, element_bytes: u32) -> Result<Option<Self>, CursorError> {
        if cursor.count >= element_bytes {
            return Err(CursorError(cursor));
        }
        let here = self.cursor(element_bytes);
        let wraps = cursor.wrap.wrapping_sub(here.wrap) as i16;
        let ahead = wraps as i64 * element_bytes as i64 + cursor.count as i64 - here.count as i64;
        if ahead < 0 {
            Ok(None)
        } else if ahead > element_bytes as i64 {
            Err(CursorError(cursor))
        } else {
            Ok(Some(Self(self.0 + ahead as u64)))
        }
    }

    /// Returns the octets from an earlier place to this one; 0 where that is later.
    pub const fn since(self, earlier: Self) -> u64 {
        self.0.saturating_sub(earlier.0)
    }

    /// Returns the place `bytes` later.
    #[must_use]
    pub const fn plus(self, bytes: u64) -> Self {
        Self(self.0 + bytes)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SIZE: u32 = 16 * 1024;

    #[test]
    fn cursors_wrap_at_the_end_of_the_element_and_of_16_bits() {
        let size = u64::from(SIZE);
        assert_eq!(Position(size - 1).cursor(SIZE), Cursor { wrap: 0, count: SIZE - 1 });
        assert_eq!(Position(size).cursor(SIZE), Cursor { wrap: 1, count: 0 });
        let last = Position(size * 0x1_0000 - 1);
        assert_eq!(last.cursor(SIZE), Cursor { wrap: 0xFFFF, count: SIZE - 1 });
        assert_eq!(last.advanced_to(Cursor { wrap: 0, count: 0 }, SIZE), Ok(Some(last.plus(1))));
    }

    #[test]
    fn cursors_outside_the_element_are_refused() {
        let outside = Cursor { wrap: 0, count: SIZE };
        assert_eq!(Position(0).advanced_to(outside, SIZE), Err(CursorError(outside)));
        let beyond = Cursor { wrap: 1, count: 6 };
        assert_eq!(Position(5).advanced_to(beyond, SIZE), Err(CursorError(beyond)));
    }

    proptest! {
        #[test]
        fn a_cursor_is_found_again_from_each_earlier_place(at in 0..1_u64 << 40, ahead in -40_000_i64..40_000) {
            let (here, size) = (Position(at + 40_000), i64::from(SIZE));
            let there = Position(here.0.checked_add_signed(ahead).unwrap());
            let expected = match ahead {
                ..0 => Ok(None),
                _ if ahead <= size => Ok(Some(there)),
                _ => Err(CursorError(there.cursor(SIZE))),
            };
            prop_assert_eq!(here.advanced_to(there.cursor(SIZE), SIZE), expected);
        }
    }
}
