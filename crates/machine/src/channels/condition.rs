//! Conditions of channels that disturbances set and take back: busy, dark, an interconnect that is lost.

use halftrack_config::DisturbanceKind;
use halftrack_subsystem::Attempt;

use super::subchannels::Target;
use super::{Channels, Outside};
use crate::wiring::Wiring;

impl Channels {
    /// Applies the begin or the end of a disturbance to the channels.
    pub(crate) fn on_disturbance(&mut self, out: &mut impl Outside, w: &Wiring, index: u32, begins: bool) {
        match w.configuration.disturbances[index as usize].kind {
            DisturbanceKind::ChannelBusy { channel } => self.set_channel_busy(out, w, channel, begins),
            DisturbanceKind::ControlUnitBusy { .. } => {}
            DisturbanceKind::PathLost { channel } => self.set_channel_dark(out, w, channel, begins),
            DisturbanceKind::FramesDropped { link, share_ppm } => {
                self.outbound.drop_share(link, share_ppm, begins);
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
        self.subchannels.set_operational(w, channel, !dark);
        if dark {
            // Starts that wait for an exchange must not get those that the loss sets free.
            let deferred = self.channels[channel as usize].take_deferred(out.now());
            self.lose_exchanges(out, w, channel);
            for (io, _) in deferred {
                self.refused(out, w, io, Attempt::InterfaceControlCheck);
            }
        } else {
            self.subchannels.redrive_waiting_for_channel(out, w, &mut self.channels);
        }
    }
}
