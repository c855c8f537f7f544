//! Frames that a director drops: those for or from an end that is gone, and those of a route that is no longer used.

use std::io::Write;

use halftrack_base::Time;
use halftrack_fabric::DiscardReason;

use super::Director;
use super::pen::leads_to;
use super::port::WaitingFrame;
use crate::plug::Plug;

impl<P: Plug, W: Write + 'static> Director<P, W> {
    /// Drops the frames for a port whose link or login is gone: none of them is for the next port that logs in there.
    pub(super) fn flush_for(&mut self, now: Time, index: usize) {
        self.ports[index].flying.clear();
        self.drop_waiting(now, index, DiscardReason::EndGone, |_| true);
    }

    /// Drops the frames of a port that is no longer logged in.
    pub(super) fn flush_from(&mut self, now: Time, index: usize) {
        for to in 0..self.ports.len() {
            self.drop_waiting(now, to, DiscardReason::EndGone, |waiting| waiting.from.0 == index);
        }
        self.drop_held(now, |waiting| waiting.from.0 == index);
    }

    /// Drops the frames for and of a virtual port that is no longer logged in; those of others over its link stay.
    pub(super) fn flush_virtual(&mut self, now: Time, index: usize, address: u32) {
        self.drop_waiting(now, index, DiscardReason::EndGone, |waiting| waiting.frame.is_for(address));
        let is_of = |waiting: &WaitingFrame| waiting.from.0 == index && waiting.frame.is_of(address);
        for to in 0..self.ports.len() {
            self.drop_waiting(now, to, DiscardReason::EndGone, is_of);
        }
        self.drop_held(now, is_of);
    }

    /// Drops the frames of old routes to a domain over an inter-switch link, which were waited for long enough.
    pub(super) fn flush_route(&mut self, now: Time, index: usize, domain: u8) {
        self.drop_waiting(now, index, DiscardReason::Rerouted, |waiting| leads_to(waiting, domain));
    }

    /// Drops a frame; its buffer is free again.
    pub(super) fn drop_frame(&mut self, now: Time, frame: WaitingFrame, why: DiscardReason) {
        let (from, generation) = frame.from;
        *self.discard(from, why) += 1;
        self.ports[from].release(now, generation);
        self.memory.give_back(frame.frame.octets);
    }

    /// Drops frames that wait for a port; those who sent them get their buffers back.
    fn drop_waiting(
        &mut self,
        now: Time,
        index: usize,
        why: DiscardReason,
        which: impl Fn(&WaitingFrame) -> bool,
    ) {
        let waiting = std::mem::take(&mut self.ports[index].waiting);
        for frame in waiting {
            if which(&frame) {
                self.drop_frame(now, frame, why);
            } else {
                self.ports[index].waiting.push_back(frame);
            }
        }
    }
}
