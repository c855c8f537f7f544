//! An I/O driver of FCP as its drive follows it.

use std::cmp::Reverse;

use halftrack_base::Time;

use super::{FcpIoDriver, Timer};
use crate::driver::course::Driven;
use crate::driver::phases::Phases;
use crate::driver::{IoError, Ledger, StreamStatistics};

impl Driven for FcpIoDriver {
    fn phases(&self) -> &Phases {
        &self.phases
    }

    fn statistics(&self) -> impl Iterator<Item = (&str, &StreamStatistics)> {
        self.streams.iter().map(|stream| (stream.name.as_str(), &stream.statistics))
    }

    fn ledger(&self) -> Ledger {
        self.ledger
    }

    fn drain(&mut self, now: Time) {
        if !self.phases.drain(now) {
            return;
        }
        self.ready.clear();
        self.ledger.dropped += self.blocked.len() as u64;
        self.blocked.clear();
        self.timers.retain(|Reverse((_, timer))| !matches!(timer, Timer::Job { .. }));
    }

    fn break_off(&mut self, now: Time) {
        self.drain(now);
        for slot in 0..self.ios.len() as u32 {
            self.give_up(now, slot, IoError::Cancelled);
        }
    }
}
