//! Calls of a live end of an exchange, a sans-IO machine: equal for both protocols and sides.

use halftrack_base::Time;
use halftrack_wire::{Address, Iu, TransportPart};

use crate::outcome::Cause;
use crate::plan::{Plan, PlanId};
use crate::plans::Plans;
use crate::step::{Side, Step};

/// Addresses of one exchange, needed only when IUs are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Device (unit) address.
    pub device: u8,
    /// The channel's 24-bit operation number: that of the start at its subchannel.
    pub token: u32,
}

impl From<Identity> for Address {
    fn from(identity: Identity) -> Address {
        Address {
            channel_image: identity.channel_image,
            control_unit_image: identity.control_unit_image,
            device: identity.device,
            token: identity.token,
        }
    }
}

/// A live end of an exchange; implemented by the machines of both protocols and both sides.
pub trait End: Sized {
    /// How this end's exchange closed.
    type Outcome;

    /// Which end it is.
    const SIDE: Side;

    /// Builds the machine for the exchange that `plan` was recorded from.
    fn begin(plans: &Plans, plan: PlanId, identity: Identity, now: Time) -> Self;
    /// Takes an IU from the peer.
    fn handle_iu(&mut self, now: Time, iu: &Iu);
    /// Returns the shape of the IU that [`End::poll_transmit`] would give.
    fn peek_transmit(&self) -> Option<Step>;
    /// Returns the next IU to send, with its shape, if the protocol allows one now.
    fn poll_transmit(&mut self) -> Option<(Iu, Step)>;
    /// Returns the shape of an IU received from the peer (its frames and this end's work).
    fn received_step(&self, iu: &Iu) -> Step;
    /// Returns how the exchange closed, once.
    fn poll_outcome(&mut self) -> Option<Self::Outcome>;
    /// Returns the time at which [`End::handle_timeout`] wants to be called.
    fn poll_timeout(&self) -> Option<Time>;
    /// Does what a time-out that is due demands.
    fn handle_timeout(&mut self, now: Time);
    /// Ends the exchange, because the link is gone: nothing more will arrive and nothing can be sent.
    fn handle_link_down(&mut self, now: Time);
    /// Returns how an exchange that followed `plan` to its end closed.
    fn planned_outcome(plan: &Plan) -> Self::Outcome;
}

/// A live end of an exchange whose IUs go as frames: a [`crate::port`] drives it.
pub trait FramedEnd {
    /// Takes an IU from the peer.
    fn receive(&mut self, now: Time, iu: Iu);
    /// Returns the next IU to send, if the protocol allows one now.
    fn poll_iu(&mut self) -> Option<Iu>;
    /// Returns true when an IU can be sent now.
    fn has_transmit(&self) -> bool;
    /// Returns true when the exchange is over at this end; an answer may still have to be sent.
    fn is_closed(&self) -> bool;
    /// Returns true when an IU follows without one of the peer, though it cannot be sent now.
    fn will_transmit(&self) -> bool {
        false
    }
    /// Extends the deadline: frames of the exchange move, though no IU of it is complete.
    fn handle_progress(&mut self, now: Time);
    /// Begins the recovery from an IU of which nothing can be read, or not in whole.
    /// [`Cause::of_parse_error`] gives the cause.
    fn handle_damaged(&mut self, now: Time, cause: Cause);
    /// Returns the octets that the transport-mode data of one IU from the peer may have now, check word included.
    fn data_room(&self) -> u32;
    /// Returns the part of the transfer that transport-mode data of `bytes` octets from `relative_offset` on are.
    fn data_part(&self, relative_offset: u32, bytes: u32) -> TransportPart;
    /// Returns true when [`FramedEnd::time_out`] is due.
    fn is_due(&self, now: Time) -> bool;
    /// Does what a time-out that is due demands.
    fn time_out(&mut self, now: Time);
    /// Ends the exchange, because the link is gone: nothing more will arrive and nothing can be sent.
    fn link_down(&mut self);
}

/// Returns the part for a protocol whose data have no place in a transfer.
pub(crate) const fn no_transfer(relative_offset: u32) -> TransportPart {
    TransportPart::Data { relative_offset, inserted_bytes: 0, ends_transfer: false }
}
