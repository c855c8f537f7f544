//! The last message that the peer has posted: one writer, one reader, and neither waits for the other.
//!
//! A number before and behind the message shows whether it is whole (a sequence lock). A peer that changes it all the time is one that
//! posts nothing.

use std::sync::atomic::{AtomicU64, Ordering, fence};

use halftrack_smc::message::{LINK_MESSAGE_BYTES, LinkMessage};

/// Words of a mailbox: the number, and the message.
pub const MAILBOX_WORDS: usize = 1 + MESSAGE_WORDS;
const MESSAGE_WORDS: usize = LINK_MESSAGE_BYTES.div_ceil(WORD_BYTES);
const WORD_BYTES: usize = size_of::<u64>();
/// Trials to find a message whole, before it is left for the next time (our choice).
const TRIALS: usize = 64;

/// Mailbox in shared memory.
#[derive(Debug, Clone, Copy)]
pub struct Mailbox<'a> {
    number: &'a AtomicU64,
    message: &'a [AtomicU64],
}

impl<'a> Mailbox<'a> {
    /// Returns the mailbox in these words.
    pub fn new(words: &'a [AtomicU64]) -> Self {
        Self { number: &words[0], message: &words[1..] }
    }

    /// Posts a message over the last one. `number` counts those of this writer.
    pub fn post(self, number: &mut u64, message: &LinkMessage) {
        let mut octets = [0; MESSAGE_WORDS * WORD_BYTES];
        octets[..LINK_MESSAGE_BYTES].copy_from_slice(message);
        self.number.store(*number + 1, Ordering::Relaxed);
        fence(Ordering::Release);
        for (word, octets) in self.message.iter().zip(octets.as_chunks().0) {
            word.store(u64::from_ne_bytes(*octets), Ordering::Relaxed);
        }
        *number += 2;
        self.number.store(*number, Ordering::Release);
    }

    /// Returns whether there is another message than that of the number `taken`.
    pub fn has_other(self, taken: u64) -> bool {
        self.number.load(Ordering::Relaxed) != taken
    }

    /// Takes the last message, unless it is that of the number `taken`.
    pub fn take(self, taken: &mut u64) -> Option<LinkMessage> {
        for _ in 0..TRIALS {
            let number = self.number.load(Ordering::Acquire);
            if number == *taken {
                return None;
            }
            let mut octets = [0; MESSAGE_WORDS * WORD_BYTES];
            for (octets, word) in octets.as_chunks_mut().0.iter_mut().zip(self.message) {
                *octets = word.load(Ordering::Relaxed).to_ne_bytes();
            }
            fence(Ordering::Acquire);
            if number.is_multiple_of(2) && self.number.load(Ordering::Relaxed) == number {
                *taken = number;
                return octets.first_chunk().copied();
            }
            std::hint::spin_loop();
        }
        None
    }
}
