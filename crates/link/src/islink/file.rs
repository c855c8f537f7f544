//! Files as sources and destinations of streams.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use halftrack_base::SharedOctets;

use super::part_file::{complete, part_of};
use super::stream::{Sink, SinkError, Source};

/// Octets of a file, which has them all at the beginning.
#[derive(Debug)]
pub struct FileSource {
    file: File,
    at: u64,
    bytes: u64,
}

impl FileSource {
    /// Opens a file.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let bytes = file.metadata()?.len();
        Ok(Self { file, at: 0, bytes })
    }
}

impl Source for FileSource {
    fn seek(&mut self, offset: u64) -> io::Result<()> {
        if offset > self.bytes {
            return Err(io::Error::new(
                io::ErrorKind::UnexpectedEof,
                "the file has fewer octets than the other system",
            ));
        }
        if offset != self.at {
            self.file.seek(SeekFrom::Start(offset))?;
            self.at = offset;
        }
        Ok(())
    }

    fn take(&mut self, most_bytes: usize) -> io::Result<SharedOctets> {
        let length = (self.bytes - self.at).min(most_bytes as u64);
        let mut octets = vec![0; length as usize];
        self.file.read_exact(&mut octets)?;
        self.at += length;
        Ok(octets.into())
    }

    fn len_bytes(&self) -> Option<u64> {
        Some(self.bytes)
    }
}

/// A file that is made of a stream. Until it is whole it has another name, under which a later start of the system goes on.
#[derive(Debug)]
pub struct FileSink {
    path: PathBuf,
    /// None when the file is whole.
    file: Option<File>,
    taken: u64,
}

impl FileSink {
    /// Opens what there is of a file, or begins it.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn open(path: &Path) -> io::Result<Self> {
        let mut file = OpenOptions::new().write(true).create(true).truncate(false).open(part_of(path))?;
        let taken = file.seek(SeekFrom::End(0))?;
        Ok(Self { path: path.to_owned(), file: Some(file), taken })
    }
}

impl Sink for FileSink {
    fn put(&mut self, offset: u64, octets: &[u8]) -> Result<(), SinkError> {
        let Some(file) = self.file.as_mut().filter(|_| offset == self.taken) else {
            return Err(SinkError::Place { expected: self.taken, found: offset });
        };
        file.write_all(octets)?;
        self.taken += octets.len() as u64;
        Ok(())
    }

    fn taken_bytes(&self) -> u64 {
        self.taken
    }

    fn end_at(&mut self, length_bytes: u64) -> Result<bool, SinkError> {
        if self.taken < length_bytes {
            return Ok(false);
        }
        if let Some(file) = self.file.take() {
            complete(&file, &self.path)?;
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_goes_on_where_it_ended_and_has_its_name_when_it_is_whole() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("copy.img");
        let mut sink = FileSink::open(&path).unwrap();
        sink.put(0, b"abc").unwrap();
        assert!(matches!(sink.put(4, b"d"), Err(SinkError::Place { expected: 3, found: 4 })));
        assert!(!sink.end_at(5).unwrap() && !path.exists());
        drop(sink);
        let mut sink = FileSink::open(&path).unwrap();
        assert_eq!(sink.taken_bytes(), 3);
        sink.put(3, b"de").unwrap();
        assert!(sink.end_at(5).unwrap() && sink.end_at(5).unwrap());
        assert_eq!(std::fs::read(&path).unwrap(), b"abcde");
        let mut source = FileSource::open(&path).unwrap();
        source.seek(3).unwrap();
        assert_eq!(source.take(100).unwrap()[..], *b"de");
        source.seek(0).unwrap();
        assert_eq!(source.take(2).unwrap()[..], *b"ab");
        assert!(source.seek(6).is_err());
    }
}
