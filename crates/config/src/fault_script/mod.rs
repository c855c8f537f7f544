//! Scripts of faults as files: what fails how, when, and for how long. A part is a key and a name; which part it is, the machine
//! decides for which the script is read.
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

mod fault_kind;
mod script_file;
mod target;

pub use fault_kind::FaultKind;
pub use script_file::{ScriptFile, WrittenEvent, read_script};
pub use target::Target;
