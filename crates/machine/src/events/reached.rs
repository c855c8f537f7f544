//! How far a process has come within an instant.

use halftrack_base::Time;
use halftrack_engine::Order;

/// Returns the last place at the instant `at` of events handled at it, of which one is at the place `order`, from the last one of all
/// `before`. An event that another of its instant has made comes after that, whatever its own place.
#[inline(always)]
pub(crate) fn reached(before: (Time, Order), at: Time, order: Order) -> Order {
    if at == before.0 { later(before.1, order) } else { order }
}

#[cold]
fn later(one: Order, other: Order) -> Order {
    one.max(other)
}
