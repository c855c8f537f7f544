//! Frames that a link sends, and the credits that it gives back.

use halftrack_base::Time;
use halftrack_wire::fcip::{
    PREFIX_BYTES, SUFFIX_BYTES, SpecialFrame, TimeStamp, encapsulate, encapsulate_frame,
};
use halftrack_wire::{Eof, FcHeader, FrameSink, Sof};

use super::{Closing, Fibre, FrameDirection, OUT_BYTES, State};
use crate::transport::Transport;

/// Octets that are sent without waiting for the end of a turn.
const SEND_BYTES: usize = 32 * 1024;
/// Credits are given back on their own when one of so many parts of them is used.
const CREDIT_PARTS: u16 = 4;

impl<T: Transport> Fibre<T> {
    /// Returns the buffers of the other end that are free: frames that may be sent.
    #[inline]
    pub fn available_credit(&self) -> u32 {
        self.credit.available()
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
        self.send_if_more(now, SEND_BYTES)
    }

    /// Hands to the transport what is to be sent when it has at least `least_bytes` octets.
    ///
    /// # Errors
    /// Why the link is closed.
    #[inline]
    pub fn send_if_more(&mut self, now: Time, least_bytes: usize) -> Result<(), Closing> {
        if self.output.len() < least_bytes { Ok(()) } else { self.flush(now, false) }
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
            self.transport.send(&mut self.output).map_err(|error| self.closing_of(error))?;
        }
        Ok(())
    }

    pub(super) fn give_back(&mut self) {
        SpecialFrame::credits(u32::from(self.freed)).emit(TimeStamp::default(), self.output.tail());
        self.freed = 0;
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
