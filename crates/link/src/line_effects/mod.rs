//! Effects of faults on what crosses a link, without time and sockets of their own: the lines of a world in virtual time and
//! the transports of a working link have them.

mod effect;
mod lane;

pub use effect::{Delivery, LineEffect, deliver, whole_bytes, without_frames};
pub use lane::Lane;
