//! The channels: path groups and the choice of the path, open exchanges, channel processors and buses, up to the fibre.

mod ahead;
mod bus;
mod channel;
mod circuit;
mod data;
mod exchange;
mod held_bus;
mod io;
mod receiving;
mod sending;
mod start;
mod taken_off;
mod view;

pub(crate) use self::ahead::SOON;
pub(crate) use self::bus::Burst;
pub(crate) use self::channel::{Busy, ChannelState, Part};
pub(crate) use self::exchange::{Exchange, Opening, Visit, Way};
pub(crate) use self::io::{Io, NONE};
pub(crate) use self::start::ended;
pub(crate) use self::taken_off::{TakenOff, Target};
pub(crate) use self::view::{LcuView, PathBusySums};
