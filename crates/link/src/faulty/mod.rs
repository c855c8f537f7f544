//! Faults of a script on a working link: wrappers in front of the transports of a channel path or a port. Without a script
//! they are not there.
//!
//! ```text
//! script ─ fit ─► LineFaults (by path or port) ◄── FaultyConnector, FaultyPlug: no new link while it is dark
//!                     ▲
//! Fibre ◄──► FaultyTransport: octets under way, both directions ◄──► transport
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | `process_parts`, `fit` | the parts that a process has, and the events of a script that are theirs |
//! | `script_time` | when the script began |
//! | `line_faults` | state of a line at a time |
//! | `transport`, `linger` | octets under way, and those whose end has gone |
//! | `connector`, `plug` | new links |

mod connector;
mod fit;
mod line_faults;
mod linger;
mod plug;
mod process_parts;
mod script_time;
#[cfg(test)]
mod tests;
mod transport;

pub use connector::FaultyConnector;
pub use fit::{Fitted, ProcessFault, fit};
pub use line_faults::{LineFault, LineFaults};
pub use plug::FaultyPlug;
pub use process_parts::ProcessParts;
pub use script_time::ScriptTime;
pub use transport::FaultyTransport;
