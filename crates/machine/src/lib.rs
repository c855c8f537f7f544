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

mod capture;
mod channels;
mod ctc;
mod data;
mod events;
mod express;
mod fabric;
mod host;
mod images;
mod laws;
mod run;
mod saps;
mod storage;
mod wiring;

pub use capture::{Capture, CapturedFrame};
pub use run::simulation::{Cancelled, Progress, RunCounters, Simulation};
pub use wiring::error::WiringError;
pub use wiring::options::{ExchangeMode, Fidelity, Options, Precision, Threads, Variation};
