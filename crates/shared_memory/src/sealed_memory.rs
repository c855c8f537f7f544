//! Memory that two processes share, as words and octets that either may change at any time.
//!
//! Words are accessed by atomics, so that whatever the other process does they are some words. Octets are copied, and only used
//! from the copy. The memory is a file without a name that can be neither cut nor extended: no access meets a page that is gone.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU32, AtomicU64};

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};
use rustix::mm::{MapFlags, ProtFlags, mmap};

/// Octets of a word.
const WORD_BYTES: usize = size_of::<u64>();
/// Octets of a half word.
const HALF_WORD_BYTES: usize = size_of::<u32>();

/// Mapped memory, whole words.
#[derive(Debug)]
pub struct SealedMemory {
    map: MmapRaw,
    bytes: usize,
}

impl SealedMemory {
    /// Creates memory of zeros, and returns the file for other processes, too. `name` is what tools show.
    ///
    /// # Errors
    /// No memory, or no descriptor; a length of no octets, or of no whole words.
    pub fn create(name: &str, bytes: usize) -> io::Result<(Self, OwnedFd)> {
        let fd = memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        let file = File::from(fd);
        file.set_len(bytes as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok((Self::map(&file, bytes)?, file.into()))
    }

    /// Maps the memory in a file that another process has made.
    ///
    /// # Errors
    /// A file of another length, or one that could be cut.
    pub fn open(fd: OwnedFd, bytes: usize) -> io::Result<Self> {
        let seals = fcntl_get_seals(&fd)?;
        let file = File::from(fd);
        if file.metadata()?.len() != bytes as u64 || !seals.contains(SealFlags::SHRINK) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not the memory that was agreed on"));
        }
        Self::map(&file, bytes)
    }

    fn map(file: &File, bytes: usize) -> io::Result<Self> {
        if bytes == 0 || !bytes.is_multiple_of(WORD_BYTES) {
            return Err(io::ErrorKind::InvalidInput.into());
        }
        Ok(Self { map: MmapOptions::new().len(bytes).populate().map_raw(file)?, bytes })
    }

    /// Has other memory at the same place, with the same octets; returns its file. A process that has the old file does not reach
    /// this memory any more.
    ///
    /// # Errors
    /// No memory, or no descriptor. The memory is the old one then.
    #[allow(unsafe_code)]
    pub fn replace(&mut self, name: &str) -> io::Result<OwnedFd> {
        let (fresh, fd) = Self::create(name, self.bytes)?;
        let mut octets = vec![0; self.bytes];
        self.load(0, &mut octets);
        fresh.store(0, &octets);
        let place = self.map.as_mut_ptr().cast();
        let access = ProtFlags::READ | ProtFlags::WRITE;
        // SAFETY: the place is mapped, as long as the new mapping is, and this object's alone: `&mut self` shows that no
        // reference to its words is left. The old pages go in the same call, and `map` unmaps the new ones when it is dropped.
        unsafe { mmap(place, self.bytes, access, MapFlags::SHARED | MapFlags::FIXED, &fd, 0) }?;
        Ok(fd)
    }

    /// Returns the length, octets.
    #[must_use]
    #[inline]
    pub const fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns where the memory is in this process.
    #[must_use]
    #[inline]
    pub fn address(&self) -> usize {
        self.map.as_ptr() as usize
    }

    /// Returns the memory as words.
    #[must_use]
    #[allow(unsafe_code)]
    #[inline]
    pub fn words(&self) -> &[AtomicU64] {
        // SAFETY: the map lives as long as `self`, begins at a page, which aligns it for words, and has `bytes` octets, whole
        // words of them: `map` checks both. Its file is sealed against being cut, so that every page stays. This process
        // accesses the memory through these atomics and by the copies below alone; what another process writes meanwhile is
        // a change of a word, which atomics admit, and any bits are an `AtomicU64`.
        unsafe { slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU64>(), self.bytes / WORD_BYTES) }
    }

    /// Returns the memory as half words, on which threads can sleep. No word is accessed as halves and as a whole: which are
    /// which is agreed on.
    #[must_use]
    #[allow(unsafe_code)]
    #[inline]
    pub fn half_words(&self) -> &[AtomicU32] {
        // SAFETY: as in `words`; halves of words are aligned when words are.
        unsafe { slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU32>(), self.bytes / HALF_WORD_BYTES) }
    }

    /// Copies octets from `offset` on into `into`.
    ///
    /// # Panics
    /// When the memory ends before.
    #[allow(unsafe_code)]
    #[inline]
    pub fn load(&self, offset: usize, into: &mut [u8]) {
        assert!(offset <= self.bytes && into.len() <= self.bytes - offset, "octets are within the memory");
        // SAFETY: so many octets from `offset` on are mapped as long as `self` lives, which was just checked, and `into` is
        // nobody else's. This process has no reference to the octets themselves. They are copied once, and only used from
        // `into`: what another process writes meanwhile makes them other octets, nothing else. Atomic words would be copied
        // eight octets at a time.
        unsafe { ptr::copy_nonoverlapping(self.map.as_ptr().add(offset), into.as_mut_ptr(), into.len()) }
    }

    /// Copies `octets` to `offset` and behind.
    ///
    /// # Panics
    /// When the memory ends before.
    #[allow(unsafe_code)]
    #[inline]
    pub fn store(&self, offset: usize, octets: &[u8]) {
        assert!(offset <= self.bytes && octets.len() <= self.bytes - offset, "octets are within the memory");
        // SAFETY: as in `load`; the map is writable, and no reference of this process but those of atomics leads to it.
        unsafe { ptr::copy_nonoverlapping(octets.as_ptr(), self.map.as_mut_ptr().add(offset), octets.len()) }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;
    use std::sync::atomic::Ordering;

    use rustix::fs::ftruncate;

    use super::*;

    #[test]
    fn both_maps_show_one_memory() {
        let (near, fd) = SealedMemory::create("both", 4096).unwrap();
        let far = SealedMemory::open(fd, 4096).unwrap();
        near.store(4090, b"octets");
        near.words()[1].store(77, Ordering::Release);
        let mut octets = [0; 6];
        far.load(4090, &mut octets);
        assert_eq!((&octets, far.words()[1].load(Ordering::Acquire), far.bytes()), (b"octets", 77, 4096));
    }

    #[test]
    fn memory_that_could_be_cut_is_not_mapped() {
        let (_near, fd) = SealedMemory::create("sealed", 4096).unwrap();
        assert!(ftruncate(fd.as_fd(), 0).is_err(), "nobody cuts what another process uses");
        assert!(SealedMemory::open(fd.try_clone().unwrap(), 8192).is_err(), "another length");
        let open = memfd_create("open", MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&open, 4096).unwrap();
        assert!(SealedMemory::open(open, 4096).is_err(), "it is not sealed");
        assert!(SealedMemory::create("none", 0).is_err() && SealedMemory::create("odd", 12).is_err());
    }

    #[test]
    fn memory_that_was_replaced_is_the_same_here_and_another_elsewhere() {
        let (mut near, fd) = SealedMemory::create("replaced", 8192).unwrap();
        let far = SealedMemory::open(fd, 8192).unwrap();
        near.store(5000, b"octets");
        let (address, fd) = (near.address(), near.replace("fresh").unwrap());
        far.store(5000, b"strange");
        let mut octets = [0; 6];
        near.load(5000, &mut octets);
        assert_eq!((near.address(), &octets), (address, b"octets"));
        SealedMemory::open(fd, 8192).unwrap().store(5000, b"change");
        near.load(5000, &mut octets);
        assert_eq!(&octets, b"change");
    }

    #[test]
    #[should_panic(expected = "within the memory")]
    fn nothing_is_copied_from_behind_the_memory() {
        let (memory, _fd) = SealedMemory::create("short", 4096).unwrap();
        memory.load(4095, &mut [0; 2]);
    }
}
