//! Disturbances: the events of workload and script, with what they happen to found in the machine.

use halftrack_input::messages::{faults, study as numbers};
use halftrack_zedc::ResourceGroup;

use crate::assemble::adapters;
use crate::assemble::circuits::carries_circuits;
use crate::assemble::event_parts::EventParts;
use crate::disturbance::{Disturbance, DisturbanceKind, Part};
use crate::fault_script::{Event, EventKind, FaultKind, R_T_TOV, TwinKind};

/// All of what crosses a link, parts in a million.
const ALL_PPM: u32 = 1_000_000;

/// Faults that the twin has.
const FAULTS: [FaultKind; 16] = [
    FaultKind::FramesDropped,
    FaultKind::FramesCorrupted,
    FaultKind::PortHung,
    FaultKind::LightLost,
    FaultKind::SlowDrain,
    FaultKind::Stalled,
    FaultKind::ChannelLost,
    FaultKind::CardLost,
    FaultKind::HostAdapterLost,
    FaultKind::IslLost,
    FaultKind::DirectorLost,
    FaultKind::InterconnectLost,
    FaultKind::ControlUnitLost,
    FaultKind::PowerLost,
    FaultKind::ProcessStopped,
    FaultKind::ProcessKilled,
];

/// Returns the disturbances, by time.
pub fn disturbances(parts: &EventParts<'_>) -> Vec<Disturbance> {
    let mut found = Vec::new();
    for event in &parts.inputs.workload.events {
        check_times(parts, event);
        let kinds = match event.kind.value {
            EventKind::Twin(kind) => condition(parts, event, kind).map(|kind| vec![kind]),
            EventKind::Fault(kind) => fault(parts, event, kind),
        };
        let (at, lasts) = (event.at.value, event.lasts.value);
        found.extend(kinds.into_iter().flatten().map(|kind| Disturbance { at, lasts, kind }));
    }
    found.sort_by_key(|one| (one.at, rank(one.kind), one.lasts));
    found
}

/// Returns the order of disturbances at one time.
fn rank(kind: DisturbanceKind) -> (u8, u32, u32, u32, Option<Part>) {
    let (kind, first, second, third) = match kind {
        DisturbanceKind::ChannelBusy { channel } => (0, channel, 0, 0),
        DisturbanceKind::ControlUnitBusy { lcu } => (1, lcu, 0, 0),
        DisturbanceKind::PathLost { channel } => (2, channel, 0, 0),
        DisturbanceKind::InterconnectLost { share } => (3, share, 0, 0),
        DisturbanceKind::VaryPath { lpar, lcu, channel } => (4, lpar, lcu, channel),
        DisturbanceKind::ConfigChp { lpar, channel } => (5, lpar, channel, 0),
        DisturbanceKind::SetiosZHyperLink { lpar, oper } => {
            (10, lpar, u32::from(oper.read), u32::from(oper.write))
        }
        DisturbanceKind::ZHyperLinkLost { link } => (11, link, 0, 0),
        DisturbanceKind::PartLost { part } => return (6, 0, 0, 0, Some(part)),
        DisturbanceKind::Stalled { part } => return (7, 0, 0, 0, Some(part)),
        DisturbanceKind::KeyServerLost => (12, 0, 0, 0),
        DisturbanceKind::FirmwareUpdate { cpc, group } => {
            (13, cpc.into(), u32::from(group == ResourceGroup::Two), 0)
        }
        DisturbanceKind::AdapterPulled { cpc, pchid } => (14, cpc.into(), pchid.into(), 0),
        DisturbanceKind::SlowDrain { part, .. } => return (8, 0, 0, 0, Some(part)),
        DisturbanceKind::FramesDropped { part, .. } => return (9, 0, 0, 0, Some(part)),
    };
    (kind, first, second, third, None)
}

/// Reports an event of a script that the run does not reach, or that it does not see the end of. Events of a workload may
/// last to the end, and a run that is made shorter leaves some out.
fn check_times(parts: &EventParts<'_>, event: &Event) {
    let run = &parts.inputs.workload.run;
    if event.source == parts.inputs.workload.source || run.detect_warmup {
        return;
    }
    let end = run.warmup + run.interval * u64::from(run.intervals);
    let seconds = end.as_s_f64();
    let (at, lasts) = (&event.at, &event.lasts);
    let (error, fix) = if at.value >= end {
        let message = format!("the event begins after the run has ended, at {seconds} s");
        (event.error(faults::PAST_END, &at.span, message), "begin earlier")
    } else if at.value.saturating_add(lasts.value) > end {
        let message = format!("the event lasts beyond the end of the run, at {seconds} s");
        (event.error(faults::LOST_FOR_EVER, &lasts.span, message), "let the part come back before the end")
    } else {
        return;
    };
    parts.inputs.report(error.fix(format!("{fix}, or make the run longer (`[run]` of the workload)")));
}

/// Returns the condition or command of an operator that the event is.
fn condition(parts: &EventParts<'_>, event: &Event, kind: TwinKind) -> Option<DisturbanceKind> {
    Some(match kind {
        TwinKind::ChannelBusy => DisturbanceKind::ChannelBusy { channel: parts.channel(event)? },
        TwinKind::PathLost => DisturbanceKind::PathLost { channel: parts.channel(event)? },
        TwinKind::ControlUnitBusy => {
            let number = event.control_unit.as_ref()?;
            let machine = parts.machine(event, &number.span)?;
            DisturbanceKind::ControlUnitBusy { lcu: parts.control_unit(&machine, event, number)? }
        }
        TwinKind::VaryPath => {
            let (lpar, unit) = (parts.partition(event)?, event.control_unit.as_ref()?);
            let channel = parts.channel(event)?;
            let machine = parts.machine(event, &unit.span)?;
            let lcu = parts.control_unit(&machine, event, unit)?;
            parts.leads(&machine, event, (lcu, unit.value), channel)?;
            DisturbanceKind::VaryPath { lpar, lcu, channel }
        }
        TwinKind::ConfigChp => {
            let lpar = parts.partition(event)?;
            DisturbanceKind::ConfigChp { lpar, channel: parts.channel(event)? }
        }
        TwinKind::SetiosZHyperLink => {
            let oper = event.oper.as_ref()?.value;
            DisturbanceKind::SetiosZHyperLink { lpar: parts.any_partition(event)?, oper }
        }
        TwinKind::ZHyperLinkLost => DisturbanceKind::ZHyperLinkLost { link: parts.zhyperlink(event)? },
        TwinKind::KeyServerLost => key_server_lost(parts, event)?,
        TwinKind::FirmwareUpdate => adapters::firmware_update(parts, event)?,
        TwinKind::AdapterPulled => adapters::adapter_pulled(parts, event)?,
    })
}

/// Returns the loss of the key server; a plant without one that is reached is reported.
fn key_server_lost(parts: &EventParts<'_>, event: &Event) -> Option<DisturbanceKind> {
    let message = match &parts.inputs.plant.key_manager {
        Some(manager) if manager.is_reachable => return Some(DisturbanceKind::KeyServerLost),
        Some(_) => "the key server is not reachable from the start of the run",
        None => "the plant has no key server that could be lost",
    };
    let error = event.error(numbers::EVENT_MISSES, &event.kind.span, message);
    let fix = "add `[key_manager]` to the plant, without `reachable = false`, or remove the event";
    parts.inputs.report(error.fix(fix));
    None
}

/// Returns the fault that the event is, as the twin has it: one disturbance, or one for each channel of a card.
fn fault(parts: &EventParts<'_>, event: &Event, kind: FaultKind) -> Option<Vec<DisturbanceKind>> {
    let lost = |part| match part {
        Part::Channel(channel) => DisturbanceKind::PathLost { channel },
        part => DisturbanceKind::PartLost { part },
    };
    let one = match kind {
        FaultKind::CardLost => {
            let channels = parts.channels_of_card(event)?;
            return Some(channels.into_iter().map(|channel| DisturbanceKind::PathLost { channel }).collect());
        }
        // A frame with a wrong CRC is discarded.
        FaultKind::FramesDropped | FaultKind::FramesCorrupted => {
            frames_dropped(parts, event, (event.share * f64::from(ALL_PPM)).round() as u32)?
        }
        // The twin has no frames but those of exchanges with devices.
        FaultKind::PortHung => frames_dropped(parts, event, ALL_PPM)?,
        // The link stays.
        FaultKind::LightLost if event.lasts.value < R_T_TOV => frames_dropped(parts, event, ALL_PPM)?,
        FaultKind::LightLost
        | FaultKind::ChannelLost
        | FaultKind::HostAdapterLost
        | FaultKind::IslLost
        | FaultKind::DirectorLost
        | FaultKind::ControlUnitLost
        | FaultKind::ProcessKilled => lost(parts.part(event)?),
        FaultKind::PowerLost => lost(Part::Power),
        FaultKind::InterconnectLost => {
            DisturbanceKind::InterconnectLost { share: parts.interconnect(event)? }
        }
        FaultKind::Stalled | FaultKind::ProcessStopped => {
            DisturbanceKind::Stalled { part: parts.part(event)? }
        }
        FaultKind::SlowDrain => DisturbanceKind::SlowDrain { part: parts.part(event)?, late: event.late },
        _ => {
            let message = format!("`{}` is no fault of the twin", kind.word());
            let error = event.error(numbers::EVENT_MISSES, &event.kind.span, message);
            let words: Vec<_> = FAULTS.iter().map(|kind| kind.word()).collect();
            let (last, before) = words.split_last()?;
            parts.inputs.report(error.fix(format!("take one of {} or {last}", before.join(", "))));
            return None;
        }
    };
    Some(vec![one])
}

/// Returns the loss of a share of the frames at the part of the event. On fibres of circuits it is reported: their programs
/// lose none.
fn frames_dropped(parts: &EventParts<'_>, event: &Event, share_ppm: u32) -> Option<DisturbanceKind> {
    let part = parts.part(event)?;
    if !carries_circuits(parts, part) {
        return Some(DisturbanceKind::FramesDropped { part, share_ppm });
    }
    let message = format!(
        "`{}` loses frames, and the fibre carries circuits, whose frames are not lost one by one",
        event.kind.value.word()
    );
    let error = event.error(numbers::NO_FRAMES_TO_LOSE, event.place(), message);
    parts.inputs.report(error.fix("lose the whole path by `path-lost`, or name a fibre of FICON"));
    None
}
