//! Responses of SCSI commands: in the queue of their subchannels, where one adapter interruption reports any number.

use halftrack_base::{Span, Time};
use halftrack_subsystem::Qdio;

use super::io_request::IoRequest;
use super::{Images, Outside};
use crate::events::event::ImageEvent;
use crate::wiring::Wiring;

/// A set of logical units as a partition sees it.
#[derive(Debug)]
struct View {
    /// I/Os that have ended.
    queue: Qdio<(), u32>,
    /// When the first logins over all paths are complete.
    logged_in: Time,
}

/// The response queues of all sets of logical units, by view; `None` for disks.
#[derive(Debug, Default)]
pub(super) struct Responses {
    views: Vec<Option<Box<View>>>,
    /// Room for the responses that are taken together.
    taken: Vec<u32>,
}

impl Responses {
    /// Makes the queues, active and empty, of `views`: each partition and logical control unit.
    pub(super) fn new(w: &Wiring, views: impl Iterator<Item = (u32, u32)>) -> Self {
        let view = |(lpar, lcu): (u32, u32)| {
            w.configuration.lcus[lcu as usize].luns.as_ref()?;
            let group = &w.groups[&(w.configuration.lpars[lpar as usize].subsystem(), lcu)];
            let logins =
                (group.first_path..group.first_path + group.paths).filter_map(|path| w.logins.of(path));
            let logged_in = Time::ZERO + logins.map(|login| login.takes).max().unwrap_or_default();
            let mut queue = Qdio::default();
            queue.activate();
            Some(Box::new(View { queue, logged_in }))
        };
        Self { views: views.map(view).collect(), taken: Vec::new() }
    }

    fn view(&mut self, view: u32) -> Option<&mut View> {
        self.views.get_mut(view as usize)?.as_deref_mut()
    }
}

impl Images {
    /// Returns when a command for `view` that is ready at `at` is put on a queue: not before the logins are complete.
    #[cold]
    pub(super) fn logged_in_at(&mut self, view: u32, at: Time) -> Time {
        self.responses.view(view).map_or(at, |view| at.max(view.logged_in))
    }

    /// Puts the response of `io` in its queue, and takes the adapter interruption when one is made.
    #[cold]
    pub(super) fn on_response(&mut self, outside: &mut impl Outside, now: Time, io: u32) {
        let IoRequest { view, lpar, .. } = self.requests[io];
        let Some(View { queue, .. }) = self.responses.view(view) else { return };
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
        let mut taken = std::mem::take(&mut self.responses.taken);
        if let Some(View { queue, .. }) = self.responses.view(view) {
            taken.extend(queue.drain());
        }
        for io in taken.drain(..) {
            self.go_on_behind(outside, now, io, service);
            service = Span::ZERO;
        }
        self.responses.taken = taken;
    }
}
