//! A file in memory: for tests, benches and volumes that are not kept.

use std::io;

use crate::medium::Medium;

/// Most bytes of a file in memory, unless another limit is given.
const LIMIT_BYTES: u64 = 1 << 32;

/// A file in memory. It refuses to grow beyond its limit, so that no image makes it allocate without bound.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MemoryMedium {
    bytes: Vec<u8>,
    limit_bytes: u64,
}

impl Default for MemoryMedium {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl MemoryMedium {
    /// Creates a file with these bytes, which may grow to 4 GiB.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self::with_limit(bytes, LIMIT_BYTES)
    }

    /// Creates a file with these bytes, which may grow to `limit_bytes`.
    pub fn with_limit(bytes: Vec<u8>, limit_bytes: u64) -> Self {
        Self { bytes, limit_bytes }
    }

    /// Returns the bytes of the file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Returns the bytes of a file that is given up.
    pub fn into_bytes(self) -> Vec<u8> {
        self.bytes
    }

    fn resize(&mut self, bytes: u64) -> io::Result<()> {
        if bytes > self.limit_bytes {
            return Err(io::Error::new(io::ErrorKind::StorageFull, "the file in memory is at its limit"));
        }
        if self.bytes.is_empty() {
            // Zeros that the operating system gives on use: a large file costs what is written of it.
            self.bytes = vec![0; bytes as usize];
        } else {
            self.bytes.resize(bytes as usize, 0);
        }
        Ok(())
    }
}

impl Medium for MemoryMedium {
    fn len(&self) -> io::Result<u64> {
        Ok(self.bytes.len() as u64)
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let from = usize::try_from(offset).unwrap_or(usize::MAX);
        let octets = from.checked_add(into.len()).and_then(|end| self.bytes.get(from..end));
        into.copy_from_slice(octets.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let end = offset.checked_add(bytes.len() as u64).ok_or(io::ErrorKind::StorageFull)?;
        if end > self.bytes.len() as u64 {
            self.resize(end)?;
        }
        self.bytes[offset as usize..end as usize].copy_from_slice(bytes);
        Ok(())
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        self.resize(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }

    fn mapped(&self) -> Option<&[u8]> {
        Some(&self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_grows_with_zeros_between_and_up_to_its_limit() {
        let mut medium = MemoryMedium::with_limit(vec![1], 8);
        medium.write_at(3, &[4, 5]).unwrap();
        assert_eq!(medium.bytes(), [1, 0, 0, 4, 5]);
        let mut two = [0; 2];
        medium.read_at(3, &mut two).unwrap();
        assert_eq!(two, [4, 5]);
        assert_eq!(medium.read_at(4, &mut two).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(medium.read_at(u64::MAX, &mut two).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        assert_eq!(medium.write_at(7, &[1, 2]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        assert_eq!(medium.write_at(u64::MAX, &[1]).unwrap_err().kind(), io::ErrorKind::StorageFull);
        medium.set_len(2).unwrap();
        assert_eq!(medium.len().unwrap(), 2);
    }
}
