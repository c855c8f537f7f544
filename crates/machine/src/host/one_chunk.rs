//! Exchanges of one chunk each way, as short reads in transport mode are: what is asked, the answer and with it the end.
//!
//! It is what [`HostState::send_chunk`], [`HostState::on_inbound`] and all behind them do of such chunks where nothing is in
//! their way; the row of the plan says beforehand what they would find. An exchange that has left its plan, or has anything else about
//! it, goes their way.

use halftrack_engine::{SimDuration, SimTime};
use halftrack_program::Protocol;

use super::HostState;
use super::exchange::Visit;
use super::io::NONE;
use super::start::ended;
use crate::crossing::Ended;
use crate::event::HostEvent;
use crate::group::Cargo;
use crate::message::{Parcel, Transit};
use crate::wiring::{PathWire, Wiring};

impl HostState {
    /// Begins the visit to the channel processor for all that exchange `slot`, which has just been opened over `path`, asks,
    /// if that is one chunk on its plan and costs something. Else nothing happens.
    #[inline(always)]
    pub(super) fn begins_asking(&mut self, w: &Wiring, path: &PathWire, slot: u32) -> bool {
        let exchange = &mut self.exchanges[slot];
        let Some(answer) = self.answers.of(exchange.envelope.plan) else { return false };
        let channel = &self.channels[path.channel as usize];
        let cost = w.costs.send(channel.costs, answer.asked_group);
        if exchange.half.planned() != Some((0, 0))
            || path.frame_by_frame
            || channel.held_bus.is_some()
            || cost.is_zero()
        {
            return false;
        }
        exchange.half.sent_planned(answer.steps);
        exchange.group.begin_with(answer.asked_group, answer.asks);
        (exchange.visit, exchange.sending) = (Visit::Send, true);
        self.work_for(slot, cost);
        true
    }

    /// Puts all that exchange `slot` asks on the fibre, if that is one chunk on its plan and nothing is in its way. Else
    /// nothing happens.
    #[inline(always)]
    pub(super) fn has_asked(&mut self, w: &Wiring, slot: u32) -> bool {
        let exchange = &mut self.exchanges[slot];
        let Some(answer) = self.answers.of(exchange.envelope.plan) else { return false };
        let path = &w.paths[exchange.envelope.path as usize];
        if exchange.half.planned() != Some((answer.steps, 0))
            || path.frame_by_frame
            || self.recorder.is_some()
            || w.draws_tracks
            || !exchange.group.take_first(answer.asks)
        {
            return false;
        }
        exchange.sending = false;
        exchange.first_sent = self.now;
        let (envelope, cargo) = (exchange.envelope, Cargo::of_plan(answer.asks));
        self.traffic.frames_sent(answer.frames, 0);
        let (hop, wire_bytes) = (path.outbound.first, answer.asked_wire_bytes);
        let launched = self.links.launch(w, hop, wire_bytes, self.now, SimDuration::ZERO);
        let order = self.announce(&launched, slot, false);
        let (hop, tail_lag) = (launched.hop, launched.tail_lag);
        let parcel = Parcel { envelope, opens: true, hop, tail_lag, ..Parcel::default() };
        self.send_on(&launched, order, Transit { parcel, cargo });
        true
    }

    /// Takes what has arrived in the slot `transit` if it is all that answers an exchange of one chunk each way, on its
    /// plan and on a path without peculiarities. Else nothing happens, and it is for others to look closer.
    #[inline(always)]
    pub(super) fn is_answered(&mut self, w: &Wiring, transit: u32) -> bool {
        let Transit { parcel, cargo } = &self.transits[transit];
        let Parcel { envelope, tail_lag, closes, note, .. } = *parcel;
        let Some(answer) = self.answers.of(envelope.plan) else { return false };
        if cargo.planned() != answer.answers || !closes || self.recorder.is_some() || self.data.is_some() {
            return false;
        }
        let path = &w.paths[envelope.path as usize];
        let channel = &mut self.channels[path.channel as usize];
        let exchange = &mut self.exchanges[envelope.exchange];
        if envelope.epoch != channel.epoch
            || exchange.half.planned() != Some((answer.steps, 0))
            || !exchange.only_waits()
            || path.frame_by_frame
            || channel.held.is_some()
            || channel.held_bus.is_some()
            || !w.costs.receive(channel.costs, answer.chunk.group).is_zero()
        {
            return false;
        }
        self.transits.give(transit);
        let bytes = answer.chunk.data_bytes;
        self.traffic.frames_received(answer.chunk.frames, bytes);
        channel.parts[exchange.lpar as usize].read_bytes += u64::from(bytes);
        exchange.peer_over = true;
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
        exchange.unhandled = steps;
        exchange.on_bus = 1;
        self.pending.push(at, channel.sequencer.next(), HostEvent::Stored { exchange: slot, steps });
    }

    /// The answer is in memory and costs the channel nothing: exchange and start end normally.
    #[inline(always)]
    fn end_answered(&mut self, w: &Wiring, path: &PathWire, slot: u32) {
        let now = self.now;
        let exchange = &mut self.exchanges[slot];
        (exchange.reported, exchange.released) = (true, true);
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
        let exchange = &mut self.exchanges[slot];
        exchange.channel = NONE;
        exchange.half.close();
        self.exchanges.give(slot);
    }
}
