//! The services of a station, in the order in which they are given.

use halftrack_base::Span;
use halftrack_engine::RandomStream;

use super::model::{MEAN_SERVICE, stream};

/// When a service is drawn; the services and their order are the same.
pub trait Services {
    /// Begins the services of station `station` in a run with `seed`.
    fn new(seed: u64, station: usize) -> Self;

    /// Returns the next service.
    fn next(&mut self) -> Span;
}

/// Draws a service when it begins.
#[derive(Clone, Debug)]
pub struct Immediate {
    stream: RandomStream,
}

impl Services for Immediate {
    fn new(seed: u64, station: usize) -> Self {
        Self { stream: stream(seed, station) }
    }

    #[inline]
    fn next(&mut self) -> Span {
        self.stream.exponential(MEAN_SERVICE)
    }
}

/// Draws a service when the one before begins. Nothing of an event then waits for the logarithm, which takes the
/// processor a hundred cycles from beginning to end but little of its width.
#[derive(Clone, Debug)]
pub struct Prefetched {
    stream: RandomStream,
    drawn: Span,
}

impl Services for Prefetched {
    fn new(seed: u64, station: usize) -> Self {
        let mut stream = stream(seed, station);
        let drawn = stream.exponential(MEAN_SERVICE);
        Self { stream, drawn }
    }

    #[inline]
    fn next(&mut self) -> Span {
        std::mem::replace(&mut self.drawn, self.stream.exponential(MEAN_SERVICE))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_give_the_same_services_and_stations_have_their_own() {
        let (mut now, mut ahead) = (Immediate::new(3, 1), Prefetched::new(3, 1));
        let mut other = Prefetched::new(3, 2);
        for _ in 0..100 {
            let service = now.next();
            assert_eq!(ahead.next(), service);
            assert_ne!(other.next(), service);
        }
    }
}
