//! The context that every component of the storage is handed beside its own state: the instant, the pending events, the
//! links, and the way to the host.

mod directors;

use halftrack_base::Time;
use halftrack_engine::{EventKey, Order};

use crate::events::event::StorageEvent;
use crate::events::message::{Body, Envelope, Message, Transit};
use crate::events::outlet::HOST;
use crate::events::outlet::{Destination, Inbox, Outlet};
use crate::events::pending::{HostPending, StoragePending};
use crate::events::reached::reached;
use crate::events::slab::Slab;
use crate::fabric::link::Transmitters;
use crate::fabric::sending::{LinkEnds, LinkEvent};
use crate::laws::census::Census;
use crate::laws::traffic::Traffic;
use crate::wiring::Wiring;
use crate::wiring::route::ShortRoute;

/// The event set of the storage's process, what is under way to it, and the way to the host's.
#[derive(Debug)]
struct Events {
    now: Time,
    /// Last place in that instant of the events handled at it.
    reached: Order,
    pending: Box<StoragePending>,
    transits: Box<Slab<Transit>>,
    to_host: Outlet<HostPending>,
}

impl LinkEnds for Events {
    const IS_HOST: bool = false;

    #[inline(always)]
    fn now(&self) -> Time {
        self.now
    }

    #[inline(always)]
    fn transits(&mut self) -> &mut Slab<Transit> {
        &mut self.transits
    }

    #[inline(always)]
    fn push(&mut self, at: Time, order: Order, event: LinkEvent) {
        let event = match event {
            LinkEvent::Pump { exchange } => StorageEvent::Pump { exchange },
            LinkEvent::Credit { link } => StorageEvent::Credit { link },
            LinkEvent::Hop { transit } => StorageEvent::Hop { transit },
            LinkEvent::Arrived { transit } => StorageEvent::Arrived { transit },
        };
        self.pending.push(at, order, event);
    }

    #[inline(always)]
    fn return_credit(&mut self, at: Time, order: Order, link: u32) {
        self.to_host.send(Message { at, order, body: Body::Credit { link } });
    }

    #[inline(always)]
    fn take_back(&mut self, link: u32, give: impl FnMut(Time)) {
        self.pending.returning.take_back(link, EventKey { at: self.now, order: self.reached }, give);
    }

    #[cold]
    fn await_credits(&mut self, link: u32) {
        self.pending.await_credits(link);
    }

    #[cold]
    fn cease_to_await(&mut self, link: u32) {
        self.pending.returning.cease_to_await(link);
    }

    #[cold]
    fn arrive_at_channel(&mut self, at: Time, order: Order, transit: Transit) {
        self.to_host.send_frames(at, order, Destination::Channel, transit);
    }

    #[inline(always)]
    fn send_frames(&mut self, at: Time, order: Order, to: Destination, transit: Transit) {
        self.to_host.send_frames(at, order, to, transit);
    }
}

/// The context of a component.
#[derive(Debug)]
pub(super) struct Context {
    events: Events,
    links: Transmitters,
    traffic: Traffic,
    /// By path, routes by themselves: how often it was lost.
    losses: Vec<u32>,
}

impl Context {
    /// Makes the context at the begin of a run.
    pub(super) fn new(w: &Wiring) -> Self {
        let events = Events {
            now: Time::ZERO,
            reached: Order::default(),
            pending: Box::new(StoragePending::new()),
            transits: Box::new(Slab::with_capacity(1024)),
            to_host: Outlet::to(HOST),
        };
        let losses = vec![0; w.paths.len()];
        let links = Transmitters::new(w, |host| host == Events::IS_HOST);
        Self { events, links, traffic: Traffic::default(), losses }
    }

    /// Returns the instant.
    #[inline(always)]
    pub(super) fn now(&self) -> Time {
        self.events.now
    }

    /// Goes on to the first event, which comes at `at`.
    #[inline(always)]
    pub(super) fn begin_event(&mut self, at: Time) {
        let events = &mut self.events;
        events.reached = reached((events.now, events.reached), at, events.pending.heads.first_order());
        events.now = at;
    }

    /// Returns the pending events.
    #[inline(always)]
    pub(super) fn pending(&self) -> &StoragePending {
        &self.events.pending
    }

    /// Returns the pending events, to take some out.
    #[inline(always)]
    pub(super) fn pending_mut(&mut self) -> &mut StoragePending {
        &mut self.events.pending
    }

    /// Returns the inbox, where messages of the host come.
    #[inline(always)]
    pub(super) fn inbox(&mut self) -> Inbox<'_, StoragePending> {
        (&mut self.events.pending, &mut self.events.transits)
    }

    /// Returns the way to the host.
    #[inline(always)]
    pub(super) fn outlet(&mut self) -> &mut Outlet<HostPending> {
        &mut self.events.to_host
    }

    /// Fetches the links of a short `route`, over which something goes soon.
    #[inline(always)]
    pub(super) fn fetch_route(&self, route: ShortRoute) {
        self.links.fetch_route(route);
    }

    /// Returns the transmitters of its links.
    pub(super) fn links(&self) -> &Transmitters {
        &self.links
    }

    /// Frames and bytes sent and received.
    pub(super) fn traffic(&self) -> &Traffic {
        &self.traffic
    }

    /// Gives the links the credits that are back by `now`.
    pub(super) fn settle_credits(&mut self, now: Time) {
        self.links.settle_credits(&mut self.events.pending.returning, now);
    }

    /// Counts so many frames with so many bytes of data as received.
    #[inline(always)]
    pub(super) fn count_received(&mut self, frames: u16, data_bytes: u32) {
        self.traffic.frames_received(frames, data_bytes);
    }

    /// Counts what is under way.
    pub(super) fn census(&self, w: &Wiring, census: &mut Census) {
        census.storage(w, &self.events.pending, &self.events.transits);
        self.links.census(w, &self.events.transits, census);
    }

    /// Keeps `transit` until something of this process is free: its slot.
    pub(super) fn put(&mut self, transit: Transit) -> u32 {
        self.events.transits.put(transit)
    }

    /// Takes what has come, or has waited, out of its `slot`.
    #[inline(always)]
    pub(super) fn take(&mut self, slot: u32) -> Transit {
        Transit::take(&mut self.events.transits, slot)
    }

    /// Returns the transit in `slot`.
    pub(super) fn transit(&self, slot: u32) -> &Transit {
        &self.events.transits[slot]
    }

    /// Counts a loss of each of `paths`.
    pub(super) fn lose_paths(&mut self, paths: impl Iterator<Item = u32>) {
        paths.for_each(|path| self.losses[path as usize] += 1);
    }

    /// Begins to lose `share_ppm` of a million frames on those of `links` that are of this process, or ceases to.
    pub(super) fn drop_share(&mut self, links: impl IntoIterator<Item = u32>, share_ppm: u32, begins: bool) {
        self.links.drop_share(links, share_ppm, begins);
    }

    /// Stalls those of `links` that are of this process until `until`.
    pub(super) fn stall(&mut self, links: impl IntoIterator<Item = u32>, until: Time) {
        self.links.stall(links, self.events.now, until);
    }

    /// Returns true when what bears `envelope` was lost with its path.
    #[inline(always)]
    pub(super) fn is_lost(&self, envelope: Envelope) -> bool {
        envelope.epoch != self.losses[envelope.path as usize]
    }

    /// Schedules `event` for `at`.
    #[inline(always)]
    pub(super) fn push(&mut self, at: Time, order: Order, event: StorageEvent) {
        self.events.pending.push(at, order, event);
    }

    /// Sends `body` to the host, where it comes at `at`.
    #[inline(always)]
    pub(super) fn send_to_host(&mut self, at: Time, order: Order, body: Body) {
        self.events.to_host.send(Message { at, order, body });
    }
}
