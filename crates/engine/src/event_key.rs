//! The key of a pending event: when, and its place in that instant.

use std::cmp::Ordering;

use crate::Order;
use halftrack_base::Time;

/// Key of an event. Compared as one 128-bit integer, which needs no branch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EventKey {
    /// When.
    pub at: Time,
    /// The place in that instant.
    pub order: Order,
}

impl EventKey {
    /// After everything that happens.
    pub const NEVER: Self = Self { at: Time::MAX, order: Order::from_u64(u64::MAX) };

    /// Returns the before everything that happens at `at`.
    #[inline]
    pub fn before(at: Time) -> Self {
        Self { at, order: Order::default() }
    }

    #[inline]
    fn wide(self) -> u128 {
        u128::from(self.at.as_ps()) << 64 | u128::from(self.order.as_u64())
    }
}

impl Ord for EventKey {
    #[inline]
    fn cmp(&self, other: &Self) -> Ordering {
        self.wide().cmp(&other.wide())
    }
}

impl PartialOrd for EventKey {
    #[inline]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
    #[inline]
    fn lt(&self, other: &Self) -> bool {
        self.wide() < other.wide()
    }
    #[inline]
    fn le(&self, other: &Self) -> bool {
        self.wide() <= other.wide()
    }
}
