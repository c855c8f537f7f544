//! The books: what an I/O that has ended took, by device, path and stream.

use halftrack_engine::{SimDuration, SimTime};

use super::SupervisorState;
use crate::accounting::{Components, Instants, components};
use crate::crossing::Ended;

impl SupervisorState {
    /// `io` has ended at `now`; `ended` are its times, where it did so `normal`ly.
    #[inline(always)]
    pub(crate) fn over(&mut self, now: SimTime, io: u32, normal: bool, ended: Option<&Ended>) {
        let this = &mut self.requests[io];
        this.normal = normal;
        let stream = &mut self.streams[this.stream as usize];
        if now >= self.measured_from {
            stream.completed += 1;
            stream.failed += u64::from(!normal);
        }
        let Some(ended) = ended else { return };
        let parts = components(
            ended.protocol,
            &Instants {
                requested: this.requested,
                granted: this.granted,
                started: ended.started,
                first_sent: ended.first_sent,
                command_response: ended.command_response,
                ended: ended.ended,
                reported_connect: ended.connect,
                reported_disconnect: ended.disconnect,
            },
        );
        let response = parts.response();
        self.additive
            .check(Some(response - parts.iosq) == ended.measured, || misfit(io, &parts, ended.measured));
        stream.response.record(now, response.as_ps());
        self.exposures.sums[this.ucb as usize].add(&parts);
        self.exposures.pools[this.view as usize].cmr_ps[usize::from(ended.position)] += parts.cmr.as_ps();
    }
}

/// Words for an I/O of which the ledger has measured something else than the components say.
#[cold]
fn misfit(io: u32, parts: &Components, measured: Option<SimDuration>) -> String {
    format!("I/O {io}: components {parts:?} do not add up to {measured:?}")
}
