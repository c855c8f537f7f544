//! Both sides of the fibre in one process: channels and storage, where images and SAPs are another.

use halftrack_base::{Span, Time};

use crate::host::HostState;
use crate::storage::StorageState;
use crate::wiring::Wiring;

/// Sides that take turns. The one that waits lends its event set, so that nothing is a message between them.
#[derive(Debug)]
pub(crate) struct BothSides {
    pub host: Box<HostState>,
    pub storage: Box<StorageState>,
    /// Least time from an event of one side to its effect on the other.
    propagation: Span,
}

impl BothSides {
    /// Makes a process of both sides, which are at least `propagation` apart.
    pub(crate) fn new(host: Box<HostState>, storage: Box<StorageState>, propagation: Span) -> Self {
        Self { host, storage, propagation }
    }

    /// Returns the time of the next event; [`Time::MAX`] if none is pending.
    #[inline]
    pub(crate) fn next_at(&self) -> Time {
        self.host.next_at().min(self.storage.next_at())
    }

    /// Handles every event before `horizon`.
    pub(crate) fn run_until(&mut self, w: &Wiring, horizon: Time) {
        let Self { host, storage, propagation } = self;
        loop {
            let next = host.next_at().min(storage.next_at());
            if next >= horizon {
                return;
            }
            let end = next.saturating_add(*propagation).min(horizon);
            host.context().to_storage.lend(storage.inbox());
            host.run_until(w, end);
            host.context().to_storage.give_back(storage.inbox());
            storage.outlet().lend(host.context().inbox());
            storage.run_until(w, end);
            storage.outlet().give_back(host.context().inbox());
        }
    }
}
