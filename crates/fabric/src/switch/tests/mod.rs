//! Switches, channels and control units in memory.

mod cascades;
mod incidents;
mod laws;
mod links;
mod logins;
mod world;
mod zones;
