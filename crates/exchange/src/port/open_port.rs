//! A port of either role: its open exchanges on frames, their turns and their timers.

use halftrack_base::{Span, Time};
use halftrack_program::Protocol;
use halftrack_wire::choices::TRANSPORT_FRAME_PAYLOAD_BYTES;
use halftrack_wire::fc_header::routing;
use halftrack_wire::{Address, FcFrame, FrameControl, FrameSink};

use super::buffers::Buffers;
use super::discard::Discard;
use super::exchange_state::ExchangeState;
use super::outgoing::Outgoing;
use super::role::{Role, Serve};
use super::table::Table;
use super::turns::Turns;
use crate::end::FramedEnd;
use crate::outcome::Cause;
use crate::plan::{Login, frame_payload_bytes};
use crate::sequence::{Received, SequenceFault, SequenceReceiver, most_bytes};

/// How often a port checks the timers of its exchanges. The times themselves are seconds (E_D_TOV and more), so a
/// twentieth of the shortest is near enough, and nothing is kept in order for it.
const TIMER_STEP: Span = Span::from_ms(100);

/// Exchange of a port.
#[derive(Debug)]
pub struct Exchange<R: Role> {
    pub(super) end: R::End,
    pub(super) outgoing: Outgoing,
    receiver: SequenceReceiver,
    pub(super) address: Address,
    /// A frame was sent or received since the timers were checked.
    moved: bool,
    /// This end holds the sequence initiative.
    has_initiative: bool,
    /// Octets of data received in whole sequences.
    received_bytes: u32,
    pub(super) state: R::State,
}

impl<R: Role> Exchange<R> {
    pub(super) fn new(end: R::End, outgoing: Outgoing, address: Address, state: R::State) -> Self {
        Self {
            end,
            outgoing,
            receiver: SequenceReceiver::default(),
            address,
            moved: false,
            has_initiative: R::OPENS,
            received_bytes: 0,
            state,
        }
    }

    /// Returns the state of the exchange, as a port that requests it is answered.
    pub(super) fn recorded_state(&self) -> ExchangeState {
        let is_complete = self.end.is_closed() && !self.sends();
        let Self { has_initiative, received_bytes, .. } = *self;
        ExchangeState { has_initiative, is_complete, received_bytes }
    }

    /// Returns true when something is left to be sent.
    fn sends(&self) -> bool {
        self.outgoing.is_sending() || self.end.has_transmit()
    }
}

/// All open exchanges of one port.
#[derive(Debug)]
pub struct Port<R: Role> {
    pub(super) role: R,
    pub(super) table: Table<Exchange<R>>,
    pub(super) turns: Turns,
    pub(super) buffers: Buffers,
    /// When the timers are checked.
    pub(super) timers_at: Option<Time>,
}

impl<R: Role> Port<R> {
    /// Returns a port with `room` for open exchanges that keeps so many buffers.
    pub(super) fn with_room(role: R, room: u16, buffers: usize) -> Self {
        Self {
            role,
            table: Table::new(room),
            turns: Turns::new(usize::from(room)),
            buffers: Buffers::new(buffers),
            timers_at: None,
        }
    }

    /// Returns the exchanges that are open, answers of busy included. One that has ended is open until its last frame is
    /// sent.
    #[must_use]
    pub fn open(&self) -> usize {
        self.table.open()
    }

    /// Starts the timers, if they do not run.
    pub(super) fn run_timers(&mut self, now: Time) {
        self.timers_at.get_or_insert(now.saturating_add(TIMER_STEP));
    }

    /// Sends at most one frame, for which the caller has a buffer credit; false when there is none to send.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        while let Some(place) = self.turns.first() {
            let Some(exchange) = self.table.get_mut(place) else {
                self.turns.leave();
                continue;
            };
            if !exchange.outgoing.is_sending()
                && let Some(iu) = exchange.end.poll_iu()
            {
                let follow = exchange.end.has_transmit() || exchange.end.will_transmit();
                exchange.outgoing.begin(iu, follow, exchange.end.is_closed() && !follow);
            }
            if !exchange.outgoing.is_sending() {
                self.turns.leave();
                self.finish(place);
                continue;
            }
            exchange.moved = true;
            let done = exchange.outgoing.send_frame(sink);
            exchange.has_initiative &= done.is_none() || !exchange.outgoing.passed_initiative();
            if done.is_some() && !exchange.end.has_transmit() {
                self.turns.leave();
                self.finish(place);
            } else {
                self.turns.sent();
            }
            if let Some(buffer) = done {
                self.buffers.give(buffer);
            }
            return true;
        }
        false
    }

    /// Forgets an exchange that is over and has sent all.
    fn finish(&mut self, place: u16) {
        let Some(exchange) = self.table.get_mut(place) else { return };
        if exchange.end.is_closed() && !exchange.sends() {
            let was_given_up = self.role.forget(exchange, place);
            self.table.remove(place, was_given_up);
        }
    }

    /// Gives a frame to its exchange.
    pub(super) fn take_frame<U>(
        &mut self,
        now: Time,
        frame: &FcFrame<'_>,
        units: &mut U,
    ) -> Result<(), Discard>
    where
        R: Serve<U>,
    {
        let place = R::place_of(self, now, frame, units)?;
        let Some(exchange) = self.table.get_mut(place) else { return Err(Discard::NoExchange) };
        let most_bytes = most_bytes(&frame.header, || exchange.end.data_room());
        if exchange.receiver.take_interruption(frame) {
            exchange.end.handle_damaged(now, Cause::Length);
        }
        if exchange.receiver.wants_buffer(frame) {
            exchange.receiver.lend(self.buffers.take());
        }
        let received = exchange.receiver.take(frame, most_bytes);
        exchange.moved |= received.is_ok();
        let taken = match received {
            Ok(Received::More) => return Ok(()),
            Ok(Received::Whole(sequence)) => {
                exchange.has_initiative = frame.header.f_ctl.has(FrameControl::INITIATIVE);
                if sequence.header.r_ctl == routing::DATA {
                    let bytes = u32::try_from(sequence.bytes()).unwrap_or(u32::MAX);
                    exchange.received_bytes = exchange.received_bytes.saturating_add(bytes);
                }
                self.role.take_sequence(exchange, now, sequence, &mut self.buffers, units)
            }
            Err(SequenceFault::GivenUp) => return Err(SequenceFault::GivenUp.into()),
            Err(_) => {
                exchange.end.handle_damaged(now, Cause::Length);
                Ok(())
            }
        };
        self.settle(place, units);
        taken
    }

    /// Draws the consequences of an event: what may have closed is concluded, sends, or is forgotten.
    pub(super) fn settle<U>(&mut self, place: u16, units: &mut U)
    where
        R: Serve<U>,
    {
        let Some(exchange) = self.table.get_mut(place) else { return };
        self.role.conclude(exchange, units);
        if exchange.sends() {
            self.turns.add(place);
        } else {
            self.finish(place);
        }
    }

    /// Applies `act` to every exchange and draws the consequences.
    pub(super) fn for_each<U>(&mut self, units: &mut U, mut act: impl FnMut(&mut Exchange<R>))
    where
        R: Serve<U>,
    {
        let mut from = 0;
        while let Some(place) = self.table.next_open(from) {
            if let Some(exchange) = self.table.get_mut(place) {
                act(exchange);
            }
            self.settle(place, units);
            from = place + 1;
        }
    }

    /// Ends the exchanges whose link or peer is gone.
    pub(super) fn cut_off<U>(&mut self, units: &mut U, is_cut: impl Fn(&Exchange<R>) -> bool)
    where
        R: Serve<U>,
    {
        self.for_each(units, |exchange| {
            if is_cut(exchange) {
                exchange.outgoing.give_up();
                exchange.end.link_down();
            }
        });
    }

    /// Ends all exchanges, because the link is gone; nothing is left to be sent.
    pub(super) fn cut_off_all<U>(&mut self, units: &mut U)
    where
        R: Serve<U>,
    {
        self.cut_off(units, |_| true);
        self.turns.clear();
        self.timers_at = None;
    }

    /// Checks the timers when they are due.
    pub(super) fn check_timers<U>(&mut self, now: Time, units: &mut U)
    where
        R: Serve<U>,
    {
        self.table.wake(now);
        if self.timers_at.is_none_or(|at| at > now) {
            return;
        }
        self.for_each(units, |exchange| {
            if std::mem::take(&mut exchange.moved) {
                exchange.end.handle_progress(now);
            } else if exchange.end.is_due(now) {
                exchange.outgoing.give_up();
                exchange.end.time_out(now);
            }
        });
        self.timers_at = (self.table.open() > 0).then(|| now.saturating_add(TIMER_STEP));
    }
}

/// Returns a login for an exchange of `protocol`: its frames carry as much as senders of the protocol fill.
pub(super) const fn in_frames_of(protocol: Protocol, login: &Login) -> Login {
    let frame_payload_bytes =
        frame_payload_bytes(protocol, login.frame_payload_bytes, TRANSPORT_FRAME_PAYLOAD_BYTES);
    Login { frame_payload_bytes, ..*login }
}
