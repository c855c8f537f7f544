//! A short line of events in the order of their keys: for a handful of them cheaper than any heap.

use crate::event_key::Key;
use crate::{Order, SimTime};

/// Most events in a line; a power of two, so that places wrap round by a mask.
pub(crate) const MOST_ENTRIES: usize = 64;
const MASK: usize = MOST_ENTRIES - 1;

/// At most [`MOST_ENTRIES`] events, sorted, in a ring. A new one moves those before it, or those after it, by one
/// place, whichever are fewer: what is scheduled now mostly happens first or last of all.
///
/// Times lie apart from the rest, which is needed only where times are equal or an event is moved.
#[derive(Clone, Debug)]
pub(crate) struct ShortLine<P> {
    times: [SimTime; MOST_ENTRIES],
    /// Places in the instant and payloads; no payload in an unused place.
    others: [(Order, Option<P>); MOST_ENTRIES],
    /// Place of the first event and the place after the last, counted round the ring without end.
    first: usize,
    end: usize,
}

impl<P: Copy> ShortLine<P> {
    /// An empty line.
    pub(crate) fn new() -> Self {
        Self {
            times: [SimTime::ZERO; MOST_ENTRIES],
            others: [(Order::default(), None); MOST_ENTRIES],
            first: 0,
            end: 0,
        }
    }

    /// Number of events.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.end.wrapping_sub(self.first)
    }

    /// Puts an event in; false, and nothing happens, if the line is full.
    #[inline(never)]
    pub(crate) fn push(&mut self, key: Key, payload: P) -> bool {
        let events = self.len();
        if events == MOST_ENTRIES {
            return false;
        }
        // In an empty line both ways end where they begin.
        let place = if self.is_before(key, self.first.wrapping_add(events / 2)) {
            self.open_among_first(key)
        } else {
            self.open_among_last(key)
        };
        self.times[place & MASK] = key.at;
        self.others[place & MASK] = (key.order, Some(payload));
        true
    }

    /// True when `key` is before that at `place`.
    #[inline]
    fn is_before(&self, key: Key, place: usize) -> bool {
        let at = self.times[place & MASK];
        key.at < at || (key.at == at && key.order < self.others[place & MASK].0)
    }

    /// Makes room for `key`, which belongs before the middle.
    #[inline]
    fn open_among_first(&mut self, key: Key) -> usize {
        self.first = self.first.wrapping_sub(1);
        let mut place = self.first;
        loop {
            let after = place.wrapping_add(1);
            if self.is_before(key, after) {
                return place;
            }
            self.copy(after, place);
            place = after;
        }
    }

    /// Makes room for `key`, which belongs after the middle.
    #[inline]
    fn open_among_last(&mut self, key: Key) -> usize {
        let mut place = self.end;
        self.end = place.wrapping_add(1);
        while place != self.first {
            let before = place.wrapping_sub(1);
            if !self.is_before(key, before) {
                break;
            }
            self.copy(before, place);
            place = before;
        }
        place
    }

    #[inline]
    fn copy(&mut self, from: usize, to: usize) {
        self.times[to & MASK] = self.times[from & MASK];
        self.others[to & MASK] = self.others[from & MASK];
    }

    #[inline]
    fn key_at(&self, place: usize) -> Key {
        Key { at: self.times[place & MASK], order: self.others[place & MASK].0 }
    }

    /// The least key.
    #[inline]
    pub(crate) fn first_key(&self) -> Option<Key> {
        (self.first != self.end).then(|| self.key_at(self.first))
    }

    /// Takes the event with the least key, if that is accepted by `accept`.
    #[inline]
    pub(crate) fn pop_if(&mut self, accept: impl FnOnce(Key) -> bool) -> Option<(Key, P)> {
        let place = self.first;
        if place == self.end || !accept(self.key_at(place)) {
            return None;
        }
        self.first = place.wrapping_add(1);
        self.others[place & MASK].1.map(|payload| (self.key_at(place), payload))
    }

    /// Takes all entries.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(Key, P)) {
        while let Some((key, payload)) = self.pop_if(|_| true) {
            take(key, payload);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Rank;

    /// Three keys an instant.
    fn key(n: u64) -> Key {
        Key { at: SimTime::from_ps(n / 3), order: Order::new(Rank::default(), n % 3) }
    }

    #[test]
    fn events_come_out_in_the_order_of_their_keys_round_and_round() {
        let mut line = ShortLine::new();
        for turn in 0..20_u64 {
            let keys = [5, 9, 7, 1, 12, 6, 3].map(|n| n + turn * 100);
            keys.into_iter().for_each(|n| assert!(line.push(key(n), n * 2)));
            assert_eq!((line.len(), line.first_key()), (7, Some(key(1 + turn * 100))));
            assert_eq!(line.pop_if(|first| first > key(1 + turn * 100)), None);
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
        for n in (0..MOST_ENTRIES as u64).rev() {
            assert!(line.push(key(n), ()));
        }
        assert!(!line.push(key(7), ()));
        assert_eq!((line.len(), line.pop_if(|_| true)), (MOST_ENTRIES, Some((key(0), ()))));
        assert!(line.push(key(7), ()));
    }
}
