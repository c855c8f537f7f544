//! Exchanges of one chunk each way, as short reads in transport mode are: what is asked, the answer and with it the end.
//!
//! It is what [`HostState::send_chunk`], [`HostState::on_any_inbound`] and all behind them do of such chunks where nothing is
//! in their way; the row of the plan says beforehand what they would find. An exchange that has anything else about it goes
//! their way, and so does one from then on that loses its fibre or gets another answer.

use halftrack_engine::{SimDuration, SimTime};
use halftrack_program::Protocol;

use super::HostState;
use super::exchange::{Visit, Way};
use super::io::NONE;
use super::start::ended;
use crate::crossing::Ended;
use crate::event::HostEvent;
use crate::group::Cargo;
use crate::link::Arrival;
use crate::message::{Body, Message, Parcel, Transit};
use crate::wiring::{PathWire, Wiring};

impl HostState {
    /// Begins the visit to the channel processor for all that exchange `slot`, which has just been opened over `path`, asks,
    /// if the exchange is plain: one chunk each way, of which the channel works for the first only, and nothing peculiar
    /// about the path or the run. Else nothing happens.
    #[inline(always)]
    pub(super) fn begins_asking(&mut self, w: &Wiring, path: &PathWire, slot: u32) -> bool {
        let exchange = &mut self.exchanges[slot];
        let Some(answer) = self.answers.of(exchange.envelope.plan) else { return false };
        let costs = self.channels[path.channel as usize].costs;
        let cost = w.costs.send(costs, answer.asked_group);
        let is_paid_once = !cost.is_zero() && w.costs.receive(costs, answer.chunk.group).is_zero();
        if !path.is_plain || !is_paid_once || self.recorder.is_some() {
            return false;
        }
        debug_assert!(exchange.half.planned() == Some((0, 0)), "a run without peculiarities follows plans");
        exchange.half.sent_planned(answer.steps);
        (exchange.visit, exchange.sending, exchange.way) = (Visit::Send, true, Way::Asks);
        self.work_for(slot, cost);
        true
    }

    /// Puts all that the plain exchange `slot` asks on the fibre: the visit for it is over.
    #[inline(always)]
    pub(super) fn ask_plainly(&mut self, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        let answer = self.answers.known(exchange.envelope.plan);
        debug_assert!(exchange.half.planned() == Some((answer.steps, 0)) && !exchange.group.has_more());
        (exchange.visit, exchange.sending, exchange.way) = (Visit::Idle, false, Way::Waits);
        (exchange.first_sent, exchange.group.opens) = (self.now, false);
        let (envelope, cargo) = (exchange.envelope, Cargo::of_plan(answer.asks));
        let path = &w.paths[envelope.path as usize];
        self.traffic.frames_sent(answer.frames, 0);
        let parcel = Parcel { envelope, opens: true, hop: path.outbound.last(), ..Parcel::default() };
        let wire_bytes = answer.asked_wire_bytes;
        if !path.direct_outbound.is_one() {
            self.ask_over_hops(w, wire_bytes, Transit { parcel, cargo });
            return;
        }
        let Arrival { at, order, tail_lag } =
            self.links.launch_direct(path.direct_outbound, wire_bytes, self.now);
        let transit = Transit { parcel: Parcel { tail_lag, ..parcel }, cargo };
        self.to_storage.send(Message { at, order, body: Body::Arrived(transit) });
    }

    /// Puts what asks on the first of several links.
    #[inline(never)]
    fn ask_over_hops(&mut self, w: &Wiring, wire_bytes: u32, Transit { mut parcel, cargo }: Transit) {
        let first = w.paths[parcel.envelope.path as usize].outbound.first;
        let launched = self.links.launch(w, first, wire_bytes, self.now, SimDuration::ZERO);
        let order = self.announce(&launched, parcel.envelope.exchange, false);
        (parcel.hop, parcel.tail_lag) = (launched.hop, launched.tail_lag);
        self.send_on(&launched, order, Transit { parcel, cargo });
    }

    /// Takes what has arrived in the slot `transit` if it answers a plain exchange. Else nothing happens, and it is for
    /// others to look closer.
    #[inline(always)]
    pub(super) fn is_answered(&mut self, w: &Wiring, transit: u32) -> bool {
        let Transit { parcel, cargo } = &self.transits[transit];
        let Parcel { envelope, tail_lag, closes, note, .. } = *parcel;
        let exchange = &mut self.exchanges[envelope.exchange];
        if exchange.way != Way::Waits {
            return false;
        }
        let answer = self.answers.known(exchange.envelope.plan);
        // A control unit that is busy says something else.
        if cargo.planned() != answer.answers || !closes {
            return false;
        }
        let path = &w.paths[exchange.envelope.path as usize];
        let channel = &mut self.channels[path.channel as usize];
        debug_assert!(envelope.epoch == channel.epoch && exchange.only_waits());
        self.transits.give(transit);
        let bytes = answer.chunk.data_bytes;
        self.traffic.frames_received(answer.chunk.frames, bytes);
        channel.parts[exchange.lpar as usize].read_bytes += u64::from(bytes);
        exchange.way = Way::Any;
        (exchange.connect, exchange.disconnect) = note.times();
        let mut stored = channel.store(self.now, tail_lag, bytes);
        if let Some(share) = channel.share
            && bytes > 0
        {
            stored = stored.max(self.shares.read(share, self.now.saturating_sub(tail_lag), bytes));
        }
        if stored > self.now {
            self.answer_waits(path.channel, envelope.exchange, answer.chunk.steps, stored);
        } else {
            self.end_answered(w, path, envelope.exchange);
        }
        true
    }

    /// Its data are still on the way to memory until `stored`, and what is on the bus before them.
    #[cold]
    fn answer_waits(&mut self, channel: u32, slot: u32, steps: u16, stored: SimTime) {
        let channel = &mut self.channels[channel as usize];
        let before = channel.share.map_or(SimTime::ZERO, |share| self.shares.read_until(share));
        let at = stored.max(channel.bus.free_at()).max(before);
        let exchange = &mut self.exchanges[slot];
        exchange.peer_over = true;
        exchange.unhandled = steps;
        exchange.on_bus = 1;
        self.pending.push(at, channel.sequencer.next(), HostEvent::Stored { exchange: slot, steps });
    }

    /// The answer is in memory and costs the channel nothing: exchange and start end normally.
    #[inline(always)]
    fn end_answered(&mut self, w: &Wiring, path: &PathWire, slot: u32) {
        let now = self.now;
        let exchange = &mut self.exchanges[slot];
        (exchange.channel, exchange.released) = (NONE, true);
        let (io, opened) = (exchange.io, exchange.opened);
        let measured = self.ledger.end(io).map(|started| now.since(started));
        let exchange = &self.exchanges[slot];
        let times = ended(&self.ios[io], exchange, path, now);
        self.interrupt(io, true, Some(&Ended { protocol: Protocol::Transport, measured, ..times }));
        let channel = &mut self.channels[path.channel as usize];
        channel.close_exchange(now, opened, Protocol::Transport);
        if !channel.deferred.is_empty() {
            self.drive_deferred(w, path.channel);
        }
        self.exchanges.give(slot);
    }
}
