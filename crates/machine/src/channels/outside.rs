//! The edges from channels to other rooms, and the context that they are handed.

use halftrack_base::Time;
use halftrack_engine::Order;

use crate::events::crossing::RetryCause;
use crate::events::ended::Ended;
use crate::events::event::HostEvent;
use crate::events::message::{Message, Transit};
use crate::events::outlet::Destination;
use crate::events::slab::Slab;

/// The edge to the SAPs. What is reported takes effect at once.
pub(crate) trait SapEdge {
    /// The start `io` is to be tried again: its thread takes it back.
    fn retry(&mut self, io: u32, cause: RetryCause);

    /// A start is over, and its record is of no more use.
    fn end(&mut self, ended: &Ended);
}

/// The edges of the channels and their context.
pub(crate) trait Outside: SapEdge {
    /// The instant.
    fn now(&self) -> Time;

    /// `event` happens at `at`.
    fn push(&mut self, at: Time, order: Order, event: HostEvent);

    /// The processor of `channel` has done the first of the visits that share it at `at`.
    fn set_processor(&mut self, channel: u32, at: Time, order: Order);

    /// The event that is being handled is none: an alarm that was moved.
    fn forget_event(&mut self);

    /// Bursts and frames that come, or wait for a link.
    fn transits(&mut self) -> &mut Slab<Transit>;

    /// Sends `message` to the storage.
    fn send(&mut self, message: Message);

    /// Sends the frames of `transit`, which come `to` there at `at`.
    fn send_frames(&mut self, at: Time, order: Order, to: Destination, transit: Transit);
}
