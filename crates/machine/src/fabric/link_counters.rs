//! The links of an interval as plain records, from what their transmitters keep, and the law of their credits.

use halftrack_base::Time;
use halftrack_engine::EventKey;
use halftrack_record::{LinkInterval, PoolInterval};

use crate::events::message::Transit;
use crate::events::pending::ReturningCredits;
use crate::events::slab::Slab;
use crate::fabric::link::{Sent, Transmitters};
use crate::laws::census::Census;
use crate::laws::law::Law;
use crate::wiring::Wiring;

/// Converts an integral over time to whole nanoseconds, rounded down.
pub(crate) fn whole_ns(integral_ps: u128) -> u64 {
    u64::try_from(integral_ps / 1000).unwrap_or(u64::MAX)
}

/// Counters of every link, and how far they have been collected.
#[derive(Debug)]
pub(crate) struct LinkCounters {
    /// Whatever it carries travels frame by frame.
    single_frames: Vec<bool>,
    /// Totals of each at the last collection.
    reported: Vec<Sent>,
}

impl LinkCounters {
    /// Makes counters that have collected nothing yet.
    pub(crate) fn new(w: &Wiring) -> Self {
        let links = w.configuration.links.len();
        let mut counters = Self { single_frames: vec![true; links], reported: vec![Sent::default(); links] };
        for hop in &w.hops {
            counters.single_frames[hop.link as usize] &= hop.frame_by_frame;
        }
        counters
    }

    /// Ends an interval at `now` and begins the next; each link is one side's. Returns the links, and the credits of those
    /// where frames waited for one, or where all will be out before the line is full.
    pub(crate) fn collect(
        &mut self,
        w: &Wiring,
        sides: [&Transmitters; 2],
        now: Time,
    ) -> (Vec<LinkInterval>, Vec<PoolInterval>) {
        let mut totals = vec![Sent::default(); self.reported.len()];
        for (link, sent) in sides.into_iter().flat_map(|side| side.sent_before(now)) {
            totals[link] = sent;
        }
        let (mut records, mut pools) = (Vec::with_capacity(totals.len()), Vec::new());
        for (index, (link, mut total)) in w.configuration.links.iter().zip(totals).enumerate() {
            let before = self.reported[index];
            // A line behind a director books what it will send before it does, and may so seem less busy than it was at the
            // last collection.
            total.busy = total.busy.max(before.busy);
            let credit_wait = total.credit_wait - before.credit_wait;
            let transits = total.transits - before.transits;
            records.push(LinkInterval {
                name: link.name.clone(),
                bytes_per_s: link.bytes_per_s,
                busy_ps: (total.busy - before.busy).as_ps(),
                wire_bytes: total.wire_bytes - before.wire_bytes,
                sent: transits,
                frames: self.single_frames[index].then_some(transits),
                credit_wait_ps: credit_wait.as_ps(),
                lost: total.lost - before.lost,
            });
            let (short, out_ps) = (total.short - before.short, total.out_ps - before.out_ps);
            let busy_ps = u128::from((total.busy - before.busy).as_ps());
            if !short.is_zero() || out_ps > busy_ps * u128::from(link.credits) {
                let (name, taken_ns) = (format!("link {} credits", link.name), whole_ns(out_ps));
                pools.push(PoolInterval { name, tokens: link.credits, taken_ns, short_ps: short.as_ps() });
            }
            self.reported[index] = total;
        }
        (records, pools)
    }
}

impl Transmitters {
    /// Gives every link the `credits` that are back by `now` and are no events, so that its counters are those of that instant.
    pub(crate) fn settle_credits(&mut self, credits: &mut ReturningCredits, now: Time) {
        for link in 0..self.losses.len() as u32 {
            credits.take_back(link, EventKey::before(now), |at| self.get(link).give_credit(at));
        }
    }

    /// Counts the frames that wait for a credit, which are in `transits`.
    pub(crate) fn census(&self, w: &Wiring, transits: &Slab<Transit>, census: &mut Census) {
        for (slot, _) in self.iter().flat_map(|(_, transmitter)| &transmitter.line.waiting) {
            census.transit(w, &transits[*slot], false);
        }
    }

    /// Checks that every credit that is out is a buffer in use or on its way back. No frame may wait while one is free.
    pub(crate) fn check_credits(&self, w: &Wiring, census: &Census, law: &mut Law) {
        for (link, transmitter) in self.iter() {
            let outstanding = transmitter.credits.outstanding();
            let found = census.credits[link];
            let starved = !transmitter.line.waiting.is_empty() && transmitter.credits.available() > 0;
            law.check(outstanding == found && !starved, || {
                let name = &w.configuration.links[link].name;
                let (granted, waiting) =
                    (w.configuration.links[link].credits, transmitter.line.waiting.len());
                format!(
                    "{name}: {outstanding} of {granted} credits out, {found} of them found, {waiting} wait"
                )
            });
        }
    }
}
