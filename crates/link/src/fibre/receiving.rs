//! Frames that a link receives.

use halftrack_base::Time;
use halftrack_engine::Prefetch;
use halftrack_wire::fc_frame::FcFrame;
use halftrack_wire::fcip::{
    Encapsulated, PREFIX_BYTES, SPECIAL_FRAME_BYTES, SUFFIX_BYTES, SpecialFrame, TimeStamp,
};
use halftrack_wire::{Eof, WorldWideName};

use super::{Closing, Fibre, FrameDirection, Incoming, SILENCE_TIMEOUT, STALL, State, ms};
use crate::transport::{Received, Transport};

/// Octets behind a frame that are fetched while it is dealt with: the next two frames.
const AHEAD_BYTES: usize = 4352;

impl<T: Transport> Fibre<T> {
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
        match self.transport.receive(&mut self.input).map_err(|error| self.closing_of(error))? {
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
}

/// Returns whether a frame that came is whole.
#[inline]
fn check(frame: &[u8], eof: Eof, check_crc: bool) -> bool {
    let parsed = if check_crc { FcFrame::parse(frame) } else { FcFrame::parse_without_crc_check(frame) };
    parsed.is_ok() && matches!(eof, Eof::Normal | Eof::Terminate)
}
