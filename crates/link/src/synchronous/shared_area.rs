//! The memory of a link: slots of functions that the control unit and the host use by turns.
//!
//! States and messages are words that either may change at any time. Data are copied by whoever the state gives them to, and
//! checked behind the copy.

use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering, fence};

use halftrack_exchange::synchronous::SlotMemory;
use halftrack_shared_memory::SealedMemory;
use halftrack_wire::synchronous::{
    DATA_MAX, DATA_WORD, HEADER_WORDS, MESSAGE_WORDS, SLEEP_WORD, SLOT_WORDS, STATE_WORD, WORD_BYTES,
    area_words,
};

/// The memory of a link.
#[derive(Debug)]
pub struct SharedArea {
    memory: SealedMemory,
    functions: u8,
}

impl SharedArea {
    /// Creates memory for so many functions, all of them free; returns the file for the other process, too.
    ///
    /// # Errors
    /// No memory, or no descriptor.
    pub fn create(functions: u8) -> io::Result<(Self, OwnedFd)> {
        let (memory, fd) = SealedMemory::create("zhyperlink", bytes(functions))?;
        Ok((Self { memory, functions }, fd))
    }

    /// Maps the memory in a file that another process has made.
    ///
    /// # Errors
    /// A file of another length, or one that could be cut.
    pub fn open(fd: OwnedFd, functions: u8) -> io::Result<Self> {
        Ok(Self { memory: SealedMemory::open(fd, bytes(functions))?, functions })
    }

    /// Returns the number of functions.
    #[must_use]
    pub fn functions(&self) -> u8 {
        self.functions
    }

    /// Returns the slot of a function, below their number.
    #[inline]
    pub fn slot(&self, function: u8) -> Slot<'_> {
        Slot { memory: &self.memory, first: HEADER_WORDS + usize::from(function) * SLOT_WORDS }
    }

    /// Notes that the control unit is about to sleep, or is awake. After the note that it sleeps it has to poll the slots once
    /// more.
    pub fn set_asleep(&self, asleep: bool) {
        self.memory.words()[SLEEP_WORD].store(u64::from(asleep), Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// Returns whether the control unit has to be woken for what was posted before this call.
    #[inline]
    pub fn is_asleep(&self) -> bool {
        // With the fence of `set_asleep`: either this end sees that the other one sleeps, or that one sees what was posted.
        fence(Ordering::SeqCst);
        self.memory.words()[SLEEP_WORD].load(Ordering::Relaxed) != 0
    }
}

fn bytes(functions: u8) -> usize {
    area_words(functions) * WORD_BYTES
}

/// The slot of a function.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a> {
    memory: &'a SealedMemory,
    /// Its first word.
    first: usize,
}

impl Slot<'_> {
    /// Returns where its data begin, octets.
    #[inline]
    const fn data_offset(&self) -> usize {
        (self.first + DATA_WORD) * WORD_BYTES
    }

    #[inline]
    fn word(&self, at: usize) -> &AtomicU64 {
        &self.memory.words()[self.first + at]
    }
}

impl SlotMemory for Slot<'_> {
    #[inline]
    fn load_state(&self) -> u64 {
        self.word(STATE_WORD).load(Ordering::Acquire)
    }

    #[inline]
    fn store_state(&self, bits: u64) {
        self.word(STATE_WORD).store(bits, Ordering::Release);
    }

    #[inline]
    fn exchange_state(&self, from: u64, to: u64) -> bool {
        self.word(STATE_WORD).compare_exchange(from, to, Ordering::AcqRel, Ordering::Acquire).is_ok()
    }

    #[inline]
    fn load_message(&self, first: usize) -> [u64; MESSAGE_WORDS] {
        std::array::from_fn(|at| self.word(first + at).load(Ordering::Relaxed))
    }

    #[inline]
    fn store_message(&self, first: usize, words: &[u64; MESSAGE_WORDS]) {
        for (at, value) in words.iter().enumerate() {
            self.word(first + at).store(*value, Ordering::Relaxed);
        }
    }

    #[inline]
    fn load_data(&self, into: &mut [u8]) {
        let bytes = into.len().min(DATA_MAX);
        self.memory.load(self.data_offset(), &mut into[..bytes]);
    }

    #[inline]
    fn store_data(&self, data: &[u8]) {
        self.memory.store(self.data_offset(), &data[..data.len().min(DATA_MAX)]);
    }
}

#[cfg(test)]
mod tests {
    use halftrack_wire::synchronous::{ANSWER_WORD, DATA_MAX, FUNCTIONS_MAX};

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
}
