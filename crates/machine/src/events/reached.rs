//! How far a process has come within an instant.

use halftrack_base::Time;
use halftrack_engine::Order;

/// Returns the last place in the instant `at` of the events handled at it. The newest is at the place `order`, and `before` are
/// instant and last place before it. An event that another of its instant has made comes after that, whatever its own place.
#[inline(always)]
pub(crate) fn reached(before: (Time, Order), at: Time, order: Order) -> Order {
    if at == before.0 { later(before.1, order) } else { order }
}

#[cold]
fn later(one: Order, other: Order) -> Order {
    one.max(other)
}
