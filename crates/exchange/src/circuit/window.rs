//! Data of one CCW that one end sends in pieces, as far as the window lets it.

use halftrack_wire::IuData;

use super::PIECE_BYTES;

/// Data on their way to the peer.
#[derive(Debug, Default)]
pub(super) struct Outgoing {
    data: IuData,
    sent: u32,
    /// Bytes sent that the peer has not answered.
    unanswered: u32,
    /// Bytes that may be unanswered; at least a piece.
    window: u32,
}

impl Outgoing {
    /// Returns `data` to a peer with a buffer of `window_bytes`; 0 for one that is never full.
    pub(super) fn new(data: IuData, window_bytes: u32) -> Outgoing {
        let window = if window_bytes == 0 { u32::MAX } else { window_bytes.max(PIECE_BYTES) };
        Outgoing { data, sent: 0, unanswered: 0, window }
    }

    /// Returns true when nothing is left to send.
    pub(super) fn is_sent(&self) -> bool {
        self.sent >= self.data.len()
    }

    /// Returns the next piece that may be sent now, and whether it is the last. The buffer takes a piece while it is not full.
    pub(super) fn next(&mut self) -> Option<(IuData, bool)> {
        if self.is_sent() || self.unanswered >= self.window {
            return None;
        }
        let piece = self.data.slice(self.sent, PIECE_BYTES);
        self.sent += piece.len();
        self.unanswered += piece.len();
        Some((piece, self.is_sent()))
    }

    /// Notes that the peer has taken a piece. False when none was under way.
    pub(super) fn answered(&mut self) -> bool {
        let was_under_way = self.unanswered > 0;
        // Only the last piece is shorter, and it is not answered.
        self.unanswered = self.unanswered.saturating_sub(PIECE_BYTES);
        was_under_way
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_than_the_window_is_under_way_and_all_is_sent() {
        let mut outgoing = Outgoing::new(IuData::Count(4096), 1530);
        let (mut under_way, mut sent, mut most) = (0_u32, 0, 0);
        loop {
            while let Some((piece, last)) = outgoing.next() {
                under_way += 1;
                sent += piece.len();
                assert_eq!(last, sent == 4096);
            }
            most = most.max(under_way);
            if outgoing.is_sent() {
                break;
            }
            assert!(outgoing.answered());
            under_way -= 1;
        }
        assert_eq!((sent, most * PIECE_BYTES), (4096, 1536));
    }

    #[test]
    fn an_answer_to_nothing_is_seen() {
        let mut outgoing = Outgoing::new(IuData::Count(10), 0);
        assert!(!outgoing.answered());
        assert_eq!(outgoing.next(), Some((IuData::Count(10), true)));
        assert_eq!(outgoing.next(), None);
    }
}
