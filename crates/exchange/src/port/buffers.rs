//! Buffers of data that are used again.

/// Most octets of a buffer that is kept; a larger one is rare and goes back to the system.
const KEPT_MAX_BYTES: usize = 256 * 1024;
/// Octets that a new buffer has room for: a 4 KiB record with its check word, and the head of its information unit.
const NEW_BYTES: usize = 4352;

/// A bounded number of buffers.
#[derive(Debug)]
pub(crate) struct Buffers {
    kept: Vec<Vec<u8>>,
    most: usize,
}

impl Buffers {
    /// Keeps at most `most`.
    pub(crate) fn new(most: usize) -> Self {
        Self { kept: Vec::with_capacity(most), most }
    }

    /// Returns an empty buffer with some room.
    pub(crate) fn take(&mut self) -> Vec<u8> {
        self.kept.pop().unwrap_or_else(|| Vec::with_capacity(NEW_BYTES))
    }

    /// Takes a buffer back.
    pub(crate) fn give(&mut self, mut buffer: Vec<u8>) {
        let is_worth_keeping = (NEW_BYTES..=KEPT_MAX_BYTES).contains(&buffer.capacity());
        if is_worth_keeping && self.kept.len() < self.most {
            buffer.clear();
            self.kept.push(buffer);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_and_moderate_buffers_are_kept() {
        let mut buffers = Buffers::new(1);
        buffers.give(Vec::with_capacity(KEPT_MAX_BYTES + 1));
        buffers.give(Vec::with_capacity(8));
        buffers.give(vec![1; 5000]);
        buffers.give(vec![2; 6000]);
        let first = buffers.take();
        assert_eq!((first.capacity(), first.len()), (5000, 0));
        assert_eq!(buffers.take().capacity(), NEW_BYTES);
    }
}
