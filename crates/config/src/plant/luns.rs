//! `[[control_unit.luns]]`: SCSI logical units of a box, and the FCP subchannels that see them.

use std::ops::Range;

use halftrack_input::{Expect, Fields, Located};
use halftrack_wire::WorldWideName;

use crate::channel_file::world_wide_name;
use crate::device_range::DeviceRange;
use crate::place::{INTERFACE_WORDS, hex, interface_id};
use crate::unique::check_unique;

/// Commands that a host keeps open at one logical unit where the plant is silent: the default of Linux (zfcp).
const QUEUE_DEPTH_DEFAULT: u16 = 32;
/// Most commands that a host may keep open at one logical unit.
const QUEUE_DEPTH_MAX: u16 = 1024;

/// Logical units that the same initiators see over the same ports.
#[derive(Debug, Clone)]
pub struct Luns {
    /// Name, by which streams use them; unique in the plant.
    pub name: Located<String>,
    /// First and last number.
    pub range: Located<LunRange>,
    /// FCP subchannels that see the units, whatever their port names.
    pub devices: Vec<Located<DeviceRange>>,
    /// Port names of further initiators that see them.
    pub port_names: Vec<Located<WorldWideName>>,
    /// Ports of the box that present them; all FCP ports where none is given.
    pub ports: Vec<Located<String>>,
    /// Commands that a host keeps open at one unit.
    pub queue_depth: u16,
    /// The whole table.
    pub span: Range<usize>,
}

/// Consecutive logical unit numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LunRange {
    /// First number.
    pub first: u16,
    /// Last number, not below the first.
    pub last: u16,
}

impl LunRange {
    /// Syntax that [`LunRange::parse`] accepts, in words.
    pub const WORDS: &'static str =
        "at most 256 logical unit numbers of four hexadecimal digits such as \"0000\" or \"0000-003F\"";

    /// Most logical units of one table.
    const UNITS_MAX: u16 = 256;

    /// Returns how many numbers it has.
    pub fn count(self) -> u32 {
        u32::from(self.last - self.first) + 1
    }

    /// Returns the range that `text` writes.
    pub fn parse(text: &str) -> Option<Self> {
        let (first, last) = text.split_once('-').unwrap_or((text, text));
        let (first, last) = (hex(first, 4)? as u16, hex(last, 4)? as u16);
        (first <= last && last - first < Self::UNITS_MAX).then_some(Self { first, last })
    }
}

pub(super) fn read_luns(control_unit: &mut Fields<'_>, names: &mut Vec<Located<String>>) -> Vec<Luns> {
    control_unit.tables("luns", |luns| {
        let name = luns.required("name", Expect::text());
        names.extend(name.clone());
        let range = luns.required("range", Expect::parsed(LunRange::WORDS, LunRange::parse));
        let range_of_devices = || Expect::parsed(DeviceRange::WORDS, DeviceRange::parse);
        let port_names = luns.optional_list("wwpns", world_wide_name());
        let devices = if luns.has("wwpns") {
            Some(luns.optional_list("devices", range_of_devices()).unwrap_or_default())
        } else {
            luns.list("devices", range_of_devices())
        };
        check_unique(luns, "port name", port_names.iter().flatten().cloned());
        let ports = luns.optional_list("ports", Expect::parsed(INTERFACE_WORDS, interface_id));
        check_unique(luns, "port", ports.iter().flatten().cloned());
        let queue_depth = luns.or("queue_depth", Expect::integer(1..=QUEUE_DEPTH_MAX), QUEUE_DEPTH_DEFAULT);
        Some(Luns {
            name: name?,
            range: range?,
            devices: devices?,
            port_names: port_names.unwrap_or_default(),
            ports: ports.unwrap_or_default(),
            queue_depth,
            span: luns.span(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_hold_at_most_256_units() {
        assert_eq!(LunRange::parse("0000"), Some(LunRange { first: 0, last: 0 }));
        assert_eq!(LunRange::parse("0100-01FF"), Some(LunRange { first: 0x100, last: 0x1FF }));
        for wrong in ["", "0", "0001-0000", "0000-0100", "000G", "0000-", "-0001"] {
            assert_eq!(LunRange::parse(wrong), None, "{wrong}");
        }
    }
}
