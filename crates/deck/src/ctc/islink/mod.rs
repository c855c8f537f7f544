//! ISFC logical links of z/VM: how many FCTC devices, how numbered, how wired, and the statements of both systems.
//!
//! A logical link joins two systems by one to sixteen FCTC devices. Each system chooses a free device for every write,
//! one from the lowest number up, the other from the highest down, and leaves the last ones to its partner (reference:
//! zHyperLink and ISFC, section B2). From that the recipe follows: enough devices that no channel waits, two more that
//! one direction alone uses, and neighbours in number on different channels.

mod channels;
mod free;
mod lines;
mod link;
mod made;
mod recipe;
mod request;

pub use channels::{Wire, WireEnd};
pub use lines::{reasons, table};
pub use link::{ExpectedRate, LinkDevice, LogicalLink, plan};
pub use recipe::{DEVICES_MAX, Recipe, usable};
pub use request::{ChannelName, ChannelPair, ChannelRates, LinkRequest};
