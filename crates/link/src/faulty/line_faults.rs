//! State of a line at a time, as the events of a script make it.

use std::cell::RefCell;
use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_config::fault_script::FaultKind;
use halftrack_engine::RandomStream;
use halftrack_wire::timers::RECEIVER_TRANSMITTER_TIMEOUT_US;

use super::script_time::ScriptTime;
use crate::line_effects::LineEffect;

/// How long light may be gone before a link counts as failed: R_T_TOV.
const RECEIVER_TRANSMITTER_TIMEOUT: Span = Span::from_us(RECEIVER_TRANSMITTER_TIMEOUT_US);

/// Fault of one line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LineFault {
    /// When, from the start of the script.
    pub at: Span,
    /// For how long.
    pub lasts: Span,
    /// Kind.
    pub kind: FaultKind,
    /// Share of what crosses the line, parts in a million.
    pub share_ppm: u32,
    /// Lateness.
    pub late: Span,
}

impl LineFault {
    /// Returns whether the ends detect the loss of their link, and there is no other until it is over.
    fn pulls(&self) -> bool {
        match self.kind {
            FaultKind::LightLost => self.lasts >= RECEIVER_TRANSMITTER_TIMEOUT,
            FaultKind::ChannelLost
            | FaultKind::CardLost
            | FaultKind::HostAdapterLost
            | FaultKind::IslLost
            | FaultKind::DirectorLost
            | FaultKind::InterconnectLost
            | FaultKind::ControlUnitLost => true,
            _ => false,
        }
    }

    /// Returns whether the channel goes, and what it sent arrives late.
    fn is_of_channel(&self) -> bool {
        matches!(self.kind, FaultKind::ChannelLost | FaultKind::CardLost)
    }

    /// Returns the effect on what crosses the line, when the fault is one of frames or credits.
    fn effect(&self, until: Time) -> Option<LineEffect> {
        let effect = LineEffect { until, kind: self.kind, share_ppm: self.share_ppm, late: self.late };
        match self.kind {
            FaultKind::Stalled | FaultKind::LinkReset => None,
            FaultKind::LightLost => Some(LineEffect::no_frames(until)),
            _ if self.pulls() => (!self.is_of_channel()).then(|| LineEffect::no_frames(until)),
            _ => Some(effect),
        }
    }
}

/// Faults of a line, over which one link comes after the other.
#[derive(Debug)]
pub struct LineFaults {
    time: Rc<ScriptTime>,
    faults: Vec<LineFault>,
    random: RefCell<RandomStream>,
}

impl LineFaults {
    /// Returns the faults of the line `name` in a script of this seed.
    #[must_use]
    pub fn new(time: &Rc<ScriptTime>, faults: Vec<LineFault>, seed: u64, name: &str) -> Rc<Self> {
        let random = RefCell::new(RandomStream::new(seed, name));
        Rc::new(Self { time: Rc::clone(time), faults, random })
    }

    /// Returns the time.
    #[must_use]
    pub fn now(&self) -> Time {
        self.time.now()
    }

    /// Returns the random stream of the line.
    pub(super) fn random(&self) -> &RefCell<RandomStream> {
        &self.random
    }

    /// Returns the faults that have begun, with the times at which they begin and are over.
    fn begun(&self, now: Time) -> impl Iterator<Item = (Time, Time, &LineFault)> {
        self.all().filter(move |(begins, ..)| *begins <= now)
    }

    fn all(&self) -> impl Iterator<Item = (Time, Time, &LineFault)> {
        let start = self.time.start();
        self.faults.iter().filter_map(move |fault| {
            let begins = start?.saturating_add(fault.at);
            Some((begins, begins.saturating_add(fault.lasts), fault))
        })
    }

    /// Returns what happens to frames and credits.
    #[must_use]
    pub fn effects(&self, now: Time) -> Vec<LineEffect> {
        let open = self.begun(now).filter(|(_, ends, _)| now < *ends);
        open.filter_map(|(_, ends, fault)| fault.effect(ends)).collect()
    }

    /// Returns whether a link that began at `made` has come to its end.
    #[must_use]
    pub fn is_over(&self, made: Time, now: Time) -> bool {
        self.begun(now).any(|(begins, _, fault)| {
            let seen = begins.saturating_add(RECEIVER_TRANSMITTER_TIMEOUT);
            match fault.kind {
                FaultKind::LinkReset => made < begins,
                _ => fault.pulls() && made < seen && seen <= now,
            }
        })
    }

    /// Returns until when there is no new link.
    #[must_use]
    pub fn down_until(&self, now: Time) -> Option<Time> {
        let down = self.begun(now).filter(|(_, ends, fault)| fault.pulls() && now < *ends);
        down.map(|(_, ends, _)| ends).max()
    }

    /// Returns the time before which nothing arrives, of what this end sends or of what comes to it.
    #[must_use]
    pub fn stalled_until(&self, now: Time, sends: bool) -> Time {
        let stalls = self.begun(now).map(|(begins, ends, fault)| match fault.kind {
            FaultKind::Stalled => ends,
            _ if fault.is_of_channel() && sends => begins.saturating_add(fault.late),
            _ => Time::ZERO,
        });
        stalls.max().unwrap_or_default()
    }

    /// Returns when the state of the line changes next.
    #[must_use]
    pub fn next(&self, now: Time) -> Option<Time> {
        let changes = self.all().flat_map(|(begins, ends, fault)| {
            let seen = begins.saturating_add(RECEIVER_TRANSMITTER_TIMEOUT);
            [begins, ends, seen, begins.saturating_add(fault.late)]
        });
        changes.filter(|at| *at > now).min()
    }
}
