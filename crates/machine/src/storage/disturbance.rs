//! Disturbances as the storage has them: a control unit that answers busy, a part that is lost or stalls.

use halftrack_base::Time;
use halftrack_config::{DisturbanceKind, Part};
use halftrack_engine::Order;

use super::StorageState;
use crate::events::event::StorageEvent;
use crate::wiring::Wiring;
use crate::wiring::parts::links_at;

impl StorageState {
    /// Schedules the begin or the end of the disturbance `index` for `at`.
    pub(crate) fn schedule_disturbance(&mut self, at: Time, order: Order, index: u32, begins: bool) {
        self.context.push(at, order, StorageEvent::Disturbance { index, begins });
    }

    /// Applies the begin or the end of the disturbance `index`.
    pub(super) fn on_disturbance(&mut self, w: &Wiring, index: u32, begins: bool) {
        let disturbance = &w.configuration.disturbances[index as usize];
        match disturbance.kind {
            DisturbanceKind::ChannelBusy { .. }
            | DisturbanceKind::InterconnectLost { .. }
            | DisturbanceKind::VaryPath { .. }
            | DisturbanceKind::SlowDrain { .. }
            | DisturbanceKind::SetiosZHyperLink { .. }
            | DisturbanceKind::ZHyperLinkLost { .. }
            | DisturbanceKind::AdapterPulled { .. }
            | DisturbanceKind::FirmwareUpdate { .. }
            | DisturbanceKind::KeyServerLost
            | DisturbanceKind::ConfigChp { .. } => {}
            DisturbanceKind::FramesDropped { part, share_ppm } => {
                self.context.drop_share(links_at(&w.configuration, part), share_ppm, begins);
            }
            DisturbanceKind::ControlUnitBusy { lcu } => {
                self.adapters.control_units().set_busy(&mut self.context, w, lcu, begins);
            }
            DisturbanceKind::PathLost { channel } => self.lose_part(w, Part::Channel(channel), begins),
            DisturbanceKind::PartLost { part } => self.lose_part(w, part, begins),
            DisturbanceKind::Stalled { part } => {
                let until = Time::ZERO + disturbance.at + disturbance.lasts;
                if begins {
                    self.context.stall(links_at(&w.configuration, part), until);
                }
            }
        }
    }

    /// Ends what is under way over `part` where its loss begins.
    fn lose_part(&mut self, w: &Wiring, part: Part, begins: bool) {
        if begins {
            self.context.lose_paths(w.paths_over(part));
            self.adapters.lose_exchanges(&mut self.context, w, part);
        }
    }
}
