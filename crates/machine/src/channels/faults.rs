//! Faults of exchanges and credits that tests inject behind the model's back.

use halftrack_base::Time;

use super::Channels;

impl Channels {
    /// Returns an open exchange.
    fn an_open_exchange(&self) -> u32 {
        self.exchanges.open_ones().next().expect("the run is under way").0
    }

    /// Returns an I/O that has been started and has not ended.
    pub(crate) fn an_open_io(&self) -> u32 {
        self.exchanges[self.an_open_exchange()].io
    }

    /// Takes all credits of `link`, so that frames wait. Returns their number.
    pub(crate) fn withhold_credits(&mut self, now: Time, link: u32) -> u32 {
        let transmitter = self.outbound.links_mut().get(link);
        std::iter::repeat_with(|| transmitter.try_take_credit(now)).take_while(|taken| *taken).count() as u32
    }

    /// Gives `credits` of `link` back, and leaves what waits for them as it is.
    pub(crate) fn give_credits_in_silence(&mut self, now: Time, link: u32, credits: u32) {
        let transmitter = self.outbound.links_mut().get(link);
        assert!(!transmitter.line.waiting.is_empty(), "somebody has come meanwhile");
        (0..credits).for_each(|_| transmitter.give_credit(now));
    }

    /// Loses a credit of `link` for good.
    pub(crate) fn lose_credit(&mut self, link: u32) {
        assert!(self.outbound.links_mut().get(link).credits.take(), "credits are free");
    }

    /// Gives a credit of `link` back twice. Returns false when none is out.
    pub(crate) fn double_credit(&mut self, link: u32) -> bool {
        let credits = &mut self.outbound.links_mut().get(link).credits;
        let is_out = credits.outstanding() > 0;
        if is_out {
            credits.give_back(1);
        }
        is_out
    }

    /// Closes an open exchange in its channel's books, though it goes on.
    pub(crate) fn close_exchange_early(&mut self, now: Time) {
        let slot = self.an_open_exchange();
        let exchange = &self.exchanges[slot];
        let (opened, protocol) = (exchange.opened, exchange.protocol);
        self.channels[exchange.channel as usize].close_exchange(now, opened, protocol);
    }
}
