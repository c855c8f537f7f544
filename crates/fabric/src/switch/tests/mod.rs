//! Switches, channels and control units in memory.

mod cascades;
mod laws;
mod links;
mod logins;
mod world;
mod zones;
