//! The machine in virtual time: logical partitions, SAPs, subchannels, channels, fibres, directors and control
//! units, wired from a [`Configuration`](halftrack_config::Configuration) by one function,
//! [`Simulation::new`]. It writes no report, opens no file and has no recovery rules of its own: busy, lost
//! paths and redrive are decided by `exchange` and `subsystem`.
//!
//! ```text
//!  streams ─► UCB ─► CP ─► IOP ─► channel ─► fibre │ director ─► port ─► cache / staging
//!     ▲       (IOSQ)  (start)    processor         │                       │
//!     └── CP ◄── IOP ◄──────── bus ◄──────── fibre │ director ◄── port ◄───┘
//!        (interrupt)                          host │ storage
//! ```
//!
//! The two sides of the fibre are two logical processes, whatever the number of threads. With two threads streams, UCBs and
//! CPs are with the storage.

mod accounting;
mod bus;
mod capture;
mod census;
mod channels;
mod circuit_routes;
mod credit_reach;
mod crossing;
mod data;
mod demands;
mod departures;
mod disturbance;
mod event;
mod express;
mod group;
mod host;
mod images;
mod law;
mod link;
mod link_counters;
mod load;
mod message;
mod offered;
mod options;
mod outlet;
mod path_wire;
mod pending;
mod pricing;
mod process;
mod programs;
mod route;
mod saps;
mod sequence_reference;
mod service;
mod share;
mod simulation;
mod slab;
mod storage;
mod stream_programs;
mod throughput_bounds;
mod ways;
mod wiring;

pub use capture::{Capture, CapturedFrame};
pub use options::{ExchangeMode, Fidelity, Options, Precision, Variation};
pub use simulation::{Progress, RunCounters, Simulation};
pub use wiring::WiringError;
