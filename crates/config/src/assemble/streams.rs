//! Streams: the workload's, with partitions and devices found in plant and deck.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use halftrack_input::messages::study as numbers;
use halftrack_input::{Located, nearest_or_all};
use halftrack_program::{Operation, Protocol};

use crate::assemble::channels::{ChannelAt, Channels};
use crate::assemble::devices::Devices;
use crate::assemble::inputs::Inputs;
use crate::assemble::logical_control_units::{LogicalControlUnits, is_alias, is_disk};
use crate::assemble::luns::{LogicalUnits, report_unknown};
use crate::assemble::ports::Ports;
use crate::assemble::{caches, compressed_streams, refused_paths, shapes, synchronous, traces};
use crate::configuration::{Arrivals, ProtocolChoice, Stream};
use crate::cpc::{Lpar, Subsystem};
use crate::device_range::DeviceRange;
use crate::logical_control_unit::PathGroup;
use crate::synchronous::SynchronousIo;
use crate::trace::{Trace, TraceRow};
use crate::workload_file::{self, ALL_PPM, StreamArrivals};

/// Parts of a machine that streams are resolved against.
pub struct Machine<'m, 'a> {
    /// The inputs.
    pub inputs: &'m Inputs<'a>,
    /// The partitions, by (CPC, CSS, MIF).
    pub lpars: &'m [Lpar],
    /// The channels.
    pub channels: &'m Channels<'a>,
    /// The logical control units.
    pub lcus: &'m LogicalControlUnits,
    /// The base devices.
    pub devices: &'m Devices<'a>,
    /// SCSI logical units.
    pub luns: &'m LogicalUnits,
    /// The host-adapter ports.
    pub ports: &'m Ports<'a>,
    /// Synchronous I/O.
    pub synchronous: &'m SynchronousIo,
}

/// Returns the streams, by name.
pub fn streams(machine: &Machine<'_, '_>) -> Vec<Stream> {
    let mut streams: Vec<_> =
        machine.inputs.workload.streams.iter().filter_map(|stream| machine.stream(stream)).collect();
    streams.sort_by(|a, b| a.name.cmp(&b.name));
    streams
}

impl Machine<'_, '_> {
    /// Returns the stream; nothing when its partition is not there or none of its devices is.
    fn stream(&self, stream: &workload_file::Stream) -> Option<Stream> {
        let lpar = self.lpar(stream)?;
        if !stream.luns.is_empty() {
            return self.scsi_stream(stream, lpar);
        }
        let (stream, compression) = compressed_streams::shrunk(self.inputs, stream)?;
        let stream = &*stream;
        let mut devices = BTreeSet::new();
        for range in &stream.devices {
            devices.extend(self.devices(stream, lpar, range));
        }
        self.check_access(stream, lpar, &devices);
        refused_paths::check(self, stream, lpar, &devices);
        caches::check(self, stream, &devices);
        shapes::check(self.inputs, self.devices, stream, &devices);
        if stream.protocol.value == ProtocolChoice::Always(Protocol::Transport) {
            self.check_transport(stream, lpar, &devices);
        }
        let synchronous = synchronous::requests(self, stream, lpar, &devices);
        let devices: Vec<u32> = devices.into_iter().collect();
        let (arrivals, read_ppm) = match &stream.arrivals {
            StreamArrivals::Drawn(arrivals) => (arrivals.clone(), stream.read_ppm),
            StreamArrivals::Traced(keys) => {
                let trace = traces::trace(self, stream, keys, &devices)?;
                let read_ppm = reads_ppm(&trace);
                (Arrivals::Traced(Arc::new(trace)), read_ppm)
            }
        };
        let (hit_ppm, hit_ppm_of_device) = caches::hits(self, stream, &devices);
        Some(Stream {
            name: stream.name.value.clone(),
            lpar,
            devices,
            selection: stream.selection,
            read: stream.read.value,
            write: stream.write.value,
            read_ppm,
            hit_ppm,
            hit_ppm_of_device,
            locality: stream.locality.as_ref().map(|locality| locality.value),
            protocol: stream.protocol.value,
            synchronous,
            compression,
            arrivals,
        })
    }

    /// Returns a stream on logical units; `None` when one of its sets is wrong, which is reported.
    fn scsi_stream(&self, stream: &workload_file::Stream, lpar: u32) -> Option<Stream> {
        let mut hits_by_device = BTreeMap::new();
        for name in &stream.luns {
            match self.luns.devices(&name.value, lpar) {
                Some(found) => {
                    refused_paths::check_luns(self, stream, lpar, &name.value);
                    let hits =
                        stream.hit_ppm.or(caches::of_luns(self.inputs, &name.value)).unwrap_or(ALL_PPM);
                    hits_by_device.extend(found?.map(|device| (device, hits)));
                }
                None => report_unknown(self.inputs, &stream.name.value, name),
            }
        }
        let StreamArrivals::Drawn(arrivals) = &stream.arrivals else { return None };
        let (devices, hits) = hits_by_device.into_iter().unzip();
        let (hit_ppm, hit_ppm_of_device) = caches::in_common(hits);
        Some(Stream {
            name: stream.name.value.clone(),
            lpar,
            hit_ppm,
            hit_ppm_of_device,
            devices,
            selection: stream.selection,
            read: stream.read.value,
            write: stream.write.value,
            read_ppm: stream.read_ppm,
            locality: None,
            protocol: stream.protocol.value,
            synchronous: None,
            compression: None,
            arrivals: arrivals.clone(),
        })
    }

    /// Returns the index of the stream's partition.
    fn lpar(&self, stream: &workload_file::Stream) -> Option<u32> {
        let name = &stream.lpar.value;
        let found = self.lpars.iter().position(|lpar| lpar.name == *name);
        let plant = &self.inputs.plant;
        // A partition that the plant has and the deck lacks has been reported there.
        if found.is_none() && plant.lpars.iter().all(|lpar| lpar.name.value != *name) {
            let message =
                format!("stream {} runs in {name}, but the plant has no such partition", stream.name.value);
            let names = plant.lpars.iter().map(|lpar| lpar.name.value.as_str());
            let mut error = self
                .inputs
                .in_workload(numbers::NO_LPAR, &stream.lpar.span, message)
                .fix(nearest_or_all(name, names));
            error.others.extend(
                plant.lpars.first().map(|lpar| plant.label(&lpar.name.span, "partitions of the plant")),
            );
            self.inputs.report(error);
        }
        found.map(|index| index as u32)
    }

    /// Returns indices of the devices of `range`; those that are not there are reported, once for each cause.
    fn devices(&self, stream: &workload_file::Stream, lpar: u32, range: &Located<DeviceRange>) -> Vec<u32> {
        let subsystem = self.lpars[lpar as usize].subsystem();
        let mut found = Vec::new();
        let mut missing = BTreeMap::<Missing, (u16, u32)>::new();
        let wanted = range.value;
        for number in wanted.first..=wanted.last {
            match self.device(subsystem, wanted.subchannel_set, number) {
                Ok(device) => found.push(device),
                Err(cause) => missing.entry(cause).or_insert((number, 0)).1 += 1,
            }
        }
        for (cause, (number, count)) in missing {
            self.report_missing(stream, subsystem.cpc, range, cause, (number, count));
        }
        found
    }

    /// Returns the index of the base device that has `number` of `subchannel_set` in partitions of `subsystem`.
    fn device(&self, subsystem: Subsystem, subchannel_set: u8, number: u16) -> Result<u32, Missing> {
        let seen = self.devices.seen(subsystem.cpc, subchannel_set, number);
        let Some(first) = seen.first() else { return Err(Missing::Undefined) };
        let bases: Vec<u32> = seen.iter().filter_map(|one| one.base).collect();
        let reaches = |base: &&u32| self.path_group(**base, subsystem).is_some();
        if let Some(base) = bases.iter().find(reaches) {
            return Ok(*base);
        }
        let unit = &first.statement.unit.value;
        Err(if !bases.is_empty() {
            Missing::Unreached
        } else if is_alias(unit) || !is_disk(unit) {
            Missing::NotABase
        } else if first
            .statement
            .control_units
            .iter()
            .any(|one| self.lcus.has_disks(subsystem.cpc, one.value))
        {
            // Its control unit has no path left, and why has been reported.
            Missing::Broken
        } else {
            Missing::Unreached
        })
    }

    /// Returns the paths from `subsystem` to base device `device`.
    pub(super) fn path_group(&self, device: u32, subsystem: Subsystem) -> Option<&PathGroup> {
        let lcu = self.lcus.lcu(self.devices.device(device).lcu);
        lcu.path_groups.iter().find(|group| group.subsystem() == subsystem)
    }

    fn report_missing(
        &self,
        stream: &workload_file::Stream,
        machine: u8,
        range: &Located<DeviceRange>,
        cause: Missing,
        (number, count): (u16, u32),
    ) {
        let inputs = self.inputs.of(machine);
        let set = range.value.subchannel_set;
        let more = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let who = format!("device {number:04X}{more} of stream {}", stream.name.value);
        let statement = self.devices.seen(machine, set, number).first().map(|one| one.statement);
        let (code, message, fix) = match cause {
            Missing::Broken => return,
            Missing::Undefined => (
                numbers::NO_DEVICE,
                format!("{who} is not in the deck (subchannel set {set})"),
                "name devices of an IODEVICE statement; \"1.1000\" is device 1000 of subchannel set 1",
            ),
            Missing::NotABase => {
                let unit = statement.map_or("", |statement| statement.unit.value.as_str());
                let what = format!("{who} is no base device of a disk, but {unit}");
                (numbers::NOT_A_BASE, what, "name base devices; aliases are used of themselves")
            }
            Missing::Unreached => (
                numbers::NO_PATH,
                format!("no path leads from {} to {who}", stream.lpar.value),
                "add paths from its channel subsystem to the CNTLUNIT, or run the stream elsewhere",
            ),
        };
        let mut error = inputs.in_workload(code, &range.span, message).fix(fix);
        let place = statement.map_or_else(
            || inputs.deck.devices.first().map(|first| (&first.span, "devices of the deck")),
            |statement| Some((&statement.span, "its IODEVICE")),
        );
        error.others.extend(place.map(|(span, words)| inputs.deck_label(span, words)));
        inputs.report(error);
    }

    /// Reports channels and devices that the stream's partition has no access to, each statement once. A machine in
    /// BASIC mode has one image, to which all belongs.
    fn check_access(&self, stream: &workload_file::Stream, lpar: u32, devices: &BTreeSet<u32>) {
        let lpar = &self.lpars[lpar as usize];
        let inputs = self.inputs.of(lpar.cpc);
        if inputs.deck.is_basic() {
            return;
        }
        let me = (lpar.css, lpar.name.clone());
        let mut channels = BTreeSet::new();
        let mut refused = BTreeMap::new();
        for device in devices {
            let Some(statement) = self.devices.statement(lpar.cpc, *device) else { continue };
            if !statement.candidates.is_empty() && !statement.candidates.contains(&me) {
                let what = format!("device {:04X}", self.devices.device(*device).number);
                refused.entry(statement.span.start).or_insert((&statement.span, what));
            }
            let paths = self.path_group(*device, lpar.subsystem()).map_or(&[][..], |group| &group.paths);
            channels.extend(paths.iter().map(|path| path.channel));
        }
        for channel in channels {
            let channel = self.channels.channel(channel);
            let ChannelAt::Known(_, statement) = self.channels.at(lpar.subsystem(), channel.chpid) else {
                continue;
            };
            if !statement.access.contains(&me) {
                let what = format!("channel {}", channel.name);
                refused.insert(statement.span.start, (&statement.span, what));
            }
        }
        for (span, what) in refused.into_values() {
            let message =
                format!("{} of stream {} has no access to {what} that it uses", lpar.name, stream.name.value);
            let error = inputs
                .in_workload(numbers::NO_ACCESS, &stream.lpar.span, message)
                .other(inputs.deck_label(span, "access is given here"));
            inputs.report(error.fix("give the partition access to every channel of its devices"));
        }
    }

    /// Reports what keeps a stream from the transport mode that it insists on, the first cause of each kind.
    fn check_transport(&self, stream: &workload_file::Stream, lpar: u32, devices: &BTreeSet<u32>) {
        let subsystem = self.lpars[lpar as usize].subsystem();
        let name = &stream.lpar.value;
        let inputs = self.inputs.of(subsystem.cpc);
        let plant = &self.inputs.plant;
        let report = |message: String, fix: &str, other| {
            let mut error =
                self.inputs.in_workload(numbers::NO_TRANSPORT, &stream.protocol.span, message).fix(fix);
            error.others.extend(other);
            self.inputs.report(error);
        };
        if let Some(lpar) = plant.lpars.iter().find(|one| one.name.value == *name && !one.zhpf.value) {
            let message =
                format!("stream {} insists on transport mode, but zHPF is off in {name}", stream.name.value);
            report(message, "set `zhpf = \"YES\"`", Some(plant.label(&lpar.zhpf.span, "the partition")));
        }
        if let Some(device) = devices.iter().find(|device| !self.devices.device(**device).zhpf) {
            let device = self.devices.device(*device);
            let message = format!(
                "stream {} insists on transport mode, but device {:04X} or its control unit has none",
                stream.name.value, device.number
            );
            let place =
                plant.control_units.first().map(|one| plant.label(&one.name.span, "boxes of the plant"));
            report(message, "use `protocol = \"eligible\"`, or set `zhpf = true` for its volumes", place);
        }
        let paths = devices
            .iter()
            .filter_map(|device| self.path_group(*device, subsystem))
            .flat_map(|group| &group.paths);
        let channels: BTreeSet<u32> = paths.map(|path| path.channel).collect();
        let without = channels.iter().find(|channel| !self.channels.channel(**channel).hardware.zhpf);
        if let Some(channel) = without.map(|channel| self.channels.channel(*channel)) {
            let why = match channel.hardware.bridge {
                None => "has none",
                Some(_) => "leads to a bridge, behind which ESCON has none",
            };
            let message = format!(
                "stream {} insists on transport mode, but channel {} {why}",
                stream.name.value, channel.name
            );
            let mut cards = inputs.cards();
            let card = cards.find(|card| card.ports.iter().any(|one| one.value == channel.identity));
            let place = card.map(|card| plant.label(&card.kind.span, "its card"));
            report(message, "use `protocol = \"eligible\"`, or another card", place);
        }
    }
}

/// Reads per million I/Os of a trace; all or none only where all or none are.
fn reads_ppm(trace: &Trace) -> u32 {
    let is_read = |row: &&TraceRow| trace.programs[row.program as usize].operation == Operation::Read;
    let (reads, all) = (trace.rows.iter().filter(is_read).count() as u64, trace.rows.len() as u64);
    match reads * 1_000_000 / all.max(1) {
        0 if reads > 0 => 1,
        ppm => ppm as u32,
    }
}

/// Why a device of a stream is not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Missing {
    Undefined,
    NotABase,
    Unreached,
    Broken,
}
