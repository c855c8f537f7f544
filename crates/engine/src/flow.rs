//! Flow into a system and out of it, and a test for growth of the difference.

use crate::batch_means::{Batch, BatchMeans, half_width};
use halftrack_base::{Span, Time};

/// Batches that a time of known length is cut into.
const BATCHES: u64 = 64;
/// Confidence with which a half of the time must have a growing backlog. Both must, one-sided, so that a system that keeps
/// up is found not to in fewer than one case in ten thousand.
const CONFIDENCE: f64 = 0.98;
/// Arrivals that may be left over without any doubt about the rest, percent.
const LEFT_PERCENT: u64 = 1;

/// Arrivals and departures over a time, in whole numbers.
///
/// Where a system keeps up, what is in it varies and goes nowhere: what one batch leaves behind another takes away. Where
/// it does not, every batch leaves something behind, from the first to the last. So the growth of the batches is tested
/// (Student) in both halves of the time: what fills a system that was empty is over in the first, and a last burst, or
/// work still under way at the end, is in the second alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flow {
    /// An arrival is a value of 0, a departure one of 1.
    moves: BatchMeans,
}

impl Flow {
    /// Counts from `start` on, for about `length`; a longer time is counted as well.
    ///
    /// # Panics
    /// When `length` is zero.
    pub fn new(start: Time, length: Span) -> Self {
        let batch = Span::from_ps(length.as_ps().div_ceil(BATCHES));
        Self { moves: BatchMeans::doubling(start, batch, BATCHES as usize) }
    }

    /// Counts an arrival.
    #[inline]
    pub fn arrive(&mut self, at: Time) {
        self.moves.record(at, 0);
    }

    /// Counts a departure.
    #[inline]
    pub fn leave(&mut self, at: Time) {
        self.moves.record(at, 1);
    }

    /// Returns the number of arrivals, and of departures.
    pub fn counts(&self) -> (u64, u64) {
        let all = self.moves.all();
        (all.count - all.sum_ps as u64, all.sum_ps as u64)
    }

    /// Returns true when more than 1 % of what arrived until `now` was left over because the backlog grew all the time.
    pub fn outgrows(&self, now: Time) -> bool {
        let (arrived, left) = self.counts();
        let is_much = arrived.saturating_sub(left) * 100 > arrived * LEFT_PERCENT;
        let (ended, _) = self.moves.ended(now);
        let (first, second) = ended.split_at(ended.len() / 2);
        is_much && grows(first) && grows(second)
    }
}

/// Returns true when more arrived than left in `batches`, by more than chance makes of it.
fn grows(batches: &[Batch]) -> bool {
    let growths: Vec<f64> =
        batches.iter().map(|batch| batch.count as f64 - 2.0 * batch.sum_ps as f64).collect();
    let mean = growths.iter().sum::<f64>() / growths.len().max(1) as f64;
    let residuals: Vec<f64> = growths.iter().map(|growth| growth - mean).collect();
    mean > half_width(&residuals, CONFIDENCE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Fifo, RandomStream};

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_us(us)
    }

    /// Returns a line served one by one, fed at `load` of what it serves for as long as `arrivals` take; measured behind `warm_up`
    /// of them.
    fn line(seed: u64, load: f64, warm_up: u64, arrivals: u64) -> bool {
        let mut random = RandomStream::new(seed, "arrivals");
        let mut services = RandomStream::new(seed, "services");
        let (apart, mut server) = (Span::from_us(100), Fifo::new());
        let end = Time::ZERO + apart * (warm_up + arrivals);
        let mut flow = Flow::new(Time::ZERO + apart * warm_up, apart * arrivals);
        let mut now = Time::ZERO + random.exponential(apart);
        while now < end {
            flow.arrive(now);
            let service = services.exponential(Span::from_us_f64(100.0 * load));
            let left = server.arrive(now, service);
            if left < end {
                flow.leave(left);
            }
            now += random.exponential(apart);
        }
        flow.outgrows(end)
    }

    fn found(load: f64, warm_up: u64, arrivals: u64) -> usize {
        (0..400).filter(|seed| line(*seed, load, warm_up, arrivals)).count()
    }

    #[test]
    fn what_keeps_up_is_not_found_to_be_left_behind_by_chance() {
        for (load, warm_up, arrivals) in [
            (0.1, 0, 50),
            (0.5, 10, 50),
            (0.9, 1000, 50),
            (0.5, 0, 500),
            (0.9, 0, 2_000),
            (0.9, 2000, 20_000),
        ] {
            let wrong = found(load, warm_up, arrivals);
            assert!(wrong <= 1, "load {load}, {arrivals} behind {warm_up}: {wrong} of 400");
        }
    }

    #[test]
    fn what_does_not_keep_up_is_found() {
        for (load, arrivals) in [(1.1, 20_000), (1.3, 4_000), (2.0, 500)] {
            let right = found(load, 100, arrivals);
            assert!(right > 390, "load {load}, {arrivals}: {right} of 400");
        }
    }

    /// Tests a flow of one arrival every microsecond that leaves after `us`, over 640 us.
    fn delayed(us: u64) -> bool {
        let mut flow = Flow::new(at(0), Span::from_us(640));
        (0..640).for_each(|now| flow.arrive(at(now)));
        (0..640_u64.saturating_sub(us)).for_each(|now| flow.leave(at(now + us)));
        flow.outgrows(at(640))
    }

    #[test]
    fn what_is_only_late_is_not_left_behind() {
        assert!(!delayed(0) && !delayed(7) && !delayed(100) && !delayed(310));
        assert!(delayed(640), "nothing has left at all");
    }

    #[test]
    fn a_last_burst_is_no_growing_backlog_and_a_steady_excess_is_one() {
        let over = |arrivals: &dyn Fn(u64) -> u64| {
            let mut flow = Flow::new(at(0), Span::from_us(640));
            for now in 0..640 {
                (0..arrivals(now)).for_each(|_| flow.arrive(at(now)));
                flow.leave(at(now));
            }
            flow.outgrows(at(640))
        };
        assert!(!over(&|_| 1));
        assert!(!over(&|now| if now > 600 { 3 } else { 1 }));
        assert!(over(&|now| if now % 50 == 0 { 2 } else { 1 }), "2 % more");
        assert!(!over(&|now| if now % 128 == 0 { 2 } else { 1 }), "less than 1 % more");
    }

    #[test]
    fn a_time_longer_than_was_said_is_counted_to_its_end() {
        let mut flow = Flow::new(at(10), Span::from_us(64));
        (0..1000).for_each(|now| flow.arrive(at(now)));
        (0..1000).step_by(2).for_each(|now| flow.leave(at(now)));
        assert_eq!(flow.counts(), (990, 495));
        assert!(flow.outgrows(at(1000)));
    }
}
