//! What a catalog file of each kind holds, one kind a file.

pub mod attachment;
pub mod bridge;
pub mod channel;
pub mod circuit;
pub mod common_numbers;
pub mod control_unit;
pub mod cpc;
pub mod director;
pub mod enclosure;
pub mod feature;
pub mod fibre;
pub mod firmware;
pub mod growth;
pub mod guideline;
pub mod held_bus;
pub mod interconnect;
pub mod io_drawer;
pub mod multiplexer;
pub mod plugging;
pub mod prices;
pub mod processor;
pub mod service;
pub mod shares;
pub mod speed;
pub mod structure;
pub mod volume;
