//! The edges from channels to other rooms, and the context that they are handed.

use halftrack_base::Time;
use halftrack_engine::{EventKey, Order};

use crate::events::crossing::RetryCause;
use crate::events::ended::Ended;
use crate::events::event::HostEvent;
use crate::events::message::{Message, Transit};
use crate::events::outlet::Destination;
use crate::events::pending::HostPending;
use crate::events::slab::Slab;

/// The edge to the SAPs. What is reported takes effect at once.
pub(crate) trait SapEdge {
    /// Hands the start `io` back to its thread, to be tried again.
    fn retry(&mut self, io: u32, cause: RetryCause);

    /// Ends a start, whose record is of no more use.
    fn end(&mut self, ended: &Ended);
}

/// The edges of the channels and their context.
pub(crate) trait Outside: SapEdge {
    /// Returns the instant.
    fn now(&self) -> Time;

    /// Returns the pending events, and the last key of those handled, whose instant is now.
    fn pending(&mut self) -> (&mut HostPending, EventKey);

    /// Schedules `event` for `at`.
    fn push(&mut self, at: Time, order: Order, event: HostEvent);

    /// Sets the alarm of the processor of `channel`, which has done the first of the visits that share it at `at`.
    fn set_processor(&mut self, channel: u32, at: Time, order: Order);

    /// Forgets the event that is being handled: it was an alarm that has been moved, or a credit for which nothing waits.
    fn forget_event(&mut self);

    /// Returns bursts and frames that come, or wait for a link.
    fn transits(&mut self) -> &mut Slab<Transit>;

    /// Sends `message` to the storage.
    fn send(&mut self, message: Message);

    /// Sends the frames of `transit`, which come `to` there at `at`.
    fn send_frames(&mut self, at: Time, order: Order, to: Destination, transit: Transit);
}
