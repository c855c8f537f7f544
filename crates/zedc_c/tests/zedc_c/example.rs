//! The example in Rust of the page on the services of a card.

use std::error::Error;
use std::path::Path;

use halftrack_zedc::{Answer, Autonomous, Options, deflate_bound_bytes};
use halftrack_zedc_rings::{Place, Program, ProgramOptions};

/// Deflates data of at most 1 MiB by a card of the machine that has this directory.
pub fn deflate(directory: &Path, data: &[u8]) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut program = Program::open(Place::new(directory), ProgramOptions::default())?;
    let room_bytes = deflate_bound_bytes(data.len());
    let (source, target) = (program.allocate(data.len())?, program.allocate(room_bytes)?);
    program.store(source, 0, data)?;
    let input = &[program.segment(source, 0, data.len())?];
    let output = &[program.segment(target, 0, room_bytes)?];
    let id = program.start(Autonomous { options: Options::default(), input, output })?;
    let end = program.wait(id).ok_or(Answer::DeviceLost)?;
    if end.answer != Answer::Done {
        return Err(end.answer.into());
    }
    let mut stream = vec![0; end.produced_bytes as usize];
    program.load(target, 0, &mut stream)?;
    program.end();
    Ok(stream)
}
