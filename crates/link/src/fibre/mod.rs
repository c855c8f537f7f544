//! A link: FC-2 frames over a transport by FCIP (RFC 3821), with buffer credits both ways.
//!
//! ```text
//! Opening ─ special frame echoed ─┐
//! Accepted ─ special frame came ──┴─► Up ─ any Closing ─► (given up by its owner)
//! ```
//!
//! A turn of a node's loop is `receive`, `next_frame` until there is none, `frame` (as a [`FrameSink`]) while
//! [`Fibre::can_send`], then `flush`. Credits are given back with what is sent anyway, or when there are many, or when
//! the node has nothing else to do.

mod age;
mod closing;
mod counters;
mod incoming;
mod options;
mod tap;
#[cfg(test)]
mod tests;

use std::fmt;

use halftrack_base::{Span, Time};
use halftrack_engine::Prefetch;
use halftrack_exchange::BufferCredit;
use halftrack_wire::fc_frame::FcFrame;
use halftrack_wire::fcip::{
    Encapsulated, PREFIX_BYTES, SPECIAL_FRAME_BYTES, SUFFIX_BYTES, SpecialFrame, TimeStamp, encapsulate,
    encapsulate_frame,
};
use halftrack_wire::timers::{RECEIVER_TRANSMITTER_TIMEOUT_US, RESOURCE_ALLOCATION_TIMEOUT};
use halftrack_wire::{Eof, FcHeader, FrameSink, Sof, WorldWideName};

use crate::buffers::{InBuffer, OutBuffer};
use crate::transport::{Received, Transport};
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
/// Octets that are sent without waiting for the end of a turn.
const SEND_BYTES: usize = 32 * 1024;
/// Octets of the input buffer at the start.
const IN_BYTES: usize = 256 * 1024;
/// Credits are given back on their own when one of so many parts of them is used.
const CREDIT_PARTS: u16 = 4;

/// Octets behind a frame that are fetched while it is dealt with: the next two frames.
const AHEAD_BYTES: usize = 4352;

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

    /// Returns whether frames may be exchanged.
    #[inline]
    pub fn is_up(&self) -> bool {
        self.state == State::Up
    }

    /// Returns the name of the port at the other end, if it sent one: the end that opened the connection does.
    pub fn peer_name(&self) -> Option<WorldWideName> {
        self.peer_name
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

    /// Takes received octets; true when there is something to process.
    ///
    /// # Errors
    /// Why the link is closed.
    #[inline]
    pub fn receive(&mut self, now: Time) -> Result<bool, Closing> {
        let unseen = now.saturating_since(self.now);
        self.now = now;
        if unseen >= STALL {
            self.check_after_stall()?;
        }
        match self.transport.receive(&mut self.input)? {
            Received::Nothing => Ok(false),
            Received::Octets(_) => {
                self.last_in = now;
                Ok(true)
            }
            Received::Closed => Err(Closing::ByOtherEnd),
        }
    }

    /// Checks the link after a time without polls. Octets received meanwhile do not count when the other end has given
    /// the link up since, or was silent for so long that it had to. Before a login the last thing that comes may be its
    /// refusal.
    #[cold]
    fn check_after_stall(&mut self) -> Result<(), Closing> {
        if self.is_in_use && self.transport.is_given_up() {
            return Err(Closing::ByOtherEnd);
        }
        if self.is_up() && self.now.saturating_since(self.last_in) >= SILENCE_TIMEOUT {
            return Err(Closing::Silent { after_ms: ms(SILENCE_TIMEOUT) });
        }
        Ok(())
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

    /// Returns the first frame that came, when it is there; [`Fibre::next_frame`] gives it again. It is not checked yet.
    ///
    /// # Errors
    /// Why the link is closed.
    pub fn first_frame(&mut self) -> Result<Option<FcFrame<'_>>, Closing> {
        while let Encapsulated::Special { special, stamp } = Encapsulated::parse(self.input.as_slice())? {
            self.input.consume(SPECIAL_FRAME_BYTES);
            self.take_special(special, stamp)?;
        }
        let has_frame = matches!(Encapsulated::parse(self.input.as_slice())?, Encapsulated::Frame { .. });
        if has_frame && !self.is_up() {
            return Err(Closing::NotBegun);
        }
        Ok(self.peek_frame())
    }

    /// Returns the next received frame. Damaged frames are discarded: the exchange's time-out notices.
    ///
    /// # Errors
    /// Why the link is closed.
    #[inline]
    pub fn next_frame(&mut self) -> Result<Option<Incoming<'_>>, Closing> {
        let (sof, eof, stamp, consumed) = loop {
            match Encapsulated::parse(self.input.as_slice())? {
                Encapsulated::Incomplete { .. } => return Ok(None),
                Encapsulated::Special { special, stamp } => {
                    self.input.consume(SPECIAL_FRAME_BYTES);
                    self.take_special(special, stamp)?;
                }
                Encapsulated::Frame { sof, frame, eof, stamp, consumed } => {
                    if self.state != State::Up {
                        return Err(Closing::NotBegun);
                    }
                    if self.freed.saturating_add(self.held) >= self.options.receive_credit {
                        return Err(Closing::CreditExceeded { granted: self.options.receive_credit });
                    }
                    self.freed += 1;
                    self.counters.frames_in += 1;
                    self.counters.bytes_in += frame.len() as u64;
                    if let Some(tap) = &mut self.tap {
                        tap.frame(FrameDirection::In, self.now, sof, frame, eof);
                    }
                    if !check(frame, eof, self.options.check_crc) {
                        self.counters.damaged += 1;
                    } else if self.age.expires(stamp, self.now) {
                        self.counters.too_old += 1;
                    } else {
                        break (sof, eof, self.age.pass(stamp), consumed);
                    }
                    self.input.consume(consumed);
                }
            }
        };
        // Another processor wrote what comes next: it is fetched while this frame is dealt with.
        let next = self.input.as_slice().get(consumed..).unwrap_or(&[]);
        Prefetch::of(&next[..next.len().min(AHEAD_BYTES)]).rest();
        let octets = self.input.take(consumed);
        let octets = &octets[PREFIX_BYTES..octets.len() - SUFFIX_BYTES];
        // Whether it is a frame was seen above.
        let frame = FcFrame::parse_without_crc_check(octets);
        Ok(frame.ok().map(|frame| Incoming { sof, frame, octets, eof, stamp }))
    }

    /// Returns the frame that [`Fibre::next_frame`] will give, when it has come and nothing else stands before it; not checked
    /// yet.
    #[inline]
    pub fn peek_frame(&self) -> Option<FcFrame<'_>> {
        match Encapsulated::parse(self.input.as_slice()) {
            Ok(Encapsulated::Frame { frame, .. }) => FcFrame::parse_without_crc_check(frame).ok(),
            _ => None,
        }
    }

    /// Keeps the buffer of the last frame of [`Fibre::next_frame`] in use until [`Fibre::release`].
    pub fn hold(&mut self) {
        if self.freed > 0 {
            self.freed -= 1;
            self.held += 1;
        }
    }

    /// Frees one buffer that was held.
    pub fn release(&mut self) {
        if self.held > 0 {
            self.held -= 1;
            self.freed += 1;
        }
    }

    /// Returns the buffers of the other end that are free: frames that may be sent.
    #[inline]
    pub fn available_credit(&self) -> u32 {
        self.credit.available()
    }

    fn take_special(&mut self, special: SpecialFrame, stamp: TimeStamp) -> Result<(), Closing> {
        match self.state {
            State::Up => {
                let usage = special.usage_code;
                let given = special.credits_given().ok_or(Closing::SpecialFrame { usage })?;
                self.credit.give_back(given);
                if self.credit.available() > 0 {
                    self.exhausted = None;
                }
            }
            State::Opening(sent) if special == sent => {
                self.age.meet_echo(stamp);
                self.state = State::Up;
            }
            State::Opening(_) => return Err(Closing::ChangedEcho),
            State::Accepted => {
                let (wanted, own) = (special.destination_name, self.options.own_name);
                if special.credits_given().is_some() {
                    return Err(Closing::SpecialFrame { usage: special.usage_code });
                }
                if wanted != WorldWideName(0) && wanted != own {
                    return Err(Closing::OtherDestination { wanted, own });
                }
                self.peer_name = Some(special.source_name);
                self.age.meet(special.source_entity);
                special.emit(self.age.stamp(self.now), self.output.tail());
                self.state = State::Up;
            }
        }
        Ok(())
    }

    /// Returns whether a frame may be given to this sink. The link is up, there is a credit, and what waits to be sent
    /// is not too much.
    #[inline]
    pub fn can_send(&self) -> bool {
        self.credit.available() > 0 && self.output.len() < OUT_BYTES && self.state == State::Up
    }

    /// Sends a frame as it came, FC header to CRC, with the stamp with which it came: what a director forwards. The caller
    /// saw [`Fibre::can_send`].
    pub fn forward(&mut self, sof: Sof, frame: &[u8], eof: Eof, stamp: TimeStamp) {
        let begin = self.output.tail().len();
        let stamp = self.age.pass(stamp);
        if encapsulate_frame(self.output.tail(), stamp, sof, frame, eof).is_ok() {
            self.count_sent(begin, sof, eof);
        }
    }

    /// Counts the frame that stands in the output from octet `begin` on.
    #[inline]
    fn count_sent(&mut self, begin: usize, sof: Sof, eof: Eof) {
        let had_credit = self.credit.take();
        debug_assert!(had_credit, "the caller saw that a frame could be sent");
        if self.credit.available() == 0 {
            self.exhausted = Some(self.now);
        }
        let frame = self.output.tail().len() - begin - PREFIX_BYTES - SUFFIX_BYTES;
        self.counters.frames_out += 1;
        self.counters.bytes_out += frame as u64;
        if let Some(tap) = &mut self.tap {
            let from = begin + PREFIX_BYTES;
            tap.frame(FrameDirection::Out, self.now, sof, &self.output.tail()[from..from + frame], eof);
        }
    }

    /// Hands to the transport what is to be sent when it is much: the other end begins with it while this one goes on.
    ///
    /// # Errors
    /// Why the link is closed.
    #[inline]
    pub fn send_if_many(&mut self, now: Time) -> Result<(), Closing> {
        if self.output.len() < SEND_BYTES { Ok(()) } else { self.flush(now, false) }
    }

    /// Hands to the transport what is to be sent, with the credits that are to be given back. `idle`: the node found
    /// nothing to do in this turn.
    ///
    /// # Errors
    /// Why the link is closed.
    #[inline]
    pub fn flush(&mut self, now: Time, idle: bool) -> Result<(), Closing> {
        self.now = now;
        let many = self.freed >= (self.options.receive_credit / CREDIT_PARTS).max(1);
        // Not to an end that takes nothing: what waits for it stays bounded, and its own credits run out.
        let room = self.output.len() < OUT_BYTES;
        if self.freed > 0 && room && (many || idle || !self.output.is_empty()) {
            self.give_back();
        }
        if !self.output.is_empty() {
            self.last_out = now;
            self.transport.send(&mut self.output)?;
        }
        Ok(())
    }

    fn give_back(&mut self) {
        SpecialFrame::credits(u32::from(self.freed)).emit(TimeStamp::default(), self.output.tail());
        self.freed = 0;
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

impl<T: Transport> FrameSink for Fibre<T> {
    #[inline]
    fn frame(&mut self, sof: Sof, header: &FcHeader, parts: &[&[u8]], eof: Eof) {
        let begin = self.output.tail().len();
        let stamp = self.age.stamp(self.now);
        let emitted = encapsulate(self.output.tail(), stamp, sof, header, parts, eof);
        // More payload than a frame holds is the caller's mistake, and no frame.
        debug_assert!(emitted.is_ok(), "{emitted:?}");
        if emitted.is_ok() {
            self.count_sent(begin, sof, eof);
        }
    }
}

/// Returns whether a frame that came is whole.
#[inline]
fn check(frame: &[u8], eof: Eof, check_crc: bool) -> bool {
    let parsed = if check_crc { FcFrame::parse(frame) } else { FcFrame::parse_without_crc_check(frame) };
    parsed.is_ok() && matches!(eof, Eof::Normal | Eof::Terminate)
}

fn ms(span: Span) -> u64 {
    span.as_ps() / 1_000_000_000
}
