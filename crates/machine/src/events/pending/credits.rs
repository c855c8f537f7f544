//! Credits on their way back to the links of a process. Where no frame waits for them no event is made of them: what is back by
//! then is counted when the link sends next.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_engine::EventKey;

/// Credits on their way back to a link.
#[derive(Debug, Clone, Default)]
struct Returning {
    /// When each is back, in order; none that is an event.
    keys: VecDeque<EventKey>,
    /// Frames wait for them, so that each is an event.
    are_awaited: bool,
}

/// By link: the credits on their way back.
#[derive(Debug, Clone, Default)]
pub(crate) struct ReturningCredits {
    links: Vec<Returning>,
}

impl ReturningCredits {
    /// Sends a credit of `link` on its way, which is back at `key`. Returns true when it must be an event instead.
    #[inline(always)]
    pub(super) fn put(&mut self, key: EventKey, link: u32) -> bool {
        let Returning { keys, are_awaited } = self.of_link(link);
        if *are_awaited {
            return true;
        }
        if keys.back().is_none_or(|last| *last < key) {
            keys.push_back(key);
        } else {
            keys.insert(keys.partition_point(|other| *other < key), key);
        }
        false
    }

    /// Takes the credits of `link` that are back before `now`, and gives the instants at which they were to `give`.
    #[inline(always)]
    pub(crate) fn take_back(&mut self, link: u32, now: EventKey, mut give: impl FnMut(Time)) {
        if let Some(Returning { keys, .. }) = self.links.get_mut(link as usize) {
            let back = keys.partition_point(|key| *key < now);
            keys.drain(..back).for_each(|key| give(key.at));
        }
    }

    /// Has all credits of `link` be events from now on. Returns those that are on their way.
    pub(super) fn await_all(&mut self, link: u32) -> VecDeque<EventKey> {
        let Returning { keys, are_awaited } = self.of_link(link);
        *are_awaited = true;
        std::mem::take(keys)
    }

    /// Makes no more events of the credits of `link`.
    pub(crate) fn cease_to_await(&mut self, link: u32) {
        self.of_link(link).are_awaited = false;
    }

    /// Iterates over the credits that are no events, each by its link.
    pub(crate) fn on_their_way(&self) -> impl Iterator<Item = (EventKey, u32)> {
        (0..).zip(&self.links).flat_map(|(link, of)| of.keys.iter().map(move |key| (*key, link)))
    }

    #[inline(always)]
    fn of_link(&mut self, link: u32) -> &mut Returning {
        let link = link as usize;
        if link >= self.links.len() {
            self.links.resize(link + 1, Returning::default());
        }
        &mut self.links[link]
    }
}

#[cfg(test)]
mod tests {
    use halftrack_engine::{Order, Rank};

    use super::*;

    fn key(ns: u64, sequence: u64) -> EventKey {
        EventKey { at: Time::from_ps(ns * 1000), order: Order::new(Rank::default(), sequence) }
    }

    #[test]
    fn credits_are_back_in_their_order_and_none_at_the_instant_of_an_earlier_event() {
        let mut credits = ReturningCredits::default();
        for (ns, sequence) in [(5, 1), (9, 2), (7, 3), (9, 4), (6, 5)] {
            assert!(!credits.put(key(ns, sequence), 3));
        }
        let mut back = Vec::new();
        credits.take_back(2, key(100, 0), |_| back.push(0));
        credits.take_back(3, key(9, 4), |at| back.push(at.as_ps() / 1000));
        assert_eq!(back, [5, 6, 7, 9]);
        assert!(credits.on_their_way().eq([(key(9, 4), 3)]));
    }

    #[test]
    fn awaited_credits_are_events_until_nothing_waits() {
        let mut credits = ReturningCredits::default();
        assert!(!credits.put(key(5, 1), 0) && !credits.put(key(6, 1), 1));
        assert_eq!(credits.await_all(0), [key(5, 1)]);
        assert!(credits.put(key(7, 2), 0) && !credits.put(key(7, 2), 1));
        credits.cease_to_await(0);
        assert!(!credits.put(key(8, 3), 0));
    }
}
