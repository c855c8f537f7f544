//! Switches, channels and control units in memory.

mod incidents;
mod laws;
mod links;
mod logins;
mod world;
mod zones;
