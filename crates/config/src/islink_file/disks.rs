//! `[disks]`: streams of I/O to disks over the channels of the system, beside the logical link.

use std::collections::BTreeSet;

use halftrack_input::messages::toml_file as numbers;
use halftrack_input::{Expect, Fields, Located};

use crate::channel_file::{CylinderRange, DriveRun, DriveStream, Synchronous, read_run_keys};
use crate::configuration::ProtocolChoice;
use crate::device_range::DeviceRange;
use crate::unique::check_unique;
use crate::workload_file::{read_arrivals, read_stream_keys};

/// Streams of I/O to disks.
#[derive(Debug, Clone)]
pub struct DisksEntry {
    /// The cylinders of the streams are formatted first.
    pub format: bool,
    /// How long to run, and what the records hold.
    pub run: DriveRun,
    /// Streams, one at least.
    pub streams: Vec<DiskStreamEntry>,
}

/// Stream of I/O to disks.
#[derive(Debug, Clone)]
pub struct DiskStreamEntry {
    /// Device numbers in the deck.
    pub devices: Vec<Located<DeviceRange>>,
    /// Its keys; the unit addresses follow from the deck.
    pub stream: DriveStream,
}

/// Reads the streams of I/O to disks.
pub(super) fn read_disks(fields: &mut Fields<'_>) -> Option<DisksEntry> {
    fields.optional_table("disks", |disks| {
        let format = disks.or("format", Expect::flag(), false);
        let run = read_run_keys(disks);
        let mut names = Vec::new();
        let streams = disks.tables("stream", |stream| read_stream(stream, &mut names));
        check_unique(disks, "stream", names);
        if !disks.has("stream") {
            let fix = "add a `[[disks.stream]]` with `name`, `devices`, `program` and `closed` or `open`";
            let message = "no `[[disks.stream]]`: expected one at least";
            disks.error(numbers::MISSING_KEY, disks.span(), message, fix);
        }
        Some(DisksEntry { format, run, streams })
    })
}

fn read_stream(stream: &mut Fields<'_>, names: &mut Vec<Located<String>>) -> Option<DiskStreamEntry> {
    let cylinders = stream.optional("cylinders", Expect::parsed(CylinderRange::WORDS, CylinderRange::parse));
    let devices = Expect::parsed(DeviceRange::WORDS, DeviceRange::parse);
    let mut keys = read_stream_keys(stream, names, devices, read_arrivals)?;
    if keys.protocol.value == ProtocolChoice::Fcp {
        let message = "the stream is of FCP, and the channels of a logical link are of FICON";
        let fix = "take `protocol` away, or run the stream by `halftrack drive`";
        stream.error(numbers::CHOOSE_ONE, keys.protocol.span.clone(), message, fix);
        return None;
    }
    let devices = std::mem::take(&mut keys.devices);
    let stream = DriveStream::of_keys(keys, BTreeSet::new(), cylinders, Synchronous::None, stream.span());
    Some(DiskStreamEntry { devices, stream })
}
