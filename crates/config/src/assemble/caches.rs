//! Checks that streams with requests for tracks have a cache and volumes for them.

use std::collections::BTreeSet;

use halftrack_input::messages::study as numbers;
use halftrack_program::Geometry;

use crate::assemble::inputs::Inputs;
use crate::assemble::streams::Machine;
use crate::plant::ControlUnit;
use crate::workload_file::{ALL_PPM, Stream, StreamArrivals, StreamLocality};

/// Returns the cache hits per million reads of `stream` on its `devices`: for all of them, or for each where their
/// boxes differ.
///
/// The keys of the stream come first: its `hit_ratio`, or tracks that a cache holds (every read is then a hit until the
/// cache decides otherwise). A key that it leaves out is taken from the box of each device; without that all reads are
/// hits.
pub fn hits(machine: &Machine<'_, '_>, stream: &Stream, devices: &[u32]) -> (u32, Vec<u32>) {
    let looked_up = stream.locality.is_some() || matches!(stream.arrivals, StreamArrivals::Traced(_));
    if let Some(ppm) = stream.hit_ppm.or(looked_up.then_some(ALL_PPM)) {
        return (ppm, Vec::new());
    }
    let of_device = |device: &u32| {
        let control_unit = machine.lcus.lcu(machine.devices.device(*device).lcu).control_unit;
        let name = machine.ports.box_name(control_unit);
        let found = machine.inputs.plant.control_units.iter().find(|one| one.name.value == name);
        found.and_then(|one| one.hit_ppm).unwrap_or(ALL_PPM)
    };
    in_common(devices.iter().map(of_device).collect())
}

/// Returns the hits of all devices, and those of each where they differ.
pub fn in_common(hits: Vec<u32>) -> (u32, Vec<u32>) {
    let first = hits.first().copied().unwrap_or(ALL_PPM);
    if hits.iter().all(|ppm| *ppm == first) { (first, Vec::new()) } else { (first, hits) }
}

/// Returns the hits that the box of a set of logical units gives.
pub fn of_luns(inputs: &Inputs<'_>, name: &str) -> Option<u32> {
    let has = |unit: &&ControlUnit| unit.luns.iter().any(|luns| luns.name.value == name);
    inputs.plant.control_units.iter().find(has)?.hit_ppm
}

/// Reports a `stream` whose working set is larger than a volume, or whose control unit has a cache without a size. The
/// first needs `locality`, the second `locality` or a trace; `devices` are those that the stream uses.
pub fn check(machine: &Machine<'_, '_>, stream: &Stream, devices: &BTreeSet<u32>) {
    let span = match (&stream.locality, &stream.arrivals) {
        (Some(locality), _) => {
            check_volumes(machine, stream, locality, devices);
            &locality.span
        }
        (None, StreamArrivals::Traced(trace)) if trace.looked_up => &trace.file.span,
        _ => return,
    };
    let mut boxes: Vec<u32> = devices
        .iter()
        .map(|device| machine.lcus.lcu(machine.devices.device(*device).lcu).control_unit)
        .collect();
    boxes.sort_unstable();
    let Some(without) = boxes.into_iter().find(|index| machine.ports.cache_tracks(*index) == 0) else {
        return;
    };
    let (without, plant) = (machine.ports.box_name(without), &machine.inputs.plant);
    let name = &stream.name.value;
    let message = format!("stream {name} draws tracks, but the size of the cache of {without} is missing");
    let mut error = machine
        .inputs
        .in_workload(numbers::NO_CACHE, span, message)
        .fix("give the `[[control_unit]]` of the plant `cache_tracks`, or the stream a `hit_ratio`");
    let found = plant.control_units.iter().find(|one| one.name.value == without);
    error.others.extend(found.map(|one| plant.label(&one.name.span, "the control unit")));
    machine.inputs.report(error);
}

/// Checks that the working set lies on the smallest volume.
fn check_volumes(
    machine: &Machine<'_, '_>,
    stream: &Stream,
    locality: &StreamLocality,
    devices: &BTreeSet<u32>,
) {
    let devices = devices.iter().map(|device| machine.devices.device(*device));
    let Some(smallest) = devices.min_by_key(|device| device.cylinders) else { return };
    let Some(geometry) = Geometry::with_cylinders(smallest.cylinders) else { return };
    let tracks = locality.value.tracks;
    if u64::from(tracks) > geometry.tracks() {
        let message = format!(
            "stream {} draws from {tracks} tracks, but device {:04X} has {}",
            stream.name.value,
            smallest.number,
            geometry.tracks()
        );
        let error = machine.inputs.in_workload(numbers::DOES_NOT_FIT, &locality.span, message);
        machine.inputs.report(error.fix("lower `tracks`, which are those of each device"));
    }
}
