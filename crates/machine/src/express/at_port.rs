//! The [express lane](crate::express) at the host-adapter port: what is asked is taken up, and the answer sent.
//!
//! It is what [`HostAdapters::on_any_arrived`] and all behind it do of such chunks where nothing is in their way; the row of
//! the plan ([`Answer`](crate::wiring::answers::Answer)) says beforehand what they would find. An exchange that has anything
//! else about it goes their way.

use halftrack_base::Span;
use halftrack_exchange::Delay;

use super::adapters::HostAdapters;
use super::context::Context;
use crate::events::event::StorageEvent;
use crate::events::message::{Answered, Asked, Envelope, Transit};
use crate::fabric::bus::Direction;
use crate::wiring::Wiring;
use crate::wiring::load::Chunk;

impl HostAdapters {
    /// All that a plain exchange asks has arrived.
    #[inline(always)]
    pub(super) fn on_asked(&mut self, context: &mut Context, w: &Wiring, asked: Asked) {
        let tail_lag = Span::from_ps(u64::from(asked.tail_lag_ps));
        if !self.try_take_up(context, w, asked.envelope, tail_lag) {
            let transit = asked.transit(w, &self.answers);
            self.on_any_arrived(context, w, transit);
        }
    }

    /// Takes the `transit`, which has arrived, if it is all that a plain exchange asks and nothing is in the way of an
    /// answer. Else nothing happens, and it is for others to look closer.
    #[inline(always)]
    pub(super) fn try_take_asked(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        Transit { parcel, cargo }: &Transit,
    ) -> bool {
        w.paths[parcel.envelope.path as usize].is_plain
            && self.answers.of(parcel.envelope.plan).is_some_and(|answer| cargo.planned() == answer.asks)
            && self.try_take_up(context, w, parcel.envelope, parcel.tail_lag)
    }

    /// Takes up what a plain exchange asks, whose head has come `tail_lag` before, if nothing is in the way of an answer.
    /// Else nothing happens.
    #[inline(always)]
    fn try_take_up(&mut self, context: &mut Context, w: &Wiring, envelope: Envelope, tail_lag: Span) -> bool {
        let answer = self.answers.known(envelope.plan);
        let path = &w.paths[envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let is_lost = context.is_lost(path, envelope);
        if is_lost || self.control_units.is_busy(path.lcu) || !port.try_take_free_exchange(context.now()) {
            return false;
        }
        context.count_received(answer.frames, 0);
        // It is decoded while what comes with it still arrives.
        let from = context.now().saturating_sub(tail_lag);
        let worked = port.work(from, w.costs.receive(port.costs, answer.asked_group));
        let taken_up = worked + port.dispatch;
        let mut ready = context.now().max(taken_up);
        if port.box_works {
            ready = ready.max(self.control_units.work_on(path.lcu, ready));
        }
        // As `next_event` says of the first data of an exchange.
        let data_bytes = answer.chunk.data_bytes;
        if data_bytes > 0 {
            ready += port.cache_time(data_bytes);
        }
        if answer.delay == Delay::Cache {
            ready += if data_bytes > 0 { port.hit } else { port.secure };
        }
        let (order, steps, exchange) = (port.sequencer.next(), answer.steps, envelope.exchange);
        context.push(ready, order, StorageEvent::Send { exchange });
        self.exchanges.reach(exchange);
        let exchange = &mut self.exchanges[exchange];
        exchange.begin(w, envelope, context.now());
        let received = exchange.half.receive_planned(steps);
        debug_assert!(received, "it has just been opened on its plan");
        (exchange.held, exchange.sending, exchange.taken_up) = (true, true, taken_up);
        exchange.is_plain = true;
        true
    }

    /// Sends the answer of the plain exchange `slot`, which ends it; its port's bus is free.
    #[inline(always)]
    pub(super) fn answer(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        let envelope: Envelope = exchange.envelope;
        let answer = self.answers.known(envelope.plan);
        debug_assert!(exchange.open && !exchange.away && exchange.half.planned() == Some((0, answer.steps)));
        let path = &w.paths[envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let Chunk { data_bytes, group, .. } = answer.chunk;
        let worked = port.work_unless_free(context.now(), w.costs.send(port.costs, group), false);
        let done = port.move_burst(&mut self.shares, Direction::Read, context.now(), data_bytes).max(worked);
        let connect = done.saturating_since(exchange.taken_up);
        exchange.close_plain(context.now(), port);
        let answered = Answered { exchange: slot, tail_lag_ps: 0, connect };
        context.send_answer(w, path, (&answer.chunk, answered), done, || {
            answered.transit(w, &self.answers, envelope)
        });
    }

    /// Sends what a plain exchange asks on from a director to the port.
    #[inline(always)]
    pub(super) fn on_asked_on(&mut self, context: &mut Context, w: &Wiring, asked: Asked) {
        let path = &w.paths[asked.envelope.path as usize];
        context.on_asked_on(path, self.answers.known(asked.envelope.plan).asked(), asked);
    }

    /// Sends the answer of a plain exchange on from a director to the channel.
    #[inline(always)]
    pub(super) fn on_answered_on(&mut self, context: &mut Context, w: &Wiring, answered: Answered) {
        // The host uses the slot again only when it has the answer.
        let envelope = self.exchanges[answered.exchange].envelope;
        let on_fibre = self.answers.known(envelope.plan).chunk.on_fibre();
        context.on_answered_on(&w.paths[envelope.path as usize], on_fibre, answered);
    }
}
