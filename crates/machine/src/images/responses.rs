//! Responses of SCSI commands: in the queue of their subchannels, where one adapter interruption reports any number.

use halftrack_base::{Span, Time};
use halftrack_subsystem::Qdio;

use super::io_request::IoRequest;
use super::{Images, Outside};
use crate::events::event::ImageEvent;

/// The response queue of a set of logical units as a partition sees it, with the I/Os that have ended.
pub(super) type ResponseQueue = Qdio<(), u32>;

/// Makes an active response queue.
fn response_queue() -> ResponseQueue {
    let mut queue = ResponseQueue::default();
    queue.activate();
    queue
}

impl Images {
    /// Puts the response of `io` in its queue, and takes the adapter interruption when one is made.
    #[cold]
    pub(super) fn on_response(&mut self, outside: &mut impl Outside, now: Time, io: u32) {
        let IoRequest { view, lpar, .. } = self.requests[io];
        let queue = self.responses.entry(view).or_insert_with(response_queue);
        let image = &mut self.images[lpar as usize];
        let start = image.cps.start_of(now);
        if queue.respond(io).is_err() {
            // The adapter waits until the program has taken responses.
            let at = start.max(now + Span::from_ps(1));
            outside.push(at, image.sequencer.next(), ImageEvent::Response { io });
        } else if queue.indicate() {
            if start <= now {
                let service = image.interrupt_service;
                self.take_responses(outside, now, view, service);
                return;
            }
            let (start, _) = image.cps.arrive(now, image.interrupt_service);
            outside.push(start, image.sequencer.next(), ImageEvent::Complete { io });
        }
    }

    /// Takes all responses that are in the queue of `view`, on a CP that the interruption takes `service` of. A job that does
    /// not think starts its next I/O in the same stay.
    #[cold]
    pub(super) fn take_responses(
        &mut self,
        outside: &mut impl Outside,
        now: Time,
        view: u32,
        mut service: Span,
    ) {
        let Some(queue) = self.responses.get_mut(&view) else { return };
        for io in queue.drain().collect::<Vec<_>>() {
            self.go_on_behind(outside, now, io, service);
            service = Span::ZERO;
        }
    }
}
