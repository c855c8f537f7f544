//! The control unit's end of an exchange in time: port, cache or staging, fibre.

use halftrack_engine::{Order, SimDuration, SimTime};
use halftrack_exchange::{BusyKind, ControlUnitEnd, ControlUnitHalf, Delay, Half, Side, TwinDevice};
use halftrack_program::{Operation, Protocol};

use super::StorageState;
use super::bridge;
use super::cache::TrackCache;
use super::port::Port;
use crate::data::volume_id;
use crate::departures::Next;
use crate::event::StorageEvent;
use crate::group::{Cargo, Group};
use crate::message::{Envelope, Note, Parcel, Transit};
use crate::options::ExchangeMode;
use crate::share::Shares;
use crate::wiring::{PathWire, Wiring};

/// The control unit's end of one exchange.
#[derive(Debug, Default)]
pub(crate) struct StorageExchange {
    half: ControlUnitHalf,
    /// What all that it sends bears.
    envelope: Envelope,
    /// Where the control unit's departures of the plan begin.
    departures: u32,
    /// Its first command was taken up: its device time begins.
    taken_up: SimTime,
    /// What has passed between cache and port is over.
    cached: SimTime,
    /// Time spent staging, and until a circuit was there again.
    pub disconnected: SimDuration,
    group: Group,
    /// From the decision to send until the last chunk of what may be sent has left; one event is pending.
    sending: bool,
    open: bool,
    /// It is one of those that its port can hold.
    held: bool,
    /// Its track is not in cache and has not been staged.
    misses: bool,
    /// Its circuit has been let go until the data are there.
    pub away: bool,
    /// It has asked for its circuit again in vain.
    pub reconnecting: bool,
}

impl StorageExchange {
    /// Its path, among all paths.
    pub(super) fn path(&self) -> u32 {
        self.envelope.path
    }

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

    /// Begins it with its first parcel, which came over `path`.
    #[inline(always)]
    fn begin(&mut self, w: &Wiring, path: &PathWire, envelope: Envelope, now: SimTime) {
        debug_assert!(!self.open && !self.sending, "the host uses a slot again only when it is over");
        match w.options.exchange {
            ExchangeMode::Planned => self.half.reopen(envelope.plan),
            ExchangeMode::Live => {
                self.half = Half::open_live(&w.plans, envelope.plan, w.identity(&envelope), now);
            }
        }
        self.envelope = envelope;
        self.departures = w.departures.of(envelope.plan, Side::ControlUnit, path.frame_by_frame);
        (self.cached, self.disconnected) = (SimTime::ZERO, SimDuration::ZERO);
        (self.open, self.misses, self.away) = (true, false, false);
    }

    /// Runs it live against `device`, which has octets.
    #[cold]
    fn begin_with(&mut self, w: &Wiring, device: TwinDevice, now: SimTime) {
        let plan = self.envelope.plan;
        let machine = ControlUnitEnd::new(device, &w.plans[plan].key, w.identity(&self.envelope), now);
        self.half = Half::of_machine(machine, plan);
    }

    /// The control unit takes up what opened it at `port` from `from` on: when that is `ready`, by its protocol.
    #[inline(always)]
    fn take_up(
        &mut self,
        protocol: Protocol,
        port: &Port,
        from: SimTime,
        now: SimTime,
        ready: SimTime,
    ) -> SimTime {
        let worked = port.processor.free_at() + port.dispatch;
        match protocol {
            Protocol::Transport => {
                self.taken_up = worked;
                ready
            }
            Protocol::Command => {
                // The command response goes out first; the work on the program delays its data.
                (self.cached, self.taken_up) = (worked, from + port.dispatch);
                now
            }
        }
    }

    /// The clusters of its box have `worked` on it: when it goes on that is `ready` at its port, by its protocol.
    #[cold]
    fn work_on(&mut self, protocol: Protocol, ready: SimTime, worked: SimTime) -> SimTime {
        match protocol {
            Protocol::Transport => ready.max(worked),
            Protocol::Command => {
                // The command response is the port's; the clusters have the data.
                self.cached = self.cached.max(worked);
                ready
            }
        }
    }

    /// Looks its track up in `cache`. Track and volume are those of the box: images of one box do not share volumes.
    #[cold]
    fn look_up(&mut self, w: &Wiring, path: &PathWire, cache: &mut TrackCache, track: u32) {
        let write = w.plans[self.envelope.plan].key.shape.operation != Operation::Read;
        let volume = volume_id(path.lcu, self.envelope.device);
        self.misses = !cache.look_up(volume << 32 | u64::from(track), write) && !write;
    }

    /// The control unit or its port cannot take it: it is answered busy.
    #[cold]
    fn refuse(&mut self, w: &Wiring, now: SimTime) {
        self.half.leave_plan(&w.plans, w.identity(&self.envelope), now);
        if let Some(machine) = self.half.machine_mut() {
            machine.answer_busy(BusyKind::ControlUnit);
        }
    }

    /// When the next IU may be sent at `port`, `at` the earliest, or staged; `None` when there is none.
    #[inline(always)]
    fn next_event(
        &mut self,
        w: &Wiring,
        path: &PathWire,
        port: &Port,
        mut at: SimTime,
    ) -> Option<(SimTime, StorageEvent)> {
        let (half, departures) = (&self.half, self.departures);
        let Next { delay, data_bytes } =
            w.departures.next(half, &w.plans, departures, path.frame_by_frame)?;
        self.sending = true;
        let exchange = self.envelope.exchange;
        if delay == Delay::Staging || (self.misses && delay == Delay::Cache && data_bytes > 0) {
            return Some((at, StorageEvent::Stage { exchange }));
        }
        if data_bytes > 0 {
            // The cache reads ahead: what follows the first data has been on its way since those came.
            let from = if self.cached == SimTime::ZERO { at } else { self.cached };
            at = at.max(from + port.cache_time(data_bytes));
        }
        if delay == Delay::Cache {
            // What has been written is in cache before it is made safe.
            at = if data_bytes > 0 { at + port.hit } else { at.max(self.cached) + port.secure };
        }
        Some((at, StorageEvent::Send { exchange }))
    }

    /// The next chunk of its group, about to leave `port`; the group has one.
    #[inline(always)]
    fn next_transit(&mut self, w: &Wiring, path: &PathWire, port: &mut Port) -> Transit {
        let cargo = self.group.next_chunk(w, path.frame_by_frame);
        let pump = self.group.has_more() || w.departures.may_send(&self.half, &w.plans, self.departures);
        self.sending = pump;
        let closes = self.group.closes && cargo.chunk(w).last;
        if closes {
            self.close(port);
        }
        let (envelope, reported) = (self.envelope, self.group.reported);
        let note = Note::reported(reported.0, reported.1);
        let parcel = Parcel { envelope, closes, pump, inbound: true, note, ..Parcel::default() };
        Transit { parcel, cargo }
    }

    /// The half is over: its place at `port` is free.
    #[inline]
    fn close(&mut self, port: &mut Port) {
        self.open = false;
        self.half.close();
        if std::mem::take(&mut self.held) {
            port.exchanges.give();
        }
        if std::mem::take(&mut self.reconnecting) {
            port.reconnecting -= 1;
        }
    }
}

impl StorageState {
    /// Frames have arrived at a port.
    #[inline(never)]
    pub(super) fn on_arrived(&mut self, w: &Wiring, transit_slot: u32) {
        let Transit { parcel, cargo } = Transit::take(&mut self.transits, transit_slot);
        let (envelope, slot) = (parcel.envelope, parcel.envelope.exchange);
        let path = &w.paths[envelope.path as usize];
        let chunk = *cargo.chunk(w);
        self.traffic.frames_received(chunk.frames, chunk.data_bytes);
        let credit = path.frame_by_frame.then(|| self.ports[path.port as usize].sequencer.next());
        self.reach(slot);
        if envelope.epoch != self.epochs[path.channel as usize] {
            // Lost with the fibre; what would have opened an exchange never does.
            self.return_credit(w, path, self.now, credit);
            if parcel.opens {
                self.tell_closed(w, slot, envelope.path);
            }
            return;
        }
        let transit = Transit { parcel, cargo };
        if path.has_circuit() && parcel.opens && !self.connect(w, envelope.path, slot, credit) {
            if path.is_bridged {
                self.hold_at_bridge(transit);
            }
            return;
        }
        self.admit(w, transit, credit);
    }

    /// The exchange gets what has arrived for it, with the order of its `credit`.
    #[inline(always)]
    pub(super) fn admit(&mut self, w: &Wiring, transit: Transit, credit: Option<Order>) {
        let Transit { parcel, cargo } = transit;
        let (envelope, slot) = (parcel.envelope, parcel.envelope.exchange);
        let path = &w.paths[envelope.path as usize];
        let chunk = *cargo.chunk(w);
        let exchange = &mut self.exchanges[slot as usize];
        let port = &mut self.ports[path.port as usize];
        let mut refused = false;
        if parcel.opens {
            exchange.begin(w, path, envelope, self.now);
            if let (Some(volumes), Some(layout)) = (&mut self.volumes, &w.data) {
                let device = volumes.device(layout, volume_id(path.lcu, envelope.device));
                exchange.begin_with(w, device, self.now);
            }
            exchange.held = port.exchanges.take();
            if !exchange.held || self.images[path.lcu as usize].busy > 0 {
                exchange.refuse(w, self.now);
                refused = true;
            } else if let Some(track) = parcel.note.track() {
                let cache = w.configuration.lcus[path.lcu as usize].control_unit;
                exchange.look_up(w, path, &mut self.caches[cache as usize], track);
            }
        }
        if !exchange.open || exchange.envelope.path != envelope.path {
            self.return_credit(w, path, self.now, credit);
            if path.is_bridged && self.is_held_at_bridge(slot) {
                self.hold_at_bridge(Transit { parcel, cargo });
            }
            // Else the rest of what was sent to an exchange that is over.
            return;
        }
        let cost = cargo.receive_cost(w, port.costs, || port.tariff(w.plans[envelope.plan].key.protocol));
        // A command that opens is decoded while what comes with it still arrives.
        let from = if parcel.opens { self.now.saturating_sub(parcel.tail_lag) } else { self.now };
        let mut ready = port.serve(from, cost, chunk.data_bytes).max(self.now);
        // A frame keeps its receive buffer until the port's bus has taken it.
        let taken = if chunk.data_bytes > 0 { port.bus.free_at() } else { self.now };
        if parcel.opens {
            ready = exchange.take_up(w.plans[envelope.plan].key.protocol, port, from, self.now, ready);
        }
        ready = ready.max(exchange.taken_up);
        if path.is_bridged {
            ready = bridge::after_dialogue(w, path, &cargo, ready);
        }
        if port.box_works && parcel.opens && !refused {
            let control_unit = w.configuration.lcus[path.lcu as usize].control_unit;
            let worked = self.clusters[control_unit as usize].take_up(ready);
            ready = exchange.work_on(w.plans[envelope.plan].key.protocol, ready, worked);
        }
        if chunk.data_bytes > 0 {
            ready = port.pass(&mut self.shares, ready, chunk.data_bytes, Shares::write);
            ready = exchange.pass_cache(port, ready, chunk.data_bytes);
        }
        // On the plan the address of the exchange is not needed.
        if cargo.live.is_some() || !exchange.half.receive_planned(chunk.steps) {
            exchange.receive_live(w, chunk.steps, cargo, ready);
        }
        if chunk.steps > 0 && !exchange.sending {
            match exchange.next_event(w, path, port, ready) {
                Some((at, event)) => self.pending.push(at, port.sequencer.next(), event),
                None => self.perhaps_over(w, slot),
            }
        }
        self.return_credit(w, path, taken, credit);
        if refused {
            self.owe_end(path.lcu, path.port);
        }
    }

    /// Makes room for the host's exchange `slot`.
    #[inline]
    fn reach(&mut self, slot: u32) {
        if slot as usize >= self.exchanges.len() {
            self.exchanges.resize_with(slot as usize + 1, StorageExchange::default);
        }
    }

    /// The half has nothing to send: it may be over.
    #[cold]
    fn perhaps_over(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        if exchange.half.outcome(&w.plans).is_some() {
            let path = exchange.envelope.path;
            exchange.close(&mut self.ports[w.paths[path as usize].port as usize]);
            self.release_circuit(w, path, slot);
            self.tell_closed(w, slot, path);
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
        let exchange = &mut self.exchanges[slot as usize];
        exchange.disconnected += staged.since(self.now);
        exchange.misses = false;
        self.pending.push(staged, port.sequencer.next(), StorageEvent::Send { exchange: slot });
        if path.has_circuit() && self.exchanges[slot as usize].open {
            self.disconnect(w, slot);
        }
    }

    /// What may be sent is gathered and served by the port.
    #[inline(never)]
    pub(super) fn on_send(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        if !exchange.open {
            self.abandoned(w, slot);
            return;
        }
        if exchange.away {
            self.reconnect(w, slot);
            return;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        let first = exchange.departures;
        let gathered = exchange.group.gather(&mut exchange.half, w, first, path.frame_by_frame);
        debug_assert!(gathered, "the next IU was due");
        exchange.group.closes = exchange.half.outcome(&w.plans).is_some();
        let data_bytes = exchange.group.next_data_bytes(w, path.frame_by_frame);
        let port = &mut self.ports[path.port as usize];
        let tariff = || port.tariff(w.plans[exchange.envelope.plan].key.protocol);
        let cost = exchange.group.send_cost(w, port.costs, tariff);
        let done = port.serve(self.now, cost, data_bytes);
        let done = port.pass(&mut self.shares, self.now, data_bytes, Shares::read).max(done);
        if data_bytes > 0 {
            let first = exchange.cached == SimTime::ZERO;
            exchange.cached = if first { self.now } else { exchange.cached + port.cache_time(data_bytes) };
        }
        let connected = done.saturating_since(exchange.taken_up).saturating_sub(exchange.disconnected);
        exchange.group.reported = (connected, exchange.disconnected);
        let sent = exchange.next_transit(w, path, port);
        self.send(w, path, sent, done);
    }

    /// A chunk has entered the fibre and the exchange has more to send.
    #[inline(never)]
    pub(super) fn on_pump(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot as usize];
        if !exchange.open {
            self.abandoned(w, slot);
            return;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        if !exchange.group.has_more() {
            exchange.sending = false;
            match exchange.next_event(w, path, port, self.now) {
                Some((at, event)) => self.pending.push(at, port.sequencer.next(), event),
                None => self.perhaps_over(w, slot),
            }
            return;
        }
        let data_bytes = exchange.group.next_data_bytes(w, path.frame_by_frame);
        let fetched = exchange.cached + port.cache_time(data_bytes);
        if fetched > self.now {
            // Once more when the cache has supplied it: the port and the fibre are for others meanwhile.
            self.pending.push(fetched, port.sequencer.next(), StorageEvent::Pump { exchange: slot });
            return;
        }
        exchange.cached = fetched;
        let done = port.serve(self.now, SimDuration::ZERO, data_bytes);
        let done = port.pass(&mut self.shares, self.now, data_bytes, Shares::read).max(done);
        let sent = exchange.next_transit(w, path, port);
        self.send(w, path, sent, done);
    }

    /// Puts `transit` on the fibre at `ready`.
    #[inline(always)]
    fn send(&mut self, w: &Wiring, path: &PathWire, Transit { mut parcel, cargo }: Transit, ready: SimTime) {
        if parcel.closes && path.is_circuit {
            self.release_circuit(w, parcel.envelope.path, parcel.envelope.exchange);
        }
        let chunk = cargo.chunk(w);
        self.traffic.frames_sent(chunk.frames, chunk.data_bytes);
        let (first, wire_bytes) = (path.inbound.first, chunk.wire_bytes);
        if path.frame_by_frame {
            let link = w.hops[first as usize].link;
            if !self.links.take_credit(link) {
                parcel.hop = first;
                let transit = self.transits.put(Transit { parcel, cargo });
                self.links.get(link).waiting.push_back((transit, ready));
                return;
            }
        }
        let launched = self.links.launch(w, first, wire_bytes, ready, SimDuration::ZERO);
        if parcel.closes && path.is_bridged {
            self.release_behind_bridge(path, parcel.envelope.exchange, &launched);
        }
        let order = self.announce(w, &launched, parcel.envelope.exchange, parcel.pump);
        (parcel.hop, parcel.tail_lag, parcel.pump) = (launched.hop, launched.tail_lag, false);
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
            self.release_circuit(w, path, slot);
            if tell {
                self.tell_closed(w, slot, path);
            }
        }
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
            self.send_credit(w, path, freed.max(self.now), order);
        }
    }

    #[cold]
    fn send_credit(&mut self, w: &Wiring, path: &PathWire, freed: SimTime, order: Order) {
        let link = w.last_link(path.outbound);
        let at = freed + w.configuration.links[link as usize].propagation.max(SimDuration::from_ps(1));
        if w.host_owns[link as usize] {
            let body = crate::message::Body::Credit { link };
            self.outbox.push((crate::process::HOST, crate::message::Message { at, order, body }));
        } else {
            self.pending.push(at, order, StorageEvent::Credit { link });
        }
    }
}
