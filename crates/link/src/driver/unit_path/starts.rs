//! Programs started over the path, and their ends.

use halftrack_base::Time;
use halftrack_exchange::{ExchangeEnd, Program, Target};
use halftrack_wire::StartNumber;

use super::{Stage, UnitPath, VARY_ONLINE};

impl UnitPath {
    /// Returns the end of an exchange that was started by [`UnitPath::start`].
    #[inline]
    pub fn poll_end(&mut self) -> Option<ExchangeEnd> {
        loop {
            let end = self.port.poll_end()?;
            self.subchannels.borrow_mut().give_back(end.device, end.number);
            self.note_health(&end);
            if end.tag & VARY_ONLINE == 0 {
                return Some(end);
            }
            self.varied_online(&end);
        }
    }

    /// Takes back the buffer of an end.
    #[inline]
    pub fn recycle(&mut self, buffer: Vec<u8>) {
        self.port.recycle(buffer);
    }

    /// Returns the exchanges that are open.
    #[inline]
    pub fn open_exchanges(&self) -> usize {
        self.port.open()
    }

    /// Starts a program for a device; nothing when the path has no room or is not online, or the subchannel is not free.
    #[inline]
    pub fn start(&mut self, now: Time, unit: u8, program: &Program, tag: u32) -> Option<StartNumber> {
        let (Stage::Online, Some(target), true) = (self.stage, &self.target, self.port.can_start()) else {
            return None;
        };
        let number = self.subchannels.borrow_mut().take(unit)?;
        if !self.port.start(now, &Target { device: unit, number, ..*target }, program, tag) {
            self.subchannels.borrow_mut().give_back(unit, number);
            return None;
        }
        self.watch.handle_start(now);
        Some(number)
    }

    /// Withdraws the program that was started with `tag`.
    pub fn cancel(&mut self, now: Time, tag: u32) {
        self.port.cancel(tag, now);
    }
}
