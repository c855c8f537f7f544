//! Faults of one path.

use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_wire::timers::RECEIVER_TRANSMITTER_TIMEOUT_US;

use super::Rig;
use super::line::{SharedLine, TO_CHANNEL, TO_CONTROL_UNIT};

/// Fault of one path. Where it leads through directors, its cables and they are what fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It keeps what it has and brings it later: the line, or this director of the two.
    Stall { director: usize },
    /// Light is gone at the channel's end: what was sent until that is seen still arrives, after a stall of so long of the
    /// line or of the control unit's director.
    PullAtChannel { late: Span },
    /// Light is gone at the control unit's end.
    PullAtControlUnit,
    /// Light is gone at both.
    PullAtBoth,
    /// Light is gone on one inter-switch link, this one or the first.
    PullBetween { link: usize },
    /// Light is gone for less than R_T_TOV: frames are lost, the link stays.
    ShortPull,
    /// Frames of devices are lost, link services and probes pass: a port that hangs.
    Hang,
    /// The channel's link ends and begins again at once: nothing waits for R_T_TOV.
    Reset,
}

/// A fault, when it happens to which path, and for how long.
#[derive(Debug, Clone, Copy)]
pub struct Event {
    pub at: Time,
    pub path: usize,
    pub lasts: Span,
    pub fault: Fault,
}

/// How long light may be gone before a link counts as failed: R_T_TOV.
pub const RECEIVER_TRANSMITTER_TIMEOUT: Span = Span::from_us(RECEIVER_TRANSMITTER_TIMEOUT_US);

impl Rig {
    /// Injects the faults that are due.
    pub(super) fn happen(&mut self) {
        let now = self.now();
        while let Some(event) = self.faults.first().copied().filter(|event| event.at <= now) {
            self.faults.remove(0);
            let ends = now.saturating_add(event.lasts);
            match self.places[event.path] {
                None => self.befall_line(now, ends, &event),
                Some(place) => self.befall_cascade(now, ends, event.fault, place),
            }
        }
        self.darkens.retain(|(at, line, way)| {
            if *at <= now {
                line.borrow_mut().darken(*way);
            }
            *at > now
        });
    }

    fn befall_line(&mut self, now: Time, ends: Time, event: &Event) {
        let shared = Rc::clone(&self.lines[event.path]);
        let mut line = shared.borrow_mut();
        match event.fault {
            Fault::None | Fault::PullBetween { .. } => {}
            Fault::Stall { .. } => line.stalled = [ends; 2],
            Fault::ShortPull => line.cut = ends,
            Fault::Hang => line.deaf = ends,
            Fault::Reset => line.darken(TO_CONTROL_UNIT),
            Fault::PullAtChannel { late } => {
                line.stalled[TO_CONTROL_UNIT] = now.saturating_add(late);
                line.down = ends;
                self.darken(&shared, &[TO_CONTROL_UNIT]);
            }
            Fault::PullAtControlUnit => {
                (line.cut, line.down) = (ends, ends);
                self.darken(&shared, &[TO_CHANNEL]);
            }
            Fault::PullAtBoth => {
                (line.cut, line.down) = (ends, ends);
                self.darken(&shared, &[TO_CONTROL_UNIT, TO_CHANNEL]);
            }
        }
    }

    fn befall_cascade(&mut self, now: Time, ends: Time, fault: Fault, (cascade, place): (usize, usize)) {
        let cascade = &mut self.cascades[cascade];
        let [channel, control_unit] =
            [&cascade.to_channels, &cascade.to_control_unit].map(|lines| Rc::clone(&lines[place]));
        match fault {
            Fault::None => {}
            Fault::Stall { director } => cascade.stall(director, ends),
            Fault::ShortPull => channel.borrow_mut().cut = ends,
            Fault::Hang => channel.borrow_mut().deaf = ends,
            Fault::Reset => channel.borrow_mut().reset(),
            Fault::PullAtChannel { late } if late.is_zero() => self.pull(&channel, ends),
            Fault::PullAtChannel { late } => {
                cascade.stall(1, now.saturating_add(late));
                channel.borrow_mut().down = ends;
                self.darken(&channel, &[TO_CONTROL_UNIT, TO_CHANNEL]);
            }
            Fault::PullAtControlUnit => self.pull(&control_unit, ends),
            Fault::PullAtBoth => {
                self.pull(&channel, ends);
                self.pull(&control_unit, ends);
            }
            Fault::PullBetween { link } => {
                let link = Rc::clone(cascade.links.get(link).unwrap_or(&cascade.links[0]));
                self.pull(&link, ends);
            }
        }
    }

    /// Pulls a cable out until then.
    fn pull(&mut self, cable: &SharedLine, ends: Time) {
        let mut line = cable.borrow_mut();
        (line.cut, line.down) = (ends, ends);
        self.darken(cable, &[TO_CONTROL_UNIT, TO_CHANNEL]);
    }

    /// Darkens a line in these directions: the ends that send in them detect the loss of light in time.
    fn darken(&mut self, line: &SharedLine, ways: &[usize]) {
        let seen = self.now().saturating_add(RECEIVER_TRANSMITTER_TIMEOUT);
        self.darkens.extend(ways.iter().map(|&way| (seen, Rc::clone(line), way)));
    }
}
