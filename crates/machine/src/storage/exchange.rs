//! The control unit's end of an exchange in time: port, cache or staging, fibre.

use halftrack_engine::{SimDuration, SimTime};
use halftrack_exchange::{BusyKind, ControlUnitHalf, Delay, Half, Side};
use halftrack_program::Protocol;

use super::StorageState;
use super::port::Port;
use crate::departures::Next;
use crate::event::StorageEvent;
use crate::group::{Cargo, Group};
use crate::message::{Envelope, Parcel, Transit};
use crate::wiring::{PathWire, Wiring};

/// The control unit's end of one exchange.
#[derive(Debug)]
pub(crate) struct StorageExchange {
    half: ControlUnitHalf,
    /// What all that it sends bears.
    envelope: Envelope,
    /// Where the control unit's departures of the plan begin.
    departures: u32,
    protocol: Protocol,
    /// Its first command was taken up: its device time begins.
    taken_up: SimTime,
    /// What has passed between cache and port is over.
    cached: SimTime,
    /// Time spent staging.
    disconnected: SimDuration,
    group: Group,
    /// From the decision to send until the last chunk of what may be sent has left; one event is pending.
    sending: bool,
    open: bool,
    /// It is one of those that its port can hold.
    held: bool,
}

impl Default for StorageExchange {
    fn default() -> Self {
        Self {
            half: Half::default(),
            envelope: Envelope::default(),
            departures: 0,
            protocol: Protocol::Command,
            taken_up: SimTime::ZERO,
            cached: SimTime::ZERO,
            disconnected: SimDuration::ZERO,
            group: Group::default(),
            sending: false,
            open: false,
            held: false,
        }
    }
}

impl StorageExchange {
    /// Moves `bytes`, at the port from `from` on, between cache and port: when they are over. The data of one
    /// exchange pass one after the other; exchanges do not hinder each other.
    #[inline]
    fn pass_cache(&mut self, port: &Port, from: SimTime, bytes: u32) -> SimTime {
        self.cached = self.cached.max(from) + port.cache_time(bytes);
        self.cached
    }

    /// Hands received IUs to the half where a live end is involved.
    #[cold]
    fn receive_live(&mut self, w: &Wiring, steps: u16, cargo: Cargo, now: SimTime) {
        let identity = w.identity(&self.envelope);
        let mut ius = cargo.live.map(|live| live.ius.into_iter());
        for _ in 0..steps {
            let iu = ius.as_mut().and_then(Iterator::next);
            self.half.handle(&w.plans, identity, now, iu.as_ref());
        }
    }
}

impl StorageExchange {
    /// The half is over: its place at `port` is free.
    #[inline]
    fn close(&mut self, port: &mut Port) {
        self.open = false;
        self.half.close();
        if std::mem::take(&mut self.held) {
            port.exchanges.give();
        }
    }

    /// What its half may send next, if it may send anything.
    #[inline]
    fn next(&mut self, w: &Wiring, frame_by_frame: bool) -> Option<Next> {
        w.departures.next(&mut self.half, &w.plans, self.departures, frame_by_frame)
    }
}

impl StorageState {
    /// Frames have arrived at a port.
    #[inline(never)]
    pub(super) fn on_arrived(&mut self, w: &Wiring, transit_slot: u32) {
        let Transit { parcel, cargo } = Transit::take(&mut self.transits, transit_slot);
        let envelope = parcel.envelope;
        let slot = envelope.exchange;
        let path = &w.paths[envelope.path as usize];
        let chunk = *cargo.chunk(w);
        self.traffic.frames_received(chunk.frames, chunk.data_bytes);
        if path.frame_by_frame {
            self.return_credit(w, path);
        }
        if slot as usize >= self.exchanges.len() {
            self.exchanges.resize_with(slot as usize + 1, StorageExchange::default);
        }
        if envelope.epoch != self.epochs[path.channel as usize] {
            // Lost with the fibre; what would have opened an exchange never does.
            if parcel.opens {
                self.tell_closed(w, slot, envelope.path);
            }
            return;
        }
        if parcel.opens {
            self.open(w, envelope);
        }
        let exchange = &mut self.exchanges[slot as usize];
        if !exchange.open || exchange.envelope.path != envelope.path {
            // The rest of what was sent to an exchange that is over.
            return;
        }
        let port = &mut self.ports[path.port as usize];
        let cost = cargo.receive_cost(w, port.costs, port.prices(exchange.protocol));
        // A command that opens is decoded while what comes with it still arrives.
        let from = if parcel.opens { self.now.saturating_sub(parcel.tail_lag) } else { self.now };
        let mut ready = port.serve(from, cost, chunk.data_bytes).max(self.now);
        if parcel.opens {
            exchange.taken_up = port.processor.free_at() + port.dispatch;
        }
        ready = ready.max(exchange.taken_up);
        if chunk.data_bytes > 0 {
            ready = exchange.pass_cache(port, ready, chunk.data_bytes);
        }
        // On the plan the address of the exchange is not needed.
        if cargo.live.is_some() || !exchange.half.receive_planned(chunk.steps) {
            exchange.receive_live(w, chunk.steps, cargo, ready);
        }
        if chunk.steps > 0 {
            self.send_when_ready(w, slot, ready);
        }
    }

    fn open(&mut self, w: &Wiring, envelope: Envelope) {
        let slot = envelope.exchange;
        let path = &w.paths[envelope.path as usize];
        let identity = || w.identity(&envelope);
        let exchange = &mut self.exchanges[slot as usize];
        debug_assert!(!exchange.open && !exchange.sending, "the host uses a slot again only when it is over");
        exchange.half = match w.options.exchange {
            crate::ExchangeMode::Planned => Half::open(envelope.plan),
            crate::ExchangeMode::Live => Half::open_live(&w.plans, envelope.plan, identity(), self.now),
        };
        exchange.envelope = envelope;
        exchange.departures = w.departures.of(envelope.plan, Side::ControlUnit, path.frame_by_frame);
        exchange.protocol = w.plans[envelope.plan].key.protocol;
        (exchange.cached, exchange.disconnected) = (SimTime::ZERO, SimDuration::ZERO);
        exchange.open = true;
        let has_room = self.ports[path.port as usize].exchanges.take();
        self.exchanges[slot as usize].held = has_room;
        if self.images[path.lcu as usize].busy > 0 || !has_room {
            let exchange = &mut self.exchanges[slot as usize];
            exchange.half.leave_plan(&w.plans, identity(), self.now);
            if let Some(machine) = exchange.half.machine_mut() {
                machine.answer_busy(BusyKind::ControlUnit);
            }
            self.owe_end(path.lcu, path.port);
        }
    }

    /// Decides when the next IU of `slot` may be sent, `at` the earliest; or that its half is over.
    #[inline(always)]
    fn send_when_ready(&mut self, w: &Wiring, slot: u32, at: SimTime) {
        let exchange = &mut self.exchanges[slot as usize];
        if exchange.sending {
            return;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        match exchange.next(w, path.frame_by_frame) {
            Some(Next { delay, data_bytes }) => {
                exchange.sending = true;
                // The cache reads ahead: what follows the first data has been on its way since those came.
                let from = if exchange.cached == SimTime::ZERO { at } else { exchange.cached };
                let fetched = at.max(from + port.cache_time(data_bytes));
                let access = if data_bytes == 0 { port.secure } else { port.hit };
                let (at, event) = match delay {
                    Delay::None if data_bytes == 0 => (at, StorageEvent::Send { exchange: slot }),
                    Delay::None => (fetched, StorageEvent::Send { exchange: slot }),
                    Delay::Cache => (fetched + access, StorageEvent::Send { exchange: slot }),
                    Delay::Staging => (at, StorageEvent::Stage { exchange: slot }),
                };
                self.pending.push(at, port.sequencer.next(), event);
            }
            None => {
                if exchange.half.outcome(&w.plans).is_some() {
                    exchange.close(port);
                    let path = exchange.envelope.path;
                    self.tell_closed(w, slot, path);
                }
            }
        }
    }

    /// A cache miss goes to the back end.
    #[inline(never)]
    pub(super) fn on_stage(&mut self, w: &Wiring, slot: u32) {
        let path = &w.paths[self.exchanges[slot as usize].envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let staging = &mut self.staging[w.configuration.lcus[path.lcu as usize].control_unit as usize];
        let service = staging.random.exponential(port.miss);
        let (_, _, staged) = staging.servers.arrive(self.now, service);
        self.exchanges[slot as usize].disconnected += staged.since(self.now);
        self.pending.push(staged, port.sequencer.next(), StorageEvent::Send { exchange: slot });
    }

    /// What may be sent is gathered and served by the port.
    #[inline(never)]
    pub(super) fn on_send(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        if !exchange.open {
            self.abandoned(w, slot);
            return;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        let first = exchange.departures;
        let gathered = exchange.group.gather(&mut exchange.half, w, first, path.frame_by_frame);
        debug_assert!(gathered, "the next IU was due");
        exchange.group.closes = exchange.half.outcome(&w.plans).is_some();
        let data_bytes = exchange.group.next_data_bytes(w, path.frame_by_frame);
        let port = &mut self.ports[path.port as usize];
        let cost = exchange.group.send_cost(w, port.costs, port.prices(exchange.protocol));
        let done = port.serve(self.now, cost, data_bytes);
        if data_bytes > 0 {
            let first = exchange.cached == SimTime::ZERO;
            exchange.cached = if first { self.now } else { exchange.cached + port.cache_time(data_bytes) };
        }
        let connected = done.saturating_since(exchange.taken_up).saturating_sub(exchange.disconnected);
        exchange.group.reported = (connected, exchange.disconnected);
        self.send_chunk(w, slot, done);
    }

    /// A chunk has entered the fibre and the exchange has more to send.
    #[inline(never)]
    pub(super) fn on_pump(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        if !exchange.open {
            self.abandoned(w, slot);
            return;
        }
        if !exchange.group.has_more() {
            exchange.sending = false;
            self.send_when_ready(w, slot, self.now);
            return;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        let data_bytes = exchange.group.next_data_bytes(w, path.frame_by_frame);
        let port = &mut self.ports[path.port as usize];
        let fetched = exchange.cached + port.cache_time(data_bytes);
        if fetched > self.now {
            // Once more when the cache has supplied it: the port and the fibre are for others meanwhile.
            self.pending.push(fetched, port.sequencer.next(), StorageEvent::Pump { exchange: slot });
            return;
        }
        exchange.cached = fetched;
        let done = port.serve(self.now, SimDuration::ZERO, data_bytes);
        self.send_chunk(w, slot, done);
    }

    /// Puts the next chunk of the group on the fibre at `ready`.
    #[inline(always)]
    fn send_chunk(&mut self, w: &Wiring, slot: u32, ready: SimTime) {
        let exchange = &mut self.exchanges[slot as usize];
        let path = &w.paths[exchange.envelope.path as usize];
        let cargo = exchange.group.next_chunk(w, path.frame_by_frame);
        let more =
            exchange.group.has_more() || w.departures.may_send(&exchange.half, &w.plans, exchange.departures);
        exchange.sending = more;
        let chunk = cargo.chunk(w);
        self.traffic.frames_sent(chunk.frames, chunk.data_bytes);
        let wire_bytes = chunk.wire_bytes;
        let closes = chunk.last && exchange.group.closes;
        let (envelope, reported) = (exchange.envelope, exchange.group.reported);
        let mut parcel = Parcel { envelope, closes, inbound: true, reported, ..Parcel::default() };
        if closes {
            exchange.close(&mut self.ports[path.port as usize]);
        }
        let first = path.inbound.first;
        let hop = &w.hops[first as usize];
        if hop.frame_by_frame && !self.links.take_credit(hop.link) {
            (parcel.hop, parcel.pump) = (first, more);
            let transit = self.transits.put(Transit { parcel, cargo });
            self.links.get(hop.link).waiting.push_back((transit, ready));
            return;
        }
        let launched = self.links.launch(w, first, wire_bytes, ready, SimDuration::ZERO);
        let order = self.announce(w, &launched, slot, more);
        (parcel.hop, parcel.tail_lag) = (launched.hop, launched.tail_lag);
        let transit = self.transits.put(Transit { parcel, cargo });
        self.send_on(&launched, order, transit, true);
    }

    /// The pending event of an exchange that was abandoned has come: now the slot may be used again.
    #[cold]
    fn abandoned(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        exchange.sending = false;
        let path = exchange.envelope.path;
        self.tell_closed(w, slot, path);
    }

    /// The fibre of `channel` is lost: every exchange over it ends as the machines say.
    pub(super) fn lose_exchanges(&mut self, w: &Wiring, channel: u32) {
        for slot in 0..self.exchanges.len() as u32 {
            let exchange = &mut self.exchanges[slot as usize];
            if !exchange.open || w.paths[exchange.envelope.path as usize].channel != channel {
                continue;
            }
            let identity = w.identity(&exchange.envelope);
            exchange.half.handle_link_down(&w.plans, identity, self.now);
            exchange.group.abandon();
            let (path, tell) = (exchange.envelope.path, !exchange.sending);
            exchange.close(&mut self.ports[w.paths[path as usize].port as usize]);
            if tell {
                self.tell_closed(w, slot, path);
            }
        }
    }

    /// The buffer of the last link is free again: its sender gets its credit.
    #[cold]
    fn return_credit(&mut self, w: &Wiring, path: &PathWire) {
        let link = w.last_link(path.outbound);
        let at = self.now + w.configuration.links[link as usize].propagation.max(SimDuration::from_ps(1));
        let order = self.ports[path.port as usize].sequencer.next();
        if w.host_owns[link as usize] {
            let body = crate::message::Body::Credit { link };
            self.outbox.push((crate::process::HOST, crate::message::Message { at, order, body }));
        } else {
            self.pending.push(at, order, StorageEvent::Credit { link });
        }
    }
}
