//! Conditions of channels and paths that disturbances set and take back: busy, dark, lost with a part, stalled, an interconnect
//! that is lost.

use halftrack_base::Time;
use halftrack_config::{DisturbanceKind, Part};
use halftrack_subsystem::Attempt;

use super::subchannels::Target;
use super::{Channels, Outside};
use crate::events::event::HostEvent;
use crate::wiring::Wiring;
use crate::wiring::parts::links_at;

impl Channels {
    /// Applies the begin or the end of a disturbance to the channels.
    pub(crate) fn on_disturbance(&mut self, out: &mut impl Outside, w: &Wiring, index: u32, begins: bool) {
        let disturbance = &w.configuration.disturbances[index as usize];
        match disturbance.kind {
            DisturbanceKind::ChannelBusy { channel } => self.set_channel_busy(out, w, channel, begins),
            // A slow drain is a time of the wiring, by which credits are late.
            DisturbanceKind::ControlUnitBusy { .. }
            | DisturbanceKind::SlowDrain { .. }
            | DisturbanceKind::SetiosZHyperLink { .. }
            | DisturbanceKind::ZHyperLinkLost { .. }
            | DisturbanceKind::AdapterPulled { .. }
            | DisturbanceKind::FirmwareUpdate { .. } => {}
            DisturbanceKind::KeyServerLost => self.set_key_server_lost(out, w, begins),
            DisturbanceKind::PathLost { channel }
            | DisturbanceKind::PartLost { part: Part::Channel(channel) } => {
                self.set_channel_dark(out, w, channel, begins);
            }
            DisturbanceKind::PartLost { part } => self.set_part_lost(out, w, part, begins),
            DisturbanceKind::Stalled { part } => {
                let until = Time::ZERO + disturbance.at + disturbance.lasts;
                if begins {
                    self.outbound.links_mut().stall(links_at(&w.configuration, part), out.now(), until);
                }
            }
            DisturbanceKind::FramesDropped { part, share_ppm } => {
                self.outbound.drop_share(links_at(&w.configuration, part), share_ppm, begins);
            }
            DisturbanceKind::InterconnectLost { share } => self.lose_interconnect(share, begins),
            DisturbanceKind::VaryPath { lpar, lcu, channel } => {
                let target = Target { lpar, channel, lcu: Some(lcu) };
                self.subchannels.take_off(out, w, &mut self.channels, (index, target), begins);
            }
            DisturbanceKind::ConfigChp { lpar, channel } => {
                let target = Target { lpar, channel, lcu: None };
                self.subchannels.take_off(out, w, &mut self.channels, (index, target), begins);
            }
        }
    }

    /// Makes a channel begin or cease to answer every start busy.
    pub(super) fn set_channel_busy(&mut self, out: &mut impl Outside, w: &Wiring, channel: u32, busy: bool) {
        if self.channels[channel as usize].set_busy(busy) {
            self.subchannels.redrive_waiting_for_channel(out, w, &mut self.channels);
        }
    }

    /// Notes that the interconnect of a domain is lost or is there again.
    pub(super) fn lose_interconnect(&mut self, share: u32, lost: bool) {
        self.shares.lose(share, lost);
    }

    /// Notes that the fibre of a channel is lost or is there again. Its paths leave their groups or come back.
    pub(super) fn set_channel_dark(&mut self, out: &mut impl Outside, w: &Wiring, channel: u32, dark: bool) {
        if !self.channels[channel as usize].set_dark(dark) {
            return;
        }
        self.follow_links(out, w);
        if dark {
            self.subchannels.lost_paths.count(w, Part::Channel(channel));
            // Starts that wait for an exchange must not get those that the loss sets free.
            let deferred = self.channels[channel as usize].take_deferred(out.now());
            self.lose_exchanges(out, w, Part::Channel(channel));
            for (io, _) in deferred {
                self.refused(out, w, io, Attempt::InterfaceControlCheck);
            }
        } else {
            self.outbound.capture_login(w, channel, out.now());
            self.subchannels.redrive_waiting_for_channel(out, w, &mut self.channels);
        }
    }

    /// Logs paths in whose links have come up. A login of FCP takes its time, in which the path stays offline.
    fn follow_links(&mut self, out: &mut impl Outside, w: &Wiring) {
        for (path, login) in self.subchannels.follow_links(w, &self.channels, out.now()) {
            let Some(of) = w.logins.of(path) else { continue };
            let channel = &mut self.channels[w.paths[path as usize].channel as usize];
            out.push(out.now() + of.takes, channel.sequencer.next(), HostEvent::LoggedIn { path, login });
        }
    }

    /// Notes that a login of FCP is complete.
    #[cold]
    pub(crate) fn on_logged_in(&mut self, out: &mut impl Outside, w: &Wiring, path: u32, login: u16) {
        if self.subchannels.complete_login(w, &self.channels, (path, login)) {
            self.subchannels.redrive_waiting_for_channel(out, w, &mut self.channels);
        }
    }

    /// Notes that nodes reach the key server no more, or again: then paths that were refused may come online.
    fn set_key_server_lost(&mut self, out: &mut impl Outside, w: &Wiring, lost: bool) {
        self.subchannels.set_key_server_lost(w, &self.channels, out.now(), lost);
        if !lost {
            self.subchannels.redrive_waiting_for_channel(out, w, &mut self.channels);
        }
    }

    /// Notes that the paths over `part` are lost or are there again. Those without another route leave their groups or come
    /// back.
    fn set_part_lost(&mut self, out: &mut impl Outside, w: &Wiring, part: Part, lost: bool) {
        self.subchannels.lost_paths.set(w, part, lost);
        if lost {
            self.subchannels.lose_power(out.now(), part);
        }
        self.follow_links(out, w);
        if !lost {
            self.subchannels.redrive_waiting_for_channel(out, w, &mut self.channels);
            return;
        }
        self.subchannels.lost_paths.count(w, part);
        let mut deferred = Vec::new();
        for channel in &mut self.channels {
            let subchannels = &self.subchannels;
            let is_gone = |io: u32| subchannels.lost_paths.is_gone(w, subchannels.io(io).path);
            deferred.extend(channel.take_deferred_of(out.now(), is_gone));
        }
        self.lose_exchanges(out, w, part);
        for (io, _) in deferred {
            self.refused(out, w, io, Attempt::InterfaceControlCheck);
        }
    }
}
