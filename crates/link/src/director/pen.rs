//! Frames that wait for new routes to their domain: those that were sent before them may be on their way over an old one.

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;

use halftrack_base::Time;
use halftrack_fabric::{DiscardReason, Verdict, address};
use halftrack_wire::FcHeader;

use super::Director;
use super::port::{HOLD_MAX, WaitingFrame};
use crate::plug::Plug;

/// Held frames by domain, each with its heading; no domain has none.
#[derive(Debug, Default)]
pub(super) struct Pens(BTreeMap<u8, VecDeque<(FcHeader, WaitingFrame)>>);

impl Pens {
    /// Returns whether no frame is held.
    #[inline]
    fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Holds a frame.
    pub(super) fn put(&mut self, domain: u8, header: FcHeader, frame: WaitingFrame) {
        self.0.entry(domain).or_default().push_back((header, frame));
    }

    /// Returns the time at which the oldest frame is too old.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        let oldest = self.0.values().filter_map(|pen| pen.front());
        oldest.map(|(_, frame)| frame.since.saturating_add(HOLD_MAX)).min()
    }

    /// Takes out the frames that are chosen.
    fn take(&mut self, which: impl Fn(&WaitingFrame) -> bool) -> Vec<WaitingFrame> {
        let mut taken = Vec::new();
        for pen in self.0.values_mut() {
            for (header, frame) in std::mem::take(pen) {
                if which(&frame) {
                    taken.push(frame);
                } else {
                    pen.push_back((header, frame));
                }
            }
        }
        self.0.retain(|_, pen| !pen.is_empty());
        taken
    }
}

impl<P: Plug, W: Write + 'static> Director<P, W> {
    /// Lets the frames go, in their order, whose domain has new routes.
    #[inline]
    pub(super) fn open_pens(&mut self, now: Time) {
        if !self.pens.is_empty() {
            self.open_free_pens(now);
        }
    }

    #[cold]
    fn open_free_pens(&mut self, now: Time) {
        let free: Vec<_> =
            self.pens.0.keys().copied().filter(|domain| !self.switch.is_draining(*domain)).collect();
        for domain in free {
            for (header, frame) in self.pens.0.remove(&domain).unwrap_or_default() {
                match self.switch.route_held(frame.from.0, &header) {
                    Verdict::Forward(to) => self.ports[to].waiting.push_back(frame),
                    Verdict::Hold(domain) => self.pens.put(domain, header, frame),
                    Verdict::Discard(why) => self.drop_frame(now, frame, why),
                    Verdict::Handled => self.drop_frame(now, frame, DiscardReason::NoRoute),
                }
            }
        }
    }

    /// Drops held frames that are too old.
    pub(super) fn drop_old_held(&mut self, now: Time) {
        if self.pens.poll_timeout().is_some_and(|due| due <= now) {
            for frame in self.pens.take(|frame| frame.since.saturating_add(HOLD_MAX) <= now) {
                self.drop_frame(now, frame, DiscardReason::TooOld);
            }
        }
    }

    /// Drops the held frames of a port that is no longer logged in.
    pub(super) fn drop_held(&mut self, now: Time, which: impl Fn(&WaitingFrame) -> bool) {
        for frame in self.pens.take(which) {
            self.drop_frame(now, frame, DiscardReason::EndGone);
        }
    }

    /// Reports to the switch that no frame for a domain waits at a port before the mark that is due there. True when the port
    /// then has a frame to send, and had none before: one that waits for credits is no work.
    pub(super) fn pass_marks(&mut self, index: usize) -> bool {
        let had_frame = self.switch.has_frame(index);
        let marks: Vec<_> = self.switch.wanted_marks(index).collect();
        for &domain in &marks {
            let is_held = self.pens.0.contains_key(&domain) && !self.switch.is_draining(domain);
            if !is_held && !self.ports[index].waiting.iter().any(|frame| leads_to(frame, domain)) {
                self.switch.handle_drained(index, domain);
            }
        }
        !had_frame && self.switch.has_frame(index)
    }
}

/// Returns whether a frame is for a port, or the domain controller, of a domain.
pub(super) fn leads_to(frame: &WaitingFrame, domain: u8) -> bool {
    FcHeader::parse(&frame.frame.octets).is_ok_and(|header| address::switch_of(header.d_id) == domain)
}
