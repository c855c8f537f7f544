//! The line of the events that come next, in the order of their keys: a bucket at a time is sorted into it at once.

use crate::event_key::EventKey;
use crate::sorted_line::SortedLine;

/// Most events that wait in the line; a crowd is better off in a heap.
pub(crate) const MOST_WAITING: usize = 128;
/// Most events that are sorted by counting for each those before it: without a branch, which where order and number of
/// events are a matter of chance would be guessed wrong once an event or more.
const COUNTED: usize = 16;
/// Bits of a time within a bucket, so few that four are compared in one instruction of any processor.
const OFFSET_BITS: u32 = 31;
/// The offset of nobody: not before any.
const NOBODY: i32 = i32::MAX;

/// Events in the order of their keys, taken from the front.
#[derive(Clone, Debug)]
pub(crate) struct NearLine<P> {
    line: SortedLine<EventKey, P>,
    /// The first `count` are events of a bucket, in no order, that are about to be sorted; what stands in the other places
    /// has no meaning.
    gathered: Vec<(EventKey, P)>,
    count: usize,
    /// For the first of them, how long after the beginning of the bucket.
    offsets: [i32; COUNTED],
}

impl<P: Copy> NearLine<P> {
    /// Creates an empty line.
    pub(crate) fn new() -> Self {
        let (line, gathered) =
            (SortedLine::with_capacity(MOST_WAITING * 2), Vec::with_capacity(MOST_WAITING * 2));
        Self { line, gathered, count: 0, offsets: [NOBODY; COUNTED] }
    }

    /// Returns the number of events.
    #[inline]
    pub(crate) fn len(&self) -> usize {
        self.line.len()
    }

    /// Returns the first event.
    #[inline]
    pub(crate) fn first(&self) -> Option<(EventKey, P)> {
        self.line.first()
    }

    /// Takes the first event, which is there.
    #[inline]
    pub(crate) fn take_first(&mut self) {
        self.line.take_first();
    }

    /// Puts an event in, one of few that come while the line is being taken; false, and nothing happens, if it is full.
    pub(crate) fn insert(&mut self, key: EventKey, payload: P) -> bool {
        if self.len() >= MOST_WAITING {
            return false;
        }
        self.line.insert(key, payload);
        true
    }

    /// Gathers an event of the bucket that began at `start_ps`.
    #[inline]
    pub(crate) fn gather(&mut self, start_ps: u64, key: EventKey, payload: P) {
        if let Some(offset) = self.offsets.get_mut(self.count) {
            *offset = (key.at.as_ps() - start_ps) as i32;
        }
        match self.gathered.get_mut(self.count) {
            Some(place) => *place = (key, payload),
            None => self.make_room(key, payload),
        }
        self.count += 1;
    }

    /// Makes room for an event that is gathered, and for others after it.
    #[cold]
    fn make_room(&mut self, key: EventKey, payload: P) {
        self.gathered.resize((self.count * 2).max(COUNTED), (key, payload));
    }

    /// Returns the number of events gathered.
    #[inline]
    pub(crate) fn gathered(&self) -> usize {
        self.count
    }

    /// Makes what was gathered, all of one bucket 2^`shift` ps wide, the line, which is empty. A crowd is handed to
    /// `others` instead.
    #[inline]
    pub(crate) fn sort(&mut self, shift: u32, others: impl FnMut((EventKey, P))) {
        debug_assert!(self.len() == 0, "a line is taken to its end before the next begins");
        self.line.clear();
        let sorted = match self.count {
            0..=8 if shift <= OFFSET_BITS => self.sort_by_counting::<8>(),
            9..=COUNTED if shift <= OFFSET_BITS => self.sort_by_counting::<COUNTED>(),
            _ => false,
        };
        if !sorted {
            self.sort_by_keys(others);
        }
        self.count = 0;
        self.offsets = [NOBODY; COUNTED];
    }

    /// Sorts at most `N` events by their offsets; false, and nothing happens, if two are equal. What it does is the same
    /// for any number of events: as if the places without one held events that come after all others.
    #[inline]
    fn sort_by_counting<const N: usize>(&mut self) -> bool {
        let (Some(offsets), Some(gathered)) =
            (self.offsets.first_chunk::<N>(), self.gathered.first_chunk::<N>())
        else {
            return false;
        };
        let mut ranks = [0_i32; N];
        for other in offsets {
            for (rank, own) in ranks.iter_mut().zip(offsets) {
                *rank += i32::from(other < own);
            }
        }
        let (mut place_of_rank, mut sum) = ([0_u8; 2 * COUNTED], 0);
        for (place, rank) in ranks.iter().enumerate() {
            let rank = *rank as usize;
            place_of_rank[rank % (2 * COUNTED)] = place as u8;
            sum += rank;
        }
        // Equal offsets have equal ranks, and the sum falls short.
        let count = self.count;
        if sum != count * count.saturating_sub(1) / 2 + (N - count) * count {
            return false;
        }
        let in_order = place_of_rank[..N].iter().map(|place| gathered[usize::from(*place) % N]);
        self.line.append(in_order, count);
        true
    }

    #[cold]
    fn sort_by_keys(&mut self, others: impl FnMut((EventKey, P))) {
        let gathered = &mut self.gathered[..self.count];
        if gathered.len() > MOST_WAITING {
            gathered.iter().copied().for_each(others);
            return;
        }
        gathered.sort_unstable_by_key(|(key, _)| *key);
        self.line.append(gathered.iter().copied(), gathered.len());
    }

    /// Takes all events.
    pub(crate) fn drain(&mut self, mut take: impl FnMut(EventKey, P)) {
        self.line.waiting().for_each(|(key, payload)| take(key, payload));
        self.line.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Order, RandomStream, Rank};
    use halftrack_base::Time;

    fn key(ps: u64, sequence: u64) -> EventKey {
        EventKey { at: Time::from_ps(ps), order: Order::new(Rank::default(), sequence) }
    }

    /// Any number of events, apart in time or not, in narrow buckets and in those too wide for offsets.
    #[test]
    fn a_bucket_is_sorted_whatever_is_in_it() {
        let mut stream = RandomStream::new(4, "buckets");
        for (shift, times) in [(20, 1 << 20), (20, 5), (31, 1 << 31), (40, 1 << 40)] {
            for events in (0..40).chain([MOST_WAITING, MOST_WAITING + 1]) {
                let mut line = NearLine::new();
                let mut model: Vec<_> =
                    (0..events as u64).map(|n| (key((7 << shift) + stream.below(times), n), n)).collect();
                model.iter().for_each(|(key, n)| line.gather(7 << shift, *key, *n));
                let mut crowd = Vec::new();
                line.sort(shift, |event| crowd.push(event));
                crowd.sort_unstable();
                line.drain(|key, n| crowd.push((key, n)));
                model.sort_unstable();
                assert_eq!(crowd, model);
            }
        }
    }

    #[test]
    fn who_comes_late_finds_a_place_until_the_line_is_full() {
        let mut line = NearLine::new();
        let mut taken = Vec::new();
        for n in 0..1_000_u64 {
            assert!(line.insert(key(n ^ 5, n), n ^ 5));
            if n % 8 == 7 {
                for _ in 0..8 {
                    taken.extend(line.first().map(|(_, n)| n));
                    line.take_first();
                }
            }
        }
        assert!((0..1_000).eq(taken));
        (0..MOST_WAITING as u64).for_each(|n| assert!(line.insert(key(n, 0), n)));
        assert!(!line.insert(key(3, 1), 3));
    }
}
