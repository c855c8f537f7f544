//! Octets on their way in and out of a transport, in memory that is used again and again.

/// Octets that came and were not consumed yet.
#[derive(Debug, Default)]
pub struct InBuffer {
    /// All of it may be written; what counts lies in `begin..end`.
    octets: Vec<u8>,
    begin: usize,
    end: usize,
}

impl InBuffer {
    /// Creates a buffer for `capacity_bytes` at a time.
    #[must_use]
    pub fn new(capacity_bytes: usize) -> Self {
        Self { octets: vec![0; capacity_bytes], begin: 0, end: 0 }
    }

    /// Returns what came and was not consumed.
    #[inline]
    #[must_use]
    pub fn as_slice(&self) -> &[u8] {
        &self.octets[self.begin..self.end]
    }

    /// Removes the first `count` octets; more than there are count as all.
    #[inline]
    pub fn consume(&mut self, count: usize) {
        self.take(count);
    }

    /// Uses the first `count` octets: they are there until more is received. More than there are count as all.
    #[inline]
    pub fn take(&mut self, count: usize) -> &[u8] {
        let taken = self.begin..self.end.min(self.begin.saturating_add(count));
        self.begin = taken.end;
        if self.begin == self.end {
            (self.begin, self.end) = (0, 0);
        }
        &self.octets[taken]
    }

    /// Returns the room for octets that come: at least `least_bytes`. What was not consumed moves to the front when the room behind
    /// it is too short.
    pub fn room(&mut self, least_bytes: usize) -> &mut [u8] {
        if self.octets.len() - self.end < least_bytes {
            self.octets.copy_within(self.begin..self.end, 0);
            (self.begin, self.end) = (0, self.end - self.begin);
            let needed = self.end + least_bytes;
            if self.octets.len() < needed {
                self.octets.resize(needed, 0);
            }
        }
        &mut self.octets[self.end..]
    }

    /// Adds `count` octets, which were put into the room.
    ///
    /// # Panics
    /// When there is no room for so many.
    pub fn filled(&mut self, count: usize) {
        assert!(count <= self.octets.len() - self.end, "more octets came than there was room for");
        self.end += count;
    }

    /// Takes a whole batch, without copying it when nothing is left of what came before; gives memory back in exchange.
    pub fn take_batch(&mut self, batch: Vec<u8>) -> Vec<u8> {
        if self.begin == self.end {
            (self.begin, self.end) = (0, batch.len());
            return std::mem::replace(&mut self.octets, batch);
        }
        self.room(batch.len())[..batch.len()].copy_from_slice(&batch);
        self.end += batch.len();
        batch
    }
}

/// Octets to be sent.
#[derive(Debug, Default)]
pub struct OutBuffer {
    octets: Vec<u8>,
    sent: usize,
}

impl OutBuffer {
    /// Creates a buffer with room for `capacity_bytes` before it has to grow.
    #[must_use]
    pub fn new(capacity_bytes: usize) -> Self {
        Self { octets: Vec::with_capacity(capacity_bytes), sent: 0 }
    }

    /// Returns what was not sent yet.
    #[inline]
    #[must_use]
    pub fn unsent(&self) -> &[u8] {
        &self.octets[self.sent..]
    }

    /// Returns the octets not sent yet.
    #[inline]
    #[must_use]
    pub fn len(&self) -> usize {
        self.octets.len() - self.sent
    }

    /// Returns whether all was sent.
    #[inline]
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns where octets to be sent are appended; those that stand there must stay.
    #[inline]
    pub fn tail(&mut self) -> &mut Vec<u8> {
        &mut self.octets
    }

    /// Removes the first `count` octets, which were sent; more than there are count as all.
    pub fn sent(&mut self, count: usize) {
        self.sent = self.octets.len().min(self.sent.saturating_add(count));
        if self.sent == self.octets.len() {
            self.octets.clear();
            self.sent = 0;
        }
    }

    /// Returns everything that was not sent, as one batch; `memory` takes its place.
    pub fn take_batch(&mut self, mut memory: Vec<u8>) -> Vec<u8> {
        memory.clear();
        let mut batch = std::mem::replace(&mut self.octets, memory);
        batch.drain(..self.sent);
        self.sent = 0;
        batch
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_moves_to_the_front_when_room_is_short() {
        let mut buffer = InBuffer::new(8);
        buffer.room(1)[..6].copy_from_slice(b"abcdef");
        buffer.filled(6);
        buffer.consume(4);
        assert_eq!(buffer.room(2).len(), 2, "room enough: nothing moves");
        assert_eq!(buffer.room(6).len(), 6);
        assert_eq!(buffer.as_slice(), b"ef");
        assert_eq!(buffer.room(100).len(), 100);
        buffer.consume(100);
        assert_eq!(buffer.as_slice(), b"");
    }

    #[test]
    fn batches_change_places_with_memory() {
        let mut out = OutBuffer::new(0);
        out.tail().extend_from_slice(b"one");
        out.sent(1);
        let batch = out.take_batch(vec![9; 5]);
        assert_eq!((batch.as_slice(), out.len()), (&b"ne"[..], 0));
        let mut buffer = InBuffer::new(3);
        assert_eq!(buffer.take_batch(batch).len(), 3, "the memory that the buffer had");
        buffer.consume(1);
        let copied = buffer.take_batch(b"two".to_vec());
        assert_eq!((buffer.as_slice(), copied.as_slice()), (&b"etwo"[..], &b"two"[..]));
    }

    #[test]
    fn what_was_sent_in_part_stays_in_part() {
        let mut out = OutBuffer::new(4);
        out.tail().extend_from_slice(b"frames");
        out.sent(4);
        assert_eq!(out.unsent(), b"es");
        out.sent(9);
        assert!(out.is_empty() && out.tail().is_empty());
    }
}
