//! Disturbances as the storage has them: a control unit that answers busy, a fibre that goes dark.

use halftrack_base::Time;
use halftrack_config::DisturbanceKind;
use halftrack_engine::Order;

use super::StorageState;
use crate::events::event::StorageEvent;
use crate::wiring::Wiring;

impl StorageState {
    /// Schedules the begin or the end of the disturbance `index` for `at`.
    pub(crate) fn schedule_disturbance(&mut self, at: Time, order: Order, index: u32, begins: bool) {
        self.context.push(at, order, StorageEvent::Disturbance { index, begins });
    }

    /// Applies the begin or the end of the disturbance `index`.
    pub(super) fn on_disturbance(&mut self, w: &Wiring, index: u32, begins: bool) {
        match w.configuration.disturbances[index as usize].kind {
            DisturbanceKind::ChannelBusy { .. }
            | DisturbanceKind::InterconnectLost { .. }
            | DisturbanceKind::VaryPath { .. }
            | DisturbanceKind::ConfigChp { .. } => {}
            DisturbanceKind::FramesDropped { link, share_ppm } => {
                self.context.drop_share(link, share_ppm, begins);
            }
            DisturbanceKind::ControlUnitBusy { lcu } => {
                self.adapters.control_units().set_busy(&mut self.context, w, lcu, begins);
            }
            DisturbanceKind::PathLost { channel } => {
                if begins {
                    self.context.lose_fibre(channel);
                    self.adapters.lose_exchanges(&mut self.context, w, channel);
                }
            }
        }
    }
}
