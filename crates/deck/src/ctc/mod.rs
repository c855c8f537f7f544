//! Channel-to-channel connections: the ends that decks define, the pairs among them, and the missing ends.
//!
//! Reference: IOCP, section 4.7 (V): CUADD is the image at the other end, its MIF id, with the CSS digit before it when
//! the channel there is spanned; LINK is the director port of the channel there; unit addresses are equal on both
//! ends, and device numbers should be. Between ESCON channels one is of TYPE=CTC. A control unit on a shared channel
//! is an end for each partition that may use it.
//!
//! The port of a channel itself is in no deck: it is concluded from the ends that point back, or given.

mod devices;
mod ends;
pub mod islink;
mod lines;
mod make;
mod misfits;
mod new_end;
mod numbers;
mod pairs;

pub use devices::DeviceRun;
pub use ends::{End, Image, Port};
pub use lines::listing;
pub use make::missing_ends;
pub use misfits::{Fault, Misfit};
pub use pairs::{Connections, GivenPort, Pair, connections};
