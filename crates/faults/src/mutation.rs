//! Bugs of recovery put back, one at a time, where parts of the product meet: the swarm has to find each of them.

use halftrack_base::Time;
use halftrack_exchange::{ChannelOutcome, ExchangeEnd, Program};
use halftrack_link::driver::{ChannelPaths, Connector, PathSet};
use halftrack_wire::StartNumber;

/// A bug.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mutation {
    /// A control unit admits every start, late ones too.
    NoFence,
    /// A start whose exchange was lost is driven again over its only path at once, without waiting R_A_TOV.
    ImmediateRedrive,
    /// An interface-control check counts as a normal end.
    CheckTakenAsEnd,
    /// The journal of a volume is dropped when it is opened again.
    JournalDiscarded,
    /// A path that stalls is never given up.
    StallIgnored,
    /// A program that the missing-interrupt handler gives up is not withdrawn.
    NotWithdrawn,
    /// A subchannel is not given back when its start is given up.
    SubchannelKept,
}

impl Mutation {
    /// All bugs.
    pub const ALL: [Self; 7] = [
        Self::NoFence,
        Self::ImmediateRedrive,
        Self::CheckTakenAsEnd,
        Self::JournalDiscarded,
        Self::StallIgnored,
        Self::NotWithdrawn,
        Self::SubchannelKept,
    ];

    /// Changes the end of an exchange before the I/O driver has it.
    pub fn mutate_end(self, end: &mut ExchangeEnd) {
        match self {
            Self::ImmediateRedrive => end.is_settled = true,
            Self::CheckTakenAsEnd if matches!(end.outcome, ChannelOutcome::InterfaceControlCheck(_)) => {
                end.outcome = ChannelOutcome::Ended {
                    device_status: 0x0C,
                    residual: 0,
                    incorrect_length: false,
                    sense: None,
                    last_command: 0,
                };
            }
            _ => {}
        }
    }
}

/// Channel paths with a bug.
pub struct MutatedPaths<'a, C: Connector> {
    /// The paths.
    pub paths: &'a mut PathSet<C>,
    /// The bug.
    pub mutation: Option<Mutation>,
}

impl<C: Connector> ChannelPaths for MutatedPaths<'_, C> {
    fn start(&mut self, now: Time, path: u8, unit: u8, program: &Program, tag: u32) -> Option<StartNumber> {
        self.paths.start(now, path, unit, program, tag)
    }

    fn cancel(&mut self, now: Time, path: u8, tag: u32) {
        if self.mutation != Some(Mutation::NotWithdrawn) {
            self.paths.cancel(now, path, tag);
        }
    }

    fn give_up(&mut self, unit: u8, number: StartNumber) {
        if self.mutation != Some(Mutation::SubchannelKept) {
            self.paths.give_up(unit, number);
        }
    }
}
