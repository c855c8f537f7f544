//! The links that begin at the channels, and those behind them that only they feed, as [`crate::fabric::sending`] has them.

use halftrack_base::Time;
use halftrack_engine::Order;

use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::events::message::{Body, Message, Parcel, Transit};
use crate::events::outlet::Destination;
use crate::events::slab::Slab;
use crate::fabric::group::Cargo;
use crate::fabric::link::Launched;
use crate::fabric::sending::{LinkEnds, LinkEvent};
use crate::run::capture::Recorder;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// What the links of channels lead to, and what captures frames that enter them.
struct Ends<'a, O> {
    out: &'a mut O,
    recorder: &'a mut Option<Box<Recorder>>,
}

impl<O: Outside> LinkEnds for Ends<'_, O> {
    const IS_HOST: bool = true;

    #[inline(always)]
    fn now(&self) -> Time {
        self.out.now()
    }

    #[inline(always)]
    fn transits(&mut self) -> &mut Slab<Transit> {
        self.out.transits()
    }

    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: LinkEvent) {
        let event = match event {
            LinkEvent::Pump { exchange } => HostEvent::Pump { exchange },
            LinkEvent::Credit { link } => HostEvent::Credit { link },
            LinkEvent::Hop { transit } => HostEvent::Hop { transit },
            LinkEvent::Arrived { transit } => HostEvent::Inbound { transit },
        };
        self.out.push(at, order, event);
    }

    #[inline(always)]
    fn return_credit(&mut self, at: Time, order: Order, link: u32) {
        self.out.send(Message { at, order, body: Body::Credit { link } });
    }

    #[inline(always)]
    fn send_frames(&mut self, at: Time, order: Order, to: Destination, transit: Transit) {
        self.out.send_frames(at, order, to, transit);
    }

    #[inline(always)]
    fn enter(&mut self, w: &Wiring, parcel: &Parcel, cargo: &Cargo, entered: Time) {
        if let Some(recorder) = &mut self.recorder {
            recorder.outbound(w, parcel, cargo, entered);
        }
    }
}

impl Channels {
    /// Puts `transit` on the first link of `path`, or has it wait for a credit there.
    #[inline(always)]
    pub(super) fn put_on_link(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        path: &PathWire,
        transit: Transit,
    ) {
        let now = out.now();
        self.links.send(w, &mut Ends { out, recorder: &mut self.recorder }, path, transit, now);
    }

    /// Lets `transit`, which has been launched, arrive where that has brought it.
    #[inline(always)]
    pub(super) fn let_go(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        launched: &Launched,
        transit: Transit,
    ) {
        self.links.let_go(w, &mut Ends { out, recorder: &mut self.recorder }, launched, transit);
    }

    /// The head of the transit in `slot` is ready for the next link.
    #[cold]
    pub(crate) fn on_hop(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.links.on_hop(w, &mut Ends { out, recorder: &mut self.recorder }, slot);
    }

    /// A credit of `link` is back.
    #[cold]
    pub(crate) fn on_credit(&mut self, out: &mut impl Outside, w: &Wiring, link: u32) {
        self.links.on_credit(w, &mut Ends { out, recorder: &mut self.recorder }, link);
    }
}
