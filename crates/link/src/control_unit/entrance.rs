//! How the connection of a port came about, and until when somebody must log in over it.

use halftrack_base::Time;
use halftrack_fabric::NPort;
use halftrack_fabric::timing::RETRY_INTERVAL;
use halftrack_wire::WorldWideName;

use crate::fibre::Closing;
use crate::lobby::{LOGIN_TIMEOUT, Occupant};

/// The way in of a port.
#[derive(Debug, Default)]
pub(super) struct Entrance {
    /// The connection was opened by the other end, not by this one.
    is_accepted: bool,
    /// It came with octets that are not processed yet.
    has_octets: bool,
    /// When somebody must have logged in.
    login_by: Option<Time>,
    /// A login was refused: the connection is closed when the reject has been sent.
    refused: Option<Closing>,
    /// Before, this end does not connect again: it was refused.
    hold_off: Option<Time>,
    probe_answered: bool,
    /// Last notice about the clock.
    clock_told: Option<bool>,
}

impl Entrance {
    /// Begins with a new fibre of the port.
    pub(super) fn enter(&mut self, is_accepted: bool) {
        *self = Self { is_accepted, has_octets: true, ..Self::default() };
    }

    /// Returns whether octets have come with the fibre, once.
    pub(super) fn take_octets(&mut self) -> bool {
        std::mem::take(&mut self.has_octets)
    }

    /// Notes a refused login. Over a connection that others opened nothing else is waited for.
    pub(super) fn refuse(&mut self, now: Time, logins: &NPort, name: WorldWideName, why: String) {
        if self.is_accepted && !has_login(logins) {
            self.refused.get_or_insert(Closing::Refused { name, why });
        } else if name == logins.name() {
            self.hold_off = Some(now.saturating_add(RETRY_INTERVAL));
        }
    }

    /// Returns what was waited for before the connection is closed is done.
    pub(super) fn check_refused(&mut self, logins: &NPort) -> Result<(), Closing> {
        match self.refused.take_if(|_| !logins.has_frame()) {
            Some(why) => Err(why),
            None => Ok(()),
        }
    }

    /// Closes a connection without a login for too long.
    pub(super) fn check_login(&mut self, now: Time, logins: &NPort) -> Result<(), Closing> {
        if !self.is_accepted || has_login(logins) {
            self.login_by = None;
            return Ok(());
        }
        let by = *self.login_by.get_or_insert(now.saturating_add(LOGIN_TIMEOUT));
        let after_ms = LOGIN_TIMEOUT.as_ps() / 1_000_000_000;
        if by <= now { Err(Closing::NoLogin { after_ms }) } else { Ok(()) }
    }

    pub(super) fn poll_timeout(&self) -> Option<Time> {
        self.login_by
    }

    /// Returns the time until which this end does not connect.
    pub(super) fn holds_off(&self, now: Time) -> Option<Time> {
        self.hold_off.filter(|until| *until > now)
    }

    /// Returns who is there.
    pub(super) fn occupant(&self, logins: &NPort) -> Occupant {
        if has_login(logins) || !self.is_accepted {
            Occupant::LoggedIn
        } else if logins.has_neighbour() {
            Occupant::Arriving
        } else {
            Occupant::Stranger
        }
    }

    pub(super) fn note_probe_answered(&mut self) {
        self.probe_answered = true;
    }

    /// Returns whether a probe was answered since the last call.
    pub(super) fn take_probe_answered(&mut self) -> bool {
        std::mem::take(&mut self.probe_answered)
    }

    /// Returns whether both ends have one clock, when that is to be reported.
    pub(super) fn take_clock(&mut self, is_common: bool) -> Option<bool> {
        (self.clock_told.replace(is_common) != Some(is_common)).then_some(is_common)
    }
}

/// Returns whether somebody is logged in over the link, or the link leads to a fabric.
fn has_login(logins: &NPort) -> bool {
    logins.is_in_fabric() || logins.direct_peer().is_some()
}
