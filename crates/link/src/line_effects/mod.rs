//! Effects of faults on what crosses a link, without time and sockets of their own: the lines of a world in virtual time and
//! the transports of a working link have them.

mod carry;
mod effect;
mod lane;

pub use carry::carry;
pub use effect::{LineEffect, whole_bytes};
pub use lane::Lane;
