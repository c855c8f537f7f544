//! A program of this system at an adapter that is here.

use std::collections::VecDeque;

use halftrack_base::SharedOctets;
use halftrack_control_unit::ctc::{Block, Command, Data, Ending, Pair, Started};
use halftrack_program::DeviceStatus;

use super::adapters::NEAR;
use super::program::{CtcCommand, CtcEnd, CtcProgram};

/// A program in progress.
#[derive(Debug)]
pub(super) struct OwnProgram {
    rest: VecDeque<CtcCommand>,
    moved_bytes: u32,
    data: Vec<SharedOctets>,
}

/// Progress of a program that waited.
#[derive(Debug)]
pub(super) enum OwnProgress {
    /// It waits.
    Nothing,
    /// It has gone on, and waits again.
    GoesOn,
    /// It has ended.
    End(CtcEnd),
}

impl OwnProgram {
    /// Returns a program of which nothing has begun.
    pub fn new(program: CtcProgram) -> Self {
        Self { rest: program.0.into(), moved_bytes: 0, data: Vec::new() }
    }

    /// Goes on as far as the other side lets it; returns the end, once.
    pub fn begin(&mut self, pair: &mut Pair) -> Option<CtcEnd> {
        while let Some(command) = self.rest.pop_front() {
            let CtcCommand { code, count_bytes, data } = command;
            let block = if data.is_empty() { Block::NONE } else { Block::Bytes(data) };
            let Started::Ended(ending) = pair.start(NEAR, Command { code, count_bytes, block }) else {
                return None;
            };
            if let Some(end) = self.take(ending) {
                pair.end_chain(NEAR);
                return Some(end);
            }
        }
        None
    }

    /// Goes on when the command that waited has ended.
    pub fn poll(&mut self, pair: &mut Pair) -> OwnProgress {
        let Some(ending) = pair.poll_ending(NEAR) else { return OwnProgress::Nothing };
        if let Some(end) = self.take(ending) {
            pair.end_chain(NEAR);
            return OwnProgress::End(end);
        }
        self.begin(pair).map_or(OwnProgress::GoesOn, OwnProgress::End)
    }

    /// Takes the ending of a command; returns the end of the program, if it is one.
    fn take(&mut self, ending: Ending) -> Option<CtcEnd> {
        let Ending { device, data } = ending;
        self.moved_bytes += device.moved_bytes;
        match data {
            Data::Read(Block::Bytes(octets)) => self.data.push(octets),
            Data::None | Data::Unsent(_) | Data::Read(Block::Count(_)) => {}
            answer => self.data.push(answer.answer()[..device.moved_bytes as usize].to_vec().into()),
        }
        if device.status == DeviceStatus::NORMAL_END && !self.rest.is_empty() {
            return None;
        }
        let Self { moved_bytes, ref mut data, .. } = *self;
        Some(CtcEnd { status: device.status, moved_bytes, data: std::mem::take(data), sense: device.sense })
    }
}
