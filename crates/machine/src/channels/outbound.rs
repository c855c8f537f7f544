//! The links that begin at the channels, and those behind them that only they feed, as [`crate::fabric::sending`] has them.

use halftrack_base::{Span, Time};
use halftrack_engine::Order;

use super::Outside;
use crate::capture::Recorder;
use crate::events::cargo::Cargo;
use crate::events::event::HostEvent;
use crate::events::message::{Body, Envelope, ExpressCommand, Message, Parcel, Transit};
use crate::events::outlet::Destination;
use crate::events::slab::Slab;
use crate::fabric::link::{Arrival, Transmitters};
use crate::fabric::sending::{LinkEnds, LinkEvent};
use crate::laws::traffic::Traffic;
use crate::wiring::Wiring;
use crate::wiring::load::{Chunk, OnFibre};
use crate::wiring::path_wire::PathWire;
use crate::wiring::route::{Junction, ShortRoute};

/// The far ends of the links of channels, and the recorder of frames that enter them.
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
    fn take_back(&mut self, link: u32, give: impl FnMut(Time)) {
        let (pending, now) = self.out.pending();
        pending.returning.take_back(link, now, give);
    }

    #[cold]
    fn await_credits(&mut self, link: u32) {
        self.out.pending().0.await_credits(link);
    }

    #[cold]
    fn cease_to_await(&mut self, link: u32) {
        self.out.pending().0.returning.cease_to_await(link);
    }

    #[cold]
    fn arrive_at_channel(&mut self, at: Time, order: Order, transit: Transit) {
        let transit = self.out.transits().put(transit);
        self.out.push(at, order, HostEvent::UnitArrived { transit });
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

/// The links that channels send on, with the counts and the capture of what passes.
#[derive(Debug)]
pub(super) struct OutboundLinks {
    links: Transmitters,
    traffic: Traffic,
    /// The recorder of a run whose frames are captured.
    recorder: Option<Box<Recorder>>,
}

impl OutboundLinks {
    /// Makes the idle links of the host's process.
    pub(super) fn new(w: &Wiring) -> Self {
        Self { links: Transmitters::new(w, |host| host), traffic: Traffic::default(), recorder: None }
    }

    /// Puts `transit` on the first link of `path`, or has it wait for a credit there.
    #[inline(always)]
    pub(super) fn send(&mut self, out: &mut impl Outside, w: &Wiring, path: &PathWire, transit: Transit) {
        let chunk = transit.cargo.chunk(w);
        self.traffic.frames_sent(chunk.frames, chunk.data_bytes);
        let now = out.now();
        self.links.send(w, &mut Ends { out, recorder: &mut self.recorder }, path, transit, now);
    }

    /// Puts all that an exchange in the express lane sends, with this `envelope`, on the first link of `path`.
    #[inline(always)]
    pub(super) fn send_command(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        path: &PathWire,
        envelope: Envelope,
    ) {
        let plan = w.express.known(envelope.plan);
        self.traffic.frames_sent(plan.command_frames, 0);
        let (route, on_fibre) = (path.short_outbound, plan.command_on_fibre());
        match route.junction {
            Junction::Nothing | Junction::Fused => {
                let Arrival { at, order, tail_lag_ps } = self.links.launch_to_end(route, on_fibre, out.now());
                let command = ExpressCommand { envelope, tail_lag_ps };
                out.send(Message { at, order, body: Body::ExpressCommand(command) });
            }
            Junction::Shared => {
                let Arrival { at, order, tail_lag_ps } =
                    self.links.launch_to_director(route, on_fibre, out.now());
                let command = ExpressCommand { envelope, tail_lag_ps };
                out.send(Message { at, order, body: Body::ExpressCommandAtDirector(command) });
            }
            Junction::Other => {
                let transit = ExpressCommand { envelope, tail_lag_ps: 0 }.transit(w);
                self.send_over_hops(out, w, path, on_fibre, transit);
            }
        }
    }

    /// Puts what is `on_fibre` on the first of several links.
    #[inline(never)]
    fn send_over_hops(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        path: &PathWire,
        on_fibre: OnFibre,
        transit: Transit,
    ) {
        let launched = self.links.launch(w, path.outbound.first, on_fibre, out.now(), Span::ZERO);
        self.links.let_go(w, &mut Ends { out, recorder: &mut self.recorder }, &launched, transit);
    }

    /// Puts a unit between channels on the link of hop `first`. Returns when its head enters that.
    #[cold]
    pub(super) fn send_unit(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        first: u32,
        transit: Transit,
    ) -> Time {
        let on_fibre = transit.cargo.chunk(w).on_fibre();
        let launched = self.links.launch(w, first, on_fibre, out.now(), Span::ZERO);
        self.links.let_go(w, &mut Ends { out, recorder: &mut self.recorder }, &launched, transit);
        launched.entered
    }

    /// Sends the transit in `slot`, whose head is ready, over its next link.
    #[inline(always)]
    pub(super) fn on_hop(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        self.links.on_hop(w, &mut Ends { out, recorder: &mut self.recorder }, slot);
    }

    /// Takes a credit of `link` back. Returns whether anything has waited for it.
    #[inline(always)]
    pub(super) fn on_credit(&mut self, out: &mut impl Outside, w: &Wiring, link: u32) -> bool {
        self.links.on_credit(w, &mut Ends { out, recorder: &mut self.recorder }, link)
    }

    /// Begins to lose `share_ppm` of a million frames on those of `links` that the host's process owns, or ceases to.
    #[cold]
    pub(super) fn drop_share(&mut self, links: impl IntoIterator<Item = u32>, share_ppm: u32, begins: bool) {
        self.links.drop_share(links, share_ppm, begins);
    }

    /// Counts a `chunk` that has arrived at its channel.
    #[inline(always)]
    pub(super) fn count_received(&mut self, chunk: &Chunk) {
        self.traffic.frames_received(chunk.frames, chunk.data_bytes);
    }

    /// Fetches the links of a short `route`, over which something goes soon.
    #[inline(always)]
    pub(super) fn fetch(&self, route: ShortRoute) {
        self.links.fetch_route(route);
    }
}

/// Capture, counts and laws.
impl OutboundLinks {
    /// Captures frames with `recorder` from now on.
    pub(super) fn capture(&mut self, recorder: Recorder) {
        self.recorder = Some(Box::new(recorder));
    }

    /// Captures the login of `channel`, whose fibre has light now, if frames are captured.
    pub(super) fn capture_login(&mut self, w: &Wiring, channel: u32, now: Time) {
        if let Some(recorder) = &mut self.recorder {
            recorder.login(w, channel, now);
        }
    }

    /// Ends the capture. Returns the recorder, where there is one.
    pub(super) fn take_recorder(&mut self) -> Option<Recorder> {
        self.recorder.take().map(|recorder| *recorder)
    }

    /// Returns true while frames are captured.
    #[inline(always)]
    pub(super) fn is_captured(&self) -> bool {
        self.recorder.is_some()
    }

    /// Captures the frames of `cargo` that have arrived with `parcel` at `now`, if frames are captured.
    #[inline(always)]
    pub(super) fn capture_inbound(&mut self, w: &Wiring, parcel: &Parcel, cargo: &Cargo, now: Time) {
        if let Some(recorder) = &mut self.recorder {
            recorder.inbound(w, parcel, cargo, now);
        }
    }

    /// Returns the frames and bytes sent and received.
    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Returns the transmitters.
    pub(super) fn links(&self) -> &Transmitters {
        &self.links
    }

    /// Returns the transmitters, for what happens to links.
    pub(super) fn links_mut(&mut self) -> &mut Transmitters {
        &mut self.links
    }
}

/// Sends the credit of the last link of `path`, whose buffer is free at `freed`, to its sender in the storage's process.
#[inline(never)]
pub(super) fn return_credit(out: &mut impl Outside, w: &Wiring, path: &PathWire, freed: Time, order: Order) {
    let link = w.last_link(path.inbound);
    let at = w.credit_back_at(link, freed, Span::from_ps(1));
    out.send(Message { at, order, body: Body::Credit { link } });
}
