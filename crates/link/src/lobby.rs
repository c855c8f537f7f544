//! Connections that came to a port and are not its fibre yet. A connection waits here for its login (FLOGI), so
//! that no connection holds a port without a login:
//!
//! ```text
//! accepted ─ special frame, FLOGI ─► name may log in, and nobody has it ─────────────────► the port's fibre
//!    │                                ├─ somebody has it ─ probe ─ no answer ─ closed ───────┘
//!    │                                └─ may not, or who has it answers ─► LS_RJT, closed
//!    └─ nothing, or something else, within the time for a login ─► closed
//! ```
//!
//! A switch that connects to a control unit sends nothing before the control unit does: so one that is silent for a
//! moment becomes the fibre of a port that takes such, until another connection logs in for the port.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_fabric::claim::{Claim, Denial, claim, deny};
use halftrack_fabric::timing::PROBE_TIMEOUT;
use halftrack_wire::timers::RECEIVER_TRANSMITTER_TIMEOUT_US;
use halftrack_wire::{FcHeader, WorldWideName};

use crate::connection_notice::ConnectionNotice;
use crate::fibre::{Closing, Fibre};
use crate::transport::Transport;

/// How long a connection may be there without a login. Our choice.
pub(crate) const LOGIN_TIMEOUT: Span = Span::from_s(5);
/// Time without a login after which a connection may be that of a switch. Our choice: R_T_TOV.
const SILENT_AFTER: Span = Span::from_us(RECEIVER_TRANSMITTER_TIMEOUT_US);
/// Most connections that wait at a port; for one more the one that has waited longest is closed. Our choice.
pub(crate) const WAITING_MAX: usize = 8;

/// Occupant of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Occupant {
    /// Nobody.
    None,
    /// A connection without a login.
    Stranger,
    /// A connection whose login is under way.
    Arriving,
    /// A port that is logged in.
    LoggedIn,
}

/// Admission of connections to the ports of a control unit or of a director.
pub(crate) trait Admission {
    /// Returns whether the port of this name may log in at `port`.
    fn admits(&self, port: usize, name: WorldWideName) -> bool;
    /// Returns where the port of this name is logged in.
    fn holder(&self, name: WorldWideName) -> Option<usize>;
    /// Probes the port that is logged in at `port`.
    fn probe(&mut self, now: Time, port: usize);
    /// Returns the occupant of `port`.
    fn occupant(&self, port: usize) -> Occupant;
    /// Returns whether a silent connection may become the fibre of `port`.
    fn takes_silent(&self, port: usize) -> bool;
}

/// Result of a poll of the connections that wait at a port.
pub(crate) enum Entry<T> {
    /// Nothing, or nothing but notices.
    Nothing,
    /// This is the port's fibre now.
    Take(Box<Fibre<T>>),
    /// The connection of this port is to be closed: another one takes its place.
    Vacate(usize, Closing),
}

/// A connection that waits.
struct Waiting<T> {
    fibre: Box<Fibre<T>>,
    since: Time,
    until: Time,
    /// Port name in its FLOGI, and the heading of that.
    name: Option<(WorldWideName, FcHeader)>,
    challenge: Option<Challenge>,
}

/// The holder of the name is probed.
#[derive(Debug, Clone, Copy)]
struct Challenge {
    holder: usize,
    until: Time,
    was_answered: bool,
}

/// Decision about a connection that waits.
enum Decision {
    Wait,
    Close(Closing),
    Deny(Denial, String),
    Take,
    Vacate(usize, Closing),
}

/// Connections that wait at a port.
pub(crate) struct Lobby<T>(VecDeque<Waiting<T>>);

impl<T> Default for Lobby<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Transport> Lobby<T> {
    /// Returns whether nobody waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Accepts a new connection.
    pub(crate) fn admit(&mut self, now: Time, fibre: Fibre<T>, notify: &mut dyn FnMut(ConnectionNotice<'_>)) {
        if self.0.len() == WAITING_MAX
            && let Some(longest) = self.0.pop_front()
        {
            close(&longest, &Closing::ByThisEnd("too many connections wait at the port".to_owned()), notify);
        }
        let until = now.saturating_add(LOGIN_TIMEOUT);
        let fibre = Box::new(fibre);
        self.0.push_back(Waiting { fibre, since: now, until, name: None, challenge: None });
    }

    /// Handles the answer to a probe of the port that is logged in at `holder`.
    pub(crate) fn handle_probe_answered(&mut self, holder: usize) {
        let challenges = self.0.iter_mut().filter_map(|waiting| waiting.challenge.as_mut());
        for challenge in challenges.filter(|challenge| challenge.holder == holder) {
            challenge.was_answered = true;
        }
    }

    /// Looks at all who wait at `port`, until something follows from it for the ports.
    pub(crate) fn attend(
        &mut self,
        now: Time,
        port: usize,
        ports: &mut impl Admission,
        notify: &mut dyn FnMut(ConnectionNotice<'_>),
    ) -> Entry<T> {
        let mut at = 0;
        while let Some(waiting) = self.0.get_mut(at) {
            let decision = waiting.advance(now, port, ports).unwrap_or_else(Decision::Close);
            match decision {
                Decision::Wait => at += 1,
                Decision::Take => {
                    let taken = self.0.remove(at).map(|waiting| waiting.fibre);
                    return taken.map_or(Entry::Nothing, Entry::Take);
                }
                Decision::Vacate(other, why) => return Entry::Vacate(other, why),
                Decision::Close(why) => {
                    close(waiting, &why, notify);
                    self.0.remove(at);
                }
                Decision::Deny(denial, words) => {
                    waiting.deny(now, denial);
                    close(waiting, &Closing::ByThisEnd(words), notify);
                    self.0.remove(at);
                }
            }
        }
        Entry::Nothing
    }

    /// Closes all connections.
    pub(crate) fn clear(&mut self, why: &Closing, notify: &mut dyn FnMut(ConnectionNotice<'_>)) {
        for waiting in self.0.drain(..) {
            close(&waiting, why, notify);
        }
    }

    /// Returns the time at which the connections that wait are due.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        let of_one = |waiting: &Waiting<T>| {
            let challenge = waiting.challenge.map_or(Time::MAX, |challenge| challenge.until);
            let silent = waiting.since.saturating_add(SILENT_AFTER);
            let is_awaited = waiting.fibre.polled_at() < silent;
            waiting.until.min(challenge).min(if is_awaited { silent } else { Time::MAX })
        };
        self.0.iter().map(of_one).min()
    }

    /// Returns the transports, to wait for what comes.
    pub(crate) fn transports(&mut self) -> impl Iterator<Item = &mut T> {
        self.0.iter_mut().map(|waiting| waiting.fibre.transport())
    }
}

impl<T: Transport> Waiting<T> {
    fn advance(&mut self, now: Time, port: usize, ports: &mut impl Admission) -> Result<Decision, Closing> {
        self.fibre.receive(now)?;
        if self.name.is_none()
            && let Some((header, claimed)) =
                self.fibre.first_frame()?.map(|frame| (frame.header, claim(&frame)))
        {
            match claimed {
                Claim::FabricLogin(name) => {
                    self.name = Some((name, header));
                    self.until = now.saturating_add(LOGIN_TIMEOUT);
                }
                Claim::PortLogin(name) => {
                    self.name = Some((name, header));
                    return Ok(Decision::Deny(Denial::OutOfOrder, format!("PLOGI of {name} before FLOGI")));
                }
                Claim::Nothing => {
                    return Err(Closing::ByThisEnd("a frame came before a login".to_owned()));
                }
            }
        }
        // The echo of the special frame.
        self.fibre.flush(now, true)?;
        let decision = match self.name {
            Some((name, _)) => self.of_named(now, port, name, ports),
            None => self.of_silent(now, port, ports),
        };
        match decision {
            Decision::Wait if now >= self.until => {
                let after_ms = LOGIN_TIMEOUT.as_ps() / 1_000_000_000;
                let is_up = self.fibre.is_up();
                Err(if is_up { Closing::NoLogin { after_ms } } else { Closing::HalfOpen { after_ms } })
            }
            decision => Ok(decision),
        }
    }

    fn of_silent(&self, now: Time, port: usize, ports: &impl Admission) -> Decision {
        if self.fibre.attached().is_some_and(|attached| !attached.is_fabric) {
            return Decision::Wait;
        }
        let is_silent = now.saturating_since(self.since) >= SILENT_AFTER && self.fibre.is_up();
        if is_silent && ports.takes_silent(port) && ports.occupant(port) == Occupant::None {
            Decision::Take
        } else {
            Decision::Wait
        }
    }

    fn of_named(
        &mut self,
        now: Time,
        port: usize,
        name: WorldWideName,
        ports: &mut impl Admission,
    ) -> Decision {
        let proven = self.fibre.attached().and_then(|attached| attached.narrow(None));
        if proven.is_some_and(|names| !names.contains(&name)) {
            return Decision::Deny(
                Denial::Name,
                format!("{name} is not the name that the connection has proven"),
            );
        }
        if !ports.admits(port, name) {
            // A port that is free is its own holder.
            return match ports.occupant(port) {
                Occupant::None => Decision::Take,
                _ => Decision::Deny(Denial::Name, format!("{name} may not log in here")),
            };
        }
        if let Some(holder) = ports.holder(name) {
            return self.challenge(now, holder, name, ports);
        }
        match ports.occupant(port) {
            Occupant::None => Decision::Take,
            Occupant::Stranger => Decision::Vacate(
                port,
                Closing::ByThisEnd(format!("nobody has logged in, and {name} wants to")),
            ),
            Occupant::Arriving => Decision::Wait,
            Occupant::LoggedIn => Decision::Deny(
                Denial::Occupied,
                format!("{name} finds the port in use: it has its fibre already"),
            ),
        }
    }

    /// Decides about a name that is logged in already.
    fn challenge(
        &mut self,
        now: Time,
        holder: usize,
        name: WorldWideName,
        ports: &mut impl Admission,
    ) -> Decision {
        let known = self.challenge.filter(|challenge| challenge.holder == holder);
        let Some(challenge) = known else {
            ports.probe(now, holder);
            let until = now.saturating_add(PROBE_TIMEOUT);
            self.challenge = Some(Challenge { holder, until, was_answered: false });
            return Decision::Wait;
        };
        if challenge.was_answered {
            return Decision::Deny(Denial::Name, format!("{name} is logged in over another connection"));
        }
        if now < challenge.until {
            return Decision::Wait;
        }
        let after_ms = PROBE_TIMEOUT.as_ps() / 1_000_000_000;
        Decision::Vacate(holder, Closing::Replaced { name, after_ms })
    }

    /// Says no, as far as the connection takes it.
    fn deny(&mut self, now: Time, why: Denial) {
        if let Some((_, header)) = self.name.filter(|_| self.fibre.can_send()) {
            deny(&header, why, &mut *self.fibre);
            // It is closed in any case.
            let _ = self.fibre.flush(now, true);
        }
    }
}

fn close<T: Transport>(waiting: &Waiting<T>, why: &Closing, notify: &mut dyn FnMut(ConnectionNotice<'_>)) {
    notify(ConnectionNotice::Closed { peer: &waiting.fibre.peer(), why });
}

#[cfg(test)]
mod tests;
