//! Disturbances: the workload's events, with what they happen to found in the deck.

use std::ops::Range;

use halftrack_base::Span;
use halftrack_input::messages::study as numbers;
use halftrack_input::{Label, Located, nearest_or_all};

use crate::assemble::channels::{ChannelAt, Channels};
use crate::assemble::inputs::Inputs;
use crate::assemble::interconnects::Interconnects;
use crate::assemble::logical_control_units::LogicalControlUnits;
use crate::cpc::{Lpar, Subsystem};
use crate::disturbance::{Disturbance, DisturbanceKind};
use crate::plant::Domain;
use crate::plant::cpcs::{known, only};
use crate::workload_file::{Event, EventKind};

/// Returns the disturbances, by time.
pub fn disturbances(
    inputs: &Inputs<'_>,
    channels: &Channels<'_>,
    lcus: &LogicalControlUnits,
    interconnects: &Interconnects<'_>,
    lpars: &[Lpar],
) -> Vec<Disturbance> {
    let mut found = Vec::new();
    for event in &inputs.workload.events {
        let kind = match &event.kind {
            EventKind::ChannelBusy(path) => machine(inputs, event, &path.span)
                .and_then(|inputs| channel(&inputs, channels, path))
                .map(|channel| DisturbanceKind::ChannelBusy { channel }),
            EventKind::PathLost(path) => machine(inputs, event, &path.span)
                .and_then(|inputs| channel(&inputs, channels, path))
                .map(|channel| DisturbanceKind::PathLost { channel }),
            EventKind::ControlUnitBusy(number) => machine(inputs, event, &number.span)
                .and_then(|inputs| control_unit(&inputs, lcus, number))
                .map(|lcu| DisturbanceKind::ControlUnitBusy { lcu }),
            EventKind::InterconnectLost(name) => {
                interconnect(inputs, interconnects, name, (event.at, event.lasts))
                    .map(|share| DisturbanceKind::InterconnectLost { share })
            }
            EventKind::VaryPath { chpid, control_unit: unit, lpar } => machine(inputs, event, &chpid.span)
                .and_then(|inputs| {
                    let of = partition(&inputs, lpars, lpar, chpid)?;
                    let channel = channel(&inputs, channels, chpid)?;
                    let lcu = control_unit(&inputs, lcus, unit)?;
                    leads(&inputs, lcus, (lcu, unit), (channel, chpid))?;
                    Some(DisturbanceKind::VaryPath { lpar: of, lcu, channel })
                }),
            EventKind::ConfigChp { chpid, lpar } => machine(inputs, event, &chpid.span).and_then(|inputs| {
                let lpar = partition(&inputs, lpars, lpar, chpid)?;
                let channel = channel(&inputs, channels, chpid)?;
                Some(DisturbanceKind::ConfigChp { lpar, channel })
            }),
        };
        found.extend(kind.map(|kind| Disturbance { at: event.at, lasts: event.lasts, kind }));
    }
    found.sort_by_key(|one| (one.at, rank(one.kind), one.lasts));
    found
}

/// Returns the order of disturbances at one time.
fn rank(kind: DisturbanceKind) -> (u8, u32, u32, u32) {
    match kind {
        DisturbanceKind::ChannelBusy { channel } => (0, channel, 0, 0),
        DisturbanceKind::ControlUnitBusy { lcu } => (1, lcu, 0, 0),
        DisturbanceKind::PathLost { channel } => (2, channel, 0, 0),
        DisturbanceKind::InterconnectLost { share } => (3, share, 0, 0),
        DisturbanceKind::VaryPath { lpar, lcu, channel } => (4, lpar, lcu, channel),
        DisturbanceKind::ConfigChp { lpar, channel } => (5, lpar, channel, 0),
        DisturbanceKind::FramesDropped { link, share_ppm } => (6, link, share_ppm, 0),
    }
}

/// Returns the partition of the plant that the event names, which is in the channel subsystem of the channel path.
fn partition(
    inputs: &Inputs<'_>,
    lpars: &[Lpar],
    name: &Located<String>,
    path: &Located<(u8, u8)>,
) -> Option<u32> {
    let found = lpars.iter().position(|lpar| lpar.cpc == inputs.machine && lpar.name == name.value);
    let (css, chpid) = path.value;
    let (span, message, fix) = match found {
        Some(at) if lpars[at].css == css => return Some(at as u32),
        Some(at) => (
            &path.span,
            format!("partition {} is in CSS {}, not {css}", name.value, lpars[at].css),
            format!("write \"{}.{chpid:02X}\"", lpars[at].css),
        ),
        None => (
            &name.span,
            format!("the plant has no partition {} on this machine", name.value),
            nearest_or_all(&name.value, lpars.iter().map(|lpar| lpar.name.as_str())),
        ),
    };
    inputs.report(inputs.in_workload(numbers::EVENT_MISSES, span, message).fix(fix));
    None
}

/// Checks that the channel leads to the control unit; else it is reported.
fn leads(
    inputs: &Inputs<'_>,
    lcus: &LogicalControlUnits,
    (lcu, number): (u32, &Located<u16>),
    (channel, path): (u32, &Located<(u8, u8)>),
) -> Option<()> {
    let (css, chpid) = path.value;
    let mut groups = lcus.lcu(lcu).path_groups.iter();
    let own = groups.find(|group| (group.cpc, group.css) == (inputs.machine, css));
    if own.is_some_and(|group| group.paths.iter().any(|path| path.channel == channel)) {
        return Some(());
    }
    let message = format!("control unit {:04X} has no path over CHPID {chpid:02X}", number.value);
    let error = inputs.in_workload(numbers::EVENT_MISSES, &path.span, message);
    inputs.report(error.fix("name one of the channel paths of its CNTLUNIT statement"));
    None
}

/// Returns the inputs as the machine sees them whose part is named at `place`.
fn machine<'a>(inputs: &Inputs<'a>, event: &Event, place: &Range<usize>) -> Option<Inputs<'a>> {
    let cpcs = &inputs.plant.cpcs;
    let name = event.cpc.as_ref().map(|said| said.value).or_else(|| only(cpcs));
    let found = name.and_then(|name| inputs.each().find(|machine| machine.cpc.name == name));
    if found.is_none() {
        let error = match &event.cpc {
            Some(said) => inputs.in_workload(
                numbers::NO_CPC,
                &said.span,
                format!("the plant has no CPC {}", said.value),
            ),
            None => {
                let message = "the event does not name its CPC";
                inputs.in_workload(numbers::WHICH_CPC, place, message)
            }
        };
        inputs.report(error.fix(format!("give the event `cpc`; {}", known(cpcs))));
    }
    found
}

fn channel(inputs: &Inputs<'_>, channels: &Channels<'_>, path: &Located<(u8, u8)>) -> Option<u32> {
    let (css, chpid) = path.value;
    let (message, place) = match channels.at(Subsystem { cpc: inputs.machine, css }, chpid) {
        ChannelAt::Known(index, _) => return Some(index),
        ChannelAt::Broken => return None,
        ChannelAt::OtherType(statement) => {
            let kind = &statement.channel_type.value;
            (
                format!("CHPID {chpid:02X} of CSS {css} is of type {kind}; events happen to FC"),
                Some(&statement.span),
            )
        }
        ChannelAt::Undefined => {
            let first = inputs.deck.channel_paths.first().map(|first| &first.span);
            (format!("the deck has no CHPID {chpid:02X} in CSS {css}"), first)
        }
    };
    let mut error = inputs
        .in_workload(numbers::EVENT_MISSES, &path.span, message)
        .fix("name a channel path of the deck, such as \"0.40\"");
    error.others.extend(place.map(|span| inputs.deck_label(span, "channel paths of the deck")));
    inputs.report(error);
    None
}

fn control_unit(inputs: &Inputs<'_>, lcus: &LogicalControlUnits, number: &Located<u16>) -> Option<u32> {
    let found = lcus.index(inputs.machine, number.value);
    // A control unit of disks without a path has been reported with its paths.
    if found.is_none() && !lcus.has_disks(inputs.machine, number.value) {
        let message = format!("the deck has no control unit {:04X} with disks", number.value);
        let mut error = inputs
            .in_workload(numbers::EVENT_MISSES, &number.span, message)
            .fix("name the CUNUMBR of a CNTLUNIT with disks");
        error.others.extend(
            inputs
                .deck
                .control_units
                .first()
                .map(|one| inputs.deck_label(&one.span, "control units of the deck")),
        );
        inputs.report(error);
    }
    found
}

/// Returns the domain that loses its interconnect: another takes over, and that one is not lost `during` the same time.
fn interconnect(
    inputs: &Inputs<'_>,
    interconnects: &Interconnects<'_>,
    name: &Located<String>,
    during: (Span, Span),
) -> Option<u32> {
    let Some(domain) = interconnects.domain(&name.value) else {
        let message = format!("the plant has no domain {}", name.value);
        let error = inputs.in_workload(numbers::EVENT_MISSES, &name.span, message);
        inputs.report(error.fix("name a `[[domain]]` of the plant"));
        return None;
    };
    let Some(standby) = interconnects.standby(&name.value) else {
        // A standby that the plant does not have has been reported with its domain.
        let named = |one: &&Domain| one.name.value == name.value;
        if let Some(domain) = inputs.plant.domains.iter().find(named).filter(|one| one.standby.is_none()) {
            let message = format!("nothing takes over from the interconnect of domain {}", name.value);
            let error = inputs
                .in_workload(numbers::NO_STANDBY, &name.span, message)
                .other(inputs.plant.label(&domain.name.span, "the domain"))
                .fix("give the domain a `standby`, or let `path-lost` happen to its channels");
            inputs.report(error);
        }
        return None;
    };
    let overlaps = |at: Span, lasts: Span| at < during.0 + during.1 && during.0 < at + lasts;
    for event in &inputs.workload.events {
        if let EventKind::InterconnectLost(other) = &event.kind
            && interconnects.domain(&other.value) == Some(standby)
            && overlaps(event.at, event.lasts)
        {
            let message =
                format!("domain {} and its standby {} are lost at one time", name.value, other.value);
            let error = inputs
                .in_workload(numbers::NO_STANDBY, &name.span, message)
                .other(Label::new(&inputs.workload.source, other.span.clone(), "the standby is lost here"))
                .fix("let one of them end before the other begins");
            inputs.report(error);
            return None;
        }
    }
    Some(domain)
}
