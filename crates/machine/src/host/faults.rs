//! Faults that tests inject behind the model's back, so that each law can be seen to notice its own.

use super::{Context, HostState};
use crate::events::message::Transit;

/// The kind of loss of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameLoss {
    /// It is taken in and not counted.
    Uncounted,
    /// Nobody will ever take it in.
    Forgotten,
}

impl HostState {
    /// A CP executes START SUBCHANNEL for an I/O that has been started.
    pub(crate) fn start_again(&mut self) {
        let io = self.channels.an_open_io();
        self.upstream.saps.start_again(&mut self.upstream.context, io);
    }

    /// An I/O ends and goes on.
    pub(crate) fn end_early(&mut self) {
        self.upstream.saps.end_early(self.channels.an_open_io());
    }

    /// One I/O's start is remembered a microsecond too early.
    pub(crate) fn backdate_start(&mut self) {
        self.upstream.saps.backdate_start(self.channels.an_open_io());
    }

    /// A frame that is about to arrive at a channel does not; false when there is none.
    pub(crate) fn lose_frame(&mut self, loss: FrameLoss) -> bool {
        let Context { pending, transits, .. } = &mut self.upstream.context;
        if pending.take_answer_for_test().is_some() {
            return true;
        }
        let Some(transit) = pending.take_inbound() else { return false };
        if loss == FrameLoss::Uncounted {
            Transit::take(transits, transit);
        }
        true
    }

    /// All credits of `link` are taken: whoever comes waits. How many there were.
    pub(crate) fn withhold_credits(&mut self, link: u32) -> u32 {
        self.channels.withhold_credits(self.upstream.context.now, link)
    }

    /// `credits` of `link` come back, and what waits for them does not go on.
    pub(crate) fn give_credits_in_silence(&mut self, link: u32, credits: u32) {
        self.channels.give_credits_in_silence(self.upstream.context.now, link, credits);
    }

    /// A credit of `link` never comes back.
    pub(crate) fn lose_credit(&mut self, link: u32) {
        self.channels.lose_credit(link);
    }

    /// A credit of `link` comes back twice; false when none is out.
    pub(crate) fn double_credit(&mut self, link: u32) -> bool {
        self.channels.double_credit(link)
    }

    /// An open exchange is closed in its channel's books and goes on.
    pub(crate) fn close_exchange_early(&mut self) {
        self.channels.close_exchange_early(self.upstream.context.now);
    }
}
