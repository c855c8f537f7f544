//! Disks of a channel: a path to their control unit over the port that the other channel uses too.

use halftrack_base::Time;
use halftrack_fabric::PortEvent;

use super::{CtcChannel, Stage};
use crate::driver::UnitPath;
use crate::plug::Plug;

impl<P: Plug> CtcChannel<P> {
    /// Returns the path to the control unit of disks.
    pub fn disks(&mut self) -> Option<&mut UnitPath> {
        self.disks.as_mut()
    }

    /// Returns whether this is the address of the control unit of disks.
    pub(super) fn is_of_disks(&self, peer: u32) -> bool {
        self.disks.as_ref().is_some_and(|disks| disks.is_with(peer))
    }

    /// Takes the address of the port, for the disks.
    pub(super) fn attach_disks(&mut self, address: u32, has_fabric: bool) {
        let Some(disks) = &mut self.disks else { return };
        disks.set_address(address);
        if !has_fabric {
            disks.set_trouble("the link leads to no director".to_owned());
        }
    }

    /// Takes what became of the login with the control unit of disks.
    pub(super) fn take_disk_event(&mut self, now: Time, event: PortEvent) {
        let (Some(disks), Some(unit)) = (&mut self.disks, &self.options.disks) else { return };
        match event {
            PortEvent::PeerLoggedIn { peer, frame_payload_bytes, transport, .. } => {
                let ids = (self.n_port.address(), peer);
                disks.log_in(now, ids, frame_payload_bytes, transport);
            }
            PortEvent::PeerLoggedOut { peer, why, .. } => {
                disks.log_out(now, peer, format!("the login is over: {why}"));
            }
            PortEvent::Refused { why, .. } => {
                disks.set_trouble(format!("link address {:02X}: {why}", unit.place.area));
            }
            _ => {}
        }
    }

    /// Draws the consequences of the frames that a turn brought from the control unit of disks.
    pub(super) fn end_disk_frames(&mut self, now: Time) {
        if let Some(disks) = &mut self.disks {
            disks.begin_turn(now);
            disks.end_frames(now);
        }
    }

    /// Ends what was under way with the disks: the link is gone.
    pub(super) fn lose_disks(&mut self, now: Time, why: &str) {
        if let Some(disks) = &mut self.disks {
            disks.lose(now, why.to_owned());
            disks.forget_login();
        }
    }

    /// Gives up what there is with the other channel. Without disks the link is given up with it, and is there again sooner.
    pub(super) fn lose_partner(&mut self, now: Time, why: &str) {
        if self.disks.is_none() {
            return self.lose(now, why);
        }
        match self.target {
            Some(target) => {
                self.n_port.log_out_of(now, target.d_id);
                self.leave(why.to_owned());
            }
            None => why.clone_into(&mut self.trouble),
        }
        (self.stage, self.since) = (Stage::LoggingIn, now);
    }
}
