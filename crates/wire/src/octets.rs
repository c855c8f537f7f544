//! Reading octets from front to back without a panic.

use crate::error::ParseError;

/// Octets not yet read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Octets<'a> {
    rest: &'a [u8],
    /// Octets of the whole, for what is said about one that is too short.
    whole: usize,
}

impl<'a> Octets<'a> {
    pub(crate) const fn new(octets: &'a [u8]) -> Self {
        Self { rest: octets, whole: octets.len() }
    }

    /// Returns the next `count` octets.
    pub(crate) fn take(&mut self, count: usize) -> Result<&'a [u8], ParseError> {
        let read = self.whole - self.rest.len();
        let short = ParseError::Length { expected: read.saturating_add(count), got: self.whole };
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(short)?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const N: usize>(&mut self) -> Result<[u8; N], ParseError> {
        let taken = self.take(N)?;
        Ok(std::array::from_fn(|index| taken[index]))
    }

    pub(crate) fn byte(&mut self) -> Result<u8, ParseError> {
        self.array::<1>().map(|octet| octet[0])
    }

    pub(crate) fn half(&mut self) -> Result<u16, ParseError> {
        self.array().map(u16::from_be_bytes)
    }

    pub(crate) fn word(&mut self) -> Result<u32, ParseError> {
        self.array().map(u32::from_be_bytes)
    }

    pub(crate) fn double(&mut self) -> Result<u64, ParseError> {
        self.array().map(u64::from_be_bytes)
    }

    /// Returns an address behind a reserved octet.
    pub(crate) fn address(&mut self) -> Result<u32, ParseError> {
        self.word().map(|word| word & 0x00FF_FFFF)
    }

    /// Returns all that is left.
    pub(crate) fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// Nothing may be left.
    pub(crate) fn end(&self) -> Result<(), ParseError> {
        let expected = self.whole - self.rest.len();
        if self.rest.is_empty() { Ok(()) } else { Err(ParseError::Length { expected, got: self.whole }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_too_short_or_too_long_is_said() {
        let mut octets = Octets::new(&[1, 2, 3, 4, 5]);
        assert_eq!(octets.half(), Ok(0x0102));
        assert_eq!(octets.word(), Err(ParseError::Length { expected: 6, got: 5 }));
        assert_eq!(octets.end(), Err(ParseError::Length { expected: 2, got: 5 }));
        assert_eq!(octets.array(), Ok([3, 4, 5]));
        assert_eq!(octets.end(), Ok(()));
    }
}
