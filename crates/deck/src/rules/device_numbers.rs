//! Device numbers and unit addresses in use.
//!
//! The same device number is legal in another partition or another subchannel set (trap 9). Reference: IOCP,
//! section 4.5; R352, R361.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::model::DeviceRange;
use crate::model::partitions::{PartitionSet, Partitions};
use crate::rules::devices::Draft;
use crate::rules::paths::Leg;
use crate::syntax::findings::Findings;

/// Subchannel sets that any machine has at most.
const SETS: usize = 4;

/// The devices that partitions see and control units have.
#[derive(Debug, Default)]
pub(crate) struct DeviceNumbers {
    /// Ranges that hold a device number, as indices into `ranges`.
    by_number: BTreeMap<u16, Vec<usize>>,
    ranges: Vec<VisibleRange>,
    /// Device range at (control unit, CSS, unit address), as its index in the definitions.
    by_unit_address: BTreeMap<(u16, u8, u8), usize>,
}

/// A device range and who sees it in which subchannel set.
#[derive(Debug)]
struct VisibleRange {
    by_set: [PartitionSet; SETS],
    number: Range<usize>,
}

impl DeviceNumbers {
    /// Checks the range of `draft` against those before it, and takes its numbers and unit addresses.
    /// `devices` are the ranges before it.
    pub(crate) fn check(
        &mut self,
        draft: &Draft,
        legs: &[Leg<'_>],
        partitions: &Partitions,
        devices: &[DeviceRange],
        findings: &mut Findings,
    ) {
        let seen = VisibleRange { by_set: visible(draft, legs), number: draft.device.number.span.clone() };
        self.check_numbers(draft, seen, partitions, findings);
        self.check_unit_addresses(draft, legs, devices, findings);
    }

    /// Checks R361.
    fn check_numbers(
        &mut self,
        draft: &Draft,
        seen: VisibleRange,
        partitions: &Partitions,
        findings: &mut Findings,
    ) {
        let first = draft.device.number.value;
        // A range that nobody sees cannot be seen twice.
        if seen.by_set.iter().all(|set| set.is_empty()) {
            return;
        }
        let numbers = (0..draft.device.count).map(|offset| first.wrapping_add(offset));
        for number in numbers.clone() {
            let earlier = self.by_number.get(&number).into_iter().flatten();
            let rival = earlier.filter_map(|&index| self.ranges.get(index)).find_map(|other| {
                let both = other.by_set.iter().zip(&seen.by_set).map(|(a, b)| *a & *b).enumerate();
                let (set, both) = both.into_iter().find(|(_, both)| !both.is_empty())?;
                Some((other, set, both))
            });
            let Some((other, set, both)) = rival else { continue };
            let who = partitions.names(both).into_iter().map(|(_, name)| name).next().unwrap_or_default();
            let words = format!("duplicate device {number:04X} in subchannel set {set} of {who}");
            let message = findings
                .error(361, &draft.device.number.span, words)
                .other(findings.label(&other.number, "defined first here"))
                .fix("use other device numbers, another subchannel set, or separate the partitions");
            findings.report(message);
            return;
        }
        let index = self.ranges.len();
        self.ranges.push(seen);
        for number in numbers {
            self.by_number.entry(number).or_default().push(index);
        }
    }

    /// Checks R352.
    fn check_unit_addresses(
        &mut self,
        draft: &Draft,
        legs: &[Leg<'_>],
        devices: &[DeviceRange],
        findings: &mut Findings,
    ) {
        let device = &draft.device;
        let mut css: Vec<u8> = legs.iter().map(|leg| leg.path.css).collect();
        css.sort_unstable();
        css.dedup();
        let mut reported = false;
        for unit in &device.control_units {
            for &css in &css {
                for offset in 0..device.count {
                    let address = device.unit_address.wrapping_add(offset as u8);
                    let key = (unit.value, css, address);
                    let rival = *self.by_unit_address.entry(key).or_insert(devices.len());
                    let Some(other) = devices.get(rival).filter(|_| !reported) else { continue };
                    reported = true;
                    self::report(draft, unit.value, address, other, findings);
                }
            }
        }
    }
}

fn report(draft: &Draft, unit: u16, address: u8, other: &DeviceRange, findings: &mut Findings) {
    let device = &draft.device;
    let mine = device.number.value.wrapping_add(u16::from(address.wrapping_sub(device.unit_address)));
    let its = other.number.value.wrapping_add(u16::from(address.wrapping_sub(other.unit_address)));
    let words = format!(
        "devices {its:04X} and {mine:04X} share unit address {address:02X} on control unit {unit:04X}"
    );
    let message = findings
        .error(352, &draft.unit_address_span, words)
        .other(findings.label(&other.number.span, "the other device"))
        .fix("give each device its own unit address with UNITADD");
    findings.report(message);
}

/// Returns the partitions that see the devices, by subchannel set: initial access lists of the channels, cut by the
/// candidate list.
fn visible(draft: &Draft, legs: &[Leg<'_>]) -> [PartitionSet; SETS] {
    let mut by_set = [PartitionSet::default(); SETS];
    for leg in legs {
        let access = leg.channel.access.in_css(leg.path.css);
        let seen = match &draft.candidates {
            Some((_, candidates)) => access & *candidates,
            None => access,
        };
        let set = usize::from(draft.device.subchannel_set.of(leg.path.css));
        if let Some(set) = by_set.get_mut(set) {
            *set |= seen;
        }
    }
    by_set
}
