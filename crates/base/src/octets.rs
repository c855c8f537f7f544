//! Octets read from front to back, big-endian, without a panic.

use thiserror::Error;

/// Fewer or more octets than a format has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{got} octets where the format has {expected}")]
pub struct LengthError {
    /// Number of octets that the format or its counts require.
    pub expected: usize,
    /// Octets present.
    pub got: usize,
}

/// Octets not yet read.
#[derive(Debug, Clone, Copy)]
pub struct Octets<'a> {
    rest: &'a [u8],
    /// Octets of the whole, for the error about one that is too short.
    whole: usize,
}

impl<'a> Octets<'a> {
    /// Makes a reader at the first octet.
    pub const fn new(octets: &'a [u8]) -> Self {
        Self { rest: octets, whole: octets.len() }
    }

    /// Takes the next `count` octets.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8], LengthError> {
        let read = self.whole - self.rest.len();
        let short = LengthError { expected: read.saturating_add(count), got: self.whole };
        let (taken, rest) = self.rest.split_at_checked(count).ok_or(short)?;
        self.rest = rest;
        Ok(taken)
    }

    /// Takes the next `N` octets.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn array<const N: usize>(&mut self) -> Result<[u8; N], LengthError> {
        let taken = self.take(N)?;
        Ok(std::array::from_fn(|index| taken[index]))
    }

    /// Takes an octet.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn byte(&mut self) -> Result<u8, LengthError> {
        self.array::<1>().map(|octet| octet[0])
    }

    /// Takes 16 bits.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn half(&mut self) -> Result<u16, LengthError> {
        self.array().map(u16::from_be_bytes)
    }

    /// Takes 32 bits.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn word(&mut self) -> Result<u32, LengthError> {
        self.array().map(u32::from_be_bytes)
    }

    /// Takes 64 bits.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn double(&mut self) -> Result<u64, LengthError> {
        self.array().map(u64::from_be_bytes)
    }

    /// Takes an address of 24 bits behind a reserved octet.
    ///
    /// # Errors
    /// Fewer are left.
    pub fn address(&mut self) -> Result<u32, LengthError> {
        self.word().map(|word| word & 0x00FF_FFFF)
    }

    /// Takes all that is left.
    pub fn take_rest(&mut self) -> &'a [u8] {
        std::mem::take(&mut self.rest)
    }

    /// Makes sure that nothing is left.
    ///
    /// # Errors
    /// Something is.
    pub fn end(&self) -> Result<(), LengthError> {
        let expected = self.whole - self.rest.len();
        if self.rest.is_empty() { Ok(()) } else { Err(LengthError { expected, got: self.whole }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_and_too_many_are_errors() {
        let mut octets = Octets::new(&[1, 2, 3, 4, 5]);
        assert_eq!(octets.half(), Ok(0x0102));
        assert_eq!(octets.word(), Err(LengthError { expected: 6, got: 5 }));
        assert_eq!(octets.end(), Err(LengthError { expected: 2, got: 5 }));
        assert_eq!(octets.array(), Ok([3, 4, 5]));
        assert_eq!(octets.end(), Ok(()));
    }
}
