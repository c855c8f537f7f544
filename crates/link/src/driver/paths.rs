//! What the I/O driver asks of its channel paths.

use halftrack_engine::SimTime;
use halftrack_exchange::Program;

/// The channel paths of a path group, by their place in it.
pub trait ChannelPaths {
    /// Starts a program for the device at `unit`; its end comes with `tag`. False, and nothing is started, when the path
    /// has no room for another exchange or is not there.
    fn start(&mut self, now: SimTime, path: u8, unit: u8, program: &Program, tag: u32) -> bool;

    /// Withdraws the program that was started with `tag`.
    fn cancel(&mut self, now: SimTime, path: u8, tag: u32);
}
