//! Counts of a channel whose firmware holds the bus: the units it handled, from which its utilisation is
//! estimated, and the share of its busy time in which the bus moved something.

use halftrack_base::{Span, Time};
use halftrack_config::HeldBus;
use halftrack_record::ProcessorEstimate;

use crate::wiring::pricing::held_transfer;

/// One, in the unit that the share of polling is given in.
const PERMILLE: u128 = 1000;

/// The counters of one channel in one interval.
#[derive(Debug)]
pub(super) struct HeldBusCounts {
    hardware: HeldBus,
    /// Time of a unit at the maximum of 4 KiB read hits.
    reference: Span,
    sequences: Vec<u64>,
    transfers: Span,
    /// Begin of the interval.
    since: Time,
}

impl HeldBusCounts {
    /// Makes counts of nothing, for so many partitions.
    pub(super) fn new(hardware: HeldBus, reference: Span, lpars: usize) -> Self {
        Self { hardware, reference, sequences: vec![0; lpars], transfers: Span::ZERO, since: Time::ZERO }
    }

    /// Counts units and frames with `bytes` of data that have been sent or received for a partition.
    #[cold]
    pub(super) fn count(&mut self, lpar: usize, sequences: u32, frames: u32, bytes: u32) {
        self.sequences[lpar] += u64::from(sequences);
        self.transfers += held_transfer(&self.hardware, frames, bytes);
    }

    /// Takes the time that the bus moved something in the interval that ends, and the time that it was polled, ps. A busy
    /// channel moves its share of the time that was demanded, `asked_ps`, of which some may be done in the next interval; an
    /// idle one polls.
    pub(super) fn take_bus_busy(&mut self, now: Time, busy_ps: u64, asked_ps: u64) -> (u64, u64) {
        let elapsed = now.since(std::mem::replace(&mut self.since, now)).as_ps();
        let transfers = std::mem::take(&mut self.transfers).as_ps().min(asked_ps);
        let moving = u128::from(busy_ps) * u128::from(transfers) / u128::from(asked_ps.max(1));
        let idle = u128::from(elapsed.saturating_sub(busy_ps));
        let polling = idle * u128::from(self.hardware.idle_bus_permille) / PERMILLE;
        let ps = |span: u128| u64::try_from(span).unwrap_or(elapsed);
        (ps(moving), ps(polling))
    }

    /// Takes the units of each partition, and begins a new interval.
    pub(super) fn take_sequences(&mut self) -> Vec<u64> {
        let none = vec![0; self.sequences.len()];
        std::mem::replace(&mut self.sequences, none)
    }

    /// Makes the estimate from so many units.
    pub(super) fn estimate(&self, sequences: u64) -> ProcessorEstimate {
        ProcessorEstimate { sequences, sequence_ps: self.reference.as_ps() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bus_has_its_share_of_the_busy_time_and_polls_in_the_rest() {
        let us = Span::from_us;
        let hardware = HeldBus {
            sequence: us(10),
            units_per_command: 0,
            frame: us(5),
            bytes_per_s: 100_000_000,
            idle_bus_permille: 50,
        };
        let mut counts = HeldBusCounts::new(hardware, us(20), 2);
        counts.count(1, 1, 2, 4000);
        // 10 us for the unit, 2 frames of 5 us, 40 us of data; four fifths of it were done, and 52 us were idle.
        let at = |n| Time::ZERO + us(n);
        let busy = counts.take_bus_busy(at(100), us(48).as_ps(), us(60).as_ps());
        assert_eq!(busy, (us(40).as_ps(), us(52).as_ps() / 20));
        assert_eq!(counts.take_bus_busy(at(200), 0, 0), (0, us(5).as_ps()));
        assert_eq!(counts.take_sequences(), [0, 1]);
        assert_eq!(counts.take_sequences(), [0, 0]);
    }
}
