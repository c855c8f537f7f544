//! Disturbances: the workload's events, with what they happen to found in the deck.

use halftrack_deck::model::Located;

use crate::assemble::channels::{ChannelAt, Channels};
use crate::assemble::inputs::Inputs;
use crate::assemble::logical_control_units::LogicalControlUnits;
use crate::configuration::{Disturbance, DisturbanceKind};
use crate::numbers;
use crate::workload_file::EventKind;

/// The disturbances, by time.
pub fn disturbances(
    inputs: &Inputs<'_>,
    channels: &Channels<'_>,
    lcus: &LogicalControlUnits,
) -> Vec<Disturbance> {
    let mut found = Vec::new();
    for event in &inputs.workload.events {
        let kind = match &event.kind {
            EventKind::ChannelBusy(path) => {
                channel(inputs, channels, path).map(|channel| DisturbanceKind::ChannelBusy { channel })
            }
            EventKind::PathLost(path) => {
                channel(inputs, channels, path).map(|channel| DisturbanceKind::PathLost { channel })
            }
            EventKind::ControlUnitBusy(number) => {
                control_unit(inputs, lcus, number).map(|lcu| DisturbanceKind::ControlUnitBusy { lcu })
            }
        };
        found.extend(kind.map(|kind| Disturbance { at: event.at, lasts: event.lasts, kind }));
    }
    found.sort_by_key(|one| (one.at, rank(one.kind), one.lasts));
    found
}

/// The order of disturbances at one time.
fn rank(kind: DisturbanceKind) -> (u8, u32) {
    match kind {
        DisturbanceKind::ChannelBusy { channel } => (0, channel),
        DisturbanceKind::ControlUnitBusy { lcu } => (1, lcu),
        DisturbanceKind::PathLost { channel } => (2, channel),
    }
}

fn channel(inputs: &Inputs<'_>, channels: &Channels<'_>, path: &Located<(u8, u8)>) -> Option<u32> {
    let (css, chpid) = path.value;
    let (message, place) = match channels.at(css, chpid) {
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
    let found = lcus.index(number.value);
    // A control unit of disks without a path has been reported with its paths.
    if found.is_none() && !lcus.has_disks(number.value) {
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
