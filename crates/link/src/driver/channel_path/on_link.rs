//! A channel path as the loop of a drive serves it.

use halftrack_base::Time;
use halftrack_wire::WorldWideName;
use halftrack_wire::els::LinkIncident;

use super::{ChannelPath, PathChange, Stage};
use crate::connector::Connector;
use crate::driver::link_path::{CONNECT_STEP, LinkPath, finish_logout};
use crate::{Fibre, FrameTap};

impl<C: Connector> LinkPath for ChannelPath<C> {
    type Transport = C::Transport;

    fn chpid(&self) -> u8 {
        self.chpid
    }

    fn port_name(&self) -> WorldWideName {
        self.n_port.name()
    }

    fn trouble(&self) -> &str {
        self.unit.trouble()
    }

    fn fibre(&mut self) -> Option<&mut Fibre<Self::Transport>> {
        self.fibre.as_mut()
    }

    fn poll_change(&mut self) -> Option<PathChange> {
        self.unit.poll_change()
    }

    fn poll_incident(&mut self) -> Option<LinkIncident> {
        self.incidents.pop_front()
    }

    #[inline]
    fn receive(&mut self, now: Time, tap: &mut dyn FnMut() -> Option<Box<dyn FrameTap>>) -> bool {
        self.unit.begin_turn(now);
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
                    self.stay_down(now);
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
            let sent = self.unit.poll_exchange_frame(fibre)
                || self.n_port.poll_frame(fibre)
                || self.unit.poll_control_frame(fibre);
            if !sent {
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
        match self.stage {
            Stage::Down { retry_at } => return retry_at,
            Stage::Connecting { since } => return since.saturating_add(CONNECT_STEP),
            Stage::Up => {}
        }
        let port = self.n_port.poll_timeout().unwrap_or(Time::MAX);
        let fibre = self.fibre.as_ref().map_or(Time::MAX, Fibre::poll_timeout);
        fibre.min(port).min(self.unit.poll_timeout())
    }

    fn handle_timeout(&mut self, now: Time) {
        self.unit.begin_turn(now);
        let Some(fibre) = &mut self.fibre else { return };
        if let Err(closing) = fibre.handle_timeout(now) {
            self.note_closing(now, &closing);
            return self.lose(now, closing.to_string());
        }
        if self.n_port.poll_timeout().is_some_and(|at| at <= now) {
            self.n_port.handle_timeout(now);
        }
        self.take_events(now);
        self.unit.handle_timeout(now);
        self.follow_loss();
    }
}
