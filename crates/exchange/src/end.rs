//! What a live end of an exchange answers to: the calls of a sans-IO machine, the same for both protocols and sides.

use halftrack_base::Time;
use halftrack_wire::{Address, Iu};

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
    /// A time-out is due.
    fn handle_timeout(&mut self, now: Time);
    /// The link is gone: nothing more will arrive and nothing can be sent.
    fn handle_link_down(&mut self, now: Time);
    /// Returns how an exchange that followed `plan` to its end closed.
    fn planned_outcome(plan: &Plan) -> Self::Outcome;
}
