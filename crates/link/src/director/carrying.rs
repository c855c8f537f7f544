//! Frames on their way from port to port.

use std::io::Write;

use halftrack_base::Time;
use halftrack_fabric::{DiscardReason, Verdict};
use halftrack_wire::fcip::TimeStamp;

use super::port::{CarriedFrame, FrameCollector, HOLD_MAX, WaitingFrame};
use super::{Carried, Director};
use crate::fibre::Incoming;
use crate::plug::Plug;

impl<P: Plug, W: Write + 'static> Director<P, W> {
    /// Carries a frame as the switch decides.
    #[inline]
    pub(super) fn carry(&mut self, now: Time, index: usize, incoming: &Incoming<'_>) -> Carried {
        let to = match self.switch.handle_frame(now, index, &incoming.frame) {
            Verdict::Forward(to) => to,
            Verdict::Hold(domain) => {
                let frame = self.waiting(now, index, incoming);
                self.pens.put(domain, incoming.frame.header, frame);
                return Carried::Waits;
            }
            Verdict::Handled => return Carried::Handled,
            Verdict::Discard(why) => {
                *self.discard(index, why) += 1;
                return Carried::Gone;
            }
        };
        self.open_pens(now);
        let Incoming { sof, octets, eof, stamp, .. } = *incoming;
        let out = &mut self.ports[to];
        if stamp != TimeStamp::default() && stamp < out.since(incoming.frame.header.d_id) {
            *self.discard(index, DiscardReason::EndGone) += 1;
            return Carried::Gone;
        }
        // Frames of the switch's own go first: a state change of a port is delivered before that port's frames.
        let at_once = out.waiting.is_empty() && out.delay.is_zero() && !self.switch.has_frame(to);
        if let Some(fibre) = out.fibre.as_mut().filter(|fibre| at_once && fibre.can_send()) {
            fibre.forward(sof, octets, eof, stamp);
            return Carried::Gone;
        }
        let frame = self.waiting(now, index, incoming);
        self.ports[to].waiting.push_back(frame);
        Carried::Waits
    }

    /// Returns a copy of a frame that waits from now on.
    fn waiting(&mut self, now: Time, index: usize, incoming: &Incoming<'_>) -> WaitingFrame {
        let Incoming { sof, octets, eof, stamp, .. } = *incoming;
        let frame = CarriedFrame { sof, octets: self.memory.copy(octets), eof, stamp };
        WaitingFrame { frame, from: (index, self.ports[index].generation), since: now }
    }

    /// Returns the number of frames that came in at a port were discarded for a reason.
    pub(super) fn discard(&mut self, index: usize, why: DiscardReason) -> &mut u64 {
        &mut self.discarded.entry((index, why)).or_default().0
    }

    /// Sends what waits for a port: the switch's own frames, then those of others.
    pub(super) fn send(&mut self, now: Time, index: usize) -> bool {
        let mut worked = false;
        while self.ports[index].can_send() {
            if self.switch.has_frame(index) {
                self.send_own(now, index);
            } else if let Some(waiting) = self.ports[index].waiting.pop_front() {
                self.send_waiting(now, index, waiting);
            } else {
                break;
            }
            worked = true;
        }
        worked |= self.pass_marks(index);
        let is_old = |waiting: &mut WaitingFrame| waiting.since.saturating_add(HOLD_MAX) <= now;
        while let Some(old) = self.ports[index].waiting.pop_front_if(is_old) {
            self.drop_frame(now, old, DiscardReason::TooOld);
            worked = true;
        }
        worked
    }

    fn send_own(&mut self, now: Time, index: usize) {
        let port = &mut self.ports[index];
        if let Some(fibre) = port.fibre.as_mut().filter(|_| port.delay.is_zero()) {
            self.switch.poll_frame(index, fibre);
            return;
        }
        let mut collector = FrameCollector::default();
        self.switch.poll_frame(index, &mut collector);
        let there = now.saturating_add(port.delay);
        port.flying.extend(collector.0.map(|frame| (there, frame)));
    }

    fn send_waiting(&mut self, now: Time, index: usize, waiting: WaitingFrame) {
        let WaitingFrame { frame, from: (from, generation), .. } = waiting;
        let port = &mut self.ports[index];
        match port.fibre.as_mut().filter(|_| port.delay.is_zero()) {
            Some(fibre) => {
                fibre.forward(frame.sof, &frame.octets, frame.eof, frame.stamp);
                self.memory.give_back(frame.octets);
            }
            None => port.flying.push_back((now.saturating_add(port.delay), frame)),
        }
        self.ports[from].release(now, generation);
    }
}
