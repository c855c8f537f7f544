//! Requests and responses over a stream: octets that are made up at one end and compared at the other.

use halftrack_base::{SharedOctets, Span, Time};
use halftrack_isfc::workload::{Requester, Responder, Sizes};

use super::conversation::{Conversation, ConversationError, ConversationReport};
use super::directory::Part;
use super::stream::{PatternSink, PatternSource, Sink, Source};

/// Number that sets the made-up octets of responses apart from those of requests.
const RESPONSES: u32 = 1 << 16;

/// Requests of a system.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequestPlan {
    /// Octets of a request and of a response.
    pub sizes: Sizes,
    /// Requests at a time.
    pub depth: u32,
    /// Time from a response to the next request.
    pub think: Span,
    /// Requests in all.
    pub requests: u64,
}

/// Report of requests.
#[derive(Debug, Clone, PartialEq)]
pub struct RequestReport {
    /// Plan.
    pub plan: RequestPlan,
    /// Requests that have their response.
    pub finished: u64,
    /// Requests that were made again, after a start of either system.
    pub repeated: u64,
    /// Mean response time.
    pub response_mean: Option<Span>,
    /// Longest response time.
    pub response_max: Span,
    /// From the first request to the last response.
    pub elapsed: Span,
}

/// Side that sends requests.
pub struct Requesting {
    stream: u32,
    pattern: SharedOctets,
    plan: RequestPlan,
    requester: Option<Requester>,
    has_sent_sizes: bool,
    requests: PatternSource,
    responses: PatternSink,
    began: Time,
    moved_at: Time,
}

impl Requesting {
    /// Makes the side, with the made-up contents of [`pattern`](super::pattern).
    #[must_use]
    pub fn new(stream: u32, pattern: SharedOctets, plan: RequestPlan) -> Self {
        Self {
            stream,
            plan,
            requester: None,
            has_sent_sizes: false,
            requests: PatternSource::new(pattern.clone(), stream, None),
            responses: PatternSink::new(pattern.clone(), stream.wrapping_add(RESPONSES)),
            pattern,
            began: Time::ZERO,
            moved_at: Time::ZERO,
        }
    }
}

impl Conversation for Requesting {
    fn part(&self) -> Part {
        Part::Requester
    }

    fn restarted(&mut self, now: Time) {
        self.has_sent_sizes = false;
        self.requests = PatternSource::new(self.pattern.clone(), self.stream, None);
        self.responses = PatternSink::new(self.pattern.clone(), self.stream.wrapping_add(RESPONSES));
        match &mut self.requester {
            Some(requester) => requester.restarted(now),
            None => {
                (self.began, self.moved_at) = (now, now);
                let RequestPlan { sizes, depth, think, requests } = self.plan;
                self.requester = Some(Requester::new(sizes, depth, think, requests, now));
            }
        }
    }

    fn put(&mut self, offset: u64, octets: &SharedOctets, now: Time) -> Result<(), ConversationError> {
        self.responses.put(offset, octets)?;
        self.moved_at = now;
        if let Some(requester) = &mut self.requester {
            requester.received(octets.len() as u64, now);
        }
        Ok(())
    }

    fn turn(&mut self, _: Time) -> Result<bool, ConversationError> {
        Ok(false)
    }

    fn take(&mut self, room_bytes: u64, now: Time) -> Result<Option<SharedOctets>, ConversationError> {
        let Some(requester) = &mut self.requester else { return Ok(None) };
        if !self.has_sent_sizes {
            self.has_sent_sizes = true;
            return Ok(Some(self.plan.sizes.encode().into()));
        }
        let bytes = requester.next(room_bytes, now);
        bytes.map(|bytes| made_up(&mut self.requests, bytes)).transpose()
    }

    fn acknowledged(&mut self, _: u64, _: Time) {}

    fn deadline(&self) -> Option<Time> {
        self.requester.as_ref().and_then(Requester::deadline)
    }

    fn is_finished(&self) -> bool {
        self.requester.as_ref().is_some_and(Requester::is_finished)
    }

    fn report(&self) -> ConversationReport {
        let requester = self.requester.as_ref();
        ConversationReport::Requests(RequestReport {
            plan: self.plan,
            finished: requester.map_or(0, Requester::finished),
            repeated: requester.map_or(0, Requester::repeated),
            response_mean: requester.and_then(Requester::response_mean),
            response_max: requester.map_or(Span::ZERO, Requester::response_max),
            elapsed: self.moved_at.saturating_since(self.began),
        })
    }
}

/// Side that sends responses.
pub struct Responding {
    stream: u32,
    pattern: SharedOctets,
    responder: Option<Responder>,
    requests: PatternSink,
    responses: PatternSource,
    sent: u64,
}

impl Responding {
    /// Makes the side, with the made-up contents of [`pattern`](super::pattern).
    #[must_use]
    pub fn new(stream: u32, pattern: SharedOctets) -> Self {
        Self {
            stream,
            responder: None,
            requests: PatternSink::new(pattern.clone(), stream),
            responses: PatternSource::new(pattern.clone(), stream.wrapping_add(RESPONSES), None),
            pattern,
            sent: 0,
        }
    }
}

impl Conversation for Responding {
    fn part(&self) -> Part {
        Part::Responder
    }

    fn restarted(&mut self, _: Time) {
        *self = Self { sent: self.sent, ..Self::new(self.stream, self.pattern.clone()) };
    }

    fn put(&mut self, offset: u64, octets: &SharedOctets, _: Time) -> Result<(), ConversationError> {
        let Some(responder) = &mut self.responder else {
            self.responder = Some(Responder::new(Sizes::decode(octets)?));
            return Ok(());
        };
        self.requests.put(offset.saturating_sub(Sizes::BYTES as u64), octets)?;
        responder.received(octets.len() as u64);
        Ok(())
    }

    fn turn(&mut self, _: Time) -> Result<bool, ConversationError> {
        Ok(false)
    }

    fn take(&mut self, room_bytes: u64, _: Time) -> Result<Option<SharedOctets>, ConversationError> {
        let bytes = self.responder.as_mut().and_then(|responder| responder.next(room_bytes));
        self.sent += u64::from(bytes.is_some());
        bytes.map(|bytes| made_up(&mut self.responses, bytes)).transpose()
    }

    fn acknowledged(&mut self, _: u64, _: Time) {}

    fn deadline(&self) -> Option<Time> {
        None
    }

    /// Returns true: the other side ends the requests.
    fn is_finished(&self) -> bool {
        true
    }

    fn report(&self) -> ConversationReport {
        ConversationReport::Responses(self.sent)
    }
}

/// Returns the next made-up octets, so many.
fn made_up(source: &mut PatternSource, bytes: u32) -> Result<SharedOctets, ConversationError> {
    let bytes = bytes as usize;
    let first = source.take(bytes).map_err(super::stream::SinkError::Io)?;
    if first.len() == bytes {
        return Ok(first);
    }
    let mut octets = first.to_vec();
    while octets.len() < bytes {
        let more = source.take(bytes - octets.len()).map_err(super::stream::SinkError::Io)?;
        octets.extend_from_slice(&more);
    }
    Ok(octets.into())
}
