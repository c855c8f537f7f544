//! Switches, channels and control units in memory.

mod cascades;
mod incidents;
mod laws;
mod links;
mod logins;
mod placed;
mod virtual_ports;
mod world;
mod zones;
