//! `credits` of a link: the receive buffers of its port, which the other side may fill without an answer.

use halftrack_input::Expect;

/// Receive buffers of a control unit's and a director's port by default, frames: enough that a link within one host
/// does not wait for them.
pub(crate) const CREDITS_DEFAULT: u16 = 256;
/// Most receive buffers, frames: the field of the login has 16 bits, the links in use fewer.
const CREDITS_MAX: u16 = 32_767;

/// Returns a number of receive buffers, frames.
pub(crate) fn credits<'e>() -> Expect<'e, u16> {
    Expect::integer(1..=CREDITS_MAX)
}
