//! CNTLUNIT and IODEVICE in JSON.

use halftrack_input::SourceFile;
use serde::Serialize;

use super::{At, Holder, holders};
use crate::model::selection::Selection;
use crate::model::{ControlUnit, DeviceRange};
use crate::syntax::annotations::Annotations;

#[derive(Debug, Serialize)]
struct UnitAddresses {
    first: String,
    count: u16,
}

#[derive(Debug, Serialize)]
struct PathRecord {
    css: u8,
    chpid: String,
    link: Option<String>,
}

#[derive(Debug, Serialize)]
struct Managed {
    css: u8,
    count: u8,
}

/// One control unit.
#[derive(Debug, Serialize)]
pub(super) struct ControlUnitRecord<'a> {
    number: String,
    unit: &'a str,
    cuadd: Option<String>,
    unit_addresses: Vec<UnitAddresses>,
    paths: Vec<PathRecord>,
    managed_paths: Vec<Managed>,
    shared: Option<bool>,
    protocol: Option<&'a str>,
    annotations: Vec<&'a str>,
    at: At,
}

impl<'a> ControlUnitRecord<'a> {
    /// Builds the record of `unit` with its paths, of those that stay.
    pub(super) fn of(selection: &Selection<'_>, annotations: &'a Annotations, unit: &'a ControlUnit) -> Self {
        let paths = unit.paths.iter().filter(|path| selection.has_path(path));
        let ranges = unit.unit_addresses.iter();
        Self {
            number: format!("{:04X}", unit.number.value),
            unit: &unit.unit.value,
            cuadd: unit.cuadd.as_ref().map(|cuadd| format!("{:02X}", cuadd.value)),
            unit_addresses: ranges
                .map(|(first, count)| UnitAddresses { first: format!("{first:02X}"), count: *count })
                .collect(),
            paths: paths
                .map(|path| PathRecord {
                    css: path.css,
                    chpid: format!("{:02X}", path.chpid),
                    link: path.link.map(|link| link.to_string()),
                })
                .collect(),
            managed_paths: unit.managed_paths.iter().map(|&(css, count)| Managed { css, count }).collect(),
            shared: unit.shared,
            protocol: unit.protocol.as_deref(),
            annotations: annotations.of_statement(unit.span.start),
            at: At::of(&selection.deck.source, unit.span.start),
        }
    }
}

#[derive(Debug, Serialize)]
struct SetOf {
    css: u8,
    set: u8,
}

#[derive(Debug, Serialize)]
struct Preferred {
    css: u8,
    chpid: String,
}

/// Consecutive devices.
#[derive(Debug, Serialize)]
pub(super) struct DeviceRecord<'a> {
    number: String,
    count: u16,
    /// Subchannel set for channel subsystems that `sets` does not name.
    set: u8,
    sets: Vec<SetOf>,
    unit_address: String,
    control_units: Vec<String>,
    unit: &'a str,
    model: Option<&'a str>,
    stadet: bool,
    timeout: bool,
    candidates: Vec<Holder<'a>>,
    preferred: Vec<Preferred>,
    annotations: Vec<&'a str>,
    at: At,
}

impl<'a> DeviceRecord<'a> {
    /// Builds the record of `range`.
    pub(super) fn of(source: &SourceFile, annotations: &'a Annotations, range: &'a DeviceRange) -> Self {
        let sets = range.subchannel_set.by_css.iter();
        let preferred = range.preferred.iter();
        Self {
            number: format!("{:04X}", range.number.value),
            count: range.count,
            set: range.subchannel_set.all,
            sets: sets.map(|&(css, set)| SetOf { css, set }).collect(),
            unit_address: format!("{:02X}", range.unit_address),
            control_units: range.control_units.iter().map(|unit| format!("{:04X}", unit.value)).collect(),
            unit: &range.unit.value,
            model: range.model.as_deref(),
            stadet: range.stadet,
            timeout: range.timeout,
            candidates: holders(&range.candidates),
            preferred: preferred
                .map(|&(css, chpid)| Preferred { css, chpid: format!("{chpid:02X}") })
                .collect(),
            annotations: annotations.of_statement(range.span.start),
            at: At::of(source, range.span.start),
        }
    }
}
