//! Shared keys of links, and their files.

use std::fmt;
use std::fs;
use std::io::{self, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use ring::hmac;
use thiserror::Error;

/// Fewest octets of a key: those of a SHA-256 digest (RFC 2104, section 3).
pub const KEY_MIN_BYTES: usize = 32;
/// Most octets of a key file. Our choice: a larger file is not meant to be a key.
const FILE_MAX_BYTES: u64 = 4096;
/// Permission bits of those who are not the owner.
const OTHERS: u32 = 0o077;

/// A key that two ends of a link share.
#[derive(Clone)]
pub struct LinkKey(hmac::Key);

impl fmt::Debug for LinkKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("LinkKey")
    }
}

/// Why a file has no key.
#[derive(Debug, Error)]
pub enum KeyFault {
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Read(#[from] io::Error),
    /// Too few octets.
    #[error("a key of {0} octets: at least 32 are needed, raw or as 64 hexadecimal digits")]
    Short(usize),
    /// Too many.
    #[error("more than {FILE_MAX_BYTES} octets")]
    Long,
}

impl LinkKey {
    /// Returns a key from the contents of its file: hexadecimal digits, or any other octets as they are.
    ///
    /// # Errors
    /// Too few octets.
    pub fn parse(contents: &[u8]) -> Result<Self, KeyFault> {
        let digits = contents.trim_ascii();
        let is_hex = !digits.is_empty() && digits.iter().all(u8::is_ascii_hexdigit);
        let octets = if is_hex { from_hex(digits) } else { contents.to_vec() };
        if octets.len() < KEY_MIN_BYTES {
            return Err(KeyFault::Short(octets.len()));
        }
        Ok(Self(hmac::Key::new(hmac::HMAC_SHA256, &octets)))
    }

    /// Reads a key from its file.
    ///
    /// # Errors
    /// Why it has none.
    pub fn read(path: &Path) -> Result<Self, KeyFault> {
        let mut contents = Vec::new();
        fs::File::open(path)?.take(FILE_MAX_BYTES + 1).read_to_end(&mut contents)?;
        if contents.len() as u64 > FILE_MAX_BYTES {
            return Err(KeyFault::Long);
        }
        Self::parse(&contents)
    }

    /// Returns HMAC-SHA-256 over the parts, one behind the other.
    pub(super) fn sign(&self, parts: &[&[u8]]) -> [u8; 32] {
        let mut context = hmac::Context::with_key(&self.0);
        parts.iter().for_each(|part| context.update(part));
        let mut proof = [0; 32];
        proof.copy_from_slice(context.sign().as_ref());
        proof
    }

    /// Returns whether `proof` is HMAC-SHA-256 over the parts; the time that it takes is that of any other proof.
    pub(super) fn has_signed(&self, parts: &[&[u8]], proof: &[u8]) -> bool {
        hmac::verify(&self.0, &parts.concat(), proof).is_ok()
    }
}

/// Returns whether others than its owner may read the file.
#[must_use]
pub fn is_open_to_others(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.permissions().mode() & OTHERS != 0)
}

/// Returns the octets of hexadecimal digits; a last one alone counts for nothing.
fn from_hex(digits: &[u8]) -> Vec<u8> {
    let value = |digit: u8| char::from(digit).to_digit(16).unwrap_or_default() as u8;
    digits.chunks_exact(2).map(|pair| value(pair[0]) << 4 | value(pair[1])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_32_octets_raw_or_in_hexadecimal_digits() {
        let hex = [b"00ffA5".repeat(11), b"\n".to_vec()].concat();
        let raw: Vec<u8> = [0x00, 0xFF, 0xA5].repeat(11);
        let (hex, raw) = (LinkKey::parse(&hex).unwrap(), LinkKey::parse(&raw).unwrap());
        assert_eq!(hex.sign(&[b"one", b"two"]), raw.sign(&[b"onetwo"]));
        for short in [&b""[..], &[7; 31], &b"a".repeat(63)] {
            assert!(matches!(LinkKey::parse(short), Err(KeyFault::Short(0..=31))));
        }
        assert!(raw.has_signed(&[b"on", b"e"], &hex.sign(&[b"one"])) && !raw.has_signed(&[b"one"], &[0; 32]));
    }
}
