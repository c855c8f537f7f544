//! Devices of a system by logical control unit, as the device reports list them.

use halftrack_record::DeviceInterval;
use serde::Serialize;

use crate::Scope;
use crate::column::Column;
use crate::field::Line;
use crate::figures::Figures;
use crate::records::Records;

/// The devices of one logical control unit that a report lists.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct LcuDevices<R> {
    /// LCU number.
    pub lcu: u16,
    /// By subchannel set and device number.
    pub devices: Vec<R>,
    /// The LCU line, over all its devices: rates are sums, times means over all I/Os, percentages and allocations means over
    /// devices, or over requests.
    pub summary: Figures,
}

impl<R> LcuDevices<R> {
    /// Returns the devices of the system that the report lists, by LCU number, with a row for each. SCSI logical units are
    /// no devices of RMF.
    pub(crate) fn of_system(
        scope: &Scope,
        columns: &'static [Column<DeviceInterval>],
        is_listed: impl Fn(&DeviceInterval) -> bool,
        row: impl Fn(&DeviceInterval) -> R,
    ) -> Vec<Self> {
        let of_system = |device: &&DeviceInterval| {
            device.lpar == scope.system.name && device.luns.is_none() && is_listed(device)
        };
        let mut devices: Vec<_> = scope.interval.devices.iter().filter(of_system).collect();
        devices.sort_by_key(|device| (device.lcu, device.subchannel_set, device.number));
        let of_lcu = |devices: &[&DeviceInterval]| Self {
            lcu: devices[0].lcu,
            devices: devices.iter().map(|device| row(device)).collect(),
            summary: Figures::of(columns, &Records::of_interval(devices.to_vec(), scope)),
        };
        devices.chunk_by(|left, right| left.lcu == right.lcu).map(of_lcu).collect()
    }

    /// Prints its rows, each by `line`, and its own line, with `LCU` and its number from these positions on.
    pub(crate) fn rows(
        &self,
        (word_left, number_left): (usize, usize),
        line: impl Fn(&R, u16) -> String,
    ) -> impl Iterator<Item = String> {
        let own = Line::new().text(word_left, 3, "LCU").text(number_left, 4, &format!("{:04X}", self.lcu));
        let own = self.summary.print(own).finish();
        self.devices.iter().map(move |device| line(device, self.lcu)).chain([own])
    }
}

/// Returns the beginning of a device's line: storage group, number and type.
pub(crate) fn device_line(
    storage_group: &str,
    (subchannel_set, number): (u8, u16),
    device_type: &str,
) -> Line {
    Line::new().text(0, 8, storage_group).text(9, 5, &format!("{:X}{number:04X}", subchannel_set & 0xF)).text(
        15,
        8,
        device_type,
    )
}
