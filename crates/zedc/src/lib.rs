//! zEDC Express, sans-IO: cards that deflate and inflate whole buffers for the partitions of a machine, with their virtual
//! functions, and the services by which programs reach them. Never touches threads, shared memory or clocks.
//!
//! ```text
//! program ─► Partition: services, regions ─► choice of the card ─► VirtualFunction: queues ─► FairOrder ─► Execution ─► Engine
//! ```
//!
//! A [`Partition`] has the services in the shape of the documented ones (FPZ4RZV, FPZ4PRB, FPZ4RMR, FPZ4DMR, FPZ4ABC, FPZ4URZ),
//! and starts requests of a lost card again on another. A [`Card`] works slice by slice, so that short requests overtake long ones.
//! [`software`] is where a request goes that no card takes.
#![cfg_attr(not(feature = "isal"), forbid(unsafe_code))]

mod answer;
mod area;
mod card;
mod cards;
mod counters;
mod cpc;
mod engine;
#[cfg(test)]
mod every_order;
mod execution;
mod fair_order;
mod function_state;
mod partition;
mod queue_pair;
mod region;
mod request;
#[cfg(test)]
mod rig;
pub mod sizing;
pub mod software;
#[cfg(test)]
mod tests;
mod virtual_function;

pub use answer::{Answer, ReturnCode, Source};
pub use area::{Area, SEGMENTS_MAX, Segment};
pub use card::{Card, FUNCTIONS_MAX, Slice, VfNumber};
pub use cards::{Cards, FunctionPlace};
pub use counters::Counters;
pub use cpc::{CARDS_MAX, CardId, Cpc, CpcError, ResourceGroup};
#[cfg(feature = "isal")]
pub use engine::Isal;
#[cfg(feature = "libdeflate")]
pub use engine::Libdeflate;
pub use engine::{
    ENGINE_NAMES, Engine, EngineFault, Inflated, Position, SLICE_BYTES_MAX, ZlibRs, deflate_bound_bytes,
    engine_of,
};
pub use function_state::{FunctionError, FunctionState};
pub use partition::{Autonomous, Caller, Options, Partition, RendezvousToken};
pub use queue_pair::{DEPTH_DEFAULT, SubmitError};
pub use region::{PAGE_BYTES, REGIONS_MAX, Region, RegionToken};
pub use request::{
    Completion, INPUT_BYTES_MAX, OUTPUT_BYTES_MAX, Operation, PartitionId, Request, RequestId, SpaceId,
    Spaces,
};
