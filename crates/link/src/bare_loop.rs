//! The bare loop under everything: frames of 4 KiB transport-mode reads between two ends, CRC made and checked, credits
//! both ways, no state machine. What a working link is held against.

use std::io;

use halftrack_engine::{SimDuration, SimTime};
use halftrack_wire::{Eof, FcHeader, FrameSink, Sof, WorldWideName};

use crate::{Clock, Fibre, FibreOptions, Poller, Transport};

/// Payloads of the frames of a read: the command; data in three with its check word; the response.
const COMMAND: [u8; 108] = [7; 108];
const DATA: [&[u8]; 3] = [&[1; 2048], &[2; 2048], &[3; 4]];
const RESPONSE: [u8; 32] = [9; 32];
/// Frames of an answer.
const ANSWER_FRAMES: u64 = DATA.len() as u64 + 1;
/// Buffer credits of both ends.
const CREDITS: u16 = 1024;

/// What both ends of a bare loop are.
#[must_use]
pub fn options(name: u64) -> FibreOptions {
    FibreOptions { own_name: WorldWideName(name), receive_credit: CREDITS, check_crc: true }
}

/// Answers every read until the other end leaves.
pub fn answer<T: Transport>(mut fibre: Fibre<T>, clock: &Clock) {
    let mut poller = Poller::default();
    fibre.set_credit(CREDITS);
    let (mut owed, mut next) = (0_u64, 0);
    let header = FcHeader::default();
    loop {
        let now = clock.now();
        let Ok(mut worked) = fibre.receive(now) else { return };
        loop {
            match fibre.next_frame() {
                Ok(Some(_)) => owed += 1,
                Ok(None) => break,
                Err(_) => return,
            }
        }
        while owed > 0 && fibre.can_send() {
            worked = true;
            let payload = DATA.get(next).copied().unwrap_or(&RESPONSE);
            fibre.frame(Sof::Initiate3, &header, &[payload], Eof::Terminate);
            next = (next + 1) % ANSWER_FRAMES as usize;
            owed -= u64::from(next == 0);
        }
        if fibre.flush(now, !worked).is_err() {
            return;
        }
        if poller.is_time_to_sleep(worked || fibre.has_unsent(), now) {
            let until = fibre.poll_timeout();
            if poller.sleep(clock, Some(until), &mut [fibre.transport()], &[]).is_err() {
                return;
            }
        }
    }
}

/// The asking end.
pub struct Asking<T> {
    fibre: Fibre<T>,
    poller: Poller,
}

impl<T: Transport> Asking<T> {
    /// Asks over `fibre`, which was opened with [`options`].
    pub fn new(mut fibre: Fibre<T>) -> Self {
        fibre.set_credit(CREDITS);
        Self { fibre, poller: Poller::default() }
    }

    /// Does reads, `depth` at a time, until `reads` are done or `until` is past; how many.
    ///
    /// # Errors
    /// The other end has left, or the operating system fails.
    pub fn ask(&mut self, clock: &Clock, depth: u64, reads: u64, until: SimTime) -> io::Result<u64> {
        let (mut sent, mut frames) = (0, 0);
        let header = FcHeader::default();
        loop {
            let now = clock.now();
            let mut worked = self.fibre.receive(now).map_err(io::Error::other)?;
            while self.fibre.next_frame().map_err(io::Error::other)?.is_some() {
                frames += 1;
            }
            let done = frames / ANSWER_FRAMES;
            let over = now >= until || sent >= reads;
            if over && done == sent {
                return Ok(done);
            }
            while !over && sent < reads && sent - done < depth && self.fibre.can_send() {
                worked = true;
                sent += 1;
                self.fibre.frame(Sof::Initiate3, &header, &[&COMMAND], Eof::Terminate);
            }
            self.fibre.flush(now, !worked).map_err(io::Error::other)?;
            if self.poller.is_time_to_sleep(worked || self.fibre.has_unsent(), now) {
                let wake =
                    until.max(now.saturating_add(SimDuration::from_ms(1))).min(self.fibre.poll_timeout());
                self.poller.sleep(clock, Some(wake), &mut [self.fibre.transport()], &[])?;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InProcessTransport;
    use std::thread;

    #[test]
    fn every_read_is_answered() {
        let (near, far) = InProcessTransport::pair().unwrap();
        let clock = Clock::start();
        let answering = thread::spawn(move || {
            let clock = Clock::start();
            answer(Fibre::accept(far, options(2), clock.now()), &clock);
        });
        let mut asking = Asking::new(Fibre::open(near, options(1), 1, clock.now()));
        assert_eq!(asking.ask(&clock, 16, 1000, SimTime::MAX).unwrap(), 1000);
        assert_eq!(asking.ask(&clock, 16, u64::MAX, clock.now()).unwrap(), 0);
        drop(asking);
        answering.join().unwrap();
    }
}
