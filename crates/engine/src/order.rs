//! The order of simultaneous events: a component's rank, then the component's own sequence number.
//!
//! Ranks come from canonical names and never from the order of construction, so that shuffling the input of a run
//! changes nothing in its output.

use thiserror::Error;

/// Bits of an [`Order`] that hold the sequence number: 1.1 * 10^12 events of one component.
const SEQUENCE_BITS: u32 = 40;
/// Bits above them.
const RANK_BITS: u32 = u64::BITS - SEQUENCE_BITS;
/// Ranks that fit there.
const RANKS: u32 = 1 << RANK_BITS;
const SEQUENCE_MASK: u64 = (1 << SEQUENCE_BITS) - 1;

/// Position of a component's canonical name among all names, counted from zero; below 2^24.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rank(u32);

impl Rank {
    /// Returns the rank at `position`.
    ///
    /// # Panics
    /// When `position` is 2^24 or more.
    pub const fn from_position(position: u32) -> Self {
        assert!(position < RANKS, "a run has at most 2^24 ranks");
        Self(position)
    }

    /// Returns the position among all names.
    pub const fn position(self) -> u32 {
        self.0
    }
}

/// Place of an event among those of the same instant: rank, then sequence number.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Order(u64);

impl Order {
    /// Returns the order of the event number `sequence` of the component of rank `rank`.
    ///
    /// # Panics
    /// When `sequence` is 2^40 or more.
    pub const fn new(rank: Rank, sequence: u64) -> Self {
        assert!(sequence <= SEQUENCE_MASK, "a component has at most 2^40 events");
        Self((rank.0 as u64) << SEQUENCE_BITS | sequence)
    }

    /// Returns the rank of the component that made the event.
    pub const fn rank(self) -> Rank {
        Rank((self.0 >> SEQUENCE_BITS) as u32)
    }

    /// Returns the component's own number of the event.
    pub const fn sequence(self) -> u64 {
        self.0 & SEQUENCE_MASK
    }

    /// Makes the order of the number that [`Self::as_u64`] returned.
    #[inline]
    pub(crate) const fn from_u64(order: u64) -> Self {
        Self(order)
    }

    /// Returns both in one integer, rank above sequence number.
    #[inline]
    pub const fn as_u64(self) -> u64 {
        self.0
    }
}

/// A component's own sequence number: gives each event that the component makes its [`Order`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sequencer {
    /// The next order with the sequence number above the rank, so that it leaves the integer where it ends.
    next: u64,
}

impl Sequencer {
    /// Returns the sequencer of the component of rank `rank`, at number zero.
    pub const fn new(rank: Rank) -> Self {
        Self { next: Order::new(rank, 0).0.rotate_left(RANK_BITS) }
    }

    /// Returns that of a component of which another part has [`Self::new`]: their numbers never meet, and of simultaneous events
    /// those of this part come later.
    pub const fn of_second_part(rank: Rank) -> Self {
        Self { next: Order::new(rank, 1 << (SEQUENCE_BITS - 1)).0.rotate_left(RANK_BITS) }
    }

    /// Returns the order of the component's next event.
    ///
    /// # Panics
    /// When the component has made 2^40 - 1 events: its numbers would run into the next rank.
    #[inline(always)]
    #[allow(clippy::should_implement_trait, reason = "never ends, so is no iterator")]
    pub fn next(&mut self) -> Order {
        let order = self.next;
        let Some(next) = order.checked_add(1 << RANK_BITS) else { sequence_ends() };
        self.next = next;
        Order(order.rotate_right(RANK_BITS))
    }

    /// Returns the component's rank.
    pub const fn rank(&self) -> Rank {
        Order(self.next.rotate_right(RANK_BITS)).rank()
    }
}

/// Fails: a component has made all events that it can.
#[cold]
#[inline(never)]
fn sequence_ends() -> ! {
    panic!("a component has at most 2^40 - 1 events");
}

/// Why names cannot be ranked.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RankError {
    /// Two components bear the same canonical name.
    #[error("two components bear the canonical name {0:?}")]
    Duplicate(String),
    /// More names than ranks.
    #[error("{0} components, but at most 2^24 can be ranked")]
    TooMany(usize),
}

/// Ranks `names` by their sorted (byte-wise) order. The result is in the order of the input: element `i` is the rank of
/// the `i`-th name.
///
/// # Errors
/// [`RankError`] when two names are equal or there are more than 2^24.
pub fn ranks<'a>(names: impl IntoIterator<Item = &'a str>) -> Result<Vec<Rank>, RankError> {
    let mut sorted: Vec<(&str, usize)> = names.into_iter().enumerate().map(|(i, name)| (name, i)).collect();
    if sorted.len() > RANKS as usize {
        return Err(RankError::TooMany(sorted.len()));
    }
    sorted.sort_unstable();
    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        return Err(RankError::Duplicate(pair[0].0.to_owned()));
    }
    let mut ranks = vec![Rank(0); sorted.len()];
    for (position, &(_, index)) in (0..).zip(&sorted) {
        ranks[index] = Rank(position);
    }
    Ok(ranks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_is_rank_then_sequence() {
        let mut low = Sequencer::new(Rank::from_position(1));
        let mut high = Sequencer::new(Rank::from_position(2));
        let (a, b, c) = (low.next(), low.next(), high.next());
        assert!(a < b && b < c);
        assert_eq!((b.rank().position(), b.sequence()), (1, 1));
        assert_eq!((c.rank().position(), c.sequence()), (2, 0));
        assert_eq!(b, Order::new(Rank::from_position(1), 1));
        assert_eq!(high.rank(), c.rank());
    }

    #[test]
    #[should_panic(expected = "at most 2^40")]
    fn sequence_never_runs_into_the_next_rank() {
        let mut worn = Sequencer { next: Order::new(Rank(3), SEQUENCE_MASK).0.rotate_left(RANK_BITS) };
        worn.next();
    }

    #[test]
    fn ranks_do_not_depend_on_input_order() {
        let forward = ranks(["b", "a", "c"]).unwrap();
        let backward = ranks(["c", "a", "b"]).unwrap();
        assert_eq!(forward.iter().map(|r| r.position()).collect::<Vec<_>>(), [1, 0, 2]);
        assert_eq!(forward.into_iter().rev().collect::<Vec<_>>(), backward);
    }

    #[test]
    fn duplicates_are_refused() {
        assert_eq!(ranks(["x", "y", "x"]), Err(RankError::Duplicate("x".into())));
    }
}
