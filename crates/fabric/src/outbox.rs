//! Frames that a port has to send and no buffer credit for yet.

use std::collections::VecDeque;

use halftrack_wire::{Eof, FcHeader, FrameSink, Sof};

/// Most frames that wait in one outbox. Excess is dropped, as class 3 allows: the requester tries again. Requests of
/// an unknown port thus never take more room than this.
const OUTBOX_FRAMES: usize = 512;

/// Waiting frames, each a whole sequence.
#[derive(Debug, Default)]
pub(crate) struct Outbox {
    waiting: VecDeque<(Sof, FcHeader, Vec<u8>)>,
}

impl Outbox {
    /// Adds a frame, or drops it when there is no room.
    pub(crate) fn push(&mut self, sof: Sof, header: FcHeader, payload: Vec<u8>) {
        if self.waiting.len() < OUTBOX_FRAMES {
            self.waiting.push_back((sof, header, payload));
        }
    }

    /// Sends the oldest frame; false when there is none.
    pub(crate) fn poll(&mut self, sink: &mut impl FrameSink) -> bool {
        let Some((sof, header, payload)) = self.waiting.pop_front() else { return false };
        sink.frame(sof, &header, &[&payload], Eof::Terminate);
        true
    }

    /// Returns whether nothing waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    /// Drops all: the link is gone.
    pub(crate) fn clear(&mut self) {
        self.waiting.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Count(usize);

    impl FrameSink for Count {
        fn frame(&mut self, _: Sof, _: &FcHeader, _: &[&[u8]], _: Eof) {
            self.0 += 1;
        }
    }

    #[test]
    fn what_does_not_fit_is_dropped() {
        let mut outbox = Outbox::default();
        for _ in 0..OUTBOX_FRAMES + 3 {
            outbox.push(Sof::Initiate3, FcHeader::default(), Vec::new());
        }
        let mut count = Count(0);
        while outbox.poll(&mut count) {}
        assert_eq!((count.0, outbox.is_empty()), (OUTBOX_FRAMES, true));
    }
}
