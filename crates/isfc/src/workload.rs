//! Sources of data for a stream: bulk transfer, and requests with their responses.

use std::collections::VecDeque;

use halftrack_base::{LengthError, Octets, Span, Time};
use thiserror::Error;

/// Transfer of as much as the link takes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bulk {
    left_bytes: u64,
    piece_bytes: u32,
}

impl Bulk {
    /// Makes the transfer of so many octets, in pieces.
    pub const fn new(total_bytes: u64, piece_bytes: u32) -> Self {
        Self { left_bytes: total_bytes, piece_bytes }
    }

    /// Returns the octets of the next piece, when it is within the room.
    pub fn next(&mut self, room_bytes: u64) -> Option<u32> {
        let bytes =
            u32::try_from(self.left_bytes).map_or(self.piece_bytes, |left| left.min(self.piece_bytes));
        if bytes == 0 || u64::from(bytes) > room_bytes {
            return None;
        }
        self.left_bytes -= u64::from(bytes);
        Some(bytes)
    }

    /// Returns how many octets are left.
    pub const fn left_bytes(&self) -> u64 {
        self.left_bytes
    }
}

/// Messages of one length, cut out of a stream.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Messages {
    bytes: u32,
    /// Octets of a message that is not complete.
    rest_bytes: u64,
}

impl Messages {
    /// Takes octets of the stream. Returns how many messages are complete by them.
    fn take(&mut self, bytes: u64) -> u64 {
        let sum = self.rest_bytes + bytes;
        self.rest_bytes = sum % u64::from(self.bytes);
        sum / u64::from(self.bytes)
    }
}

/// Sizes of requests and responses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// Octets of a request, at least 1.
    pub request_bytes: u32,
    /// Octets of a response, at least 1.
    pub response_bytes: u32,
}

/// Why octets are no sizes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SizesError {
    /// Fewer or more octets.
    #[error(transparent)]
    Length(#[from] LengthError),
    /// A message of no octets.
    #[error("requests and responses have octets")]
    Zero,
}

impl Sizes {
    /// Octets of the sizes, with which the conversation of the two sides begins.
    pub const BYTES: usize = 8;

    /// Returns the octets of the sizes: those of a request and of a response, big-endian. The layout is ours.
    pub fn encode(self) -> Vec<u8> {
        [self.request_bytes.to_be_bytes(), self.response_bytes.to_be_bytes()].concat()
    }

    /// Decodes sizes.
    ///
    /// # Errors
    /// The octets are none.
    pub fn decode(octets: &[u8]) -> Result<Self, SizesError> {
        let mut rest = Octets::new(octets);
        let sizes = Self { request_bytes: rest.word()?, response_bytes: rest.word()? };
        rest.end()?;
        let has_octets = sizes.request_bytes > 0 && sizes.response_bytes > 0;
        if has_octets { Ok(sizes) } else { Err(SizesError::Zero) }
    }
}

/// Side that sends requests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requester {
    request_bytes: u32,
    responses: Messages,
    think: Span,
    /// Requests that are still to be made.
    left: u64,
    /// Moments at which the next requests are made.
    thinking: VecDeque<Time>,
    /// Moments at which requests were made that have no response yet.
    open: VecDeque<Time>,
    finished: u64,
    repeated: u64,
    response_sum: Span,
    response_max: Span,
}

impl Requester {
    /// Makes a side with `depth` requests at a time, `think` after the response to the one before, `requests` in all.
    ///
    /// # Panics
    /// When a size is zero.
    pub fn new(sizes: Sizes, depth: u32, think: Span, requests: u64, now: Time) -> Self {
        assert!(sizes.request_bytes > 0 && sizes.response_bytes > 0, "messages have octets");
        Self {
            request_bytes: sizes.request_bytes,
            responses: Messages { bytes: sizes.response_bytes, rest_bytes: 0 },
            think,
            left: requests,
            thinking: std::iter::repeat_n(now, depth as usize).collect(),
            open: VecDeque::new(),
            finished: 0,
            repeated: 0,
            response_sum: Span::ZERO,
            response_max: Span::ZERO,
        }
    }

    /// Returns the octets of the next request, when it is due and within the room.
    pub fn next(&mut self, room_bytes: u64, now: Time) -> Option<u32> {
        let is_due = self.thinking.front().is_some_and(|due| *due <= now);
        if !is_due || self.left == 0 || u64::from(self.request_bytes) > room_bytes {
            return None;
        }
        self.thinking.pop_front();
        self.left -= 1;
        self.open.push_back(now);
        Some(self.request_bytes)
    }

    /// Takes octets of responses, which come in the order of their requests.
    pub fn received(&mut self, bytes: u64, now: Time) {
        for _ in 0..self.responses.take(bytes) {
            let Some(start) = self.open.pop_front() else { return };
            let response = now.saturating_since(start);
            self.finished += 1;
            self.response_sum += response;
            self.response_max = self.response_max.max(response);
            self.thinking.push_back(now.saturating_add(self.think));
        }
    }

    /// Takes it that either system has started: requests without a response are made again at once.
    pub fn restarted(&mut self, now: Time) {
        self.responses.rest_bytes = 0;
        let open = self.open.len();
        self.open.clear();
        self.repeated += open as u64;
        self.left += open as u64;
        for _ in 0..open {
            self.thinking.push_front(now);
        }
    }

    /// Returns how many requests were made again.
    pub const fn repeated(&self) -> u64 {
        self.repeated
    }

    /// Returns the moment at which the next request is due, if none has to wait for a response.
    pub fn deadline(&self) -> Option<Time> {
        self.thinking.front().copied().filter(|_| self.left > 0)
    }

    /// Returns whether every request has its response.
    pub fn is_finished(&self) -> bool {
        self.left == 0 && self.open.is_empty()
    }

    /// Returns how many requests have their response.
    pub const fn finished(&self) -> u64 {
        self.finished
    }

    /// Returns the mean response time; none before the first response.
    pub fn response_mean(&self) -> Option<Span> {
        self.response_sum.as_ps().checked_div(self.finished).map(Span::from_ps)
    }

    /// Returns the sum of all response times.
    pub const fn response_sum(&self) -> Span {
        self.response_sum
    }

    /// Returns the longest response time.
    pub const fn response_max(&self) -> Span {
        self.response_max
    }

    /// Returns the longest response time since the last call, or since the beginning.
    pub const fn take_response_max(&mut self) -> Span {
        std::mem::replace(&mut self.response_max, Span::ZERO)
    }
}

/// Side that sends responses.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Responder {
    requests: Messages,
    response_bytes: u32,
    due: u64,
}

impl Responder {
    /// Makes the side.
    ///
    /// # Panics
    /// When a size is zero.
    pub const fn new(sizes: Sizes) -> Self {
        assert!(sizes.request_bytes > 0 && sizes.response_bytes > 0, "messages have octets");
        let requests = Messages { bytes: sizes.request_bytes, rest_bytes: 0 };
        Self { requests, response_bytes: sizes.response_bytes, due: 0 }
    }

    /// Takes octets of requests.
    pub fn received(&mut self, bytes: u64) {
        self.due += self.requests.take(bytes);
    }

    /// Returns the octets of the next response, when one is due and within the room.
    pub fn next(&mut self, room_bytes: u64) -> Option<u32> {
        if self.due == 0 || u64::from(self.response_bytes) > room_bytes {
            return None;
        }
        self.due -= 1;
        Some(self.response_bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bulk_transfer_is_cut_into_pieces_that_the_room_has() {
        let mut bulk = Bulk::new(2_500, 1_000);
        assert_eq!(bulk.next(999), None);
        let pieces: Vec<_> = std::iter::from_fn(|| bulk.next(u64::MAX)).collect();
        assert_eq!((pieces, bulk.left_bytes()), (vec![1_000, 1_000, 500], 0));
        assert_eq!(Bulk::new(u64::MAX, 7).next(7), Some(7));
    }

    #[test]
    fn requests_wait_for_responses_and_think() {
        let sizes = Sizes { request_bytes: 10, response_bytes: 4 };
        let at = |us| Time::ZERO + Span::from_us(us);
        let mut requester = Requester::new(sizes, 2, Span::from_us(5), 3, at(0));
        let mut responder = Responder::new(sizes);
        assert_eq!((requester.next(u64::MAX, at(0)), requester.next(u64::MAX, at(0))), (Some(10), Some(10)));
        assert_eq!(requester.next(u64::MAX, at(0)), None, "two are open");
        responder.received(13);
        assert_eq!((responder.next(3), responder.next(4), responder.next(4)), (None, Some(4), None));
        requester.received(3, at(1));
        assert_eq!(requester.deadline(), None);
        requester.received(1, at(20));
        assert_eq!(requester.deadline(), Some(at(25)));
        assert_eq!((requester.next(u64::MAX, at(24)), requester.next(u64::MAX, at(25))), (None, Some(10)));
        responder.received(17);
        assert_eq!((responder.next(9), responder.next(9), responder.next(9)), (Some(4), Some(4), None));
        requester.received(8, at(30));
        assert!(requester.is_finished());
        assert_eq!((requester.finished(), requester.response_max()), (3, Span::from_us(30)));
        assert_eq!(requester.response_mean(), Some(Span::from_ps(55_000_000 / 3)));
    }
    #[test]
    fn requests_without_a_response_are_made_again_after_a_start() {
        let sizes = Sizes { request_bytes: 10, response_bytes: 4 };
        let at = |us| Time::ZERO + Span::from_us(us);
        let mut requester = Requester::new(sizes, 3, Span::from_us(50), 4, at(0));
        for _ in 0..3 {
            assert_eq!(requester.next(u64::MAX, at(0)), Some(10));
        }
        requester.received(6, at(2));
        requester.restarted(at(3));
        let again: Vec<_> = std::iter::from_fn(|| requester.next(u64::MAX, at(3))).collect();
        assert_eq!((again, requester.repeated()), (vec![10, 10], 2));
        // Half a response of the start before is none of this one.
        requester.received(8, at(4));
        assert_eq!((requester.finished(), requester.is_finished()), (3, false));
        assert_eq!(requester.next(u64::MAX, at(52)), Some(10));
        requester.received(4, at(53));
        assert!(requester.is_finished());
        assert_eq!(requester.response_max(), Span::from_us(2));
    }

    #[test]
    fn sizes_are_themselves_after_their_octets() {
        let sizes = Sizes { request_bytes: 512, response_bytes: 1 << 20 };
        assert_eq!(Sizes::decode(&sizes.encode()), Ok(sizes));
        assert_eq!(Sizes::decode(&[0, 0, 0, 1, 0, 0, 0, 0]), Err(SizesError::Zero));
        assert!(Sizes::decode(&sizes.encode()[..7]).is_err() && Sizes::decode(&[1; 9]).is_err());
    }
}
