//! Roles of a port: the differences between a channel's and a control unit's.

use std::fmt;

use halftrack_base::Time;
use halftrack_wire::FcFrame;

use super::buffers::Buffers;
use super::discard::Discard;
use super::open_port::{Exchange, Port};
use crate::end::FramedEnd;
use crate::sequence::Sequence;

/// Role of a port.
pub trait Role: Sized + fmt::Debug {
    /// The machine of an exchange.
    type End: FramedEnd + fmt::Debug;
    /// State of an exchange that the role keeps beside the machine.
    type State: fmt::Debug;

    /// The port opens its exchanges, and has the initiative first.
    const OPENS: bool;

    /// Forgets an exchange that is over and has sent all; true when it was given up, so that its id has to rest.
    fn forget(&mut self, exchange: &mut Exchange<Self>, place: u16) -> bool;
}

/// Role of a port whose exchanges use `Units`: the devices of a control unit, nothing at a channel.
pub trait Serve<Units>: Role {
    /// Finds the exchange to which a frame belongs, or opens it.
    ///
    /// # Errors
    /// Why the frame has no effect.
    fn place_of(
        port: &mut Port<Self>,
        now: Time,
        frame: &FcFrame<'_>,
        units: &mut Units,
    ) -> Result<u16, Discard>;

    /// Gives a whole sequence to its exchange.
    ///
    /// # Errors
    /// Why the sequence has no effect.
    fn take_sequence(
        &mut self,
        exchange: &mut Exchange<Self>,
        now: Time,
        sequence: Sequence<'_>,
        buffers: &mut Buffers,
        units: &mut Units,
    ) -> Result<(), Discard>;

    /// Draws the consequences when an exchange may have closed.
    fn conclude(&mut self, exchange: &mut Exchange<Self>, units: &mut Units);
}
