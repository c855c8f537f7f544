//! Faults that tests inject behind the model's back, so that each law can be seen to notice its own.

use super::upstream::Upstream;
use super::{Context, HostState};
use crate::ctc::Adapters;
use crate::events::message::Transit;

/// The kind of loss of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FrameLoss {
    /// It is taken in and not counted.
    Uncounted,
    /// It is never taken in.
    Forgotten,
}

impl HostState {
    /// Executes START SUBCHANNEL for an I/O that has been started.
    pub(crate) fn start_again(&mut self) {
        let io = self.channels.an_open_io();
        let Upstream { context, saps, .. } = &mut self.upstream;
        saps.as_mut().expect("a run on one thread").start_again(context, io);
    }

    /// Ends an I/O that goes on.
    pub(crate) fn end_early(&mut self) {
        let io = self.channels.an_open_io();
        self.saps().expect("a run on one thread").end_early(io);
    }

    /// Sets the start of one I/O a microsecond too early.
    pub(crate) fn backdate_start(&mut self) {
        let io = self.channels.an_open_io();
        self.saps().expect("a run on one thread").backdate_start(io);
    }

    /// Loses a frame that is about to arrive at a channel. Returns false when there is none.
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

    /// Takes all credits of `link`, so that frames wait. Returns their number.
    pub(crate) fn withhold_credits(&mut self, link: u32) -> u32 {
        self.channels.withhold_credits(self.upstream.context.now, link)
    }

    /// Gives `credits` of `link` back, and leaves what waits for them as it is.
    pub(crate) fn give_credits_in_silence(&mut self, link: u32, credits: u32) {
        self.channels.give_credits_in_silence(self.upstream.context.now, link, credits);
    }

    /// Loses a credit of `link` for good.
    pub(crate) fn lose_credit(&mut self, link: u32) {
        self.channels.lose_credit(link);
    }

    /// Gives a credit of `link` back twice. Returns false when none is out.
    pub(crate) fn double_credit(&mut self, link: u32) -> bool {
        self.channels.double_credit(link)
    }

    /// Returns the channel-to-channel devices, of which there are some.
    pub(crate) fn devices_between_channels(&mut self) -> &mut Adapters {
        self.upstream.adapters.as_mut().expect("the study has a logical link")
    }

    /// Closes an open exchange in its channel's books, though it goes on.
    pub(crate) fn close_exchange_early(&mut self) {
        self.channels.close_exchange_early(self.upstream.context.now);
    }
}
