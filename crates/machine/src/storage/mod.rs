//! The storage's logical process: directors, inter-switch links, host-adapter ports, cache and staging.
//!
//! ```text
//!  host ──► directors ──► port ──► image, box ──► exchange ──► port ──► directors ──► host
//!             context     │  circuits, bridges                  │        context
//! ```
//!
//! Each component owns its state and has its methods: ports, images, boxes, circuits with what bridges hold, exchanges.
//! [`StorageState`] takes events one after the other, gives each to its components in turn, and hands them what is of none:
//! the [context] with instant, pending events, links and the way to the host.
//!
//! | edge | by |
//! | --- | --- |
//! | host → storage | [`StorageState::receive`]: messages and frames |
//! | storage → host | [`Outlet`]: messages and frames |
//! | links → their ends | [`LinkEnds`](crate::fabric::sending::LinkEnds) |
//! | ports → links | `Context::send`, `send_answer`, `return_credit` |
//!
//! Streams, subchannels and channels are not of this room, nor what leads to a recovery: that the exchange machines decide.

mod arriving;
// The lane at the port changes what this room owns; its file stands with all else of the lane.
#[path = "../express/at_port.rs"]
mod at_port;
mod boxes;
mod bridge;
mod bus;
mod cache;
mod circuit;
mod collect;
mod context;
mod disturbance;
mod exchange;
mod exchanges;
mod image;
mod port;
mod sending;

use halftrack_base::Time;

use self::boxes::StorageBox;
use self::bus::Burst;
use self::circuit::Circuits;
use self::context::Context;
use self::exchanges::Exchanges;
use self::image::Image;
use self::port::Port;
use crate::events::event::StorageEvent;
use crate::events::message::{Message, Transit};
use crate::events::outlet::{Inbox, Outlet, Receives};
use crate::events::pending::{HostPending, StoragePending, leaf};
use crate::fabric::link::Transmitters;
use crate::fabric::share::Shares;
use crate::run::census::Census;
use crate::run::data::Volumes;
use crate::run::law::Traffic;
use crate::wiring::answers::Answers;
use crate::wiring::{ComponentKind, Wiring};

/// The storage's process.
#[derive(Debug)]
pub(crate) struct StorageState {
    context: Context,
    ports: Vec<Port>,
    images: Vec<Image>,
    boxes: Vec<StorageBox>,
    /// Limits that ports share.
    shares: Shares,
    exchanges: Exchanges,
    /// Answers of exchanges of one chunk each way.
    answers: Answers,
    /// Something may leave a port before what its processor still works on.
    goes_ahead: bool,
    circuits: Circuits,
    /// The volumes of a run with real data.
    volumes: Option<Volumes>,
    /// Room for the frames of a burst while they are cut.
    frames: Vec<Transit>,
    events: u64,
}

impl StorageState {
    pub(crate) fn new(w: &Wiring) -> Self {
        let configuration = &w.configuration;
        let port = |(index, port): (usize, &halftrack_config::ControlUnitPort)| {
            let service = w.service.of_port(&port.control_unit, &port.name);
            Port::new(port, w.costs.of_port[index], (w.sequencer(ComponentKind::Port, index), service))
        };
        let image = |(index, lcu): (usize, &halftrack_config::Lcu)| {
            Image::new(lcu.control_unit, w.sequencer(ComponentKind::Lcu, index))
        };
        let answers = Answers::new(&w.plans, &w.departures);
        Self {
            context: Context::new(w),
            ports: configuration.ports.iter().enumerate().map(port).collect(),
            images: configuration.lcus.iter().enumerate().map(image).collect(),
            boxes: StorageBox::all(w),
            shares: Shares::new(&configuration.box_shares),
            exchanges: Exchanges::new(),
            goes_ahead: !answers.are_all(&w.plans),
            answers,
            circuits: Circuits::new(w),
            volumes: w.data.as_ref().map(|_| Volumes::default()),
            frames: Vec::new(),
            events: 0,
        }
    }

    /// When the first of its events comes; [`Time::MAX`] when there is none.
    #[inline(always)]
    pub(crate) fn next_at(&self) -> Time {
        self.context.pending().heads.first_at()
    }

    /// A `message` of the host comes.
    #[inline(always)]
    pub(crate) fn receive(&mut self, message: Message) {
        let (pending, transits) = self.inbox();
        pending.receive(transits, message);
    }

    /// Where messages of the host come.
    #[inline(always)]
    pub(crate) fn inbox(&mut self) -> Inbox<'_, StoragePending> {
        self.context.inbox()
    }

    /// The way to the host.
    #[inline(always)]
    pub(crate) fn outlet(&mut self) -> &mut Outlet<HostPending> {
        self.context.outlet()
    }

    /// Frames and bytes that it sent and received.
    pub(crate) fn traffic(&self) -> &Traffic {
        self.context.traffic()
    }

    /// The transmitters of its links.
    pub(crate) fn links(&self) -> &Transmitters {
        self.context.links()
    }

    /// The volumes of a run with real data.
    pub(crate) fn volumes(&self) -> Option<&Volumes> {
        self.volumes.as_ref()
    }

    /// Events handled so far.
    pub(crate) fn events(&self) -> u64 {
        self.events
    }

    /// Handles every event before `horizon`.
    pub(crate) fn run_until(&mut self, w: &Wiring, horizon: Time) {
        loop {
            let at = self.next_at();
            if at >= horizon {
                return;
            }
            self.context.set_now(at);
            self.events += 1;
            let StoragePending { heads, asked, asked_on, answered_on, arrived, send, hop, .. } =
                self.context.pending_mut();
            match heads.first() {
                leaf::ASKED => {
                    let asked = asked.take(heads, leaf::ASKED);
                    self.on_asked(w, asked);
                }
                leaf::ASKED_ON => {
                    let asked = asked_on.take(heads, leaf::ASKED_ON);
                    self.on_asked_on(w, asked);
                }
                leaf::ANSWERED_ON => {
                    let answered = answered_on.take(heads, leaf::ANSWERED_ON);
                    self.on_answered_on(w, answered);
                }
                leaf::ARRIVED => {
                    let transit = arrived.take(heads, leaf::ARRIVED);
                    self.on_arrived(w, transit);
                }
                leaf::SEND => {
                    let exchange = send.take(heads, leaf::SEND);
                    self.on_send(w, exchange);
                }
                leaf::HOP => {
                    let transit = hop.take(heads, leaf::HOP);
                    self.context.on_hop(w, transit);
                }
                _ => self.handle_other(w),
            }
        }
    }

    /// Handles the first event, which is in no lane.
    #[inline(never)]
    fn handle_other(&mut self, w: &Wiring) {
        if let Some(event) = self.context.pending_mut().take_other() {
            self.handle(w, event);
        }
    }

    fn handle(&mut self, w: &Wiring, event: StorageEvent) {
        match event {
            StorageEvent::Hop { transit } => self.context.on_hop(w, transit),
            StorageEvent::Asked { aside } => {
                let asked = self.context.pending_mut().asked.take_aside(aside);
                self.on_asked(w, asked);
            }
            StorageEvent::AskedOn { aside } => {
                let asked = self.context.pending_mut().asked_on.take_aside(aside);
                self.on_asked_on(w, asked);
            }
            StorageEvent::AnsweredOn { aside } => {
                let answered = self.context.pending_mut().answered_on.take_aside(aside);
                self.on_answered_on(w, answered);
            }
            StorageEvent::Arrived { transit } => self.on_arrived(w, transit),
            StorageEvent::Bridged { transit } => self.on_bridged(w, transit),
            StorageEvent::Released { exchange } => {
                self.release_circuit(w, self.exchanges[exchange].path(), exchange);
            }
            StorageEvent::Stage { exchange } => self.on_stage(w, exchange),
            StorageEvent::Send { exchange } => self.on_send(w, exchange),
            StorageEvent::Leave { exchange } => self.on_leave(w, exchange),
            StorageEvent::Pump { exchange } => self.on_pump(w, exchange),
            StorageEvent::Bus { port } => self.on_bus(w, port),
            StorageEvent::Credit { link } => self.context.on_credit(w, link),
            StorageEvent::BusyOver { lcu } => {
                self.images[lcu as usize].present_end(&mut self.context, w, lcu);
            }
            StorageEvent::Disturbance { index, begins } => self.on_disturbance(w, index, begins),
        }
    }

    /// The ports that exchange `slot` has on `path` are free.
    pub(super) fn release_circuit(&mut self, w: &Wiring, path: u32, slot: u32) {
        self.circuits.release(&mut self.context, w, &mut self.ports, path, slot);
    }

    /// The control unit's half of exchange `slot` over `path` is over.
    fn send_closed(&mut self, w: &Wiring, slot: u32, path: u32) {
        let path = &w.paths[path as usize];
        self.ports[path.port as usize].send_closed(&mut self.context, w, path, slot);
    }

    /// Counts what is under way in this process.
    pub(crate) fn census(&self, w: &Wiring, census: &mut Census) {
        self.context.census(w, census);
        for store in self.ports.iter().flat_map(|port| port.bus.waiting()).filter_map(Burst::transit) {
            census.buffer(w, store);
        }
        for asked in self.context.pending().asked() {
            census.transit(w, &asked.transit(w, &self.answers), true);
        }
        for answered in self.context.pending().answers() {
            let envelope = self.exchanges[answered.exchange].envelope;
            census.transit(w, &answered.transit(w, &self.answers, envelope), false);
        }
    }
}
