//! One end of an exchange as the twin holds it: following a plan, or live.
//!
//! ```text
//!            open()                      handle(None) / take_transmit()
//! Closed ───────────► Planned{plan,sent,received} ──┐
//!            open_live()        │  ▲                │ the plan's next steps
//! Closed ──────────────► Live   │  └────────────────┘
//!                          ▲    │ leave_plan(), or handle(Some(iu)) with an IU the plan does not have next
//!                          └────┘ silently replays the steps completed
//! ```
//!
//! The twin never looks at which of the two it is: both answer the same calls with the same steps, which is
//! what makes a planned and a live run equal byte for byte.

use halftrack_engine::SimTime;
use halftrack_wire::Iu;

use crate::plan::Step;
use crate::{PlanId, Plans};

/// Addresses of one exchange, needed only when IUs are built.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity {
    /// Channel-image id.
    pub channel_image: u8,
    /// Control-unit-image id.
    pub control_unit_image: u8,
    /// Device (unit) address.
    pub device: u8,
    /// The channel's 24-bit operation number.
    pub token: u32,
}

/// An IU to send now.
#[derive(Debug)]
pub struct Transmit {
    /// Its shape.
    pub step: Step,
    /// The IU itself from a live end; `None` stands for the next step of the plan in this direction.
    pub iu: Option<Box<Iu>>,
}

/// A live end of an exchange; implemented by the machines of both protocols and both sides.
pub trait End: Sized {
    /// How this end's exchange closed.
    type Outcome;

    /// Builds the machine for the exchange that `plan` was recorded from.
    fn begin(plans: &Plans, plan: PlanId, identity: Identity, now: SimTime) -> Self;
    /// Takes an IU from the peer.
    fn handle_iu(&mut self, now: SimTime, iu: &Iu);
    /// The next IU to send, with its shape, if the protocol allows one now.
    fn poll_transmit(&mut self) -> Option<(Iu, Step)>;
    /// The shape of an IU received from the peer (its frames and this end's work).
    fn received_step(&self, iu: &Iu) -> Step;
    /// How the exchange closed, once.
    fn poll_outcome(&mut self) -> Option<Self::Outcome>;
    /// When [`End::handle_timeout`] wants to be called.
    fn poll_timeout(&self) -> Option<SimTime>;
    /// A time-out is due.
    fn handle_timeout(&mut self, now: SimTime);
    /// The link is gone: nothing more will arrive and nothing can be sent.
    fn handle_link_down(&mut self, now: SimTime);
}
