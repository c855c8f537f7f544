//! A short line of events in the order of their keys: for a handful of them cheaper than any heap.

use crate::Order;
use crate::event_key::EventKey;
use halftrack_base::Time;

/// Most events in a line; a power of two, so that places wrap round by a mask.
pub(crate) const MOST_ENTRIES: usize = 64;
const MASK: usize = MOST_ENTRIES - 1;

/// At most [`MOST_ENTRIES`] events, sorted, in a ring. A new one moves those before it, or those after it, by one
/// place, whichever are fewer: what is scheduled now mostly happens first or last of all.
///
/// Times lie apart from the rest, which is needed only where times are equal or an event is moved.
#[derive(Clone, Debug)]
pub(crate) struct ShortLine<P> {
    times: [Time; MOST_ENTRIES],
    /// Places in the instant and payloads; none before the first event.
    others: Vec<(Order, P)>,
    /// Place of the first event and the place after the last, counted round the ring without end.
    first: usize,
    end: usize,
}

/// The two halves of the ring, while an event moves.
struct Ring<'a, P> {
    times: &'a mut [Time; MOST_ENTRIES],
    others: &'a mut [(Order, P); MOST_ENTRIES],
}

impl<P: Copy> Ring<'_, P> {
    /// Returns true when `key` is before that at `place`.
    #[inline]
    fn is_before(&self, key: EventKey, place: usize) -> bool {
        let at = self.times[place & MASK];
        key.at < at || (key.at == at && key.order < self.others[place & MASK].0)
    }

    #[inline]
    fn copy(&mut self, from: usize, to: usize) {
        self.times[to & MASK] = self.times[from & MASK];
        self.others[to & MASK] = self.others[from & MASK];
    }

    #[inline]
    fn set(&mut self, place: usize, key: EventKey, payload: P) {
        self.times[place & MASK] = key.at;
        self.others[place & MASK] = (key.order, payload);
    }
}

impl<P: Copy> ShortLine<P> {
    /// Creates an empty line.
    pub(crate) const fn new() -> Self {
        Self { times: [Time::ZERO; MOST_ENTRIES], others: Vec::new(), first: 0, end: 0 }
    }

    /// Returns the number of events.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.end.wrapping_sub(self.first)
    }

    /// Puts the very first event in; false, and nothing happens, at a line that has had events before.
    #[cold]
    pub(crate) fn push_first(&mut self, key: EventKey, payload: P) -> bool {
        if !self.others.is_empty() {
            return false;
        }
        // What stands in a place until an event comes has no meaning.
        self.others = vec![(Order::default(), payload); MOST_ENTRIES];
        self.push(key, payload)
    }

    /// Puts an event in; false, and nothing happens, if the line is full or has never had an event.
    #[inline(never)]
    pub(crate) fn push(&mut self, key: EventKey, payload: P) -> bool {
        let (first, end) = (self.first, self.end);
        let events = end.wrapping_sub(first);
        if events == MOST_ENTRIES {
            return false;
        }
        let Some(others) = self.others.first_chunk_mut() else { return false };
        let mut ring = Ring { times: &mut self.times, others };
        // In an empty line both ways end where they begin.
        if ring.is_before(key, first.wrapping_add(events / 2)) {
            self.first = first.wrapping_sub(1);
            let mut place = self.first;
            while !ring.is_before(key, place.wrapping_add(1)) {
                ring.copy(place.wrapping_add(1), place);
                place = place.wrapping_add(1);
            }
            ring.set(place, key, payload);
        } else {
            self.end = end.wrapping_add(1);
            let mut place = end;
            while place != first && ring.is_before(key, place.wrapping_sub(1)) {
                ring.copy(place.wrapping_sub(1), place);
                place = place.wrapping_sub(1);
            }
            ring.set(place, key, payload);
        }
        true
    }

    /// Returns the least key.
    #[inline]
    pub(crate) fn first_key(&self) -> Option<EventKey> {
        let place = self.first & MASK;
        let others: &[_; MOST_ENTRIES] = self.others.first_chunk()?;
        (self.first != self.end).then(|| EventKey { at: self.times[place], order: others[place].0 })
    }

    /// Returns the time of the first event, if there is one.
    #[inline]
    pub(crate) fn first_time(&self) -> Option<Time> {
        (self.first != self.end).then(|| self.times[self.first & MASK])
    }

    /// Takes the first event.
    pub(crate) fn pop(&mut self) -> Option<(EventKey, P)> {
        let key = self.first_key()?;
        let (_, payload) = self.others[self.first & MASK];
        self.first = self.first.wrapping_add(1);
        Some((key, payload))
    }

    /// Takes the first event if it comes before `limit`: its time and payload.
    #[inline]
    pub(crate) fn pop_before(&mut self, limit: EventKey) -> Option<(Time, P)> {
        let key = self.first_key().filter(|key| *key < limit)?;
        let (_, payload) = self.others[self.first & MASK];
        self.first = self.first.wrapping_add(1);
        Some((key.at, payload))
    }

    /// Takes all entries.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(EventKey, P)) {
        while let Some((key, payload)) = self.pop() {
            take(key, payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rank;

    /// Returns the three keys an instant.
    fn key(n: u64) -> EventKey {
        EventKey { at: Time::from_ps(n / 3), order: Order::new(Rank::default(), n % 3) }
    }

    #[test]
    fn events_come_out_in_the_order_of_their_keys_round_and_round() {
        let mut line = ShortLine::new();
        assert!(line.push_first(key(0), 0) && line.pop().is_some());
        for turn in 0..20_u64 {
            let keys = [5, 9, 7, 1, 12, 6, 3].map(|n| n + turn * 100);
            keys.into_iter().for_each(|n| assert!(line.push(key(n), n * 2)));
            assert_eq!((line.len(), line.first_key()), (7, Some(key(1 + turn * 100))));
            assert_eq!(line.pop_before(key(1 + turn * 100)), None);
            let mut taken = Vec::new();
            line.drain(|key, payload| taken.push((key, payload)));
            let expected = [1, 3, 5, 6, 7, 9, 12].map(|n| n + turn * 100).map(|n| (key(n), n * 2));
            assert_eq!(taken, expected);
        }
        assert_eq!((line.len(), line.first_key()), (0, None));
    }

    #[test]
    fn a_full_line_takes_no_more() {
        let mut line = ShortLine::new();
        assert!(!line.push(key(0), ()) && line.push_first(key(0), ()) && line.pop().is_some());
        for n in (0..MOST_ENTRIES as u64).rev() {
            assert!(line.push(key(n), ()));
        }
        assert!(!line.push(key(7), ()));
        assert_eq!((line.len(), line.pop_before(key(1))), (MOST_ENTRIES, Some((key(0).at, ()))));
        assert!(line.push(key(7), ()));
    }
}
