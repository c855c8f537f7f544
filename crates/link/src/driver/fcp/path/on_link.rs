//! A path of an FCP channel as the loop of a drive serves it.

use halftrack_base::Time;
use halftrack_fabric::timing::RETRY_INTERVAL;
use halftrack_wire::WorldWideName;
use halftrack_wire::els::LinkIncident;

use super::{FcpPath, Stage};
use crate::connector::Connector;
use crate::driver::channel_path::PathChange;
use crate::driver::link_path::{CONNECT_STEP, LinkPath, SETUP_TIMEOUT, finish_logout};
use crate::{Fibre, FrameTap};

impl<C: Connector> LinkPath for FcpPath<C> {
    type Transport = C::Transport;

    fn chpid(&self) -> u8 {
        self.chpid
    }

    fn port_name(&self) -> WorldWideName {
        self.port_name
    }

    fn trouble(&self) -> &str {
        &self.trouble
    }

    fn fibre(&mut self) -> Option<&mut Fibre<Self::Transport>> {
        self.fibre.as_mut()
    }

    fn poll_change(&mut self) -> Option<PathChange> {
        self.change.take()
    }

    fn poll_incident(&mut self) -> Option<LinkIncident> {
        self.incidents.pop_front()
    }

    #[inline]
    fn receive(&mut self, now: Time, tap: &mut dyn FnMut() -> Option<Box<dyn FrameTap>>) -> bool {
        if self.fibre.is_none() {
            self.connect(now, tap);
            return false;
        }
        match self.take_frames(now) {
            Ok(worked) => worked,
            Err(closing) => {
                self.note_closing(now, &closing);
                self.take_events(now);
                if self.is_refused {
                    self.lose(now, self.trouble.clone());
                    self.stage = Stage::Down { retry_at: now.saturating_add(RETRY_INTERVAL) };
                } else {
                    self.lose(now, closing.to_string());
                }
                true
            }
        }
    }

    #[inline]
    fn send(&mut self, now: Time, idle: bool) -> bool {
        let Some(fibre) = &mut self.fibre else { return false };
        let mut worked = false;
        while fibre.can_send() {
            if !self.port.poll_frame(fibre) && !self.n_port.poll_frame(fibre) {
                break;
            }
            worked = true;
        }
        if let Err(closing) = fibre.flush(now, idle && !worked) {
            self.note_closing(now, &closing);
            self.lose(now, closing.to_string());
        }
        worked
    }

    fn log_out(&mut self, now: Time) {
        self.n_port.log_out(now);
    }

    fn finish(&mut self, now: Time) -> bool {
        let Some(fibre) = &mut self.fibre else { return true };
        finish_logout(now, fibre, &mut self.n_port)
    }

    fn poll_timeout(&self) -> Time {
        let setup = match self.stage {
            Stage::Down { retry_at } => return retry_at,
            Stage::Connecting => return self.since.saturating_add(CONNECT_STEP),
            Stage::LoggingIn | Stage::Finding => self.since.saturating_add(SETUP_TIMEOUT),
            Stage::Online => match self.tested {
                Some(at) => at.saturating_add(self.timeouts.path),
                None if self.port.open() > 0 => self.heard.saturating_add(self.timeouts.probe),
                None => Time::MAX,
            },
        };
        let parts = [self.n_port.poll_timeout(), self.port.poll_timeout()];
        let parts = parts.into_iter().flatten().min().unwrap_or(Time::MAX);
        self.fibre.as_ref().map_or(Time::MAX, Fibre::poll_timeout).min(setup).min(parts)
    }

    fn handle_timeout(&mut self, now: Time) {
        let Some(fibre) = &mut self.fibre else { return };
        if let Err(closing) = fibre.handle_timeout(now) {
            self.note_closing(now, &closing);
            return self.lose(now, closing.to_string());
        }
        let due = |at: Option<Time>| at.is_some_and(|at| at <= now);
        if due(self.n_port.poll_timeout()) {
            self.n_port.handle_timeout(now);
        }
        if due(self.port.poll_timeout()) {
            self.port.handle_timeout(now);
        }
        self.take_events(now);
        self.test_if_silent(now);
        let late = now >= self.since.saturating_add(SETUP_TIMEOUT);
        if late && matches!(self.stage, Stage::LoggingIn | Stage::Finding) {
            let why = if self.trouble.is_empty() { "no answer".to_owned() } else { self.trouble.clone() };
            self.lose(now, why);
        }
    }
}
