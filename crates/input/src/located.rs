//! A value with the place where it stands.

use std::ops::Range;

/// A value and the bytes of the source file that give it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// Byte range in the text of the file.
    pub span: Range<usize>,
}

impl<T> Located<T> {
    /// Creates a value that stands at `span`.
    pub fn new(value: T, span: Range<usize>) -> Self {
        Self { value, span }
    }
}
