//! Whether the programs of a stream fit the volumes that they are for.

use std::collections::BTreeSet;

use halftrack_input::messages::study as numbers;
use halftrack_program::{Geometry, ProgramShape};

use crate::assemble::devices::Devices;
use crate::assemble::inputs::Inputs;
use crate::workload_file::Stream;

/// Reports programs of `stream` whose record does not fit a track, or whose records do not fit the smallest volume.
pub fn check(inputs: &Inputs<'_>, devices: &Devices<'_>, stream: &Stream, used: &BTreeSet<u32>) {
    let smallest = used.iter().min_by_key(|device| devices.device(**device).cylinders);
    let Some(device) = smallest.map(|device| devices.device(*device)) else { return };
    let Some(geometry) = Geometry::with_cylinders(device.cylinders) else { return };
    let mut shapes = vec![&stream.read];
    // A write program that the file does not have is the read program, at the same place.
    shapes.extend(Some(&stream.write).filter(|write| write.span != stream.read.span));
    for shape in shapes {
        let Some(message) = misfit(&geometry, &shape.value) else { continue };
        let plant = &inputs.plant;
        let mut error = inputs
            .in_workload(
                numbers::DOES_NOT_FIT,
                &shape.span,
                format!("{message} of device {:04X} ({} cylinders)", device.number, device.cylinders),
            )
            .fix("lower `record_bytes` or `records`; a 3390 track holds one record of 56,664 bytes");
        error.others.extend(
            plant.control_units.first().map(|one| plant.label(&one.name.span, "volumes of the plant")),
        );
        inputs.report(error);
    }
}

/// Returns the reason why programs of the shape fit no volume of `geometry`; nothing when they do.
pub fn misfit(geometry: &Geometry, shape: &ProgramShape) -> Option<String> {
    let on_track = u32::from(geometry.records_per_track(shape.record_bytes, 0));
    if on_track == 0 {
        return Some(format!("a record of {} bytes does not fit a track", shape.record_bytes));
    }
    let tracks = u64::from(shape.records).div_ceil(u64::from(on_track));
    let have = geometry.tracks();
    (tracks > have)
        .then(|| format!("{} records of {} bytes do not fit the volume", shape.records, shape.record_bytes))
}
