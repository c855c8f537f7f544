//! Whether streams that draw tracks find a cache and volumes for them.

use std::collections::BTreeSet;

use halftrack_program::Geometry;

use crate::assemble::streams::Machine;
use crate::numbers;
use crate::workload_file::{Stream, StreamLocality};

/// Reports a `stream` with `locality` whose working set is larger than a volume, or the cache of whose control unit
/// has no size; `devices` are those that it uses.
pub fn check(machine: &Machine<'_, '_>, stream: &Stream, devices: &BTreeSet<u32>) {
    let Some(locality) = &stream.locality else { return };
    check_volumes(machine, stream, locality, devices);
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
    let message =
        format!("stream {name} draws tracks, but nothing says how many the cache of {without} holds");
    let mut error = machine
        .inputs
        .in_workload(numbers::NO_CACHE, &locality.span, message)
        .fix("give the `[[control_unit]]` of the plant `cache_tracks`, or the stream a `hit_ratio`");
    let found = plant.control_units.iter().find(|one| one.name.value == without);
    error.others.extend(found.map(|one| plant.label(&one.name.span, "the control unit")));
    machine.inputs.report(error);
}

/// The working set lies on the smallest volume.
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
