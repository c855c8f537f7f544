//! The trace of a stream: the recorded I/Os on the devices and with the programs that the stream has.

use std::collections::BTreeMap;

use halftrack_base::Span;
use halftrack_input::messages::study as numbers;
use halftrack_input::{has_errors, nearest_or_all};
use halftrack_program::{Geometry, Operation, ProgramShape};

use crate::assemble::shapes::misfit;
use crate::assemble::streams::Machine;
use crate::trace::{Trace, TraceRow};
use crate::trace_file::{BYTES, DEVICE, MESSAGES_MAX, TRACK, TraceLine, column, read_trace};
use crate::workload_file::{RECORDS_MAX, Stream, TraceKeys};

/// Returns the trace that `stream` names, on its `devices`; nothing when it is not there, or has messages.
pub fn trace(machine: &Machine<'_, '_>, stream: &Stream, keys: &TraceKeys, devices: &[u32]) -> Option<Trace> {
    let inputs = machine.inputs;
    let Some(source) = inputs.workload.traces.get(&keys.file.value) else {
        let message = format!(
            "stream {} follows {}, which the study does not have",
            stream.name.value, keys.file.value
        );
        let there = nearest_or_all(&keys.file.value, inputs.workload.traces.keys().map(String::as_str));
        inputs.report(inputs.in_workload(numbers::NO_TRACE, &keys.file.span, message).fix(there));
        return None;
    };
    let (lines, found) = read_trace(source);
    let wrong = has_errors(&found);
    found.into_iter().for_each(|one| inputs.report(one));
    if wrong {
        return None;
    }
    let mut rows = Rows::new(machine, stream, devices);
    let mut messages = 0;
    for line in &lines {
        let Err((index, message, fix)) = rows.add(line) else { continue };
        let span = column(source, line.start, index);
        let error = halftrack_input::Diagnostic::error(numbers::TRACE_MISFIT, source, span, message);
        inputs.report(
            error.fix(fix).other(inputs.workload_label(&keys.file.span, "the stream that follows it")),
        );
        messages += 1;
        if messages == MESSAGES_MAX {
            break;
        }
    }
    let period = keys.repeat.then(|| period(&rows.rows));
    let no_rows = rows.rows.is_empty();
    if messages == 0 && (no_rows || period == Some(Span::ZERO)) {
        let message = match no_rows {
            true => format!("{} has no I/O", keys.file.value),
            false => format!("{} takes no time: it cannot be repeated", keys.file.value),
        };
        let error = inputs.in_workload(numbers::NO_TRACE, &keys.file.span, message);
        inputs.report(error.fix("name a trace with I/Os at several times"));
        return None;
    }
    let Rows { rows, programs, .. } = rows;
    (messages == 0).then_some(Trace { rows, programs, period, looked_up: keys.looked_up })
}

/// Returns the length of one round of a repeated trace: to its last row, and on to where the next would be on average.
fn period(rows: &[TraceRow]) -> Span {
    let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Span::ZERO };
    let gaps = (rows.len() as u64 - 1).max(1);
    last.at + (last.at - first.at) / gaps
}

/// A device of the stream.
struct Target {
    /// Index among the stream's devices.
    index: u32,
    geometry: Geometry,
    tracks: u64,
}

/// The rows as far as they are found.
struct Rows<'a> {
    stream: &'a Stream,
    targets: BTreeMap<(u8, u16), Target>,
    rows: Vec<TraceRow>,
    programs: Vec<ProgramShape>,
    /// Index of the program of so many records, by operation.
    known: BTreeMap<(bool, u16), u32>,
}

/// Column, message and fix of what does not suit.
type Misfit = (usize, String, String);

impl<'a> Rows<'a> {
    fn new(machine: &Machine<'_, '_>, stream: &'a Stream, devices: &[u32]) -> Self {
        let target = |(index, device): (u32, &u32)| {
            let device = machine.devices.device(*device);
            let geometry = Geometry::with_cylinders(device.cylinders)?;
            let target = Target { index, geometry, tracks: geometry.tracks() };
            Some(((device.subchannel_set, device.number), target))
        };
        let targets = (0..).zip(devices).filter_map(target).collect();
        Self { stream, targets, rows: Vec::new(), programs: Vec::new(), known: BTreeMap::new() }
    }

    fn add(&mut self, line: &TraceLine) -> Result<(), Misfit> {
        let (set, number) = line.device;
        let Some(target) = self.targets.get(&line.device) else {
            let set = if set == 0 { String::new() } else { format!("{set}.") };
            let message = format!("device {set}{number:04X} is none of stream {}", self.stream.name.value);
            return Err((
                DEVICE,
                message,
                "name it in the `devices` of the stream, or leave out its lines".into(),
            ));
        };
        if u64::from(line.track) >= target.tracks {
            let message = format!("device {number:04X} has {} tracks", target.tracks);
            return Err((
                TRACK,
                message,
                "tracks are counted from 0; give the volume a larger `model`".into(),
            ));
        }
        let (index, at) = (target.index, Span::from_ps(line.at_ps));
        let program = self.program(line, target.geometry)?;
        self.rows.push(TraceRow { at, device: index, track: line.track, program });
        Ok(())
    }

    /// Returns the index of the program that moves the bytes of `line`: that of the stream with as many records.
    fn program(&mut self, line: &TraceLine, geometry: Geometry) -> Result<u32, Misfit> {
        let shape = if line.write { self.stream.write.value } else { self.stream.read.value };
        let length = u32::from(shape.record_bytes);
        let records =
            u16::try_from(line.bytes / length).ok().filter(|records| (1..=RECORDS_MAX).contains(records));
        let Some(records) = records.filter(|_| line.bytes.is_multiple_of(length)) else {
            let message =
                format!("{} bytes are not 1 to {RECORDS_MAX} records of {length} bytes", line.bytes);
            return Err((
                BYTES,
                message,
                "give the stream's program a `record_bytes` that divides every row".into(),
            ));
        };
        if let Some(program) = self.known.get(&(line.write, records)) {
            return Ok(*program);
        }
        let operation = if line.write { Operation::UpdateWrite } else { Operation::Read };
        let shape = ProgramShape { records, operation, ..shape };
        if let Some(message) = misfit(&geometry, &shape) {
            return Err((BYTES, message, "give the volume a larger `model`".into()));
        }
        let program = self.programs.len() as u32;
        self.programs.push(shape);
        self.known.insert((line.write, records), program);
        Ok(program)
    }
}
