//! Guest storage, one byte at a time.

/// Bytes of a block that has one storage key.
pub const BLOCK_BYTES: usize = 4096;

/// Why an access failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Check {
    /// Program check.
    Program,
    /// Protection check.
    Protection,
    /// Channel-control check: a choice where a program fetches more CCWs than one start may.
    Control,
}

impl Check {
    /// Returns its bit of the subchannel status.
    pub fn bit(self) -> u8 {
        match self {
            Self::Program => 0x20,
            Self::Protection => 0x10,
            Self::Control => 0x04,
        }
    }
}

/// Storage with keys. A byte may be unknown: something was stored whose value the model does not claim (the bytes of
/// a device's self-description). Fetching such a byte makes the whole run uncertain.
#[derive(Clone)]
pub struct Memory {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// One key byte a block: access key in the high four bits, fetch protection 0x08.
    pub keys: Vec<u8>,
    /// Which bytes are unknown.
    pub unknown: Vec<bool>,
    /// An unknown byte was fetched.
    pub uncertain: bool,
}

impl Memory {
    /// Returns the storage of these bytes and keys.
    pub fn new(bytes: Vec<u8>, keys: Vec<u8>) -> Self {
        let unknown = vec![false; bytes.len()];
        Self { bytes, keys, unknown, uncertain: false }
    }

    fn place(&self, address: u64) -> Result<usize, Check> {
        if address < self.bytes.len() as u64 { Ok(address as usize) } else { Err(Check::Program) }
    }

    /// Fetches one byte with an access key, 0-15.
    pub fn fetch(&mut self, address: u64, key: u8) -> Result<u8, Check> {
        let place = self.place(address)?;
        let block = self.keys[place / BLOCK_BYTES];
        if key != 0 && block & 0x08 != 0 && block >> 4 != key {
            return Err(Check::Protection);
        }
        self.uncertain |= self.unknown[place];
        Ok(self.bytes[place])
    }

    /// Stores one byte, or an unknown one.
    pub fn store(&mut self, address: u64, key: u8, byte: Option<u8>) -> Result<(), Check> {
        let place = self.place(address)?;
        let block = self.keys[place / BLOCK_BYTES];
        if key != 0 && block >> 4 != key {
            return Err(Check::Protection);
        }
        self.unknown[place] = byte.is_none();
        self.bytes[place] = byte.unwrap_or(0);
        Ok(())
    }

    /// Fetches a field of `N` bytes.
    pub fn field<const N: usize>(&mut self, address: u64, key: u8) -> Result<[u8; N], Check> {
        let mut field = [0; N];
        for (offset, byte) in (0u64..).zip(field.iter_mut()) {
            *byte = self.fetch(address.wrapping_add(offset), key)?;
        }
        Ok(field)
    }
}

/// Returns a big-endian number.
pub fn number(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0, |number, &byte| number << 8 | u64::from(byte))
}
