//! What every component of the storage is handed beside its own state: the instant, the pending events, the links, and
//! the way to the host.

use halftrack_engine::{Order, SimDuration, SimTime};

use crate::events::event::StorageEvent;
use crate::events::message::{Body, Envelope, Message, Transit};
use crate::events::outlet::{Destination, Outlet};
use crate::events::pending::{HostPending, StoragePending};
use crate::events::slab::Slab;
use crate::fabric::link::{Launched, Transmitters};
use crate::fabric::sending::{LinkEnds, LinkEvent};
use crate::run::law::Traffic;
use crate::run::process::HOST;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// The event set of the storage's process, what is under way to it, and the way to the host's.
#[derive(Debug)]
pub(super) struct Events {
    pub now: SimTime,
    pub pending: Box<StoragePending>,
    pub transits: Box<Slab<Transit>>,
    pub to_host: Outlet<HostPending>,
}

impl LinkEnds for Events {
    const IS_HOST: bool = false;

    #[inline(always)]
    fn now(&self) -> SimTime {
        self.now
    }

    #[inline(always)]
    fn transits(&mut self) -> &mut Slab<Transit> {
        &mut self.transits
    }

    #[inline(always)]
    fn push(&mut self, at: SimTime, order: Order, event: LinkEvent) {
        let event = match event {
            LinkEvent::Pump { exchange } => StorageEvent::Pump { exchange },
            LinkEvent::Credit { link } => StorageEvent::Credit { link },
            LinkEvent::Hop { transit } => StorageEvent::Hop { transit },
            LinkEvent::Arrived { transit } => StorageEvent::Arrived { transit },
        };
        self.pending.push(at, order, event);
    }

    #[inline(always)]
    fn return_credit(&mut self, at: SimTime, order: Order, link: u32) {
        self.to_host.send(Message { at, order, body: Body::Credit { link } });
    }

    #[inline(always)]
    fn send_frames(&mut self, at: SimTime, order: Order, to: Destination, transit: Transit) {
        self.to_host.send_frames(at, order, to, transit);
    }
}

/// What a component is handed.
#[derive(Debug)]
pub(super) struct Context {
    pub events: Events,
    pub links: Transmitters,
    pub traffic: Traffic,
    /// By channel: how often its fibre was lost.
    losses: Vec<u32>,
}

impl Context {
    /// That of a run's begin.
    pub(super) fn new(w: &Wiring) -> Self {
        let events = Events {
            now: SimTime::ZERO,
            pending: Box::new(StoragePending::new()),
            transits: Box::new(Slab::with_capacity(1024)),
            to_host: Outlet::to(HOST),
        };
        let losses = vec![0; w.configuration.channels.len()];
        let links = Transmitters::new(w, |host| host == Events::IS_HOST);
        Self { events, links, traffic: Traffic::default(), losses }
    }

    /// The instant.
    #[inline(always)]
    pub(super) fn now(&self) -> SimTime {
        self.events.now
    }

    /// Takes what has come, or has waited, out of its `slot`.
    #[inline(always)]
    pub(super) fn take(&mut self, slot: u32) -> Transit {
        Transit::take(&mut self.events.transits, slot)
    }

    /// The transit in `slot`.
    pub(super) fn transit(&self, slot: u32) -> &Transit {
        &self.events.transits[slot]
    }

    /// The fibre of `channel` is lost.
    pub(super) fn lose_fibre(&mut self, channel: u32) {
        self.losses[channel as usize] += 1;
    }

    /// True when what bears `envelope` was lost with the fibre of the channel of `path`.
    #[inline(always)]
    pub(super) fn is_lost(&self, path: &PathWire, envelope: Envelope) -> bool {
        envelope.epoch != self.losses[path.channel as usize]
    }

    /// `event` happens at `at`.
    #[inline(always)]
    pub(super) fn push(&mut self, at: SimTime, order: Order, event: StorageEvent) {
        self.events.pending.push(at, order, event);
    }

    /// `body` reaches the host at `at`.
    #[inline(always)]
    pub(super) fn send_to_host(&mut self, at: SimTime, order: Order, body: Body) {
        self.events.to_host.send(Message { at, order, body });
    }

    /// Puts `transit` on the first link of `path` at `ready`: what follows, unless it waits for a credit.
    #[inline(always)]
    pub(super) fn send(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        transit: Transit,
        ready: SimTime,
    ) -> Option<Launched> {
        let chunk = transit.cargo.chunk(w);
        self.traffic.frames_sent(chunk.frames, chunk.data_bytes);
        self.links.send(w, &mut self.events, path, transit, ready)
    }

    /// The head of the transit in `slot` is ready for the next link.
    #[inline(never)]
    pub(super) fn on_hop(&mut self, w: &Wiring, slot: u32) {
        self.links.on_hop(w, &mut self.events, slot);
    }

    /// A credit of `link` is back.
    #[cold]
    pub(super) fn on_credit(&mut self, w: &Wiring, link: u32) {
        self.links.on_credit(w, &mut self.events, link);
    }

    /// Lets `transit`, which has been launched, arrive where that has brought it.
    #[inline(always)]
    pub(super) fn let_go(&mut self, w: &Wiring, launched: &Launched, transit: Transit) {
        self.links.let_go(w, &mut self.events, launched, transit);
    }

    /// The buffer of the last link is free at `freed`: its sender gets its credit, if frames take credits there.
    #[inline]
    pub(super) fn return_credit(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        freed: SimTime,
        credit: Option<Order>,
    ) {
        if let Some(order) = credit {
            self.send_credit(w, path, freed.max(self.now()), order);
        }
    }

    #[cold]
    fn send_credit(&mut self, w: &Wiring, path: &PathWire, freed: SimTime, order: Order) {
        let link = w.last_link(path.outbound);
        let at = freed + w.configuration.links[link as usize].propagation.max(SimDuration::from_ps(1));
        if w.host_owns[link as usize] {
            self.events.return_credit(at, order, link);
        } else {
            self.push(at, order, StorageEvent::Credit { link });
        }
    }
}
