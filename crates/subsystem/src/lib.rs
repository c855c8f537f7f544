//! The channel subsystem's decisions, sans IO: which path a start takes, what follows a busy or a lost path,
//! when a start is over; of both ends the logical paths that I/O takes, and the numbers that order its starts; and the
//! queues in storage of a subchannel that has no starts. No transport, no clock: time and outcomes are arguments.

mod fence;
mod logical_path;
mod path_group;
mod path_health;
mod path_watch;
mod qdio;
mod start_function;
mod subchannels;

pub use fence::{Fence, Host, NUMBERS_KEPT, NodeIdentity, Verdict};
pub use logical_path::{
    ImageSet, LINK_CONTROL_EXCHANGES, LINK_CONTROL_TIMEOUT, LINK_CONTROL_TRIES, LogicalPath, LogicalPaths,
    PathEvent, PathRole, RemovalCause,
};
pub use path_group::{PathGroup, PathMask};
pub use path_health::{PathHealth, TEST_WAIT, TIMEOUTS_MAX};
pub use path_watch::{PROBE_WAIT, PROBES, PathWatch, SILENCE_MAX, Watched};
pub use qdio::{QUEUE_BUFFERS, Qdio, QueueError, REQUEST_BUFFERS_MAX, Signal, request_buffers};
pub use start_function::{Attempt, Ending, MISSING_INTERRUPT, NextAction, StartFunction, Waiting};
pub use subchannels::Subchannels;
