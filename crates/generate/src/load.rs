//! Load of the machine of a study.

/// Work of all partitions together, divided evenly among them.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Load {
    /// Jobs, each with one I/O at a time and the next one as soon as it ends.
    Jobs(u32),
    /// I/Os that arrive in a second.
    Rate(f64),
}
