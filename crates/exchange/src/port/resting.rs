//! Exchange ids that may not be used again yet: ids of exchanges that were aborted, or whose path was lost, of which
//! frames may still be on their way (FC-FS, recovery qualifier; recovery reference sections 4.2 and 6.2).

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::timers::RESOURCE_ALLOCATION_TIMEOUT;

/// Words of a map with a bit for each id.
const WORDS: usize = (1 << 16) / 64;

/// Ids that rest.
#[derive(Debug)]
pub(crate) struct Resting {
    /// Ids given up since the time was last given: their rest begins then, never earlier.
    fresh: Vec<u16>,
    /// The others, and when they may be used again; all rest for as long, so that the first is the next.
    line: VecDeque<(Time, u16)>,
    map: Box<[u64; WORDS]>,
}

impl Resting {
    /// Returns a set in which no id rests.
    pub(crate) fn new() -> Self {
        Self { fresh: Vec::new(), line: VecDeque::new(), map: Box::new([0; WORDS]) }
    }

    /// Puts an id to rest.
    pub(crate) fn add(&mut self, id: u16) {
        self.map[usize::from(id / 64)] |= 1 << (id % 64);
        self.fresh.push(id);
    }

    /// Returns whether the id rests.
    #[inline]
    pub(crate) fn has(&self, id: u16) -> bool {
        self.map[usize::from(id / 64)] & 1 << (id % 64) != 0
    }

    /// Takes an id whose rest is over.
    #[inline]
    pub(crate) fn wake(&mut self, now: Time) -> Option<u16> {
        if !self.fresh.is_empty() {
            let until = now.saturating_add(RESOURCE_ALLOCATION_TIMEOUT);
            self.line.extend(self.fresh.drain(..).map(|id| (until, id)));
        }
        let (_, id) = self.line.pop_front_if(|(until, _)| *until <= now)?;
        self.map[usize::from(id / 64)] &= !(1 << (id % 64));
        Some(id)
    }

    /// Returns the time at which the next rest is over, as far as it has begun.
    pub(crate) fn next(&self) -> Option<Time> {
        self.line.front().map(|(until, _)| *until)
    }
}

#[cfg(test)]
mod tests {
    use halftrack_base::Span;

    use super::*;

    #[test]
    fn an_id_rests_from_when_the_time_is_given() {
        let at = |s| Time::ZERO.saturating_add(Span::from_s(s));
        let mut resting = Resting::new();
        resting.add(0xFFFE);
        assert_eq!((resting.has(0xFFFE), resting.has(0xFFFD), resting.next()), (true, false, None));
        assert_eq!(resting.wake(at(3)), None);
        resting.add(7);
        assert_eq!((resting.wake(at(5)), resting.next()), (None, Some(at(13))));
        assert_eq!(
            [resting.wake(at(13)), resting.wake(at(13)), resting.wake(at(15))],
            [Some(0xFFFE), None, Some(7)]
        );
        assert!(!resting.has(0xFFFE) && !resting.has(7));
    }
}
