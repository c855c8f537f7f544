//! A file of the operating system: mapped for reads, written by calls, locked against other writers.
//!
//! A read of a mapped page that has no storage behind it ends the process. So a file is not mapped where reading a
//! hole takes storage, and before every use of the map its length is checked: a file that another program cuts is an
//! error of the read.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use memmap2::Mmap;
use rustix::fs::{SeekFrom, fstatfs, seek};

use crate::disk::Disk;
use crate::file_barrier::FileBarrier;
use crate::medium::Medium;
use crate::overlay::Overlay;

/// A file that has grown is mapped anew when this many bytes, or an eighth of it, lie outside the map.
const UNMAPPED_BYTES: u64 = 1 << 20;

/// File systems that keep files in memory: a hole takes storage when a mapped page of it is read (`statfs(2)`).
const TMPFS_MAGIC: u64 = 0x0102_1994;
/// Magic number of files in huge pages.
const HUGETLBFS_MAGIC: u64 = 0x9584_58F6;

/// A file of the operating system.
///
/// A file opened for reading only is never written: writes to it are kept in memory and seen by its reads, so
/// that a journal can be replayed without touching the disk.
#[derive(Debug)]
pub struct FileMedium {
    file: File,
    path: PathBuf,
    map: Option<Mmap>,
    length: u64,
    overlay: Option<Overlay>,
    remove_when_empty: bool,
    /// Disk between the file and the operating system.
    disk: Option<Arc<dyn Disk>>,
}

impl FileMedium {
    /// Opens a file for reading; other readers may have it open as well.
    ///
    /// # Errors
    /// Errors of the operating system; [`io::ErrorKind::WouldBlock`] while another process has it open for writing.
    pub fn open_read_only(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        file.try_lock_shared().map_err(in_use)?;
        let mut medium = Self::of(file, path)?;
        medium.overlay = Some(Overlay::new(medium.length));
        Ok(medium)
    }

    /// Opens a file for reading and writing, alone.
    ///
    /// # Errors
    /// Errors of the operating system; [`io::ErrorKind::WouldBlock`] while another process has it open.
    pub fn open(path: &Path) -> io::Result<Self> {
        Self::open_alone(path, OpenOptions::new().read(true).write(true))
    }

    /// Makes a file that is not there yet, for reading and writing, alone.
    ///
    /// # Errors
    /// Errors of the operating system; [`io::ErrorKind::AlreadyExists`].
    pub fn create_new(path: &Path) -> io::Result<Self> {
        Self::open_alone(path, OpenOptions::new().read(true).write(true).create_new(true))
    }

    /// Opens or makes a file that is removed when it is given up without a byte: a journal.
    ///
    /// # Errors
    /// As [`FileMedium::open`].
    pub fn open_or_create(path: &Path) -> io::Result<Self> {
        let mut medium =
            Self::open_alone(path, OpenOptions::new().read(true).write(true).create(true).truncate(false))?;
        medium.remove_when_empty = true;
        Ok(medium)
    }

    fn open_alone(path: &Path, options: &OpenOptions) -> io::Result<Self> {
        let file = options.open(path)?;
        file.try_lock().map_err(in_use)?;
        Self::of(file, path)
    }

    fn of(file: File, path: &Path) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let map = map(&file, length)?;
        Ok(Self {
            file,
            path: path.to_owned(),
            map,
            length,
            overlay: None,
            remove_when_empty: false,
            disk: None,
        })
    }

    /// Returns the barrier of everything written so far, in the place of [`Medium::sync`].
    ///
    /// # Errors
    /// Errors of the operating system; `Unsupported` on a disk that admits each change, which [`Medium::sync`] alone has.
    pub fn barrier(&self) -> io::Result<FileBarrier> {
        if self.disk.is_some() {
            return Err(io::ErrorKind::Unsupported.into());
        }
        self.file.try_clone().map(FileBarrier)
    }

    /// Returns where the file is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts the file on a disk that admits each change from now on.
    pub fn set_disk(&mut self, disk: &Arc<dyn Disk>) {
        self.disk = Some(Arc::clone(disk));
    }

    /// Reads the file; zeros behind its end.
    fn read_below(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let there = (self.length.saturating_sub(offset).min(into.len() as u64)) as usize;
        let (there, behind) = into.split_at_mut(there);
        behind.fill(0);
        self.read_file(offset, there)
    }

    fn read_file(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        let read = self.file.read_exact_at(into, offset);
        match read {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !self.is_whole() => {
                let bytes = self.file.metadata()?.len();
                let reason =
                    format!("the file was cut to {bytes} bytes by another program; it had {}", self.length);
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, reason))
            }
            read => read,
        }
    }

    /// Returns whether the file has still the length that it had here last.
    #[inline]
    fn is_whole(&self) -> bool {
        // The cheapest of the calls that return it; nothing here uses the place in the file.
        seek(&self.file, SeekFrom::End(0)).is_ok_and(|bytes| bytes >= self.length)
    }

    /// Returns whether the file is still the one of its name: somebody may have moved it, and put another there.
    fn is_at_its_path(&self) -> bool {
        let identity = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
        let there = fs::metadata(&self.path).map(identity);
        there.is_ok_and(|there| self.file.metadata().is_ok_and(|own| identity(own) == there))
    }

    /// Runs `change` with the overlay, if writes go there.
    fn over(&mut self, change: impl FnOnce(&mut Overlay, &Self) -> io::Result<()>) -> Option<io::Result<()>> {
        let mut overlay = self.overlay.take()?;
        let result = change(&mut overlay, self);
        self.overlay = Some(overlay);
        Some(result)
    }
}

/// Maps a file; an empty one has no map, nor one of which a read could need storage.
#[allow(unsafe_code)]
fn map(file: &File, length: u64) -> io::Result<Option<Mmap>> {
    if length == 0 || takes_storage_when_read(file, length)? {
        return Ok(None);
    }
    // SAFETY: the map is read as plain octets only. This process writes the file through `FileMedium`, whose writes
    // need it mutably while every slice of the map borrows it; other processes are kept away by the lock that every
    // opening takes. A program that ignores the lock and cuts the file is caught by the check of the length before
    // each use of the map; a cut between the check and the use ends the process.
    unsafe { Mmap::map(file) }.map(Some)
}

/// Returns whether the file has holes on a file system that fills them when a map of them is read. A full file system
/// ends the process.
fn takes_storage_when_read(file: &File, length: u64) -> io::Result<bool> {
    let kind = fstatfs(file)?.f_type as u64;
    if kind != TMPFS_MAGIC && kind != HUGETLBFS_MAGIC {
        return Ok(false);
    }
    // Where a search for holes is impossible there may be some.
    Ok(seek(file, SeekFrom::Hole(0)).map_or(true, |hole| hole < length))
}

fn in_use(error: TryLockError) -> io::Error {
    match error {
        TryLockError::WouldBlock => io::ErrorKind::WouldBlock.into(),
        TryLockError::Error(error) => error,
    }
}

impl Medium for FileMedium {
    fn len(&self) -> io::Result<u64> {
        Ok(self.overlay.as_ref().map_or(self.length, Overlay::length))
    }

    fn read_at(&self, offset: u64, into: &mut [u8]) -> io::Result<()> {
        match &self.overlay {
            Some(overlay) if !overlay.is_empty() => {
                overlay.read(offset, into, |offset, into| self.read_below(offset, into))
            }
            _ => self.read_file(offset, into),
        }
    }

    fn write_at(&mut self, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let over = self
            .over(|overlay, this| overlay.write(offset, bytes, |offset, into| this.read_below(offset, into)));
        if let Some(result) = over {
            return result;
        }
        if let Some(disk) = &self.disk {
            disk.admit_write(self, offset, bytes)?;
        }
        self.file.write_all_at(bytes, offset)?;
        self.length = self.length.max(offset.saturating_add(bytes.len() as u64));
        let mapped = self.map.as_ref().map_or(0, |map| map.len() as u64);
        if self.length - mapped.min(self.length) > UNMAPPED_BYTES.max(mapped / 8) {
            self.map = map(&self.file, self.length)?;
        }
        Ok(())
    }

    fn set_len(&mut self, bytes: u64) -> io::Result<()> {
        let over = self.over(|overlay, _| {
            overlay.set_length(bytes);
            Ok(())
        });
        if let Some(result) = over {
            return result;
        }
        if let Some(disk) = &self.disk {
            disk.admit_length(self, bytes)?;
        }
        self.map = None;
        self.file.set_len(bytes)?;
        self.length = bytes;
        self.map = map(&self.file, self.length)?;
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        if self.overlay.is_some() {
            return Ok(());
        }
        if let Some(disk) = &self.disk {
            disk.admit_barrier(self)?;
        }
        self.file.sync_data()
    }

    fn salt(&self) -> io::Result<u64> {
        let metadata = self.file.metadata()?;
        let times = [metadata.ctime(), metadata.ctime_nsec(), metadata.mtime(), metadata.mtime_nsec()];
        let file = [metadata.dev(), metadata.ino()].into_iter();
        // FNV-1a by words; whoever needs it mixed does that.
        let words = file.chain(times.into_iter().map(i64::cast_unsigned));
        Ok(words.fold(0xCBF2_9CE4_8422_2325, |salt, word| (salt ^ word).wrapping_mul(0x0000_0100_0000_01B3)))
    }

    fn mapped(&self) -> Option<&[u8]> {
        self.map.as_deref().filter(|_| self.is_mapped() && self.is_whole())
    }

    #[inline]
    fn is_mapped(&self) -> bool {
        self.map.is_some() && self.overlay.as_ref().is_none_or(|overlay| overlay.is_empty())
    }
}

impl Drop for FileMedium {
    fn drop(&mut self) {
        if self.remove_when_empty && self.length == 0 && self.is_at_its_path() {
            // A file that stays is empty.
            let _ = fs::remove_file(&self.path);
        }
        // A process begun by another thread holds every open file until it has its own program; the lock must not
        // live as long. One that cannot be given up ends with the last of them.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_mapped_or_not() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let mut medium = FileMedium::create_new(&path).unwrap();
        assert_eq!(medium.mapped(), None);
        medium.write_at(10, &[1, 2, 3]).unwrap();
        assert_eq!(medium.len().unwrap(), 13);
        let mut octets = [0; 4];
        medium.read_at(9, &mut octets).unwrap();
        assert_eq!(octets, [0, 1, 2, 3]);
        assert_eq!(medium.read_at(10, &mut octets).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
        medium.write_at(2 * UNMAPPED_BYTES, &[9]).unwrap();
        assert_eq!(medium.mapped().unwrap()[12], 3);
        medium.write_at(12, &[4]).unwrap();
        assert_eq!(medium.mapped().unwrap()[12], 4);
        medium.set_len(12).unwrap();
        assert_eq!(medium.mapped().unwrap().len(), 12);
        medium.sync().unwrap();
    }

    #[test]
    fn a_writer_keeps_everybody_away_and_readers_keep_writers_away() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let writer = FileMedium::create_new(&path).unwrap();
        for second in [FileMedium::open(&path), FileMedium::open_read_only(&path)] {
            assert_eq!(second.unwrap_err().kind(), io::ErrorKind::WouldBlock);
        }
        drop(writer);
        let readers =
            [FileMedium::open_read_only(&path).unwrap(), FileMedium::open_read_only(&path).unwrap()];
        assert_eq!(FileMedium::open(&path).unwrap_err().kind(), io::ErrorKind::WouldBlock);
        drop(readers);
        FileMedium::open(&path).unwrap();
    }

    #[test]
    fn a_lock_does_not_outlive_its_medium() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        let medium = FileMedium::create_new(&path).unwrap();
        let held = medium.file.try_clone().unwrap();
        drop(medium);
        FileMedium::open(&path).unwrap();
        drop(held);
    }

    #[test]
    fn writes_to_a_file_for_reading_stay_in_memory() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        std::fs::write(&path, [5; 100]).unwrap();
        let mut medium = FileMedium::open_read_only(&path).unwrap();
        assert!(medium.mapped().is_some());
        medium.write_at(98, &[6; 4]).unwrap();
        medium.sync().unwrap();
        let mut octets = [0; 5];
        medium.read_at(97, &mut octets).unwrap();
        assert_eq!((octets, medium.len().unwrap(), medium.mapped()), ([5, 6, 6, 6, 6], 102, None));
        drop(medium);
        assert_eq!(std::fs::read(&path).unwrap(), [5; 100]);
    }

    #[test]
    fn a_file_that_is_cut_is_an_error_and_no_end_of_the_process() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("image");
        fs::write(&path, [5; 100_000]).unwrap();
        let medium = FileMedium::open_read_only(&path).unwrap();
        assert_eq!(medium.mapped().unwrap().len(), 100_000);
        OpenOptions::new().write(true).open(&path).unwrap().set_len(5000).unwrap();
        assert_eq!(medium.mapped(), None);
        let error = medium.read_at(80_000, &mut [0; 10]).unwrap_err();
        assert!(error.to_string().contains("cut to 5000 bytes"), "{error}");
        medium.read_at(4000, &mut [0; 10]).unwrap();
    }

    #[test]
    fn a_salt_is_that_of_one_file_at_one_time() {
        let directory = tempfile::tempdir().unwrap();
        let salts: Vec<_> = ["a", "b"]
            .iter()
            .map(|name| FileMedium::create_new(&directory.path().join(name)).unwrap().salt().unwrap())
            .collect();
        assert_ne!(salts[0], salts[1]);
    }

    #[test]
    fn a_journal_in_the_place_of_another_is_not_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let medium = FileMedium::open_or_create(&path).unwrap();
        fs::rename(&path, directory.path().join("moved")).unwrap();
        fs::write(&path, [1]).unwrap();
        drop(medium);
        assert!(path.exists());
    }

    #[test]
    fn an_empty_journal_is_removed() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let mut medium = FileMedium::open_or_create(&path).unwrap();
        medium.write_at(0, &[1]).unwrap();
        drop(medium);
        let mut medium = FileMedium::open_or_create(&path).unwrap();
        assert_eq!(medium.len().unwrap(), 1);
        medium.set_len(0).unwrap();
        drop(medium);
        assert!(!path.exists());
    }
}
