//! Interface of the channel paths to the I/O driver.

use halftrack_base::Time;
use halftrack_exchange::Program;
use halftrack_wire::StartNumber;

/// The channel paths of a path group, by their place in it.
pub trait ChannelPaths {
    /// Starts a program for the device at `unit`; its end comes with `tag` and the number of the start. Nothing is started
    /// when the path has no room for another exchange or is not there, or when the subchannel is not free.
    fn start(&mut self, now: Time, path: u8, unit: u8, program: &Program, tag: u32) -> Option<StartNumber>;

    /// Returns the exchanges that are open on a path.
    fn open(&self, path: u8) -> usize;

    /// Withdraws the program that was started with `tag`.
    fn cancel(&mut self, now: Time, path: u8, tag: u32);

    /// Gives up the start of this number: the subchannel is free for another.
    fn give_up(&mut self, unit: u8, number: StartNumber);
}
