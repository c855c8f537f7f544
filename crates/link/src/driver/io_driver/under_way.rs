//! I/Os under way.

use halftrack_base::Time;
use halftrack_exchange::Program;
use halftrack_subsystem::StartFunction;
use halftrack_wire::StartNumber;

use super::fencing::Fencing;
use crate::driver::region::Place;
use crate::driver::stream::Device;
use crate::driver::synchronous::Pending;
use crate::driver::volume::Request;
/// An I/O that is under way.
#[derive(Debug)]
pub(super) struct Io {
    pub request: Request,
    pub device: Device,
    /// Unit address over which it goes.
    pub unit: u8,
    pub place: Place,
    pub generation: u32,
    pub program: Program,
    pub start: StartFunction,
    /// Its number among all of the driver.
    pub number_of_io: u64,
    pub began: Time,
    /// Path of the last attempt, and its number at the subchannel.
    pub path: u8,
    pub number: StartNumber,
    /// Something of an earlier attempt may be on its way: its exchange ended without the control unit.
    pub unsettled: bool,
    /// It is not driven again before, unless a path comes.
    pub rests: Time,
    pub state: State,
}

impl Io {
    /// Returns the part that does not depend on how it is carried.
    #[inline]
    pub fn part(&self) -> IoPart {
        IoPart {
            request: self.request,
            device: self.device,
            unit: self.unit,
            place: self.place,
            generation: self.generation,
            number_of_io: self.number_of_io,
            began: self.began,
        }
    }
}

/// The part of an I/O that does not depend on how it is carried.
#[derive(Debug, Clone, Copy)]
pub(super) struct IoPart {
    pub request: Request,
    pub device: Device,
    pub unit: u8,
    pub place: Place,
    pub generation: u32,
    pub number_of_io: u64,
    pub began: Time,
}

/// State of an I/O.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// An exchange has it.
    Attempt,
    /// It waits for something to be free.
    Waiting,
    /// Given up, and not fenced yet.
    Fencing(Fencing),
    /// The control unit has it as a synchronous request whose time is over.
    Kept(Pending),
}
