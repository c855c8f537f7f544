//! The [express lane](crate::express) at the channel: all that is asked, the answer, and with it the end.
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
use crate::events::message::{Answered, Transit};
use crate::fabric::bus::Direction;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl Channels {
    /// Opens an exchange over `path`, and begins the visit to the channel processor for all that it asks,
    /// if it is plain: one chunk each way, of which the channel works for the first only, and nothing peculiar about the
    /// path or the run. Else nothing happens.
    #[inline(always)]
    pub(super) fn try_open_express(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        path: &PathWire,
        opening: Opening,
    ) -> bool {
        let Some(answer) = self.answers.of(opening.envelope.plan) else { return false };
        let costs = self.channels[path.channel as usize].costs;
        let cost = w.costs.send(costs, answer.asked_group);
        let is_paid_once = !cost.is_zero() && w.costs.receive(costs, answer.chunk.group).is_zero();
        if !path.is_plain || !is_paid_once || self.outbound.is_captured() {
            return false;
        }
        let slot = self.exchanges.open(path, &opening, out.now());
        self.exchanges[slot].enter_express(answer.steps);
        self.work_for(out, slot, cost);
        true
    }

    /// Puts all that the plain exchange `slot` asks on the fibre: the visit for it is over.
    #[inline(always)]
    pub(super) fn ask(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32) {
        let exchange = &mut self.exchanges[slot];
        let answer = self.answers.known(exchange.envelope.plan);
        debug_assert!(exchange.half.planned() == Some((answer.steps, 0)) && !exchange.group.has_more());
        exchange.note_asked(out.now());
        let envelope = exchange.envelope;
        let path = &w.paths[envelope.path as usize];
        self.outbound.send_asked(out, w, path, envelope, &self.answers);
    }

    /// A plain exchange is answered.
    #[inline(always)]
    pub(crate) fn on_answered(&mut self, out: &mut impl Outside, w: &Wiring, answered: Answered) {
        let exchange = &mut self.exchanges[answered.exchange];
        if exchange.express == Express::Waiting {
            let tail_lag = Span::from_ps(u64::from(answered.tail_lag_ps));
            self.take_answer(out, w, answered.exchange, tail_lag, answered.connect);
        } else {
            let transit = answered.transit(w, &self.answers, exchange.envelope);
            self.on_any_inbound(out, w, transit);
        }
    }

    /// Takes the `transit`, which has arrived, if it answers a plain exchange. Else nothing happens, and it is for others
    /// to look closer.
    #[inline]
    pub(super) fn try_take_answer(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        Transit { parcel, cargo }: &Transit,
    ) -> bool {
        let exchange = &self.exchanges[parcel.envelope.exchange];
        // A control unit that is busy says something else.
        let answers = || self.answers.known(exchange.envelope.plan).answers;
        let is_answer = exchange.express == Express::Waiting && parcel.closes && cargo.planned() == answers();
        if is_answer {
            self.take_answer(out, w, parcel.envelope.exchange, parcel.tail_lag, parcel.note.times().0);
        }
        is_answer
    }

    /// The plain exchange `slot` is answered by what has arrived `tail_lag` after its head, with its `connect` time.
    #[inline(never)]
    fn take_answer(&mut self, out: &mut impl Outside, w: &Wiring, slot: u32, tail_lag: Span, connect: Span) {
        let exchange = &mut self.exchanges[slot];
        let answer = self.answers.known(exchange.envelope.plan);
        let path = &w.paths[exchange.envelope.path as usize];
        let channel = &mut self.channels[path.channel as usize];
        debug_assert!(exchange.envelope.epoch == channel.losses() && exchange.only_waits());
        let bytes = answer.chunk.data_bytes;
        self.outbound.count_received(&answer.chunk);
        channel.parts[exchange.lpar as usize].read_bytes += u64::from(bytes);
        exchange.connect = connect;
        if bytes == 0 {
            self.end_answered(out, w, path, slot);
            return;
        }
        if !channel.bus.is_free(Direction::Read, out.now()) {
            let steps = answer.chunk.steps;
            let burst = Burst { exchange: slot, steps, credit: None };
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
        let (order, steps) = (channel.sequencer.next(), answer.chunk.steps);
        exchange.leave_answered(w, steps);
        out.push(stored, order, HostEvent::Stored { exchange: slot, steps });
    }

    /// The answer is in memory and costs the channel nothing: exchange and start end normally.
    #[inline(always)]
    fn end_answered(&mut self, out: &mut impl Outside, w: &Wiring, path: &PathWire, slot: u32) {
        let now = out.now();
        let exchange = &mut self.exchanges[slot];
        exchange.end_express();
        let (io, opened) = (exchange.io, exchange.opened);
        let times = ended(io, &self.exchanges[slot], path, now);
        out.end(&Ended { normal: Some(Protocol::Transport), ..times });
        let channel = &mut self.channels[path.channel as usize];
        channel.close_exchange(now, opened, Protocol::Transport);
        if channel.has_deferred() {
            self.drive_deferred(out, w, path.channel);
        }
        self.exchanges.close_express(slot);
    }
}
