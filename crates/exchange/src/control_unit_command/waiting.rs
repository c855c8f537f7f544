//! Commands that wait for something outside of their chain.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::{CommandMode, IuData};

use super::arrived::Arrived;
use super::{ControlUnitCommand, State};
use crate::device::Device;

/// A command that waits, and what the channel sent behind it, which its pacing window bounds.
#[derive(Debug)]
pub struct WaitingCommand {
    command: Arrived,
    behind: VecDeque<(CommandMode, IuData)>,
}

impl<D: Device> ControlUnitCommand<D> {
    /// Waits for the device, which only the channel's missing-interrupt handler bounds.
    pub(super) fn wait(&mut self, command: Arrived) {
        self.waiting = Some(Box::new(WaitingCommand { command, behind: VecDeque::new() }));
        self.state = State::Waiting;
        self.core.deadline.stop();
    }

    /// Keeps an IU of the chain that came behind the command that waits.
    pub(super) fn keep_behind(&mut self, data: IuData, fields: &CommandMode) {
        if let Some(waiting) = &mut self.waiting {
            waiting.behind.push_back((*fields, data));
        }
    }

    /// Goes on when the device has ended the command that waited.
    pub(crate) fn poll_waiting(&mut self, now: Time) {
        if self.state != State::Waiting {
            return;
        }
        let Some(ending) = self.core.device.poll_ending() else { return };
        let Some(mut waiting) = self.waiting.take() else { return };
        self.state = State::Executing;
        self.core.deadline.restart(now);
        self.end_command(waiting.command, ending);
        while let Some((fields, data)) = waiting.behind.pop_front() {
            match self.state {
                State::Executing => self.take(now, data, &fields),
                State::Waiting => self.keep_behind(data, &fields),
                // The status is out: commands behind it are discarded.
                _ => return,
            }
        }
    }
}
