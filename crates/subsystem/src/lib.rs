//! The channel subsystem's decisions, sans IO: which path a start takes, what follows a busy or a lost path,
//! when a start is over. No transport, no clock, no queue of its own: time and outcomes are arguments.

mod path_group;
mod start_function;

pub use path_group::{PathGroup, PathMask};
pub use start_function::{Attempt, Ending, NextAction, StartFunction, Waiting};
