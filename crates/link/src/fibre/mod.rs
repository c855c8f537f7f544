//! A link: FC-2 frames over a transport by FCIP (RFC 3821), with buffer credits both ways.
//!
//! ```text
//! Opening ─ special frame echoed ─┐
//! Accepted ─ special frame came ──┴─► Up ─ any Closing ─► (given up by its owner)
//! ```
//!
//! A turn of a node's loop is `receive`, `next_frame` until there is none, `frame` (as a [`halftrack_wire::FrameSink`]) while
//! [`Fibre::can_send`], then `flush`. Credits are given back with what is sent anyway, or when there are many, or when
//! the node has nothing else to do.

mod age;
mod closing;
mod counters;
mod incoming;
mod options;
mod receiving;
mod sending;
mod tap;
#[cfg(test)]
mod tests;

use std::{fmt, io};

use halftrack_base::{Span, Time};
use halftrack_exchange::BufferCredit;
use halftrack_wire::WorldWideName;
use halftrack_wire::fcip::{SpecialFrame, TimeStamp};
use halftrack_wire::timers::{RECEIVER_TRANSMITTER_TIMEOUT_US, RESOURCE_ALLOCATION_TIMEOUT};

use crate::access::{AccessFault, Attached};
use crate::buffers::{InBuffer, OutBuffer};
use crate::transport::Transport;
use age::Age;
pub(crate) use age::stamp_of;

pub use closing::Closing;
pub use counters::FibreCounters;
pub use incoming::Incoming;
pub use options::FibreOptions;
pub use tap::{FrameDirection, FrameTap};

/// How long the special frame or its echo is waited for.
const OPENING_TIMEOUT: Span = Span::from_s(5);
/// How long buffers may stay away when none is left: E_D_TOV.
const CREDIT_TIMEOUT: Span = Span::from_s(2);
/// How long nothing may come: R_A_TOV. What comes after a longer silence is of a link that has failed.
const SILENCE_TIMEOUT: Span = RESOURCE_ALLOCATION_TIMEOUT;
/// Time without a poll after which this end checks whether the other one has given the link up meanwhile: R_T_TOV.
const STALL: Span = Span::from_us(RECEIVER_TRANSMITTER_TIMEOUT_US);
/// Time without frames to send after which this end sends a sign of life.
const KEEP_ALIVE: Span = Span::from_s(2);
/// Credit before login (FC-FS).
const CREDIT_BEFORE_LOGIN: u16 = 1;
/// Octets that may wait to be sent before no more frames are taken: what the processor's cache and the sockets hold.
const OUT_BYTES: usize = 256 * 1024;
/// Octets of the input buffer at the start.
const IN_BYTES: usize = 256 * 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// The special frame was sent and has to come back.
    Opening(SpecialFrame),
    /// The special frame has to come.
    Accepted,
    Up,
}

/// One end of a link.
pub struct Fibre<T> {
    transport: T,
    options: FibreOptions,
    state: State,
    peer_name: Option<WorldWideName>,
    input: InBuffer,
    output: OutBuffer,
    /// Buffers of the other end.
    credit: BufferCredit,
    /// Buffers of this end that were used and are free again.
    freed: u16,
    /// Buffers of this end whose frames wait to be carried on: a director's.
    held: u16,
    now: Time,
    began: Time,
    last_in: Time,
    last_out: Time,
    /// Since when there is no credit.
    exhausted: Option<Time>,
    /// The port at the other end is logged in: its credit is known.
    is_in_use: bool,
    /// The other end has logged out: an error of the transport is the end of the link and no failure.
    is_ending: bool,
    age: Age,
    tap: Option<Box<dyn FrameTap>>,
    counters: FibreCounters,
}

impl<T: Transport> fmt::Debug for Fibre<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Fibre")
            .field("peer", &self.transport.peer())
            .field("state", &self.state)
            .finish()
    }
}

impl<T: Transport> Fibre<T> {
    /// Creates an end that opened the connection: it sends the special frame. `nonce` distinguishes this connection
    /// from earlier ones.
    pub fn open(transport: T, options: FibreOptions, nonce: u64, now: Time) -> Self {
        let mut first = SpecialFrame::first(options.own_name, nonce);
        first.keep_alive_ms = (SILENCE_TIMEOUT.as_ps() / 1_000_000_000) as u32;
        first.source_entity = Age::new(options.clock).clock_id();
        let mut fibre = Self::new(transport, options, State::Opening(first), now);
        first.emit(TimeStamp::default(), fibre.output.tail());
        fibre
    }

    /// Creates an end that accepted the connection: it waits for the special frame.
    pub fn accept(transport: T, options: FibreOptions, now: Time) -> Self {
        Self::new(transport, options, State::Accepted, now)
    }

    fn new(transport: T, options: FibreOptions, state: State, now: Time) -> Self {
        let age = Age::new(options.clock);
        Self {
            transport,
            options,
            state,
            peer_name: None,
            input: InBuffer::new(IN_BYTES),
            output: OutBuffer::new(OUT_BYTES),
            credit: BufferCredit::new(u32::from(CREDIT_BEFORE_LOGIN)),
            freed: 0,
            held: 0,
            now,
            began: now,
            last_in: now,
            last_out: now,
            exhausted: None,
            is_in_use: false,
            is_ending: false,
            age,
            tap: None,
            counters: FibreCounters::default(),
        }
    }

    /// Shows every frame from now on to `tap`.
    pub fn set_tap(&mut self, tap: Box<dyn FrameTap>) {
        self.tap = Some(tap);
    }

    /// Sets the credit: the other end has granted `granted` receive buffers at login.
    pub fn set_credit(&mut self, granted: u16) {
        self.is_in_use = true;
        self.credit.set_granted(u32::from(granted));
        if self.credit.available() > 0 {
            self.exhausted = None;
        }
    }

    /// Notes that the other end has logged out, or in again: after a logout the end of the link is orderly.
    pub fn set_ending(&mut self, is_ending: bool) {
        self.is_ending = is_ending;
    }

    /// Returns why the link is closed after an error of the transport.
    #[cold]
    fn closing_of(&self, error: io::Error) -> Closing {
        match error.downcast::<AccessFault>() {
            Ok(fault) => Closing::Access(fault),
            Err(_) if self.is_ending => Closing::ByOtherEnd,
            Err(error) => Closing::Transport(error),
        }
    }

    /// Returns whether frames may be exchanged.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.state == State::Up
    }

    /// Returns the name of the port at the other end, if it sent one: the end that opened the connection does.
    pub fn peer_name(&self) -> Option<WorldWideName> {
        self.peer_name
    }

    /// Returns the port that has proven its name at the other end.
    pub fn attached(&self) -> Option<&Attached> {
        self.transport.attached()
    }

    /// Returns where the other end is, for messages.
    pub fn peer(&self) -> String {
        self.transport.peer()
    }

    /// Returns what the link has carried.
    pub fn counters(&self) -> FibreCounters {
        self.counters
    }

    /// Returns the transport, for a [`crate::Poller`].
    pub fn transport(&mut self) -> &mut T {
        &mut self.transport
    }

    /// Returns whether the transport has not taken everything yet.
    pub fn has_unsent(&self) -> bool {
        !self.output.is_empty()
    }

    /// Returns the time of the last poll.
    pub fn polled_at(&self) -> Time {
        self.now
    }

    /// Returns whether both ends have one clock, by which the age of frames is checked.
    #[must_use]
    pub fn has_common_clock(&self) -> bool {
        self.age.is_common()
    }

    /// Returns the time at which [`Fibre::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Time {
        if !self.is_up() {
            return self.began.saturating_add(OPENING_TIMEOUT);
        }
        let silent = self.last_in.saturating_add(SILENCE_TIMEOUT);
        let alive = self.last_out.saturating_add(KEEP_ALIVE);
        let lost = self.exhausted.map_or(Time::MAX, |since| since.saturating_add(CREDIT_TIMEOUT));
        silent.min(alive).min(lost)
    }

    /// Handles a time-out that may be due.
    ///
    /// # Errors
    /// Why the link is closed.
    pub fn handle_timeout(&mut self, now: Time) -> Result<(), Closing> {
        let over = |since: Time, span: Span| now.saturating_since(since) >= span;
        if !self.is_up() {
            let after_ms = ms(OPENING_TIMEOUT);
            return if over(self.began, OPENING_TIMEOUT) {
                Err(Closing::HalfOpen { after_ms })
            } else {
                Ok(())
            };
        }
        if over(self.last_in, SILENCE_TIMEOUT) {
            return Err(Closing::Silent { after_ms: ms(SILENCE_TIMEOUT) });
        }
        if self.exhausted.is_some_and(|since| over(since, CREDIT_TIMEOUT)) {
            return Err(Closing::CreditLost { after_ms: ms(CREDIT_TIMEOUT) });
        }
        if over(self.last_out, KEEP_ALIVE) && self.output.is_empty() {
            self.give_back();
        }
        Ok(())
    }
}

fn ms(span: Span) -> u64 {
    span.as_ps() / 1_000_000_000
}
