//! The [express lane](crate::express) at the host-adapter port: the command is taken up, and the answer sent.
//!
//! It is what [`HostAdapters::on_any_arrived`] and all behind it do of such chunks where nothing is in their way. The row of
//! the plan ([`ExpressPlan`](crate::wiring::express_plans::ExpressPlan)) has beforehand what they would find. An exchange
//! that has anything else about it leaves for the common lane.

use halftrack_base::Span;
use halftrack_exchange::Delay;

use super::HostAdapters;
use crate::events::event::StorageEvent;
use crate::events::message::{Envelope, ExpressAnswer, ExpressCommand, Transit};
use crate::fabric::bus::Direction;
use crate::storage::context::Context;
use crate::wiring::Wiring;
use crate::wiring::load::Chunk;

impl HostAdapters {
    /// Takes the command of an exchange in the express lane, which has arrived.
    #[inline(always)]
    pub(in crate::storage) fn on_command(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        command: ExpressCommand,
    ) {
        let tail_lag = Span::from_ps(u64::from(command.tail_lag_ps));
        if !self.try_take_up(context, w, command.envelope, tail_lag) {
            let transit = command.transit(w);
            self.on_any_arrived(context, w, transit);
        }
    }

    /// Takes the `transit`, which has arrived, if it is the command of an express exchange and nothing is in the way of an
    /// answer. Else nothing happens, and the transit is for the common lane.
    #[inline(always)]
    pub(super) fn try_take_command(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        Transit { parcel, cargo }: &Transit,
    ) -> bool {
        w.paths[parcel.envelope.path as usize].is_express
            && w.express.of(parcel.envelope.plan).is_some_and(|plan| cargo.planned() == plan.command)
            && self.try_take_up(context, w, parcel.envelope, parcel.tail_lag)
    }

    /// Takes up a command whose head has come `tail_lag` before, if nothing is in the way of an answer. Else nothing
    /// happens.
    #[inline(always)]
    fn try_take_up(&mut self, context: &mut Context, w: &Wiring, envelope: Envelope, tail_lag: Span) -> bool {
        let plan = w.express.known(envelope.plan);
        let path = &w.paths[envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let is_lost = context.is_lost(envelope);
        if is_lost || self.control_units.is_busy(path.lcu) || !port.try_take_free_exchange(context.now()) {
            return false;
        }
        context.count_received(plan.command_frames, 0);
        // It is decoded while what comes with it still arrives.
        let from = context.now().saturating_sub(tail_lag);
        let worked = port.work(from, w.costs.receive(port.costs, plan.command_group));
        let taken_up = worked + port.dispatch;
        let mut ready = context.now().max(taken_up);
        if port.box_works {
            ready = ready.max(self.control_units.work_on(path.lcu, ready));
        }
        // As `next_event` has the first data of an exchange.
        let data_bytes = plan.answer_chunk.data_bytes;
        if data_bytes > 0 {
            ready += port.cache_time(data_bytes);
        }
        if plan.delay == Delay::Cache {
            ready += if data_bytes > 0 { port.hit } else { port.secure };
        }
        let (order, steps, exchange) = (port.sequencer.next(), plan.steps, envelope.exchange);
        context.push(ready, order, StorageEvent::Send { exchange });
        self.exchanges.reach(exchange);
        let exchange = &mut self.exchanges[exchange];
        exchange.begin(w, envelope, context.now());
        let received = exchange.half.receive_planned(steps);
        debug_assert!(received, "it has just been opened on its plan");
        (exchange.held, exchange.sending, exchange.taken_up) = (true, true, taken_up);
        exchange.is_express = true;
        true
    }

    /// Sends the answer of the express exchange `slot`, which ends it; its port's bus is free.
    #[inline(always)]
    pub(super) fn send_answer(&mut self, context: &mut Context, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        let envelope: Envelope = exchange.envelope;
        let plan = w.express.known(envelope.plan);
        debug_assert!(exchange.open && !exchange.away && exchange.half.planned() == Some((0, plan.steps)));
        let path = &w.paths[envelope.path as usize];
        let port = &mut self.ports[path.port as usize];
        let Chunk { data_bytes, group, .. } = plan.answer_chunk;
        let worked = port.work_unless_free(context.now(), w.costs.send(port.costs, group), false);
        let done = port.move_burst(&mut self.shares, Direction::Read, context.now(), data_bytes).max(worked);
        let connect = done.saturating_since(exchange.taken_up);
        exchange.close_express(context.now(), port);
        let answer = ExpressAnswer { exchange: slot, tail_lag_ps: 0, connect };
        context.send_answer(w, path, (&plan.answer_chunk, answer), done, || answer.transit(w, envelope));
    }

    /// Sends the command of an express exchange on from a director to the port.
    #[inline(always)]
    pub(in crate::storage) fn on_command_at_director(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        command: ExpressCommand,
    ) {
        let path = &w.paths[command.envelope.path as usize];
        context.on_command_at_director(
            path,
            w.express.known(command.envelope.plan).command_on_fibre(),
            command,
        );
    }

    /// Sends the answer of an express exchange on from a director to the channel.
    #[inline(always)]
    pub(in crate::storage) fn on_answer_at_director(
        &mut self,
        context: &mut Context,
        w: &Wiring,
        answer: ExpressAnswer,
    ) {
        // The host uses the slot again only when it has the answer.
        let envelope = self.exchanges[answer.exchange].envelope;
        let on_fibre = w.express.known(envelope.plan).answer_chunk.on_fibre();
        context.on_answer_at_director(&w.paths[envelope.path as usize], on_fibre, answer);
    }
}
