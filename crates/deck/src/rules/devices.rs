//! Rules between devices, their control units and the channels of those.
//!
//! Reference: IOCP, section 4.5; R300, R303, R304, R311, R313, R315, R325; R352 and R361 in
//! [`crate::rules::device_numbers`].

use std::collections::BTreeMap;
use std::ops::Range;

use halftrack_input::Severity;

use crate::model::DeviceRange;
use crate::model::machines::PATHS_PER_CSS_MAX;
use crate::model::partitions::PartitionSet;
use crate::rules::definitions::{Definitions, Unit};
use crate::rules::paths::{Leg, legs};
use crate::syntax::findings::Findings;

/// A definition and the values beside it that the rules need.
pub(crate) struct Draft {
    pub(crate) device: DeviceRange,
    /// Control units, by index; those that are not defined are missing.
    pub(crate) units: Vec<usize>,
    /// Where the unit address is coded, or the device number that gives it.
    pub(crate) unit_address_span: Range<usize>,
    /// Where SCHSET is coded.
    pub(crate) set_span: Option<Range<usize>>,
    /// Where a device candidate list is coded, and who is on it.
    pub(crate) candidates: Option<(Range<usize>, PartitionSet)>,
}

/// Checks a device range whose own statement is clean. Control units with errors of their own end the check:
/// what is wrong with them is known.
pub(crate) fn check(draft: &Draft, definitions: &mut Definitions, findings: &mut Findings) {
    if !check_unit_addresses(draft, findings) {
        return;
    }
    let Definitions { units, channels, partitions, numbers, devices, counts, device_slots, .. } = definitions;
    let mine: Vec<&Unit> = draft.units.iter().filter_map(|&index| units.get(index)).collect();
    let known = mine.len() == draft.device.control_units.len();
    let all_legs: Vec<Leg<'_>> = mine.iter().flat_map(|unit| legs(unit, channels)).collect();
    let path_count: usize = mine.iter().map(|unit| unit.definition.paths.len()).sum();
    if !known || mine.iter().any(|unit| !unit.sound) || all_legs.len() < path_count {
        return;
    }
    let before = findings.errors();
    check_coverage(draft, &mine, findings);
    check_path_count(draft, &all_legs, findings);
    check_mixing(draft, &all_legs, findings);
    check_candidates(draft, &all_legs, findings);
    check_sets(draft, &all_legs, findings);
    if findings.errors() == before {
        check_values(draft, &all_legs, &mine, findings);
        numbers.check(draft, &all_legs, partitions, devices, findings);
        if findings.errors() == before {
            counts.check(draft, &all_legs, device_slots, findings);
        }
    }
}

/// Checks R300.
fn check_unit_addresses(draft: &Draft, findings: &mut Findings) -> bool {
    let (first, count) = (draft.device.unit_address, draft.device.count);
    let fits = u16::from(first) + count <= 0x100;
    if !fits {
        let words = format!("{count} devices from unit address {first:02X} on run past unit address FF");
        let message =
            findings.error(300, &draft.unit_address_span, words).fix("lower the count or the unit address");
        findings.report(message);
    }
    fits
}

/// Checks R303.
fn check_coverage(draft: &Draft, units: &[&Unit], findings: &mut Findings) {
    let device = &draft.device;
    let last = u16::from(device.unit_address) + device.count - 1;
    for unit in units {
        let answers = |address: u16| {
            unit.definition
                .unit_addresses
                .iter()
                .any(|&(first, count)| (u16::from(first)..u16::from(first) + count).contains(&address))
        };
        let missing = (u16::from(device.unit_address)..=last).find(|address| !answers(*address));
        if let Some(address) = missing {
            let number = &unit.definition.number;
            let words =
                format!("control unit {:04X} does not answer to unit address {address:02X}", number.value);
            let message = findings
                .error(303, &draft.unit_address_span, words)
                .other(findings.label(&number.span, "its UNITADD does not reach that far"))
                .fix("widen UNITADD of the control unit, or lower the count");
            findings.report(message);
            return;
        }
    }
}

/// Checks R304.
fn check_path_count(draft: &Draft, legs: &[Leg<'_>], findings: &mut Findings) {
    let mut by_css: BTreeMap<u8, usize> = BTreeMap::new();
    for leg in legs {
        *by_css.entry(leg.path.css).or_default() += 1;
    }
    if let Some((css, count)) = by_css.into_iter().find(|(_, count)| *count > PATHS_PER_CSS_MAX) {
        let words = format!("{count} paths in CSS {css}, limit {PATHS_PER_CSS_MAX}");
        let span = draft.device.control_units.last().map_or(&draft.device.number.span, |unit| &unit.span);
        findings.report(findings.error(304, span, words).fix("name fewer control units"));
    }
}

/// Checks R311, R313.
fn check_mixing(draft: &Draft, legs: &[Leg<'_>], findings: &mut Findings) {
    let Some((first, rest)) = legs.split_first() else { return };
    let span = draft.device.control_units.last().map_or(&draft.device.number.span, |unit| &unit.span);
    let family = |leg: &Leg<'_>| leg.channel.kind.map(|kind| kind.family);
    if let Some(other) = rest.iter().find(|leg| family(leg) != family(first)) {
        let (a, b) = (&first.channel.path.channel_type, &other.channel.path.channel_type);
        let words =
            format!("its control units have channels of types {} and {}, which do not mix", a.value, b.value);
        let message = findings
            .error(311, span, words)
            .other(findings.label(&a.span, a.value.clone()))
            .other(findings.label(&b.span, b.value.clone()))
            .fix("use control units on channels of one type");
        findings.report(message);
    }
    if let Some(other) = rest.iter().find(|leg| leg.channel.path.shared != first.channel.path.shared) {
        let words = |leg: &Leg<'_>| if leg.channel.path.shared { "shared" } else { "not shared" };
        let message = findings
            .error(313, span, "its control units mix shared and unshared channels")
            .other(findings.label(&first.channel.path.chpid.span, words(first)))
            .other(findings.label(&other.channel.path.chpid.span, words(other)))
            .fix("make the channels all shared or all unshared");
        findings.report(message);
    }
}

/// Checks R315.
fn check_candidates(draft: &Draft, legs: &[Leg<'_>], findings: &mut Findings) {
    let Some((span, _)) = &draft.candidates else { return };
    if let Some(leg) = legs.iter().find(|leg| !leg.channel.path.shared) {
        let words =
            format!("a device candidate list is not allowed: channel {:02X} is not shared", leg.path.chpid);
        let message = findings
            .error(315, span, words)
            .other(findings.label(&leg.channel.path.chpid.span, "not shared"))
            .fix("drop PART, or share the channels");
        findings.report(message);
    }
}

/// Checks R310, R323: accepted, and of no use.
fn check_values(draft: &Draft, legs: &[Leg<'_>], units: &[&Unit], findings: &mut Findings) {
    let device = &draft.device;
    let parallel =
        |leg: &Leg<'_>| matches!(leg.channel.path.channel_type.value.as_str(), "CVC" | "CBY" | "BL" | "BY");
    if device.timeout && !legs.is_empty() && !legs.iter().any(parallel) {
        let message = findings
            .error(310, &device.number.span, "TIMEOUT acts on channels of TYPE=CVC only and is ignored")
            .severity(Severity::Warning)
            .fix("drop TIMEOUT");
        findings.report(message);
    }
    let image = units.iter().find_map(|unit| unit.definition.cuadd.as_ref().filter(|cuadd| cuadd.value != 0));
    if let (Some(cuadd), "OSAD") = (image, device.unit.value.as_str()) {
        let message = findings
            .error(
                323,
                &device.unit.span,
                format!("an OSAD device is not usable on CUADD {:02X}", cuadd.value),
            )
            .severity(Severity::Caution)
            .other(findings.label(&cuadd.span, "CUADD of its control unit"))
            .fix("define the OSAD device on the control unit with CUADD 0");
        findings.report(message);
    }
}

/// Checks R325.
fn check_sets(draft: &Draft, legs: &[Leg<'_>], findings: &mut Findings) {
    let Some(span) = &draft.set_span else { return };
    let outside = |leg: &&Leg<'_>| {
        draft.device.subchannel_set.of(leg.path.css) > 0
            && leg.channel.kind.is_some_and(|kind| !kind.has_subchannel_sets)
    };
    if let Some(leg) = legs.iter().find(outside) {
        let kind = &leg.channel.path.channel_type;
        let message = findings
            .error(325, span, format!("devices on TYPE={} belong to subchannel set 0 only", kind.value))
            .other(findings.label(&kind.span, "channel type"))
            .fix("drop SCHSET");
        findings.report(message);
    }
}
