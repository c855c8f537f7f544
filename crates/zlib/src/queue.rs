//! Octets of a stream in memory of the application's allocator: written behind, taken in front.

use std::ptr;
use std::slice;

use libz_rs_sys::z_stream;

use crate::stream::{allocated, freed};

/// Queue of octets with a fixed capacity. Its memory is allocated when it is first used and freed by [`Queue::free`].
#[derive(Debug)]
pub struct Queue {
    start: *mut u8,
    capacity_bytes: usize,
    /// First octet that is not taken; all from here to `end` are written.
    front: usize,
    end: usize,
}

impl Queue {
    /// Makes a queue without memory.
    pub const fn new(capacity_bytes: usize) -> Self {
        Self { start: ptr::null_mut(), capacity_bytes, front: 0, end: 0 }
    }

    /// Returns whether there is memory now; the queue is as it was when there is none.
    ///
    /// # Safety
    /// The functions of the stream are as zlib demands.
    pub unsafe fn allocate(&mut self, strm: &z_stream) -> bool {
        if self.start.is_null() {
            // SAFETY: that of the caller.
            self.start = unsafe { allocated(strm, self.capacity_bytes) };
        }
        !self.start.is_null()
    }

    /// Frees the memory; the queue is empty then.
    ///
    /// # Safety
    /// The stream is that of [`Queue::allocate`].
    pub unsafe fn free(&mut self, strm: &z_stream) {
        if !self.start.is_null() {
            // SAFETY: it was allocated, and is forgotten at once.
            unsafe { freed(strm, self.start) };
        }
        *self = Self::new(self.capacity_bytes);
    }

    /// Returns a queue of the same octets; none when there is no memory.
    ///
    /// # Safety
    /// As for [`Queue::allocate`].
    pub unsafe fn copied(&self, strm: &z_stream) -> Option<Self> {
        let mut copy = Self::new(self.capacity_bytes);
        if self.start.is_null() {
            return Some(copy);
        }
        // SAFETY: that of the caller.
        if !unsafe { copy.allocate(strm) } {
            return None;
        }
        copy.append(self.contents());
        Some(copy)
    }

    /// Returns how many octets can be written.
    pub const fn room_bytes(&self) -> usize {
        self.capacity_bytes - self.end
    }

    /// Returns how many octets it has.
    pub const fn length_bytes(&self) -> usize {
        self.end - self.front
    }

    /// Returns whether it has no octet.
    pub const fn is_empty(&self) -> bool {
        self.front == self.end
    }

    /// Returns the octets.
    pub fn contents(&self) -> &[u8] {
        if self.start.is_null() {
            return &[];
        }
        // SAFETY: the range is within the memory and written.
        unsafe { slice::from_raw_parts(self.start.add(self.front), self.end - self.front) }
    }

    /// Writes octets behind the others.
    ///
    /// # Panics
    /// When there is no room, or no memory.
    pub fn append(&mut self, octets: &[u8]) {
        assert!(
            octets.len() <= self.room_bytes() && (!self.start.is_null() || octets.is_empty()),
            "there is room"
        );
        if octets.is_empty() {
            return;
        }
        // SAFETY: the range is within the memory, which is only used through this queue: `octets` lie elsewhere.
        unsafe { ptr::copy_nonoverlapping(octets.as_ptr(), self.start.add(self.end), octets.len()) };
        self.end += octets.len();
    }

    /// Takes octets in front. The whole capacity is room again when none is left.
    ///
    /// # Panics
    /// When there are not so many.
    pub fn take(&mut self, bytes: usize) {
        assert!(bytes <= self.length_bytes(), "so many octets are there");
        self.front += bytes;
        if self.is_empty() {
            self.clear();
        }
    }

    /// Takes all octets.
    pub const fn clear(&mut self) {
        self.front = 0;
        self.end = 0;
    }
}
