//! Which of some lines of events has the first of all: a tournament of the lines' heads.

use std::hint::select_unpredictable;

use crate::Order;
use halftrack_base::Time;

/// Nodes of the tree, the root at 1, so that a leaf is at most seven levels below it.
const NODES: usize = 256;

/// Times of the first events of up to 128 lines, with the first of all.
///
/// A tree of which each node holds the first of its two children (a winner tree: Knuth, *The Art of Computer
/// Programming*, vol. 3, 5.4.1). The children of node `n` are `2 n` and `2 n + 1`. A line has a leaf, and any node is
/// one that has no leaf above or below it: so a line with many events can be put near the root, because to set its
/// head costs a step a level. The step compares times, which needs no branch that chance decides; only equal times
/// compare the orders. Lines without events have unlike times, so that they are no equal ones. The contents of the lines are
/// not in the tree.
#[derive(Clone, Debug)]
pub struct Heads {
    /// By node: when the first comes; the time of [`never()`] if there is none.
    times: [Time; NODES],
    /// By leaf: the order of its first.
    orders: [Order; NODES],
    /// By node: the leaf of the first.
    leaves: [u8; NODES],
}

/// Returns a time at which nothing comes, of this leaf alone.
#[inline(always)]
fn never(leaf: usize) -> Time {
    Time::from_ps(Time::MAX.as_ps() - (leaf % NODES) as u64)
}

impl Heads {
    /// The leaves of a tree that is six levels deep everywhere: so many, from that with this number on.
    pub(crate) const BOTTOM: usize = 64;

    /// Makes heads of lines without events.
    pub fn new() -> Self {
        Self {
            times: std::array::from_fn(never),
            orders: [Order::default(); NODES],
            leaves: std::array::from_fn(|node| node as u8),
        }
    }

    /// Sets the first event of the line at `leaf` to `at`, with the place `order` in that instant. With [`Time::MAX`]
    /// there is none.
    ///
    /// # Panics
    /// When there is no such leaf.
    #[inline(always)]
    pub fn set(&mut self, leaf: usize, at: Time, order: Order) {
        let at = at.min(never(leaf));
        (self.times[leaf], self.orders[leaf]) = (at, order);
        let (mut node, mut first, mut first_at) = (leaf, leaf as u8, at);
        while node > 1 {
            (first, first_at) = self.play(node, first, first_at);
            node /= 2;
            (self.leaves[node], self.times[node]) = (first, first_at);
        }
    }

    /// Sets the line at the leaf `BOTTOM + position`, as [`Self::set`], counted on from the first behind the last.
    #[inline(always)]
    pub(crate) fn set_at_bottom(&mut self, position: usize, at: Time, order: Order) {
        let mut node = Self::BOTTOM + position % Self::BOTTOM;
        let at = at.min(never(node));
        (self.times[node], self.orders[node]) = (at, order);
        let (mut first, mut first_at) = (node as u8, at);
        for _ in 0..Self::BOTTOM.ilog2() {
            (first, first_at) = self.play(node, first, first_at);
            node /= 2;
            (self.leaves[node], self.times[node]) = (first, first_at);
        }
    }

    /// Returns the winner of node `node`, the leaf `first` at `first_at`, plays against that of the node beside it.
    #[inline(always)]
    fn play(&self, node: usize, first: u8, first_at: Time) -> (u8, Time) {
        let (other, other_at) = (self.leaves[node ^ 1], self.times[node ^ 1]);
        if other_at == first_at {
            return (if self.is_before(other, first) { other } else { first }, first_at);
        }
        let is_other = other_at < first_at;
        let first = select_unpredictable(is_other, other, first);
        (first, select_unpredictable(is_other, other_at, first_at))
    }

    /// Returns whether `one` comes before `other`, of two leaves with equal times.
    #[cold]
    fn is_before(&self, one: u8, other: u8) -> bool {
        self.orders[usize::from(one)] < self.orders[usize::from(other)]
    }

    /// Returns the leaf whose line has the first event; of no meaning when none has one.
    #[inline(always)]
    pub fn first(&self) -> usize {
        usize::from(self.leaves[1])
    }

    /// Returns the time at which the first event comes; [`Time::MAX`] if there is none.
    #[inline(always)]
    pub fn first_at(&self) -> Time {
        let at = self.times[1];
        if at >= never(NODES - 1) { Time::MAX } else { at }
    }

    /// Returns the place of the first event in its instant.
    #[inline(always)]
    pub fn first_order(&self) -> Order {
        self.orders[self.first()]
    }
}

impl Default for Heads {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{RandomStream, Rank};

    /// Leaves at unequal depth, with many equal times: the first is that of a list.
    #[test]
    fn the_first_is_that_of_a_list() {
        const LEAVES: [usize; 7] = [4, 10, 11, 12, 27, 126, 127];
        let mut stream = RandomStream::new(1, "heads");
        let mut heads = Heads::new();
        let mut list = [(Time::MAX, Order::default()); LEAVES.len()];
        assert_eq!(heads.first_at(), Time::MAX);
        for sequence in 0..5_000 {
            let line = stream.below(LEAVES.len() as u64) as usize;
            let at = match stream.below(12) {
                0..4 => Time::MAX,
                ps => Time::from_ps(ps),
            };
            let order = Order::new(Rank::from_position(line as u32), sequence);
            heads.set(LEAVES[line], at, order);
            list[line] = (at, order);
            let (first, head) = (0..).zip(list).min_by_key(|(_, head)| *head).unwrap();
            assert_eq!(heads.first_at(), head.0);
            if head.0 < Time::MAX {
                assert_eq!((heads.first(), heads.first_order()), (LEAVES[first], head.1));
            }
        }
    }

    /// The first of the leaves at the bottom is that of a list, too.
    #[test]
    fn the_first_of_the_bottom_is_that_of_a_list() {
        let mut stream = RandomStream::new(1, "heads");
        let mut heads = Heads::new();
        let mut list = [(Time::MAX, Order::default()); Heads::BOTTOM];
        for sequence in 0..20_000 {
            let position = stream.below(list.len() as u64) as usize;
            let at = Time::from_ps(stream.below(30));
            let order = Order::new(Rank::from_position(position as u32), sequence);
            heads.set_at_bottom(position + 2 * Heads::BOTTOM, at, order);
            list[position] = (at, order);
            let (first, head) = (Heads::BOTTOM..).zip(list).min_by_key(|(_, head)| *head).unwrap();
            assert_eq!((heads.first(), heads.first_at(), heads.first_order()), (first, head.0, head.1));
        }
    }

    #[test]
    #[should_panic(expected = "out of bounds")]
    fn there_are_no_more_leaves() {
        Heads::new().set(NODES, Time::ZERO, Order::default());
    }
}
