//! Pending events of images and SAPs in another process than the channels.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_engine::{EventKey, Heads, Lane, Order};

use super::host::{Turn, started};
use super::images::ImageLines;
use super::lanes::{Others, ROOM, put};
use super::leaf;
use crate::events::event::HostEvent;
use crate::events::message::Message;

/// Pending events of images and SAPs.
#[derive(Debug)]
pub(crate) struct SapsPending {
    pub(crate) heads: Heads,
    /// Starts from a CP, and starts whose turn in the serial part of their image comes.
    pub(crate) started: Lane<(u32, Turn), ROOM>,
    pub(crate) images: ImageLines,
    /// Reports of the channels, in their order. Those of one event have one key and stay in the order of sending.
    reports: VecDeque<Message>,
    others: Others<HostEvent>,
}

impl SapsPending {
    /// Makes a set in which nothing is pending.
    pub(crate) fn new() -> Self {
        Self {
            heads: Heads::new(),
            started: Lane::new(),
            images: ImageLines::new(),
            reports: VecDeque::new(),
            others: Others::new(leaf::HOST_OTHERS),
        }
    }

    /// Returns the key of the first event, of which there is one.
    #[inline(always)]
    pub(crate) fn first_key(&self) -> EventKey {
        EventKey { at: self.heads.first_at(), order: self.heads.first_order() }
    }

    /// Puts an event of the SAPs in. No two events may have the same time and order.
    #[inline(always)]
    pub(crate) fn push(&mut self, at: Time, order: Order, event: HostEvent) {
        let start = match event {
            HostEvent::Started { io } => (io, Turn::Requested),
            HostEvent::Admitted { io } => (io, Turn::Granted),
            event => return self.others.push(&mut self.heads, at, order, event),
        };
        let (heads, others, key) = (&mut self.heads, &mut self.others, EventKey { at, order });
        put((&mut self.started, leaf::STARTED), heads, others, key, start, started);
    }

    /// Puts a report of the channels in, whose key is not before that of the last.
    #[inline(always)]
    pub(crate) fn push_report(&mut self, report: Message) {
        if self.reports.is_empty() {
            self.heads.set(leaf::REPORT, report.at, report.order);
        }
        self.reports.push_back(report);
    }

    /// Takes the first report of the channels.
    #[inline(always)]
    pub(crate) fn take_report(&mut self) -> Option<Message> {
        let first = self.reports.pop_front();
        let next = self.reports.front().map_or((Time::MAX, Order::default()), |next| (next.at, next.order));
        self.heads.set(leaf::REPORT, next.0, next.1);
        first
    }

    /// Returns the report at `position` of those that wait.
    #[inline(always)]
    pub(crate) fn report_soon(&self, position: usize) -> Option<&Message> {
        self.reports.get(position)
    }

    /// Takes the first event of the SAPs that is in no lane.
    pub(crate) fn take_other(&mut self) -> Option<HostEvent> {
        self.others.take(&mut self.heads)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::events::crossing::RetryCause;
    use crate::events::message::Body;
    use halftrack_engine::{Rank, Sequencer};

    #[test]
    fn reports_of_one_event_stay_in_order_among_the_events_of_their_instant() {
        let mut orders = Sequencer::new(Rank::from_position(1));
        let [first, of_reports, last] = [(); 3].map(|()| orders.next());
        let at = Time::from_ps(5);
        let mut pending = SapsPending::new();
        for io in [4, 2, 3] {
            let body = Body::Retry { io, cause: RetryCause::Redrive };
            pending.push_report(Message { at, order: of_reports, body });
        }
        pending.push(at, last, HostEvent::Started { io: 9 });
        pending.push(at, first, HostEvent::Admitted { io: 8 });
        assert_eq!((pending.heads.first(), pending.first_key().order), (leaf::STARTED, first));
        assert_eq!(pending.started.take(&mut pending.heads, leaf::STARTED), (8, Turn::Granted));
        let mut taken = Vec::new();
        while pending.heads.first() == leaf::REPORT {
            match pending.take_report() {
                Some(Message { body: Body::Retry { io, .. }, .. }) => taken.push(io),
                other => panic!("{other:?} was not put in"),
            }
        }
        assert_eq!(taken, [4, 2, 3]);
        assert_eq!(pending.first_key(), EventKey { at, order: last });
    }
}
