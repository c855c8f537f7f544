//! An I/O driver as its drive follows it.

use std::cmp::Reverse;

use halftrack_base::Time;
use halftrack_subsystem::Ending;

use super::{IoDriver, Ledger, State, Timer};
use crate::driver::course::Driven;
use crate::driver::phases::Phases;
use crate::driver::{StreamStatistics, SynchronousLinkReport};

impl Driven for IoDriver {
    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn statistics(&self) -> impl Iterator<Item = (&str, &StreamStatistics)> {
        self.streams.iter().map(|stream| (stream.name.as_str(), &stream.statistics))
    }

    fn ledger(&self) -> Ledger {
        self.ledger
    }

    fn synchronous_links(&self) -> Vec<SynchronousLinkReport> {
        self.links.as_ref().map_or_else(Vec::new, |links| links.reports())
    }

    fn drain(&mut self, now: Time) {
        if !self.phases.drain(now) {
            return;
        }
        self.ready.clear();
        for volume in &mut self.volumes {
            self.ledger.dropped += volume.take_waiting().len() as u64;
        }
        self.timers.retain(|Reverse((_, timer))| !matches!(timer, Timer::Job { .. }));
    }

    fn break_off(&mut self, now: Time) {
        self.drain(now);
        for slot in 0..self.ios.len() as u32 {
            match self.ios[slot as usize].as_ref().map(|io| io.state) {
                Some(State::Attempt | State::Waiting | State::Kept(_)) => {
                    self.end(now, slot, Ending::Cancelled, None)
                }
                Some(State::Fencing(fencing)) => self.end(now, slot, fencing.ending, None),
                None => {}
            }
        }
    }
}
