//! Channel-to-channel connections in real time: channels of two systems, each channel and control unit at once.
//!
//! ```text
//! own programs ─► CtcChannel ─ own side of an adapter here ────────────┐
//!                     │                                            Adapters ◄─ exchanges of the other channel
//!                     └─ exchange ─► frames ─► Fibre ─► the other channel's adapters
//! ```
//!
//! Of the two channels of a connection one has the control-unit function of each device, by [`has_function`]: its programs for
//! the device meet those of the other one in the adapter, which come to it over the fibre. Status that no program waits for,
//! attention, goes over the fibre by itself.
//!
//! | file | contents |
//! | --- | --- |
//! | `program` | channel programs of the adapter's commands, and their ends |
//! | `adapters` | adapters of a channel, as exchanges use them |
//! | `own_side` | programs of this system at an adapter that is here |
//! | `channel` | a channel: link, logins, logical paths both ways, devices, disks beside them |
//! | `system` | the channels of a system, and the loop that serves them |

mod adapters;
mod channel;
mod own_side;
mod program;
mod system;

pub use channel::{CtcChannelOptions, CtcDeviceId, DiskUnit, has_function};
pub use program::{CtcCommand, CtcEnd, CtcOutcome, CtcProgram};
pub use system::{CtcEvent, CtcSystem};
