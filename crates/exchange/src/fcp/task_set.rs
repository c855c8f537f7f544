//! The open exchanges of a target, and which of them a task management function aborts (FCP reference sections 1.8, 2.4).

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::fc_header::NO_EXCHANGE;
use halftrack_wire::fcp::{AbortReject, FcpIu, Lun, TaskManagement};

use super::agreement::FcpAgreement;
use super::device::{Nexus, ScsiDevice};
use super::message::FcpMessage;
use super::target::FcpTarget;
use super::target_recovery::UNKNOWN_EXCHANGE;
use crate::outcome::{Cause, ControlUnitOutcome};

/// Largest responder's id: the next is that of an exchange without one.
const MAX_RX_ID: u16 = NO_EXCHANGE - 1;

/// Initiator and originator's id of an exchange.
pub type TaskTag = (u32, u16);

#[derive(Debug, Clone)]
struct Task {
    tag: TaskTag,
    unit: Lun,
    end: FcpTarget,
}

/// All open exchanges of a target.
#[derive(Debug, Clone, Default)]
pub struct TaskSet {
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
    pub fn handle(
        &mut self,
        device: &mut impl ScsiDevice,
        now: Time,
        tag: TaskTag,
        agreement: &FcpAgreement,
        message: FcpMessage,
    ) {
        if let FcpMessage::Iu(FcpIu::Command(command)) = &message {
            for task in self.tasks.iter_mut().filter(|task| task.tag == tag) {
                task.end.cut_off(Cause::Superseded);
            }
            self.collect();
            self.rx_id = if self.rx_id >= MAX_RX_ID { 0 } else { self.rx_id + 1 };
            let end = FcpTarget::new(tag.0, (tag.1, self.rx_id), *agreement, now);
            self.tasks.push(Task { tag, unit: command.logical_unit, end });
        }
        let Some(task) = self.tasks.iter_mut().find(|task| task.tag == tag) else {
            return self.answer_stranger(tag, &message);
        };
        task.end.handle(device, now, message);
        if let Some((nexus, function)) = task.end.managed.take() {
            self.end_managed(nexus, function, tag);
        }
        self.collect();
    }

    /// Returns the next message to send, and to which exchange it belongs.
    pub fn poll_transmit(&mut self) -> Option<(TaskTag, FcpMessage)> {
        let message = self.answers.pop_front().or_else(|| {
            self.tasks.iter_mut().find_map(|task| task.end.poll_transmit().map(|message| (task.tag, message)))
        });
        self.collect();
        message
    }

    /// Returns how an exchange closed, once for each.
    pub fn poll_outcome(&mut self) -> Option<(TaskTag, ControlUnitOutcome)> {
        self.outcomes.pop_front()
    }

    /// Returns the number of exchanges that are open or kept.
    #[must_use]
    pub fn open(&self) -> usize {
        self.tasks.len()
    }

    /// Returns the time at which [`TaskSet::handle_timeout`] wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.tasks.iter().filter_map(|task| task.end.poll_timeout()).min()
    }

    /// Does what time-outs that are due demand.
    pub fn handle_timeout(&mut self, now: Time) {
        self.tasks.iter_mut().for_each(|task| task.end.handle_timeout(now));
        self.collect();
    }

    /// Ends all tasks of an initiator whose login is over (I_T nexus loss).
    pub fn handle_logout(&mut self, initiator: u32) {
        for task in self.tasks.iter_mut().filter(|task| task.tag.0 == initiator) {
            task.end.handle_link_down();
        }
        self.answers.retain(|((to, _), _)| *to != initiator);
        self.collect();
    }

    /// Ends the open tasks that a function concerns, but that of the function itself.
    fn end_managed(&mut self, nexus: Nexus, function: TaskManagement, own: TaskTag) {
        self.end_tasks(Cause::Reset, |task| {
            let is_of_unit = task.unit == nexus.unit;
            let is_concerned = match function {
                TaskManagement::AbortTaskSet => is_of_unit && task.tag.0 == nexus.initiator,
                TaskManagement::ClearTaskSet | TaskManagement::LogicalUnitReset => is_of_unit,
                TaskManagement::TargetReset => true,
                TaskManagement::ClearAca => false,
            };
            is_concerned && task.tag != own
        });
    }

    fn end_tasks(&mut self, cause: Cause, is_ended: impl Fn(&Task) -> bool) {
        for task in self.tasks.iter_mut().filter(|task| is_ended(task)) {
            task.end.abort_task(cause);
        }
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

    /// Takes the outcomes, and forgets what is over and has sent all.
    fn collect(&mut self) {
        for task in &mut self.tasks {
            self.outcomes.extend(task.end.poll_outcome().map(|outcome| (task.tag, outcome)));
        }
        self.tasks.retain(|task| !task.end.is_over() || task.end.has_transmit());
    }
}
