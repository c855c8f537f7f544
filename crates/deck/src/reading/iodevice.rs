//! IODEVICE: consecutive devices on one or more control units.
//!
//! Reference: IOCP, section 2.6; R126, R140, R145, R149, R153, R156, R165, R302, R308.

use std::ops::Range;

use halftrack_input::Located;
use halftrack_input::messages::deck::PREFERRED_PATH;

use crate::model::css_list::split;
use crate::model::machines::{CONTROL_UNITS_PER_DEVICE_MAX, DEVICES_PER_STATEMENT_MAX};
use crate::model::partitions::PartitionSet;
use crate::model::{DeviceRange, SubchannelSets};
use crate::reading::values::yes_no;
use crate::rules::definitions::Definitions;
use crate::rules::devices::{self, Draft};
use crate::syntax::findings::Findings;
use crate::syntax::number::{CHPID, CONTROL_UNIT, DEVICE, UNIT_ADDRESS, decimal, hex, hex_byte, malformed};
use crate::syntax::operand::Value;
use crate::syntax::statement::Statement;

/// Takes in an IODEVICE statement.
pub(crate) fn read(statement: &Statement, definitions: &mut Definitions, findings: &mut Findings) {
    let before = findings.errors();
    let address = statement.value("ADDRESS").and_then(|value| read_address(value, findings));
    let control_units = statement.value("CUNUMBR").map(|value| read_control_units(value, findings));
    let unit = statement.value("UNIT").map(Value::sole).and_then(|value| {
        if value.text().is_none() {
            malformed(value, "a unit type", findings);
        }
        Some(Located::new(value.text()?.to_owned(), value.span.clone()))
    });
    let coded_unit_address = statement
        .value("UNITADD")
        .map(Value::sole)
        .map(|value| (hex_byte(value, UNIT_ADDRESS, findings), value.span.clone()));
    let stadet = yes_no(statement, "STADET", findings).unwrap_or_default();
    let timeout = yes_no(statement, "TIMEOUT", findings).unwrap_or_default();
    let model = statement.value("MODEL").map(Value::sole).and_then(|value| {
        if value.text().is_none() {
            malformed(value, "a model", findings);
        }
        value.text().map(str::to_owned)
    });
    let subchannel_set = read_sets(statement, definitions, findings);
    let preferred = read_preferred(statement, definitions, findings);
    let (Some((number, count)), Some(control_units), Some(unit)) = (address, control_units, unit) else {
        return;
    };
    let units = resolve_units(&control_units, definitions, findings);
    let (unit_address, unit_address_span) = match coded_unit_address {
        Some((address, span)) => (address.unwrap_or_default(), span),
        // UNITADD missing: the low two digits of the device number.
        None => ((number.value & 0xFF) as u8, number.span.clone()),
    };
    let candidates = read_candidates(statement, &units, definitions, findings);
    let draft = Draft {
        device: DeviceRange {
            number,
            count,
            subchannel_set,
            control_units,
            unit,
            model,
            stadet,
            timeout,
            unit_address,
            candidates: candidates.as_ref().map(|(_, set)| listed(*set, definitions)).unwrap_or_default(),
            preferred: preferred.iter().map(|preferred| preferred.value).collect(),
            span: statement.span.clone(),
        },
        units,
        unit_address_span,
        set_span: statement.value("SCHSET").map(|value| value.span.clone()),
        candidates,
    };
    check_preferred(&preferred, &draft, definitions, findings);
    if findings.errors() == before {
        devices::check(&draft, definitions, findings);
    }
    definitions.devices.push(draft.device);
}

/// Reads ADDRESS: `0011`, `(1000,128)`; R145.
fn read_address(value: &Value, findings: &mut Findings) -> Option<(Located<u16>, u16)> {
    let (first, count) = match value.elements() {
        [first] => (first, None),
        [first, count] => (first, Some(count)),
        _ => {
            malformed(value, "(device number,count)", findings);
            return None;
        }
    };
    let number = hex(first.sole(), DEVICE, findings)?;
    let count = match count {
        Some(count) => decimal(count, "a number of devices", 1..=DEVICES_PER_STATEMENT_MAX, findings)?,
        None => 1,
    };
    if u32::from(number) + count > 0x1_0000 {
        let words = format!("{count} device numbers from {number:04X} on run past FFFF");
        findings.report(findings.error(145, &value.span, words).fix("lower the count or the device number"));
        return None;
    }
    Some((Located::new(number, first.sole().span.clone()), u16::try_from(count).ok()?))
}

/// Reads CUNUMBR: R302, and the limit of control units.
fn read_control_units(value: &Value, findings: &mut Findings) -> Vec<Located<u16>> {
    let mut all: Vec<Located<u16>> = Vec::new();
    for element in value.elements() {
        let element = element.sole();
        let Some(number) = hex(element, CONTROL_UNIT, findings) else { continue };
        match all.iter().find(|other| other.value == number) {
            Some(first) => {
                let message = findings
                    .error(302, &element.span, format!("duplicate control unit {number:04X}"))
                    .other(findings.label(&first.span, "named first here"))
                    .fix("name it once");
                findings.report(message);
            }
            None => all.push(Located::new(number, element.span.clone())),
        }
    }
    if let Some(over) = all.get(CONTROL_UNITS_PER_DEVICE_MAX) {
        let words = format!("{} control units, limit {CONTROL_UNITS_PER_DEVICE_MAX}", all.len());
        findings.report(findings.error(140, &over.span, words));
    }
    all
}

/// Finds control units by number. Reports R308 once for each, and not at all after errors in CNTLUNIT statements.
fn resolve_units(
    numbers: &[Located<u16>],
    definitions: &mut Definitions,
    findings: &mut Findings,
) -> Vec<usize> {
    let mut units = Vec::new();
    for number in numbers {
        match definitions.unit_index.get(&number.value) {
            Some(&index) => units.push(index),
            None if !definitions.unit_errors && definitions.undefined_units.insert(number.value) => {
                let words =
                    format!("control unit {:04X} is not defined by an earlier CNTLUNIT", number.value);
                let message = findings
                    .error(308, &number.span, words)
                    .fix("add the CNTLUNIT statement before this one");
                findings.report(message);
            }
            None => {}
        }
    }
    units
}

/// Reads `SCHSET=1`, `SCHSET=((CSS(0),1),(CSS(1),0))`.
fn read_sets(statement: &Statement, definitions: &Definitions, findings: &mut Findings) -> SubchannelSets {
    let mut sets = SubchannelSets::default();
    let Some(value) = statement.value("SCHSET") else { return sets };
    let highest = definitions.machine.subchannel_set_count - 1;
    for sublist in split(value) {
        let [set] = sublist.values else {
            malformed(value, "one subchannel set for each CSS", findings);
            return sets;
        };
        let number = decimal(set.sole(), "a subchannel set", 0..=u32::from(highest), findings);
        let Some(number) = number.and_then(|set| u8::try_from(set).ok()) else { continue };
        if sublist.tag.is_none() {
            sets.all = number;
        } else if let Some(css) = definitions.scope().one(&sublist, findings) {
            sets.by_css.push((css, number));
        }
    }
    sets
}

/// Reads the preferred path of each channel subsystem: `PATH=((CSS(0),40),(CSS(1),41))`.
fn read_preferred(
    statement: &Statement,
    definitions: &Definitions,
    findings: &mut Findings,
) -> Vec<Located<(u8, u8)>> {
    let Some(value) = statement.value("PATH") else { return Vec::new() };
    let mut all = Vec::new();
    for sublist in split(value) {
        let Some(css) = definitions.scope().one(&sublist, findings) else { continue };
        let [chpid] = sublist.values else {
            malformed(value, "one preferred CHPID for each CSS", findings);
            continue;
        };
        if let Some(number) = hex_byte(chpid.sole(), CHPID, findings) {
            all.push(Located::new((css, number), chpid.span.clone()));
        }
    }
    all
}

fn check_preferred(
    preferred: &[Located<(u8, u8)>],
    draft: &Draft,
    definitions: &Definitions,
    findings: &mut Findings,
) {
    let units = || draft.units.iter().filter_map(|&index| definitions.units.get(index));
    if draft.units.len() < draft.device.control_units.len() || units().any(|unit| !unit.sound) {
        return;
    }
    for path in preferred {
        let mut paths = units().flat_map(|unit| &unit.definition.paths);
        if !paths.any(|other| (other.css, other.chpid) == path.value) {
            let words = format!(
                "preferred path {:02X} is not a path of this device in CSS {}",
                path.value.1, path.value.0
            );
            let message = findings
                .error(PREFERRED_PATH, &path.span, words)
                .fix("name a channel of the PATH of its control unit");
            findings.report(message);
        }
    }
}

/// Reads the device candidate list: PART as coded, NOTPART turned round. Channel subsystems that the list does not
/// name are open to all their partitions.
fn read_candidates(
    statement: &Statement,
    units: &[usize],
    definitions: &Definitions,
    findings: &mut Findings,
) -> Option<(Range<usize>, PartitionSet)> {
    let part = statement.item("PART");
    let notpart = statement.item("NOTPART");
    if let (Some(part), Some(notpart)) = (part, notpart) {
        let message = findings
            .error(153, &notpart.value.span, "PART and NOTPART are both coded")
            .other(findings.label(&part.value.span, "PART is here"))
            .fix("keep one of them");
        findings.report(message);
    }
    let value = &part.or(notpart)?.value;
    let css_of_units = units.iter().filter_map(|&index| definitions.units.get(index));
    let mut set = PartitionSet::default();
    for path in css_of_units.flat_map(|unit| &unit.definition.paths) {
        set |= definitions.partitions.named_in(path.css);
    }
    for sublist in split(value) {
        let Some(css) = definitions.scope().one(&sublist, findings) else { continue };
        let values = match sublist.values {
            [only] => only.elements(),
            values => values,
        };
        let listed = definitions.partitions.resolve(css, values, findings);
        let all = definitions.partitions.named_in(css);
        let chosen = if part.is_some() { listed } else { all - listed };
        set = (set - all) | chosen;
    }
    Some((value.span.clone(), set))
}

/// Returns the candidate list of the model.
///
/// An empty one means every partition. A list without partitions is therefore written with the name `0`, IOCP's word
/// for it, which no partition can have.
fn listed(set: PartitionSet, definitions: &Definitions) -> Vec<(u8, String)> {
    if set.is_empty() { vec![(0, "0".to_owned())] } else { definitions.partitions.names(set) }
}
