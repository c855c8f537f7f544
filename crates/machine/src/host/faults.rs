//! Faults that tests inject behind the model's back, so that each law can be seen to notice its own.

use halftrack_engine::SimDuration;

use super::HostState;
use crate::events::message::Transit;

/// How a frame is lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameLoss {
    /// It is taken in and not counted.
    Uncounted,
    /// Nobody will ever take it in.
    Forgotten,
}

impl HostState {
    /// An open exchange.
    fn an_open_exchange(&self) -> u32 {
        let mut slots = 0..self.exchanges.high_water() as u32;
        slots.find(|slot| self.exchanges[*slot].is_open()).expect("the run is under way")
    }

    /// An I/O that has been started and has not ended.
    fn an_open_io(&self) -> u32 {
        self.exchanges[self.an_open_exchange()].io
    }

    /// A CP executes START SUBCHANNEL for an I/O that has been started.
    pub(crate) fn start_again(&mut self) {
        self.on_admitted(self.an_open_io());
    }

    /// An I/O ends and goes on.
    pub(crate) fn end_early(&mut self) {
        self.ledger.end(self.an_open_io());
    }

    /// A frame that is about to arrive at a channel does not; false when there is none.
    pub(crate) fn lose_frame(&mut self, loss: FrameLoss) -> bool {
        if self.pending.take_answered().is_some() {
            return true;
        }
        let Some(transit) = self.pending.take_inbound() else { return false };
        if loss == FrameLoss::Uncounted {
            Transit::take(&mut self.transits, transit);
        }
        true
    }

    /// All credits of `link` are taken: whoever comes waits. How many there were.
    pub(crate) fn withhold_credits(&mut self, link: u32) -> u32 {
        let (now, transmitter) = (self.now, self.links.get(link));
        std::iter::repeat_with(|| transmitter.try_take_credit(now)).take_while(|taken| *taken).count() as u32
    }

    /// `credits` of `link` come back, and nobody who waits is told.
    pub(crate) fn give_credits_in_silence(&mut self, link: u32, credits: u32) {
        let transmitter = self.links.get(link);
        assert!(!transmitter.line.waiting.is_empty(), "somebody has come meanwhile");
        (0..credits).for_each(|_| transmitter.give_credit(self.now));
    }

    /// A credit of `link` never comes back.
    pub(crate) fn lose_credit(&mut self, link: u32) {
        assert!(self.links.get(link).credits.take(), "credits are free");
    }

    /// A credit of `link` comes back twice; false when none is out.
    pub(crate) fn double_credit(&mut self, link: u32) -> bool {
        let credits = &mut self.links.get(link).credits;
        let is_out = credits.outstanding() > 0;
        if is_out {
            credits.give_back(1);
        }
        is_out
    }

    /// An open exchange is closed in its channel's books and goes on.
    pub(crate) fn close_exchange_early(&mut self) {
        let slot = self.an_open_exchange();
        let exchange = &self.exchanges[slot];
        let (opened, protocol) = (exchange.opened, exchange.protocol);
        self.channels[exchange.channel as usize].close_exchange(self.now, opened, protocol);
    }

    /// One I/O's start is remembered a microsecond too early.
    pub(crate) fn backdate_start(&mut self) {
        let io = self.an_open_io();
        let started = &mut self.ios[io].started;
        *started = started.saturating_sub(SimDuration::from_us(1));
    }
}
