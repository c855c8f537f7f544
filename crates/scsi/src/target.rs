//! The target: units behind ports, sans-IO. Commands and data-out go in by `handle_*`, and what is to be sent comes out by
//! [`Target::poll_transmit`].

use std::collections::VecDeque;

use halftrack_base::Time;

use crate::access_state::AccessState;
use crate::logical_blocks::LogicalBlocks;
use crate::logical_unit::{Begun, Context, LogicalUnit};
use crate::masking::Masking;
use crate::nexus::{Nexus, TaskId};
use crate::operation::Operation;
use crate::request::{Request, Transfer};
use crate::response::{Refusal, Response};
use crate::sense::{Sense, SenseCode};
use crate::target_port::TargetPort;
use crate::target_port_groups::TargetPortGroups;
use crate::task_set::{Task, TaskState};
use crate::unseen_unit;
use halftrack_wire::fcp::{Lun, Residual, ResponseCode, ScsiStatus, TaskManagement};

/// Output of the target, in the order in which it is to be carried out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Transmit {
    /// Data-out is to be fetched, and given whole to [`Target::handle_data_out`].
    DataOut {
        /// The task.
        task: TaskId,
        /// Bytes, from the begin of the transfer.
        bytes: u32,
    },
    /// The task is over.
    Response {
        /// The task.
        task: TaskId,
        /// Its end.
        response: Response,
    },
    /// The task is over without a response.
    Aborted {
        /// The task.
        task: TaskId,
    },
}

/// The target.
#[derive(Debug)]
pub struct Target<B> {
    ports: TargetPortGroups,
    units: Vec<LogicalUnit<B>>,
    masking: Masking,
    outbox: VecDeque<Transmit>,
    /// Buffer for the data of the next read.
    spare: Vec<u8>,
}

impl<B: LogicalBlocks> Target<B> {
    /// Creates a target whose units are numbered in this order for `masking`.
    pub fn new(ports: Vec<TargetPort>, units: Vec<LogicalUnit<B>>, masking: Masking) -> Self {
        Self {
            ports: TargetPortGroups::new(ports),
            units,
            masking,
            outbox: VecDeque::new(),
            spare: Vec::new(),
        }
    }

    /// Returns the units.
    pub fn units(&self) -> &[LogicalUnit<B>] {
        &self.units
    }

    /// Returns the units, for what is no command.
    pub fn units_mut(&mut self) -> &mut [LogicalUnit<B>] {
        &mut self.units
    }

    /// Gives the units up.
    pub fn into_units(self) -> Vec<LogicalUnit<B>> {
        self.units
    }

    /// Replaces the masking. Initiators whose units change find a unit attention, and lose the tasks in those that are gone.
    pub fn set_masking(&mut self, now: Time, masking: Masking) {
        let before = std::mem::replace(&mut self.masking, masking);
        for at in 0..self.units.len() {
            let unit = &self.units[at];
            let mut nexuses = unit.tasks.nexuses();
            nexuses.extend(unit.attentions.nexuses());
            for nexus in nexuses {
                if before.units(nexus).eq(self.masking.units(nexus)) {
                    continue;
                }
                if !self.masking.units(nexus).any(|(_, unit)| unit == at) {
                    self.abort_tasks(now, at, nexus, |of| of == nexus);
                }
                self.units[at].attentions.establish(nexus, SenseCode::REPORTED_LUNS_CHANGED);
            }
        }
    }

    /// Changes the state of a target port group, without a command. Every initiator finds a unit attention.
    pub fn set_access_state(&mut self, group: u16, state: AccessState) {
        if self.ports.set_implicitly(group, state) {
            for unit in &mut self.units {
                unit.attentions.establish_for_others(None, SenseCode::ACCESS_STATE_CHANGED);
            }
        }
    }

    /// Gives a buffer for the data of the next read, if one is missing.
    pub fn lend(&mut self, buffer: &mut Vec<u8>) {
        if buffer.capacity() > self.spare.capacity() {
            std::mem::swap(buffer, &mut self.spare);
        }
    }

    /// Returns the data of a READ once more, as they are now; nothing for another command, or where it would fail.
    pub fn read_again(&mut self, nexus: Nexus, lun: Lun, cdb: &[u8], room: u32) -> Option<Vec<u8>> {
        let at = self.unit_of(nexus, lun)?;
        self.units[at].read_again(cdb, room)
    }

    /// Takes the next output.
    pub fn poll_transmit(&mut self) -> Option<Transmit> {
        self.outbox.pop_front()
    }

    /// Takes a command in. A tag in use means that the initiator has given up the task that has it.
    pub fn handle_command(&mut self, now: Time, request: &Request<'_>) {
        self.handle_abort(now, request.task);
        let nexus = request.task.nexus;
        let Some(at) = self.unit_of(nexus, request.lun) else {
            let result = unseen_unit::execute(request, &self.masking);
            self.respond(request.task, request.transfer, 0, false, result);
            return;
        };
        let unit = &mut self.units[at];
        unit.attentions.admit(nexus);
        match unit.tasks.insert(Task::new(now, request)) {
            Ok(()) => self.begin_enabled(now, at),
            Err(status) => {
                let residual = Residual::of(0, request.transfer.bytes());
                let response = Response { status, sense: Vec::new(), data_in: Vec::new(), residual };
                self.outbox.push_back(Transmit::Response { task: request.task, response });
            }
        }
    }

    /// Takes in the data-out of a task, whole. Data of a task that is gone is dropped.
    pub fn handle_data_out(&mut self, now: Time, id: TaskId, data_out: &[u8]) {
        let Some(at) = self.units.iter().position(|unit| unit.tasks.task(id).is_some()) else { return };
        let unit = &mut self.units[at];
        let Some(&Task { state: TaskState::DataOut(command, bytes), transfer, since, .. }) =
            unit.tasks.task(id)
        else {
            return;
        };
        unit.tasks.remove(id);
        let called_for = command.data_out_bytes(unit.blocks().block_bytes());
        let result = if data_out.len() == bytes as usize {
            let (ports, masking) = (&self.ports, &self.masking);
            let elapsed = now.saturating_since(since);
            unit.finish(&command, Context { nexus: id.nexus, ports, masking, transfer, elapsed }, data_out)
        } else {
            Err(SenseCode::DATA_PHASE_ERROR.into())
        };
        let result = result.map(|()| Begun::DataOut(command, called_for));
        let descriptor = unit.modes().descriptor_sense;
        self.carry_consequences(now, at, id.nexus);
        self.respond(id, transfer, bytes.min(data_out.len() as u32), descriptor, result);
        self.begin_enabled(now, at);
    }

    /// Ends a task without a response (ABORT TASK); returns whether there was one. Its data-out is dropped.
    pub fn handle_abort(&mut self, now: Time, id: TaskId) -> bool {
        let Some(at) = self.units.iter_mut().position(|unit| unit.tasks.remove(id).is_some()) else {
            return false;
        };
        self.begin_enabled(now, at);
        true
    }

    /// Carries out a function of task management. Tasks that end are in the output.
    pub fn handle_task_management(
        &mut self,
        now: Time,
        nexus: Nexus,
        lun: Lun,
        function: TaskManagement,
    ) -> ResponseCode {
        let unit = self.unit_of(nexus, lun);
        match (function, unit) {
            (TaskManagement::ClearAca, _) => return ResponseCode::Rejected,
            (TaskManagement::TargetReset, _) => {
                let seen: Vec<usize> = self.masking.units(nexus).map(|(_, unit)| unit).collect();
                for at in seen {
                    self.reset_unit(now, at, nexus);
                }
            }
            (_, None) => return ResponseCode::WrongLogicalUnit,
            (TaskManagement::LogicalUnitReset, Some(at)) => self.reset_unit(now, at, nexus),
            (TaskManagement::AbortTaskSet, Some(at)) => self.abort_tasks(now, at, nexus, |of| of == nexus),
            (TaskManagement::ClearTaskSet, Some(at)) => {
                let unit = &mut self.units[at];
                let lost = unit.tasks.nexuses();
                for other in lost.into_iter().filter(|other| *other != nexus) {
                    unit.attentions.establish(other, SenseCode::COMMANDS_CLEARED);
                }
                self.abort_tasks(now, at, nexus, |_| true);
            }
        }
        ResponseCode::Complete
    }

    /// Drops the tasks of a nexus that is gone; when it is back it finds a unit attention in every unit.
    pub fn handle_nexus_loss(&mut self, now: Time, nexus: Nexus) {
        for at in 0..self.units.len() {
            self.abort_tasks(now, at, nexus, |of| of == nexus);
            self.units[at].lose_nexus(nexus);
        }
    }

    fn unit_of(&self, nexus: Nexus, lun: Lun) -> Option<usize> {
        self.masking.unit(nexus, lun).filter(|unit| *unit < self.units.len())
    }

    fn reset_unit(&mut self, now: Time, at: usize, nexus: Nexus) {
        if at < self.units.len() {
            self.abort_tasks(now, at, nexus, |_| true);
            self.units[at].reset();
        }
    }

    /// Ends tasks of a unit in the name of `by`: those of others with TASK ABORTED if the control mode page has TAS on.
    fn abort_tasks(&mut self, now: Time, at: usize, by: Nexus, is_of: impl Fn(Nexus) -> bool) {
        let unit = &mut self.units[at];
        let has_status = unit.modes().task_aborted_status;
        for Task { id: task, transfer, .. } in unit.tasks.remove_of(is_of) {
            self.outbox.push_back(if has_status && task.nexus != by {
                let residual = Residual::of(0, transfer.bytes());
                let status = ScsiStatus::TASK_ABORTED;
                let response = Response { status, sense: Vec::new(), data_in: Vec::new(), residual };
                Transmit::Response { task, response }
            } else {
                Transmit::Aborted { task }
            });
        }
        self.begin_enabled(now, at);
    }

    /// Carries out what the last command of a unit means for others: before its response.
    fn carry_consequences(&mut self, now: Time, at: usize, by: Nexus) {
        let consequences = std::mem::take(&mut self.units[at].consequences);
        if !consequences.aborted.is_empty() {
            self.abort_tasks(now, at, by, |of| consequences.aborted.contains(&of));
        }
        let requested = std::mem::take(&mut self.units[at].requested_states);
        if self.ports.set_explicitly(&requested) {
            for unit in &mut self.units {
                unit.attentions.establish_for_others(Some(by), SenseCode::ACCESS_STATE_CHANGED);
            }
        }
    }

    /// Begins the tasks of a unit that no older task holds back.
    fn begin_enabled(&mut self, now: Time, at: usize) {
        loop {
            let unit = &mut self.units[at];
            let Some(task) = unit.tasks.next_enabled() else { return };
            let task = task.clone();
            let (id, transfer, cdb) = (task.id, task.transfer, task.cdb());
            let elapsed = now.saturating_since(task.since);
            let context =
                Context { nexus: id.nexus, ports: &self.ports, masking: &self.masking, transfer, elapsed };
            let mut result = unit.begin(cdb, context, &mut self.spare);
            if let Ok(Begun::DataOut(command, called_for)) = result {
                let bytes = called_for.min(transfer.promised().into()) as u32;
                if bytes > 0 {
                    unit.tasks.set_state(id, TaskState::DataOut(command, bytes));
                    self.outbox.push_back(Transmit::DataOut { task: id, bytes });
                    continue;
                }
                result = unit.finish(&command, context, &[]).map(|()| Begun::DataOut(command, called_for));
            }
            unit.tasks.remove(id);
            let descriptor = unit.modes().descriptor_sense;
            if result.is_ok() && Operation::is_report_luns(cdb) {
                for unit in &mut self.units {
                    unit.attentions.clear(id.nexus, SenseCode::REPORTED_LUNS_CHANGED);
                }
            }
            self.respond(id, transfer, 0, descriptor, result);
        }
    }

    /// Sends the end of a command for which so many bytes of data-out have come.
    fn respond(
        &mut self,
        task: TaskId,
        transfer: Transfer,
        received: u32,
        descriptor: bool,
        result: Result<Begun, Refusal>,
    ) {
        let refused = Residual::of(received.into(), transfer.bytes());
        let no_sense =
            |status, residual| Response { status, sense: Vec::new(), data_in: Vec::new(), residual };
        let response = match result {
            Ok(Begun::DataIn(_, 0)) => no_sense(ScsiStatus::GOOD, Residual::of(0, transfer.bytes())),
            Ok(Begun::DataIn(mut data_in, called_for)) => {
                data_in.truncate(transfer.room() as usize);
                let residual = Residual::of(called_for, transfer.room());
                Response { data_in, ..no_sense(ScsiStatus::GOOD, residual) }
            }
            Ok(Begun::DataOut(_, called_for)) => {
                no_sense(ScsiStatus::GOOD, Residual::of(called_for, transfer.promised()))
            }
            Err(Refusal::Conflict) => no_sense(ScsiStatus::RESERVATION_CONFLICT, refused),
            Err(Refusal::Check(sense)) => {
                let sense: Sense = sense;
                Response {
                    sense: sense.to_bytes(descriptor),
                    ..no_sense(ScsiStatus::CHECK_CONDITION, refused)
                }
            }
        };
        self.outbox.push_back(Transmit::Response { task, response });
    }
}
