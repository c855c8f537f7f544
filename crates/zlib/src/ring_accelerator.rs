//! A card of another process, over rings in shared memory.

use std::path::Path;

use halftrack_zedc::{
    Answer, Autonomous, Completion, INPUT_BYTES_MAX, Inflated, OUTPUT_BYTES_MAX, Options, RegionToken,
    RequestId, SLICE_BYTES_MAX, deflate_bound_bytes,
};
use halftrack_zedc_rings::{Place, Program, ProgramOptions};
use zlib_rs::adler32::adler32_combine;
use zlib_rs::crc32::crc32_combine;

use crate::accelerator::{Accelerator, CheckValues};

/// Fewest octets of a part of a request: parts are for cards that work at once, and each takes a submission (our choice).
const PART_BYTES_MIN: usize = 4 * SLICE_BYTES_MAX;

/// Part of a request, at a card.
#[derive(Debug, Clone, Copy)]
struct Part {
    id: RequestId,
    offset: usize,
    bytes: usize,
}

/// Connection to the cards of a machine.
#[derive(Debug)]
pub struct RingAccelerator {
    program: Program,
    input: RegionToken,
    output: RegionToken,
}

impl RingAccelerator {
    /// Connects to the cards of a directory; none when no card lets the program in.
    pub fn connect(directory: &Path) -> Option<Box<dyn Accelerator + Send>> {
        let mut program = Program::open(Place::new(directory), ProgramOptions::default()).ok()?;
        let input = program.allocate(INPUT_BYTES_MAX).ok()?;
        let output = program.allocate(OUTPUT_BYTES_MAX).ok()?;
        Some(Box::new(Self { program, input, output }))
    }

    fn start(
        &mut self,
        options: Options,
        (offset, bytes): (usize, usize),
        (room_offset, room): (usize, usize),
    ) -> Result<RequestId, Answer> {
        let input = &[self.program.segment(self.input, offset, bytes)?];
        let output = &[self.program.segment(self.output, room_offset, room)?];
        self.program.start(Autonomous { options, input, output })
    }

    /// Waits for the end of a request.
    fn wait(&mut self, id: RequestId) -> Result<Completion, Answer> {
        let end = self.program.wait(id).ok_or(Answer::DeviceLost)?;
        if end.answer == Answer::Done { Ok(end) } else { Err(end.answer) }
    }

    /// Starts a part for each card that has octets of `input` to do; returns those that were started, and why not all were.
    fn start_parts(&mut self, input: &[u8], is_last: bool) -> (Vec<Part>, Result<(), Answer>) {
        let cards = self.program.cards().count().max(1);
        let slices = input.len().div_ceil(SLICE_BYTES_MAX).div_ceil(cards);
        let part_bytes = (slices * SLICE_BYTES_MAX).max(PART_BYTES_MIN);
        let mut parts = Vec::new();
        let mut offset = 0;
        loop {
            let bytes = part_bytes.min(input.len() - offset);
            let is_final = offset + bytes == input.len();
            let options = if is_last && is_final { Options::default() } else { Options::OPEN };
            let stored = self.program.store(self.input, offset, &input[offset..offset + bytes]);
            let room = (room_offset(offset), deflate_bound_bytes(bytes));
            match stored.and_then(|()| self.start(options, (offset, bytes), room)) {
                Ok(id) => parts.push(Part { id, offset, bytes }),
                Err(answer) => return (parts, Err(answer)),
            }
            offset += bytes;
            if is_final {
                return (parts, Ok(()));
            }
        }
    }

    /// Appends the output of a part that has ended.
    fn append(&mut self, part: Part, end: &Completion, output: &mut Vec<u8>) -> Result<(), Answer> {
        if end.consumed_bytes as usize != part.bytes {
            return Err(Answer::DeviceLost);
        }
        let at = output.len();
        output.resize(at + end.produced_bytes as usize, 0);
        self.program.load(self.output, room_offset(part.offset), &mut output[at..])
    }
}

/// Returns where the output of a part begins whose input begins at `offset`, a whole number of slices.
const fn room_offset(offset: usize) -> usize {
    if offset == 0 { 0 } else { deflate_bound_bytes(offset) }
}

impl Accelerator for RingAccelerator {
    fn deflate(&mut self, input: &[u8], is_last: bool, output: &mut Vec<u8>) -> Result<CheckValues, Answer> {
        if input.len() > INPUT_BYTES_MAX {
            return Err(Answer::TooLong);
        }
        let (parts, mut done) = self.start_parts(input, is_last);
        let before = output.len();
        let mut values = CheckValues { crc32: 0, adler32: 1 };
        for part in parts {
            // Every part is waited for, whatever became of the others: its areas are used again.
            let end = self.wait(part.id);
            done = done.and_then(|()| {
                let end = end?;
                self.append(part, &end, output)?;
                values.crc32 = crc32_combine(values.crc32, end.crc32, part.bytes as u64);
                values.adler32 = adler32_combine(values.adler32, end.adler32, part.bytes as u64);
                Ok(())
            });
        }
        if done.is_err() {
            output.truncate(before);
        }
        done.map(|()| values)
    }

    fn inflate(&mut self, input: &[u8], output: &mut [u8]) -> Result<(Inflated, CheckValues), Answer> {
        let input = &input[..input.len().min(INPUT_BYTES_MAX)];
        self.program.store(self.input, 0, input)?;
        let id = self.start(Options::INFLATE, (0, input.len()), (0, output.len().min(OUTPUT_BYTES_MAX)))?;
        let end = self.wait(id)?;
        let produced_bytes = end.produced_bytes as usize;
        let room = output.get_mut(..produced_bytes).ok_or(Answer::OutputTooSmall)?;
        self.program.load(self.output, 0, room)?;
        let inflated = Inflated { consumed_bytes: end.consumed_bytes as usize, produced_bytes };
        Ok((inflated, CheckValues { crc32: end.crc32, adler32: end.adler32 }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outputs_of_parts_do_not_overlap_whatever_their_sizes_are() {
        for part in (0..33).map(|slices| slices * SLICE_BYTES_MAX) {
            let end = room_offset(part) + deflate_bound_bytes(SLICE_BYTES_MAX);
            assert!(end <= room_offset(part + SLICE_BYTES_MAX));
        }
        let last = INPUT_BYTES_MAX - SLICE_BYTES_MAX;
        assert!(room_offset(last) + deflate_bound_bytes(SLICE_BYTES_MAX) <= OUTPUT_BYTES_MAX);
    }
}
