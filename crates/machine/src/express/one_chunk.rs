//! The [express lane](crate::express) at the channel: the one command, the answer, and with it the end.
//!
//! It is what [`Channels::send_chunk`], [`Channels::on_any_inbound`] and all behind them do of such chunks where nothing is
//! in their way.

use halftrack_base::Span;
use halftrack_program::Protocol;

use super::bus::Burst;
use super::drive::ended;
use super::exchange::{Express, Opening};
use super::{Channels, Outside};
use crate::events::ended::Ended;
use crate::events::event::HostEvent;
use crate::events::message::{ExpressAnswer, Transit};
use crate::fabric::bus::Direction;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl Channels {
    /// Opens an exchange over `path` in the express lane, and begins the visit to the channel processor for its command.
    /// Else, where the plan has more than one chunk each way, the channel works for the answer too, or anything is peculiar
    /// about the path or the run, nothing happens.
    #[inline(always)]
    pub(super) fn try_open_express(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        path: &PathWire,
        opening: Opening,
    ) -> bool {
        let Some(plan) = w.express.of(opening.envelope.plan) else { return false };
        let costs = self.channels[path.channel as usize].costs;
        let cost = w.costs.send(costs, plan.command_group);
        let is_paid_once = !cost.is_zero() && w.costs.receive(costs, plan.answer_chunk.group).is_zero();
        if !path.is_express || !is_paid_once || self.outbound.is_captured() {
            return false;
        }
        let (slot, exchange) = self.exchanges.open(path, &opening, out.now());
        exchange.enter_express(plan.steps);
        self.work_for(out, slot, cost);
        true
    }

    /// Puts the command of the express exchange `slot` on the fibre: the visit for it is over.
    #[inline(always)]
    pub(super) fn send_command(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        debug_assert!(
            exchange.half.planned() == Some((w.express.known(exchange.envelope.plan).steps, 0))
                && !exchange.group.has_more()
        );
        exchange.wait_for_answer(out.now());
        let envelope = exchange.envelope;
        let path = &w.paths[envelope.path as usize];
        self.outbound.send_command(out, w, path, envelope);
    }

    /// Takes the answer of an exchange in the express lane, or hands it to the common lane if the exchange has left.
    #[inline(always)]
    pub(crate) fn on_answer(&mut self, out: &mut impl Outside, w: &Wiring, answered: ExpressAnswer) {
        if self.exchanges[answered.exchange].express == Express::Waiting {
            let tail_lag = Span::from_ps(u64::from(answered.tail_lag_ps));
            self.take_answer(out, w, answered.exchange, tail_lag, answered.connect);
        } else {
            self.take_answer_late(out, w, answered);
        }
    }

    /// Takes an answer in the common lane, for which the exchange has left the express lane.
    #[cold]
    fn take_answer_late(&mut self, out: &mut impl Outside, w: &Wiring, answered: ExpressAnswer) {
        let transit = answered.transit(w, self.exchanges[answered.exchange].envelope);
        self.on_any_inbound(out, w, transit);
    }

    /// Returns the exchange in the express lane that a transit answers, the lag of its tail, and connect time. `None` stands for a
    /// transit of the common lane.
    #[inline(always)]
    pub(super) fn answered(
        &self,
        w: &Wiring,
        Transit { parcel, cargo }: &Transit,
    ) -> Option<(u32, Span, Span)> {
        let slot = parcel.envelope.exchange;
        let exchange = &self.exchanges[slot];
        // A control unit that is busy answers otherwise.
        let answer = || w.express.known(exchange.envelope.plan).answer;
        let is_answer = exchange.express == Express::Waiting && parcel.closes && cargo.planned() == answer();
        is_answer.then(|| (slot, parcel.tail_lag, parcel.note.times().0))
    }

    /// Takes the answer of the express exchange `slot`, which has arrived `tail_lag` after its head, with its `connect`
    /// time.
    #[inline(never)]
    pub(super) fn take_answer(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        slot: u32,
        tail_lag: Span,
        connect: Span,
    ) {
        let exchange = &mut self.exchanges[slot];
        let chunk = &w.express.known(exchange.envelope.plan).answer_chunk;
        let path = &w.paths[exchange.envelope.path as usize];
        let channel = &mut self.channels[path.channel as usize];
        debug_assert!(exchange.only_waits(), "nothing of it is under way at the channel");
        let bytes = chunk.data_bytes;
        self.outbound.count_received(chunk);
        channel.parts[exchange.lpar as usize].read_bytes += u64::from(bytes);
        exchange.connect = connect;
        if bytes == 0 {
            self.end_answered(out, w, path, slot);
            return;
        }
        if !channel.bus.is_free(Direction::Read, out.now()) {
            let steps = chunk.steps;
            let burst = Burst { event: HostEvent::Stored { exchange: slot, steps }, credit: None };
            channel.wait_for_bus(out, path.channel, Direction::Read, (bytes, burst));
            exchange.leave_answered(w, steps);
            return;
        }
        let from = out.now().saturating_sub(tail_lag);
        let stored = channel.bus.move_burst(Direction::Read, from, bytes, (&mut self.shares, channel.share));
        if stored <= out.now() {
            self.end_answered(out, w, path, slot);
            return;
        }
        let (order, steps) = (channel.sequencer.next(), chunk.steps);
        exchange.leave_answered(w, steps);
        out.push(stored, order, HostEvent::Stored { exchange: slot, steps });
    }

    /// Ends exchange and start normally: the answer is in memory and costs the channel nothing.
    #[inline(always)]
    fn end_answered(&mut self, out: &mut impl Outside, w: &Wiring, path: &PathWire, slot: u32) {
        let now = out.now();
        let exchange = &mut self.exchanges[slot];
        exchange.end_express();
        let (io, opened) = (exchange.io, exchange.opened);
        let times = ended(io, &self.exchanges[slot], path, now);
        let queue = self.give_buffers_back(now, io);
        out.end(&Ended { normal: Some(Protocol::Transport), ..times });
        if let Some(queue) = queue {
            self.drive_waiting_requests(out, w, queue);
        }
        let channel = &mut self.channels[path.channel as usize];
        channel.close_exchange(now, opened, Protocol::Transport);
        if channel.has_deferred() {
            self.drive_deferred(out, w, path.channel);
        }
        self.exchanges.close_express(slot);
    }
}
