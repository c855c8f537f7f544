//! Operations on EADM subchannels in a run.

use halftrack_base::Span;
use halftrack_config::EadmWork;
use halftrack_engine::RandomStream;

/// When the next operation of a flow comes, drawn from a random stream of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct EadmState {
    interarrival: Span,
    poisson: bool,
    arrival: RandomStream,
}

impl EadmState {
    /// Returns the flow at the beginning of a run with `seed`.
    pub fn new(work: &EadmWork, seed: u64) -> Self {
        let arrival = RandomStream::new(seed, &format!("eadm {} arrival", work.name));
        Self { interarrival: work.interarrival, poisson: work.poisson, arrival }
    }

    /// Returns the time from one operation to the next.
    pub fn next_interarrival(&mut self) -> Span {
        if self.poisson { self.arrival.exponential(self.interarrival) } else { self.interarrival }
    }
}

#[cfg(test)]
mod tests {
    use halftrack_config::EadmKind;

    use super::*;

    /// The mean of 40,000 exponential spans is within 2.5 % of their mean at five standard deviations.
    #[test]
    fn operations_come_at_their_rate() {
        let interarrival = Span::from_us(50);
        let kind = EadmKind::Compression;
        let work = EadmWork { name: "zip".into(), lpar: 0, kind, interarrival, poisson: true };
        let spans = |work: &EadmWork, seed| {
            let mut state = EadmState::new(work, seed);
            (0..40_000).map(|_| state.next_interarrival().as_ps()).collect::<Vec<_>>()
        };
        let drawn = spans(&work, 5);
        let mean_ps = drawn.iter().sum::<u64>() / 40_000;
        assert!(mean_ps.abs_diff(50_000_000) < 1_250_000, "{mean_ps} ps");
        assert_ne!(drawn, spans(&work, 6));
        assert_ne!(drawn, spans(&EadmWork { name: "page".into(), ..work.clone() }, 5));
        let even = spans(&EadmWork { poisson: false, ..work }, 5);
        assert!(even.iter().all(|span| *span == 50_000_000));
    }
}
