//! Scripts of faults as files: what fails how, when, and for how long. A part is a key and a name; which part it is, the machine
//! decides for which the script is read. A workload has the same events.
//!
//! ```toml
//! seed = 12
//! duration_s = 8
//!
//! [[event]]
//! at_s = 0.5
//! lasts_s = 0.2
//! kind = "light-lost"
//! chpid = "40"
//! ```

mod event;
mod event_kind;
mod fault_kind;
mod hosts;
mod script_file;
mod target;

use halftrack_base::Span;

pub(crate) use event::read_event;
pub use event::{Event, Scope};
pub use event_kind::{EventKind, TwinKind};
pub use fault_kind::FaultKind;
pub use hosts::Hosts;
pub use script_file::{ScriptFile, WrittenEvent, read_script, read_study_script};
pub use target::Target;

/// The time that light may be gone before a link counts as failed: R_T_TOV (FC-FS).
pub const R_T_TOV: Span = Span::from_ms(100);
