//! Virtual time, the pending event set, stations, tokens, random streams, statistics and conservative windows of a
//! discrete-event simulator; it never reads a clock, never draws unseeded randomness, and is free of terms of I/O.
//!
//! Equal inputs give equal bytes on any machine and any number of threads: time is an integer count of
//! picoseconds ([`halftrack_base::Time`]), simultaneous events are ordered by the canonical rank of their component
//! ([`Order`]), random streams are named ([`RandomStream`]), and sums are integers ([`Tally`], [`TimeIntegral`]).
//!
//! Every piece of state is a plain value that can be cloned and compared.
//!
//! # Stations
//!
//! A *fused* station computes the departure of an arrival at once, without an event of its own: [`Fifo`],
//! [`MultiServer`], [`LossStation`]. That is sound only when arrivals are presented in order of time.
//! [`ProcessorSharing`] cannot be fused, because a later arrival delays the departures of earlier ones; its owner
//! keeps an alarm for the next of them ([`Alarms`]).

mod alarms;
mod batch_means;
mod event_key;
mod fifo;
mod flow;
mod gamma;
mod heads;
mod histogram;
mod lane;
mod loss;
mod multi_server;
mod near_line;
mod order;
mod pending;
mod prefetch;
mod processor_sharing;
mod quaternary_heap;
mod random;
mod sequential;
mod server_lanes;
mod server_line;
mod service_times;
mod short_line;
mod shortage;
mod sorted_line;
mod student_t;
mod tally;
mod time_integral;
mod token_pool;
mod waiters;
mod warm_up;
mod wheel;
pub mod windows;

pub use alarms::Alarms;
pub use batch_means::BatchMeans;
pub use event_key::EventKey;
pub use fifo::Fifo;
pub use flow::Flow;
pub use heads::Heads;
pub use histogram::Histogram;
pub use lane::Lane;
pub use loss::LossStation;
pub use multi_server::MultiServer;
pub use order::{Order, Rank, RankError, Sequencer, ranks};
pub use pending::PendingSet;
pub use prefetch::Prefetch;
pub use processor_sharing::ProcessorSharing;
pub use random::RandomStream;
pub use sequential::{SequentialEstimate, Stages};
pub use server_lanes::ServerLanes;
pub use service_times::{ServiceDistribution, ServiceTimes};
pub use shortage::Shortage;
pub use tally::Tally;
pub use time_integral::TimeIntegral;
pub use token_pool::TokenPool;
pub use waiters::Waiters;
pub use warm_up::{WarmUp, truncation};
pub use windows::{LogicalProcess, WindowError, WindowStats};
