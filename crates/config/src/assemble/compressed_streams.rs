//! Streams whose data are compressed: their programs move what is left.

use std::borrow::Cow;

use halftrack_input::messages::compression as numbers;
use halftrack_input::{Located, nearest_or_all};
use halftrack_program::ProgramShape;
use halftrack_zedc::{INPUT_BYTES_MAX, Operation};

use crate::assemble::inputs::Inputs;
use crate::compression::CompressedStream;
use crate::workload_file::{Shrink, Stream, StreamCompression};

/// Returns the stream as its channels have it, and its compression; nothing where that is wrong, which is reported.
pub fn shrunk<'s>(
    inputs: &Inputs<'_>,
    stream: &'s Stream,
) -> Option<(Cow<'s, Stream>, Option<CompressedStream>)> {
    let Some(compression) = &stream.compression else { return Some((Cow::Borrowed(stream), None)) };
    let is_read = stream.read_ppm > 0;
    let shape = if is_read { &stream.read } else { &stream.write };
    let plain_bytes = u32::from(shape.value.record_bytes) * u32::from(shape.value.records);
    if plain_bytes as usize > INPUT_BYTES_MAX {
        let message =
            format!("an I/O of stream {} is {plain_bytes} bytes before compression", stream.name.value);
        let error = inputs.in_workload(numbers::REQUEST_TOO_LONG, &shape.span, message);
        inputs
            .report(error.fix(format!("lower `records`: a card takes {INPUT_BYTES_MAX} bytes in a request")));
        return None;
    }
    let ratio = ratio(inputs, stream, compression, plain_bytes)?;
    let left = |shape: &Located<ProgramShape>| {
        let record_bytes = (f64::from(shape.value.record_bytes) / ratio).ceil() as u16;
        Located::new(ProgramShape { record_bytes, ..shape.value }, shape.span.clone())
    };
    let shrunk = Stream { read: left(&stream.read), write: left(&stream.write), ..stream.clone() };
    let operation = if is_read { Operation::Inflate } else { Operation::Deflate };
    let compressed = CompressedStream { exploiter: compression.exploiter, operation, plain_bytes, ratio };
    Some((Cow::Owned(shrunk), Some(compressed)))
}

/// Returns how far the data of the stream shrink; nothing without the file that it names.
fn ratio(
    inputs: &Inputs<'_>,
    stream: &Stream,
    compression: &StreamCompression,
    plain_bytes: u32,
) -> Option<f64> {
    let file = match &compression.shrink {
        Shrink::Ratio(ratio) => return Some(*ratio),
        Shrink::Sample(file) => file,
    };
    let samples = &inputs.workload.samples;
    if let Some(sample) = samples.get(&file.value).filter(|sample| !sample.is_empty()) {
        return Some(sample.ratio(plain_bytes as usize));
    }
    let lack = if samples.contains_key(&file.value) { "is empty" } else { "is not in the study" };
    let message =
        format!("{}, on which the ratio of stream {} is measured, {lack}", file.value, stream.name.value);
    let error = inputs.in_workload(numbers::NO_SAMPLE, &file.span, message);
    inputs.report(error.fix(nearest_or_all(&file.value, samples.keys().map(String::as_str))));
    None
}
