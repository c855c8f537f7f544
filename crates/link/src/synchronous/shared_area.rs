//! Memory that two processes share, as words that either may change at any time.
//!
//! States and messages are accessed by atomics, so that whatever the other process does the words are some words. Data are
//! copied by whoever the state gives them to, and checked behind the copy. The memory is a file without a
//! name that can be neither cut nor extended: no access meets a page that is gone.

use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use halftrack_exchange::synchronous::SlotMemory;
use halftrack_wire::synchronous::{
    DATA_WORD, HEADER_WORDS, MESSAGE_WORDS, SLEEP_WORD, SLOT_WORDS, STATE_WORD, WORD_BYTES, area_words,
};
use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};

/// The memory of a link.
#[derive(Debug)]
pub struct SharedArea {
    map: MmapRaw,
    functions: u8,
}

impl SharedArea {
    /// Creates memory for so many functions, all of them free; returns the file for the other process, too.
    ///
    /// # Errors
    /// No memory, or no descriptor.
    pub fn create(functions: u8) -> io::Result<(Self, OwnedFd)> {
        let fd = memfd_create("zhyperlink", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        let file = File::from(fd);
        file.set_len(bytes(functions) as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        Ok((Self { map: map(&file, functions)?, functions }, file.into()))
    }

    /// Maps the memory in a file that another process has made.
    ///
    /// # Errors
    /// A file of another length, or one that could be cut.
    pub fn open(fd: OwnedFd, functions: u8) -> io::Result<Self> {
        let seals = fcntl_get_seals(&fd)?;
        let file = File::from(fd);
        let is_whole = file.metadata()?.len() == bytes(functions) as u64;
        if !is_whole || !seals.contains(SealFlags::SHRINK) {
            return Err(io::Error::new(io::ErrorKind::InvalidData, "not the memory of a link"));
        }
        Ok(Self { map: map(&file, functions)?, functions })
    }

    /// Returns the number of functions.
    #[must_use]
    pub fn functions(&self) -> u8 {
        self.functions
    }

    /// Returns the slot of a function, below their number.
    #[inline]
    pub fn slot(&self, function: u8) -> Slot<'_> {
        let from = HEADER_WORDS + usize::from(function) * SLOT_WORDS;
        Slot(&self.words()[from..from + SLOT_WORDS])
    }

    /// Notes that the control unit is about to sleep, or is awake. After the note that it sleeps it has to poll the slots once
    /// more.
    pub fn set_asleep(&self, asleep: bool) {
        self.words()[SLEEP_WORD].store(u64::from(asleep), Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Returns whether the control unit has to be woken for what was posted before this call.
    #[inline]
    pub fn is_asleep(&self) -> bool {
        // With the fence of `set_asleep`: either this end sees that the other one sleeps, or that one sees what was posted.
        fence(Ordering::SeqCst);
        self.words()[SLEEP_WORD].load(Ordering::Relaxed) != 0
    }

    #[allow(unsafe_code)]
    #[inline]
    fn words(&self) -> &[AtomicU64] {
        let words = area_words(self.functions);
        debug_assert_eq!(self.map.len(), words * WORD_BYTES);
        // SAFETY: the map lives as long as `self`, begins at a page, which aligns it for words, and has `words` of them:
        // `map` maps as many and fails otherwise. Its file is sealed against being cut, so that every page stays. This
        // process accesses the memory through these atomics alone; what another process writes meanwhile is a change of a
        // word, which atomics admit, and any bits are an `AtomicU64`.
        unsafe { slice::from_raw_parts(self.map.as_ptr().cast::<AtomicU64>(), words) }
    }
}

fn bytes(functions: u8) -> usize {
    area_words(functions) * WORD_BYTES
}

fn map(file: &File, functions: u8) -> io::Result<MmapRaw> {
    MmapOptions::new().len(bytes(functions)).populate().map_raw(file)
}

/// The slot of a function.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a>(&'a [AtomicU64]);

impl SlotMemory for Slot<'_> {
    #[inline]
    fn load_state(&self) -> u64 {
        self.0[STATE_WORD].load(Ordering::Acquire)
    }

    #[inline]
    fn store_state(&self, bits: u64) {
        self.0[STATE_WORD].store(bits, Ordering::Release);
    }

    #[inline]
    fn exchange_state(&self, from: u64, to: u64) -> bool {
        self.0[STATE_WORD].compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    #[inline]
    fn load_message(&self, first: usize) -> [u64; MESSAGE_WORDS] {
        std::array::from_fn(|at| self.0[first + at].load(Ordering::Relaxed))
    }

    #[inline]
    fn store_message(&self, first: usize, words: &[u64; MESSAGE_WORDS]) {
        for (word, value) in self.0[first..].iter().zip(words) {
            word.store(*value, Ordering::Relaxed);
        }
    }

    #[allow(unsafe_code)]
    #[inline]
    fn load_data(&self, into: &mut [u8]) {
        let words = &self.0[DATA_WORD..];
        let bytes = into.len().min(words.len() * WORD_BYTES);
        // SAFETY: `words` are at least as many octets of memory that stays mapped as long as they are borrowed, and `into` is
        // nobody else's. The octets are copied once, and only used from `into`. This process has no reference to them; the
        // state of the slot gives them to one end at a time, and what a process does that does not keep to it is a change of
        // octets, which the check word of the data finds. Atomic words would be copied eight octets at a time.
        unsafe { ptr::copy_nonoverlapping(words.as_ptr().cast::<u8>(), into.as_mut_ptr(), bytes) }
    }

    #[allow(unsafe_code)]
    #[inline]
    fn store_data(&self, data: &[u8]) {
        let words = &self.0[DATA_WORD..];
        let bytes = data.len().min(words.len() * WORD_BYTES);
        // SAFETY: as in `load_data`; atomics are memory that may be changed while it is borrowed.
        unsafe { ptr::copy_nonoverlapping(data.as_ptr(), words.as_ptr().cast::<u8>().cast_mut(), bytes) }
    }
}

#[cfg(test)]
mod tests {
    use std::os::fd::AsFd;

    use halftrack_wire::synchronous::{ANSWER_WORD, DATA_MAX, FUNCTIONS_MAX};
    use rustix::fs::ftruncate;

    use super::*;

    #[test]
    fn both_maps_show_one_memory_and_slots_are_apart() {
        let (near, fd) = SharedArea::create(FUNCTIONS_MAX).unwrap();
        let far = SharedArea::open(fd, FUNCTIONS_MAX).unwrap();
        let data: Vec<u8> = (0..DATA_MAX).map(|at| at as u8).collect();
        near.slot(63).store_data(&data);
        near.slot(63).store_message(ANSWER_WORD, &[1, 2, 3, 4, 5]);
        assert!(near.slot(63).exchange_state(0, 77) && !near.slot(63).exchange_state(0, 78));
        let mut seen = vec![0; DATA_MAX];
        far.slot(63).load_data(&mut seen);
        assert_eq!((seen == data, far.slot(63).load_state()), (true, 77));
        assert_eq!(far.slot(63).load_message(ANSWER_WORD), [1, 2, 3, 4, 5]);
        far.slot(62).load_data(&mut seen);
        assert_eq!((seen, far.slot(62).load_state()), (vec![0; DATA_MAX], 0));
        far.set_asleep(true);
        assert!(near.is_asleep());
    }

    #[test]
    fn memory_that_could_be_cut_is_not_mapped() {
        let (_area, fd) = SharedArea::create(2).unwrap();
        assert!(ftruncate(fd.as_fd(), 0).is_err(), "nobody cuts what another process uses");
        assert!(SharedArea::open(fd.try_clone().unwrap(), 3).is_err(), "another length");
        let open = memfd_create("open", MemfdFlags::ALLOW_SEALING).unwrap();
        ftruncate(&open, bytes(1) as u64).unwrap();
        assert!(SharedArea::open(open, 1).is_err(), "it is not sealed");
    }
}
