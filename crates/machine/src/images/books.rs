//! The books: what an I/O that has ended took, by device, path and stream.

use super::Images;
use crate::events::crossing::Interrupt;
use crate::images::accounting::{Components, Instants, components};

impl Images {
    /// Books an I/O that is over.
    #[inline(always)]
    pub(crate) fn over(&mut self, over: &Interrupt) {
        let Interrupt { io, over_at, .. } = *over;
        let this = &mut self.requests[io];
        this.normal = over.normal.is_some();
        let stream = &mut self.streams[this.stream as usize];
        if over_at >= self.measured_from {
            stream.completed += 1;
            stream.failed += u64::from(over.normal.is_none());
        }
        if let Some(flow) = &mut stream.flow {
            flow.leave(over_at);
        }
        let Some(protocol) = over.normal else { return };
        let instants = Instants {
            requested: this.requested,
            granted: this.granted,
            started: over.started,
            first_sent: over.first_sent,
            command_response: over.command_response,
            ended: over_at,
            reported_connect: over.connect,
            reported_disconnect: over.disconnect,
        };
        let parts = components(protocol, &instants);
        let response = parts.response();
        let since_start = response - parts.iosq;
        let adds_up = over.opened.saturating_add(since_start) == over_at;
        self.additive.check(adds_up, || misfit(&parts, over));
        stream.response.record(over_at, response.as_ps());
        stream.response_times.record(response);
        self.exposures.sums[this.ucb as usize].add(&parts);
        let pool = &mut self.exposures.pools[this.view as usize];
        pool.cmr_ps[usize::from(over.position)] += parts.cmr.as_ps();
        pool.response_times.record(response);
    }
}

/// Describes an I/O for which the ledger has measured another time than its components add up to.
#[cold]
fn misfit(parts: &Components, over: &Interrupt) -> String {
    let measured = over.over_at.saturating_since(over.opened);
    format!("I/O {}: components {parts:?} do not add up to {measured:?}", over.io)
}
