//! The services, with parameters that were copied from the caller.

use std::ffi::OsString;
use std::io::{self, ErrorKind};
use std::os::unix::ffi::OsStringExt as _;
use std::path::PathBuf;

use halftrack_base::Span;
use halftrack_zedc::{
    Answer, Autonomous, Completion, Options, PAGE_BYTES, RegionToken, SEGMENTS_MAX, Segment,
};
use halftrack_zedc_rings::{OpenError, Place, Program, ProgramOptions, Refusal};

use crate::layout::{RegionName, RendezvousName, Run, RunResult};
use crate::spaces::{self, Space};

/// Begins the use of the cards of a machine.
///
/// # Errors
/// No card lets the program in, or it is no known application.
pub fn rendezvous(directory: Vec<u8>, application: u32) -> Result<RendezvousName, Answer> {
    let directory = PathBuf::from(OsString::from_vec(directory));
    let options = ProgramOptions { application, ..ProgramOptions::default() };
    let opened = Program::open(Place::new(&directory), options);
    opened.map(spaces::insert).map_err(|error| match error {
        OpenError::NoCard(_, reason) if is_forbidden(&reason) => Answer::WrongEnvironment,
        OpenError::NoCard(..) => Answer::NoHardware,
        OpenError::Answer(answer) => answer,
    })
}

/// Returns whether the user of the program is the reason.
fn is_forbidden(reason: &io::Error) -> bool {
    let refusal = reason.get_ref().and_then(|inner| inner.downcast_ref::<Refusal>());
    reason.kind() == ErrorKind::PermissionDenied && refusal.is_none_or(|one| *one == Refusal::NotAllowed)
}

/// Returns whether a card takes requests now.
///
/// # Errors
/// The token is unknown, or no card takes requests.
pub fn probe(token: RendezvousName) -> Result<(), Answer> {
    spaces::find(token)?.program.with(Program::probe)
}

/// Gives memory that is registered; returns its address and token.
///
/// # Errors
/// The token is unknown, or there is no such memory.
pub fn register(token: RendezvousName, bytes: usize) -> Result<(usize, RegionName), Answer> {
    let space = spaces::find(token)?;
    if bytes == 0 || !bytes.is_multiple_of(PAGE_BYTES as usize) {
        return Err(Answer::BadRegionLength);
    }
    space.program.with(|program| {
        let region = program.allocate(bytes)?;
        Ok((program.region(region)?.0 as usize, space.name_of(region)))
    })
}

/// Takes memory back.
///
/// # Errors
/// A token is unknown.
pub fn deregister(token: RendezvousName, region: RegionName) -> Result<(), Answer> {
    let space = spaces::find(token)?;
    space.program.with(|program| program.free(space.region_of(region)))
}

/// Checks that a list can be copied, however long the caller has it.
///
/// # Errors
/// [`Answer::BadList`].
pub fn checked_count(segments: u32) -> Result<usize, Answer> {
    let count = segments as usize;
    if (1..=SEGMENTS_MAX).contains(&count) { Ok(count) } else { Err(Answer::BadList) }
}

/// Does a request to its end.
///
/// # Errors
/// Why it is no request, was not started, or has failed.
pub fn compress(
    token: RendezvousName,
    options: u64,
    input: &[Run],
    output: &[Run],
) -> Result<RunResult, Answer> {
    let space = spaces::find(token)?;
    let (input, output) = (segments(&space, input), segments(&space, output));
    let parameters = Autonomous { options: Options(options), input: &input, output: &output };
    let end = space.program.run(parameters)?;
    if end.answer == Answer::Done { Ok(result(&end)) } else { Err(end.answer) }
}

fn segments(space: &Space, runs: &[Run]) -> Vec<Segment> {
    let segment = |run: &Run| {
        let region: RegionToken = space.region_of(run.region);
        Segment { region, address: run.address.addr() as u64, length_bytes: run.bytes }
    };
    runs.iter().map(segment).collect()
}

fn result(end: &Completion) -> RunResult {
    let whole_us = |span: Span| span.as_ps() / Span::from_us(1).as_ps();
    RunResult {
        consumed_bytes: end.consumed_bytes,
        produced_bytes: end.produced_bytes,
        crc32: end.crc32,
        adler32: end.adler32,
        queue_us: whole_us(end.queue_time),
        execution_us: whole_us(end.execution_time),
    }
}

/// Ends the use of the cards.
///
/// # Errors
/// The token is unknown.
pub fn end(token: RendezvousName) -> Result<(), Answer> {
    spaces::remove(token)?.program.end()
}
