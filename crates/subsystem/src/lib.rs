//! The channel subsystem's decisions, sans IO: which path a start takes, what follows a busy or a lost path,
//! when a start is over; and the logical paths that I/O takes, of both ends. No transport, no clock, no queue of its
//! own: time and outcomes are arguments.

mod logical_path;
mod path_group;
mod start_function;

pub use logical_path::{
    ImageSet, LINK_CONTROL_EXCHANGES, LINK_CONTROL_TIMEOUT, LINK_CONTROL_TRIES, LogicalPath, LogicalPaths,
    PathEvent, PathRole, RemovalCause,
};
pub use path_group::{PathGroup, PathMask};
pub use start_function::{Attempt, Ending, NextAction, StartFunction, Waiting};
