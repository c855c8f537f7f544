//! For tests: the open exchanges of a target, without frames.

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::fcp::{AbortReject, FcpIu};

use super::agreement::FcpAgreement;
use super::device::{ScsiDevice, TaskTag};
use super::message::FcpMessage;
use super::target::FcpTarget;
use super::target_recovery::UNKNOWN_EXCHANGE;
use crate::outcome::{Cause, ControlUnitOutcome};

#[derive(Debug, Clone)]
struct Task {
    tag: TaskTag,
    end: FcpTarget,
}

/// All open exchanges of a target.
#[derive(Debug, Clone, Default)]
pub(super) struct TaskSet {
    tasks: Vec<Task>,
    /// Answers about exchanges that are not here.
    answers: VecDeque<(TaskTag, FcpMessage)>,
    outcomes: VecDeque<(TaskTag, ControlUnitOutcome)>,
    /// Responder's id of the exchange opened last.
    rx_id: u16,
}

impl TaskSet {
    /// Takes a message of the exchange with this tag. A command begins a new one: an older exchange of the same tag is
    /// over without a response.
    pub(super) fn handle(
        &mut self,
        device: &mut impl ScsiDevice,
        now: Time,
        tag: TaskTag,
        agreement: &FcpAgreement,
        message: FcpMessage,
    ) {
        if let FcpMessage::Iu(FcpIu::Command(_)) = &message {
            for task in self.tasks.iter_mut().filter(|task| task.tag == tag) {
                task.end.cut_off(device, now, Cause::Superseded);
            }
            self.collect();
            self.rx_id += 1;
            let end = FcpTarget::new(tag.0, (tag.1, self.rx_id), *agreement, now);
            self.tasks.push(Task { tag, end });
        }
        let Some(task) = self.tasks.iter_mut().find(|task| task.tag == tag) else {
            return self.answer_stranger(tag, &message);
        };
        task.end.handle(device, now, message);
        while let Some((tag, progress)) = device.poll_progress() {
            if let Some(task) = self.tasks.iter_mut().find(|task| task.tag == tag) {
                task.end.resume(now, progress);
            }
        }
        self.collect();
    }

    /// Returns the next message to send, and to which exchange it belongs.
    pub(super) fn poll_transmit(&mut self) -> Option<(TaskTag, FcpMessage)> {
        let message = self.answers.pop_front().or_else(|| {
            self.tasks.iter_mut().find_map(|task| task.end.poll_transmit().map(|message| (task.tag, message)))
        });
        self.collect();
        message
    }

    /// Returns how an exchange closed, once for each.
    pub(super) fn poll_outcome(&mut self) -> Option<(TaskTag, ControlUnitOutcome)> {
        self.outcomes.pop_front()
    }

    /// Returns the number of exchanges that are open or kept.
    pub(super) fn open(&self) -> usize {
        self.tasks.len()
    }

    /// Returns the time at which [`TaskSet::handle_timeout`] wants to be called.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        self.tasks.iter().filter_map(|task| task.end.poll_timeout()).min()
    }

    /// Does what time-outs that are due demand.
    pub(super) fn handle_timeout(&mut self, device: &mut impl ScsiDevice, now: Time) {
        self.tasks.iter_mut().for_each(|task| task.end.handle_timeout(device, now));
        self.collect();
    }

    /// Ends all tasks of an initiator whose login is over (I_T nexus loss).
    pub(super) fn handle_logout(&mut self, device: &mut impl ScsiDevice, now: Time, initiator: u32) {
        for task in self.tasks.iter_mut().filter(|task| task.tag.0 == initiator) {
            task.end.handle_link_down(device, now);
        }
        self.answers.retain(|((to, _), _)| *to != initiator);
        self.collect();
    }

    /// Answers a message about an exchange that is not here; data and confirmations come late and count no more.
    fn answer_stranger(&mut self, tag: TaskTag, message: &FcpMessage) {
        let answer = match message {
            FcpMessage::Iu(FcpIu::Abort) => FcpMessage::Iu(FcpIu::AbortReject(AbortReject::NO_SUCH_EXCHANGE)),
            FcpMessage::StateRequest => FcpMessage::State(Err(UNKNOWN_EXCHANGE)),
            FcpMessage::Retransmission { .. } => FcpMessage::RetransmissionAnswer(Err(UNKNOWN_EXCHANGE)),
            FcpMessage::Iu(_) | FcpMessage::State(_) | FcpMessage::RetransmissionAnswer(_) => return,
        };
        self.answers.push_back((tag, answer));
    }

    /// Takes the outcomes of exchanges that closed, and forgets those that are over.
    fn collect(&mut self) {
        for task in &mut self.tasks {
            if let Some(outcome) = task.end.poll_outcome() {
                self.outcomes.push_back((task.tag, outcome));
            }
        }
        self.tasks.retain(|task| !task.end.is_over() || task.end.has_transmit());
    }
}
