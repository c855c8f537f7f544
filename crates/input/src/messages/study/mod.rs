//! Messages about plant, workload, channel and control-unit files, and about contradictions between files of a study.

pub(crate) mod connections;
pub(crate) mod islinks;
pub(crate) mod machines;
pub(crate) mod work;

pub use connections::*;
pub use islinks::*;
pub use machines::*;
pub use work::*;
