//! The storage's logical process: directors, inter-switch links, host-adapter ports, cache and staging.
//!
//! ```text
//!  host ──► directors ──► port ──► image, box ──► exchange ──► port ──► directors ──► host
//!             context     │  circuits, bridges                  │        context
//! ```
//!
//! [`StorageState`] takes events one after the other and gives each to the [host adapters](adapters), with the [context] of
//! the process: instant, pending events, links and the way to the host. Each component owns its state and has its methods:
//! ports, circuits with what bridges hold, exchanges, and the control units with their images and boxes.
//!
//! | edge | by |
//! | --- | --- |
//! | host → storage | [`StorageState::receive`]: messages and frames |
//! | storage → host | [`Outlet`]: messages and frames |
//! | links → their ends | [`LinkEnds`](crate::fabric::sending::LinkEnds) |
//! | ports → links | `Context::send`, `send_answer`, `return_credit` |
//! | bus → its port | [`BusEvents`](crate::fabric::bus::BusEvents) |
//!
//! Streams, subchannels and channels are not of this room. Recovery is decided by the exchange machines.

mod adapters;
mod boxes;
mod bridge;
mod bus;
mod cache;
mod circuit;
mod collect;
mod context;
mod control_units;
mod disturbance;
mod exchange;
mod exchanges;
mod image;
mod port;

use halftrack_base::Time;

use self::adapters::HostAdapters;
use self::adapters::ahead::SEND_STAGES;
use self::context::Context;
use crate::data::Volumes;
use crate::events::event::StorageEvent;
use crate::events::message::Message;
use crate::events::outlet::{Inbox, Outlet, Receives};
use crate::events::pending::{HostPending, StoragePending, leaf};
use crate::fabric::link::Transmitters;
use crate::laws::census::Census;
use crate::laws::traffic::Traffic;
use crate::wiring::Wiring;

/// The storage's process.
#[derive(Debug)]
pub(crate) struct StorageState {
    context: Context,
    adapters: HostAdapters,
    events: u64,
}

impl StorageState {
    /// Makes the process at the begin of a run.
    pub(crate) fn new(w: &Wiring) -> Self {
        Self { context: Context::new(w), adapters: HostAdapters::new(w), events: 0 }
    }

    /// Returns when the first of its events comes; [`Time::MAX`] when there is none.
    #[inline(always)]
    pub(crate) fn next_at(&self) -> Time {
        self.context.pending().heads.first_at()
    }

    /// Takes a `message` of the host.
    #[inline(always)]
    pub(crate) fn receive(&mut self, message: Message) {
        let (pending, transits) = self.inbox();
        pending.receive(transits, message);
    }

    /// Returns the inbox, where messages of the host come.
    #[inline(always)]
    pub(crate) fn inbox(&mut self) -> Inbox<'_, StoragePending> {
        self.context.inbox()
    }

    /// Returns the way to the host.
    #[inline(always)]
    pub(crate) fn outlet(&mut self) -> &mut Outlet<HostPending> {
        self.context.outlet()
    }

    /// Frames and bytes that it sent and received.
    pub(crate) fn traffic(&self) -> &Traffic {
        self.context.traffic()
    }

    /// Returns the transmitters of its links.
    pub(crate) fn links(&self) -> &Transmitters {
        self.context.links()
    }

    /// Returns the volumes of a run with real data.
    pub(crate) fn volumes(&self) -> Option<&Volumes> {
        self.adapters.volumes()
    }

    /// Counts the events handled so far.
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
            self.context.begin_event(at);
            self.events += 1;
            let Self { context, adapters, events } = self;
            let StoragePending {
                heads,
                commands,
                commands_at_director,
                answers_at_director,
                arrived,
                send,
                hop,
                pump,
                credits,
                ..
            } = context.pending_mut();
            match heads.first() {
                leaf::COMMAND => {
                    let command = commands.take(heads, leaf::COMMAND);
                    if w.fetches_ahead {
                        adapters.fetch_for_command(w, commands);
                    }
                    adapters.on_command(context, w, command);
                }
                leaf::COMMAND_AT_DIRECTOR => {
                    let command = commands_at_director.take(heads, leaf::COMMAND_AT_DIRECTOR);
                    adapters.on_command_at_director(context, w, command);
                }
                leaf::ANSWER_AT_DIRECTOR => {
                    let answer = answers_at_director.take(heads, leaf::ANSWER_AT_DIRECTOR);
                    adapters.on_answer_at_director(context, w, answer);
                }
                leaf::ARRIVED => {
                    let transit = arrived.take(heads, leaf::ARRIVED);
                    adapters.on_arrived(context, w, transit);
                }
                leaf::SEND => {
                    let exchange = send.take(heads, leaf::SEND);
                    if w.fetches_ahead {
                        let [far, middle, near] = SEND_STAGES;
                        let soon = [*send.soon(far), *send.soon(middle), *send.soon(near)];
                        adapters.fetch_for_send(context, w, soon);
                    }
                    adapters.on_send(context, w, exchange);
                }
                leaf::HOP => {
                    let transit = hop.take(heads, leaf::HOP);
                    adapters.on_hop(context, w, transit);
                }
                leaf::PUMP => {
                    let exchange = pump.take(heads, leaf::PUMP);
                    adapters.on_pump(context, w, exchange);
                }
                leaf::CREDIT => {
                    let link = credits.take(heads, leaf::CREDIT);
                    if !context.on_credit(w, link) {
                        *events -= 1;
                    }
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
        let Self { context, adapters, events } = self;
        match event {
            StorageEvent::Hop { transit } => adapters.on_hop(context, w, transit),
            StorageEvent::CircuitOver { device } => adapters.on_circuit_over(context, w, device),
            StorageEvent::ExpressCommand { aside } => {
                let command = context.pending_mut().commands.take_aside(aside);
                adapters.on_command(context, w, command);
            }
            StorageEvent::ExpressCommandAtDirector { aside } => {
                let command = context.pending_mut().commands_at_director.take_aside(aside);
                adapters.on_command_at_director(context, w, command);
            }
            StorageEvent::ExpressAnswerAtDirector { aside } => {
                let answer = context.pending_mut().answers_at_director.take_aside(aside);
                adapters.on_answer_at_director(context, w, answer);
            }
            StorageEvent::Arrived { transit } => adapters.on_arrived(context, w, transit),
            StorageEvent::Bridged { transit } => adapters.on_bridged(context, w, transit),
            StorageEvent::Released { exchange } => adapters.on_released(context, w, exchange),
            StorageEvent::Stage { exchange } => adapters.on_stage(context, w, exchange),
            StorageEvent::Send { exchange } => adapters.on_send(context, w, exchange),
            StorageEvent::Leave { exchange } => adapters.on_leave(context, w, exchange),
            StorageEvent::Pump { exchange } => adapters.on_pump(context, w, exchange),
            StorageEvent::Lost { exchange } => adapters.on_lost(context, w, exchange),
            StorageEvent::Timeout { exchange } => adapters.on_timeout(context, w, exchange),
            StorageEvent::Bus { port } => adapters.on_bus(context, w, port),
            StorageEvent::Credit { link } => {
                if !context.on_credit(w, link) {
                    *events -= 1;
                }
            }
            StorageEvent::BusyOver { lcu } => adapters.control_units().present_end(context, w, lcu),
            StorageEvent::Disturbance { index, begins } => self.on_disturbance(w, index, begins),
        }
    }

    /// Counts what is under way in this process.
    pub(crate) fn census(&self, w: &Wiring, census: &mut Census) {
        self.context.census(w, census);
        self.adapters.census(&self.context, w, census);
    }
}
