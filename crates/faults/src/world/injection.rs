//! Injection of faults: what each kind does to lines, directors and control unit.

use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_link::line_effects::LineEffect;
use halftrack_wire::timers::RECEIVER_TRANSMITTER_TIMEOUT_US;

use super::World;
use super::line::{SharedLine, TO_CHANNEL, TO_CONTROL_UNIT};
use crate::machine::{CHANNELS_OF_CARD, DOMAINS};
use crate::script::{FaultEvent, FaultKind, Part};

/// How long light may be gone before a link counts as failed: R_T_TOV.
const RECEIVER_TRANSMITTER_TIMEOUT: Span = Span::from_us(RECEIVER_TRANSMITTER_TIMEOUT_US);

impl World {
    /// Injects the faults that are due.
    pub(super) fn inject(&mut self) {
        let now = self.now();
        while let Some((begins, ends, event)) = self.faults.first().copied().filter(|(at, ..)| *at <= now) {
            self.faults.remove(0);
            self.fail(begins.max(now), ends, &event);
        }
        self.darkens.retain(|(at, line, way)| {
            if *at <= now {
                line.borrow_mut().darken(*way);
            }
            *at > now
        });
    }

    fn fail(&mut self, now: Time, ends: Time, event: &FaultEvent) {
        match (event.kind, event.part) {
            (FaultKind::LightLost, part) => self.lose_light(now, ends, part),
            (FaultKind::Stalled, part) => self.line_of(part).iter().for_each(|line| {
                [TO_CONTROL_UNIT, TO_CHANNEL].into_iter().for_each(|way| stall_way(line, way, ends));
            }),
            (FaultKind::LinkReset, part) => {
                self.line_of(part).iter().for_each(|line| line.borrow_mut().reset())
            }
            (FaultKind::ChannelLost, Part::Channel(path)) => self.lose_channel(now, ends, path, event.late),
            (FaultKind::CardLost, Part::Card(card)) => {
                let first = card * CHANNELS_OF_CARD;
                let last = self.lines.len().min(first + CHANNELS_OF_CARD);
                (first..last).for_each(|path| self.lose_channel(now, ends, path, event.late));
            }
            (FaultKind::HostAdapterLost, Part::Port(path)) => self.lose_port(ends, path),
            (FaultKind::InterconnectLost, Part::Domain(domain)) => {
                let ports = (0..self.lines.len()).filter(|port| port % DOMAINS == domain);
                ports.for_each(|port| self.lose_port(ends, port));
            }
            (FaultKind::ControlUnitLost, _) => {
                (0..self.lines.len()).for_each(|port| self.lose_port(ends, port));
            }
            (FaultKind::IslLost, part) => self.line_of(part).iter().for_each(|line| self.pull(line, ends)),
            (FaultKind::DirectorLost, Part::Director { cascade, place }) => {
                self.lose_director(ends, cascade, place);
            }
            (FaultKind::PowerLost, _) => {
                for cascade in 0..self.cascades.len() {
                    (0..2).for_each(|place| self.lose_director(ends, cascade, place));
                }
                (0..self.lines.len()).for_each(|port| self.lose_port(ends, port));
                self.kill_control_unit(ends);
            }
            (FaultKind::ProcessStopped, Part::Director { cascade, place }) => {
                self.cascades[cascade].stall(place, ends);
            }
            (FaultKind::ProcessStopped, _) => self.control_unit.stall(ends),
            (FaultKind::ProcessKilled, Part::Director { cascade, place }) => {
                self.cascades[cascade].kill(place, ends);
            }
            (FaultKind::ProcessKilled, _) => self.kill_control_unit(ends),
            (kind, part) => {
                let effect = LineEffect { until: ends, kind, share_ppm: event.share_ppm, late: event.late };
                self.line_of(part).iter().for_each(|line| line.borrow_mut().effects.push(effect));
            }
        }
    }

    /// Returns the line of a part that is one, or has one.
    fn line_of(&self, part: Part) -> Option<SharedLine> {
        let line = match part {
            Part::Channel(path) => self.lines.get(path),
            Part::Port(path) => match self.places.get(path)? {
                Some((cascade, place)) => self.cascades[*cascade].to_control_unit.get(*place),
                None => self.lines.get(path),
            },
            Part::Isl { cascade, link } => self.cascades.get(cascade)?.links.get(link),
            Part::Director { .. } | Part::Card(_) | Part::Domain(_) | Part::ControlUnit => None,
        };
        line.map(Rc::clone)
    }

    fn lose_light(&mut self, now: Time, ends: Time, part: Part) {
        let Some(line) = self.line_of(part) else { return };
        if ends.saturating_since(now) < RECEIVER_TRANSMITTER_TIMEOUT {
            let cut = &mut line.borrow_mut().cut;
            *cut = (*cut).max(ends);
        } else {
            self.pull(&line, ends);
        }
    }

    /// Loses the channel's end of a link: what it sent arrives so much later. Behind a director both ends go, and the other
    /// director is as late.
    fn lose_channel(&mut self, now: Time, ends: Time, path: usize, late: Span) {
        let line = Rc::clone(&self.lines[path]);
        let until = now.saturating_add(late);
        if let Some((cascade, _)) = self.places[path] {
            self.cascades[cascade].stall(1, until);
            self.down(&line, ends, &[TO_CONTROL_UNIT, TO_CHANNEL]);
        } else {
            stall_way(&line, TO_CONTROL_UNIT, until);
            self.down(&line, ends, &[TO_CONTROL_UNIT]);
        }
    }

    fn lose_port(&mut self, ends: Time, path: usize) {
        let Some(line) = self.line_of(Part::Port(path)) else { return };
        if self.places[path].is_some() {
            return self.pull(&line, ends);
        }
        cut(&line, ends);
        self.down(&line, ends, &[TO_CHANNEL]);
    }

    fn lose_director(&mut self, ends: Time, cascade: usize, place: usize) {
        let lines: Vec<_> = self.cascades[cascade].lines_of(place).map(Rc::clone).collect();
        lines.iter().for_each(|line| self.pull(line, ends));
        self.cascades[cascade].kill(place, ends);
    }

    /// Ends the process of the control unit: nobody connects to it until it is back.
    fn kill_control_unit(&mut self, ends: Time) {
        if let Err(error) = self.control_unit.kill(ends) {
            self.trouble.get_or_insert_with(|| format!("the files of the volume: {error}"));
        }
        for line in self.lines.iter().zip(&self.places).filter(|(_, place)| place.is_none()) {
            let mut line = line.0.borrow_mut();
            line.down = line.down.max(ends);
            drop(line.take_offered());
        }
    }

    /// Pulls a cable out until then.
    fn pull(&mut self, line: &SharedLine, ends: Time) {
        cut(line, ends);
        self.down(line, ends, &[TO_CONTROL_UNIT, TO_CHANNEL]);
    }

    /// Takes a line down until then: the ends that send in these directions detect the loss of light in time.
    fn down(&mut self, line: &SharedLine, ends: Time, ways: &[usize]) {
        let down = &mut line.borrow_mut().down;
        *down = (*down).max(ends);
        let seen = self.now().saturating_add(RECEIVER_TRANSMITTER_TIMEOUT);
        self.darkens.extend(ways.iter().map(|&way| (seen, Rc::clone(line), way)));
    }
}

/// Keeps what goes one way of a line until then.
fn stall_way(line: &SharedLine, way: usize, until: Time) {
    let stalled = &mut line.borrow_mut().stalled[way];
    *stalled = (*stalled).max(until);
}

/// Loses the frames of a line until then.
fn cut(line: &SharedLine, ends: Time) {
    let cut = &mut line.borrow_mut().cut;
    *cut = (*cut).max(ends);
}
