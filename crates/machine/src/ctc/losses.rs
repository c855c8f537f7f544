//! Devices whose path is lost with a part of the machine, and comes back with it.
//!
//! Both systems lose the device at once: light is gone, or the director has reported that the other channel is. What had begun
//! to cross the fibre goes to the end of its way and is of no account there. Where every frame is lost the device is too; that
//! single frames are lost does not reach it.

use halftrack_config::{DisturbanceKind, Part};

use super::{Adapters, Outside};
use crate::wiring::Wiring;
use crate::wiring::lanes::DeviceWire;

/// All of what crosses a link, parts in a million.
const ALL_PPM: u32 = 1_000_000;

impl Adapters {
    /// Applies the begin or the end of a disturbance to the devices.
    pub(crate) fn on_disturbance(&mut self, out: &mut impl Outside, w: &Wiring, index: u32, begins: bool) {
        let part = match w.configuration.disturbances[index as usize].kind {
            DisturbanceKind::PathLost { channel } => Part::Channel(channel),
            DisturbanceKind::PartLost { part } => part,
            DisturbanceKind::FramesDropped { part, share_ppm: ALL_PPM } => part,
            _ => return,
        };
        for islink in 0..self.systems.len() as u32 {
            let first = w.lanes.first_device[islink as usize];
            let link = &w.configuration.islinks[islink as usize];
            let mut has_changed = false;
            for (place, wire) in link.devices.iter().enumerate() {
                let device = first + place as u32;
                if !w.device_leads_over(wire, part) {
                    continue;
                }
                let lost_parts = &mut self.lost_parts[device as usize];
                *lost_parts = if begins { *lost_parts + 1 } else { *lost_parts - 1 };
                match (begins, *lost_parts) {
                    (true, 1) => self.lose(out, islink, (device, place)),
                    (false, 0) => self.restore(islink, place),
                    _ => continue,
                }
                has_changed = true;
            }
            for end in 0..2 {
                if has_changed {
                    self.go_on(out, w, islink, end);
                }
            }
        }
    }

    fn lose(&mut self, out: &mut impl Outside, islink: u32, (device, place): (u32, usize)) {
        self.adapters[device as usize].lose(out.now());
        for (end, system) in self.systems[islink as usize].iter_mut().enumerate() {
            system.lost(place);
            out.withdraw_units(DeviceWire::lane(device, end));
        }
    }

    fn restore(&mut self, islink: u32, place: usize) {
        for system in &mut self.systems[islink as usize] {
            system.operational(place);
        }
    }
}
