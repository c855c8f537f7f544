//! The links of an interval as plain records, from what their transmitters keep.

use halftrack_engine::SimTime;
use halftrack_interval::LinkInterval;

use crate::link::Transmitters;
use crate::wiring::Wiring;

const PS_PER_S: u128 = 1_000_000_000_000;

/// What can be said of every link, and what has been said.
#[derive(Debug)]
pub(crate) struct LinkCounters {
    /// Whatever it carries travels frame by frame.
    single_frames: Vec<bool>,
    /// No slower link before it can hold its transmitter longer than its own rate does.
    unstretched: Vec<bool>,
    /// Busy time, ps, and transits of each at the last collection.
    reported: Vec<(u64, u64)>,
}

impl LinkCounters {
    /// Nothing collected yet.
    pub(crate) fn new(w: &Wiring) -> Self {
        let links = &w.configuration.links;
        let mut counters = Self {
            single_frames: vec![true; links.len()],
            unstretched: vec![true; links.len()],
            reported: vec![(0, 0); links.len()],
        };
        for path in &w.paths {
            for hops in [&path.outbound, &path.inbound] {
                let mut slowest = u64::MAX;
                for link in hops.iter().map(|hop| hop.link as usize) {
                    let rate = links[link].bytes_per_s;
                    counters.single_frames[link] &= path.frame_by_frame;
                    counters.unstretched[link] &= slowest >= rate;
                    slowest = slowest.min(rate);
                }
            }
        }
        counters
    }

    /// Ends an interval at `now` and begins the next; each link is one side's.
    pub(crate) fn collect(
        &mut self,
        w: &Wiring,
        sides: [&Transmitters; 2],
        now: SimTime,
    ) -> Vec<LinkInterval> {
        let mut totals = vec![(0, 0); self.reported.len()];
        for (link, transmitter) in sides.into_iter().flat_map(Transmitters::iter) {
            let line = &transmitter.line;
            totals[link] = (line.busy_before(now).as_ps(), line.completions());
        }
        let mut records = Vec::with_capacity(totals.len());
        for (index, (link, total)) in w.configuration.links.iter().zip(totals).enumerate() {
            let before = self.reported[index];
            // A line behind a director is told of what it will send before it does, and may so seem less busy than it
            // was said to be.
            let total = (total.0.max(before.0), total.1);
            let sent = total.1 - before.1;
            let bytes_until = |busy_ps: u64| {
                let bytes = u128::from(busy_ps) * u128::from(link.bytes_per_s) / PS_PER_S;
                u64::try_from(bytes).unwrap_or(u64::MAX)
            };
            records.push(LinkInterval {
                name: link.name.clone(),
                bytes_per_s: link.bytes_per_s,
                busy_ps: total.0 - before.0,
                sent,
                frames: self.single_frames[index].then_some(sent),
                wire_bytes: self.unstretched[index].then(|| bytes_until(total.0) - bytes_until(before.0)),
            });
            self.reported[index] = total;
        }
        records
    }
}
