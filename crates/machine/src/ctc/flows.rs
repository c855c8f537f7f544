//! Work of the system at one end of a logical link. Each flow has a stream of its own in either direction.

use halftrack_base::{Span, Time};
use halftrack_config::{IsLink, IsLinkFlow, IsLinkRelocation, IsLinkWork};
use halftrack_isfc::relocation::Relocation;
use halftrack_isfc::workload::{Bulk, Requester, Responder};
use halftrack_isfc::{BLOCK_BYTES_MAX, End, Payload, StreamId};

/// Octets that a bulk or a guest has under way for each device of its link: the block that moves and the next one. Others'
/// data would wait behind more.
const AHEAD_BYTES: u64 = 2 * BLOCK_BYTES_MAX as u64;

/// The part of one end in a flow.
#[derive(Debug)]
enum Part {
    Sender(Bulk),
    Receiver,
    Requester(Requester),
    Responder(Responder),
    /// A guest that has not begun to move.
    Guest(IsLinkRelocation),
    Relocation(Relocation),
}

/// Counts of one end of a flow.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct FlowCounts {
    pub sent_bytes: u64,
    pub received_bytes: u64,
    /// Requests that have their response.
    pub responses: u64,
    /// Sum of their response times, ps.
    pub response_ps: u64,
}

/// One end of a flow.
#[derive(Debug)]
struct FlowEnd {
    stream: StreamId,
    part: Part,
    counts: FlowCounts,
    reported: FlowCounts,
}

/// The flows of a link at one end.
#[derive(Debug)]
pub(super) struct Flows {
    flows: Vec<FlowEnd>,
    /// Octets of a bulk or a guest that may be under way.
    ahead_bytes: u64,
}

impl Flows {
    /// Makes the flows of a link at end `index`.
    pub(super) fn new(link: &IsLink, index: usize) -> Self {
        let flow = |(number, flow): (u32, &IsLinkFlow)| FlowEnd {
            stream: StreamId(number),
            part: part(flow, usize::from(flow.from) == index),
            counts: FlowCounts::default(),
            reported: FlowCounts::default(),
        };
        let flows = (0..).zip(&link.flows).map(flow).collect();
        Self { flows, ahead_bytes: AHEAD_BYTES * link.devices.len() as u64 }
    }

    /// Takes data that have come.
    pub(super) fn received(&mut self, stream: StreamId, bytes: u32, now: Time) {
        let Some(flow) = self.flows.get_mut(stream.0 as usize) else { return };
        let bytes = u64::from(bytes);
        flow.counts.received_bytes += bytes;
        match &mut flow.part {
            Part::Requester(requester) => {
                requester.received(bytes, now);
                flow.counts.responses = requester.finished();
                flow.counts.response_ps = requester.response_sum().as_ps();
            }
            Part::Responder(responder) => responder.received(bytes),
            _ => {}
        }
    }

    /// Takes it that the other end has a stream so far.
    pub(super) fn acknowledged(&mut self, stream: StreamId, offset: u64, now: Time) {
        if let Some(Part::Relocation(guest)) =
            self.flows.get_mut(stream.0 as usize).map(|flow| &mut flow.part)
        {
            guest.acknowledged(offset, now);
        }
    }

    /// Hands over what each flow has to send now, a piece of each in turn.
    pub(super) fn send(&mut self, end: &mut End, now: Time) {
        loop {
            let mut has_sent = false;
            for flow in &mut self.flows {
                let stream = flow.stream;
                let ahead_bytes = end.next_offset(stream) - end.acknowledged(stream);
                let is_ahead = ahead_bytes >= self.ahead_bytes;
                let room_bytes = end.room_bytes();
                let Some(bytes) = flow.part.next(room_bytes, is_ahead, now) else { continue };
                let is_taken = end.send(stream, &Payload::Count(bytes));
                debug_assert!(is_taken, "there is room");
                flow.counts.sent_bytes += u64::from(bytes);
                has_sent = true;
            }
            if !has_sent {
                return;
            }
        }
    }

    /// Returns the moments at which flows have to send something although nothing has come.
    pub(super) fn deadline(&self) -> impl Iterator<Item = Time> {
        self.flows.iter().filter_map(|flow| match &flow.part {
            Part::Requester(requester) => requester.deadline(),
            Part::Guest(guest) => Some(Time::ZERO + guest.at),
            _ => None,
        })
    }

    /// Collects the counts of a flow since the last collection, and its longest response time.
    pub(super) fn collect(&mut self, flow: usize) -> (FlowCounts, Span) {
        let flow = &mut self.flows[flow];
        let before = std::mem::replace(&mut flow.reported, flow.counts);
        let longest = match &mut flow.part {
            Part::Requester(requester) => requester.take_response_max(),
            _ => Span::ZERO,
        };
        let counts = FlowCounts {
            sent_bytes: flow.counts.sent_bytes - before.sent_bytes,
            received_bytes: flow.counts.received_bytes - before.received_bytes,
            responses: flow.counts.responses - before.responses,
            response_ps: flow.counts.response_ps - before.response_ps,
        };
        (counts, longest)
    }

    /// Counts octets of the first flow that did not come.
    #[cfg(test)]
    pub(super) fn count_received(&mut self, bytes: u64) {
        self.flows[0].counts.received_bytes += bytes;
    }

    /// Returns the counts of a flow so far.
    pub(super) fn counts(&self, flow: usize) -> &FlowCounts {
        &self.flows[flow].counts
    }

    /// Returns the relocation of a flow, once it has begun.
    pub(super) fn relocation(&self, flow: usize) -> Option<&Relocation> {
        match &self.flows[flow].part {
            Part::Relocation(relocation) => Some(relocation),
            _ => None,
        }
    }
}

impl Part {
    /// Returns the octets that are to be sent next, if they are within the room. Of bulks and guests there are none while enough
    /// of them are under way.
    fn next(&mut self, room_bytes: u64, is_ahead: bool, now: Time) -> Option<u32> {
        if let Self::Guest(guest) = self
            && Time::ZERO + guest.at <= now
        {
            *self = Self::Relocation(Relocation::new(guest.plan, now));
        }
        match self {
            Self::Sender(bulk) if !is_ahead => bulk.next(room_bytes),
            Self::Relocation(guest) if !is_ahead => {
                let bytes = guest.to_send_bytes().min(BLOCK_BYTES_MAX.into());
                if bytes == 0 || bytes > room_bytes {
                    return None;
                }
                guest.sent(bytes);
                Some(bytes as u32)
            }
            Self::Requester(requester) => requester.next(room_bytes, now),
            Self::Responder(responder) => responder.next(room_bytes),
            Self::Sender(_) | Self::Relocation(_) | Self::Receiver | Self::Guest(_) => None,
        }
    }
}

/// Returns the part of an end in a flow, which begins it or is the other one.
fn part(flow: &IsLinkFlow, begins: bool) -> Part {
    match &flow.work {
        IsLinkWork::Bulk if begins => Part::Sender(Bulk::new(u64::MAX, BLOCK_BYTES_MAX)),
        IsLinkWork::Requests(one) if begins => {
            let count = one.count.unwrap_or(u64::MAX);
            Part::Requester(Requester::new(one.sizes, one.depth, one.think, count, Time::ZERO))
        }
        IsLinkWork::Requests(one) => Part::Responder(Responder::new(one.sizes)),
        IsLinkWork::Relocation(guest) if begins => Part::Guest(guest.clone()),
        IsLinkWork::Bulk | IsLinkWork::Relocation(_) => Part::Receiver,
    }
}
