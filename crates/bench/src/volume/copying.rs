//! Copying between two parts of memory, beside which full-track reads stand.

use std::hint::black_box;
use std::time::Duration;

use crate::processor_time::thread_time;

/// Memory as large as the volume, copied piece by piece into a place for one piece.
#[derive(Debug)]
pub struct Copying {
    from: Vec<u8>,
    to: Vec<u8>,
    next: usize,
}

impl Copying {
    /// Makes memory of `bytes`, every page of it written, copied in pieces of `piece_bytes`.
    pub fn new(bytes: usize, piece_bytes: usize) -> Self {
        Self { from: vec![1; bytes.max(piece_bytes)], to: vec![0; piece_bytes], next: 0 }
    }

    /// Copies the next `pieces`, and again from the first after the last. Returns the processor time.
    pub fn copy(&mut self, pieces: usize) -> Duration {
        let piece_bytes = self.to.len();
        let began = thread_time();
        for _ in 0..pieces {
            if self.next + piece_bytes > self.from.len() {
                self.next = 0;
            }
            self.to.copy_from_slice(&self.from[self.next..self.next + piece_bytes]);
            black_box(&mut self.to);
            self.next += piece_bytes;
        }
        thread_time() - began
    }
}
