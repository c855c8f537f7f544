//! PDUs of the full feature phase.

use halftrack_scsi::{LogicalBlocks, Request, ResponseCode, TaskAttribute, TaskId, TaskManagement, Transfer};

use super::TARGET_NAME;
use super::connection::{OpenTask, Refused};
use super::engine::Engine;
use super::gathering::Gathered;
use super::negotiation;
use super::pdu::{FINAL, NO_TAG, Pdu, answer, request};

const READ: u8 = 0x40;
const WRITE: u8 = 0x20;
const CONTINUE: u8 = 0x40;
const ATTRIBUTE: u8 = 0x07;
/// CHECK CONDITION with ABORTED COMMAND, PROTOCOL SERVICE CRC ERROR (RFC 7143, 11.4.7.2).
const LOST_DATA: [u8; 20] = [0, 18, 0x70, 0, 0x0B, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x47, 0x05, 0, 0, 0, 0];

/// Response to a function of task management (RFC 7143, 11.6.1).
#[derive(Debug, Clone, Copy)]
enum Managed {
    Complete = 0,
    NoTask = 1,
    NoUnit = 2,
    NoReassignment = 4,
    NotSupported = 5,
    Rejected = 255,
}

impl<B: LogicalBlocks> Engine<B> {
    /// Carries out a PDU.
    ///
    /// # Errors
    /// It is not valid; nothing is done.
    pub fn perform(&mut self, at: u64, pdu: Pdu) -> Result<(), Refused> {
        let is_discovery = self.connections.get(&at).is_none_or(|one| one.settings.is_discovery);
        match pdu.opcode() {
            request::NOP_OUT => self.echo(at, pdu),
            request::TEXT => self.text(at, &pdu)?,
            request::LOGOUT => self.log_out(at, &pdu),
            _ if is_discovery => return Err(Refused::NotSupported),
            request::COMMAND => self.command(at, pdu)?,
            request::TASK_MANAGEMENT => self.manage(at, &pdu),
            request::DATA_OUT => self.data_out(at, &pdu)?,
            request::LOGIN => return Err(Refused::ProtocolError),
            _ => return Err(Refused::NotSupported),
        }
        Ok(())
    }

    fn echo(&mut self, at: u64, pdu: Pdu) {
        if pdu.tag() == NO_TAG {
            return;
        }
        if let Some(connection) = self.connections.get_mut(&at) {
            let mut answer = Pdu::new(answer::NOP_IN, FINAL, pdu.tag()).with_word(20, NO_TAG);
            answer.header[8..16].copy_from_slice(&pdu.lun().0);
            answer.data = pdu.data;
            answer.data.truncate(connection.settings.receive_bytes);
            connection.send(answer);
        }
    }

    fn text(&mut self, at: u64, pdu: &Pdu) -> Result<(), Refused> {
        if pdu.flags() & CONTINUE != 0 || pdu.word(20) != NO_TAG {
            return Err(Refused::InvalidField);
        }
        let mut data = Vec::new();
        for (key, value) in negotiation::pairs(&pdu.data) {
            if key != "SendTargets" {
                data.extend(negotiation::text([(key.as_str(), "NotUnderstood")]));
            } else if matches!(value.as_str(), "All" | "" | TARGET_NAME) {
                data.extend(negotiation::text([("TargetName", TARGET_NAME)]));
                for (portal, group) in self.portals.iter().zip(1..) {
                    let address = format!("{portal},{group}");
                    data.extend(negotiation::text([("TargetAddress", address.as_str())]));
                }
            }
        }
        if let Some(connection) = self.connections.get_mut(&at) {
            let mut answer = Pdu::new(answer::TEXT, FINAL, pdu.tag()).with_word(20, NO_TAG);
            answer.data = data;
            connection.send(answer);
        }
        Ok(())
    }

    fn log_out(&mut self, at: u64, pdu: &Pdu) {
        if let Some(connection) = self.connections.get_mut(&at) {
            connection.send(Pdu::new(answer::LOGOUT, FINAL, pdu.tag()));
            connection.close();
        }
    }

    fn command(&mut self, at: u64, pdu: Pdu) -> Result<(), Refused> {
        let now = self.now();
        let Some(connection) = self.connections.get_mut(&at) else { return Ok(()) };
        let (tag, lun, bytes, flags) = (pdu.tag(), pdu.lun(), pdu.word(20), pdu.flags());
        let transfer = match (flags & READ != 0, flags & WRITE != 0) {
            (true, true) => return Err(Refused::InvalidField),
            (true, false) => Transfer::In(bytes),
            (false, true) => Transfer::Out(bytes),
            (false, false) => Transfer::None,
        };
        let attribute = match flags & ATTRIBUTE {
            0 | 1 => TaskAttribute::Simple,
            2 => TaskAttribute::Ordered,
            3 => TaskAttribute::HeadOfQueue,
            _ => return Err(Refused::InvalidField),
        };
        // InitialR2T is on: no data follows without an R2T.
        let is_data_valid = matches!(transfer, Transfer::Out(_)) && pdu.data.len() <= bytes as usize;
        if flags & FINAL == 0 || tag == NO_TAG || !(pdu.data.is_empty() || is_data_valid) {
            return Err(Refused::InvalidField);
        }
        if connection.tasks.contains_key(&tag) {
            return Err(Refused::TaskInProgress);
        }
        let Some(task) = connection.task_id(tag) else { return Err(Refused::ProtocolError) };
        let cdb = pdu.cdb();
        let open = OpenTask { lun, immediate: pdu.data, gathering: None, numbered: 0 };
        connection.tasks.insert(tag, open);
        self.target.handle_command(now, &Request { task, lun, attribute, cdb: &cdb, transfer });
        Ok(())
    }

    fn data_out(&mut self, at: u64, pdu: &Pdu) -> Result<(), Refused> {
        let Some(connection) = self.connections.get_mut(&at) else { return Ok(()) };
        let tag = pdu.tag();
        // Data of a task that has ended meanwhile is dropped.
        let Some(open) = connection.tasks.get_mut(&tag) else { return Ok(()) };
        let gathering = open.gathering.as_mut().ok_or(Refused::ProtocolError)?;
        match gathering.take(pdu)? {
            Gathered::More => {}
            Gathered::SequenceOver | Gathered::Whole => {
                if let Some(gathering) = open.gathering.take() {
                    self.go_on(at, tag, gathering);
                }
            }
            Gathered::OutOfOrder => self.end_without_data(at, tag),
        }
        Ok(())
    }

    /// Ends a task of whose data-out a part is lost; nothing of it has been written.
    fn end_without_data(&mut self, at: u64, tag: u32) {
        let now = self.now();
        let Some(connection) = self.connections.get_mut(&at) else { return };
        let (Some(open), Some(task)) = (connection.tasks.remove(&tag), connection.task_id(tag)) else {
            return;
        };
        self.target.handle_abort(now, task);
        let mut answer = Pdu::new(answer::RESPONSE, FINAL, tag).with_word(36, open.numbered);
        answer.header[3] = halftrack_scsi::ScsiStatus::CHECK_CONDITION.0;
        answer.data = LOST_DATA.to_vec();
        connection.send(answer);
    }

    fn manage(&mut self, at: u64, pdu: &Pdu) {
        let result = match pdu.flags() & !FINAL {
            1 => self.abort(at, pdu.word(20)),
            2 => self.manage_unit(at, pdu, TaskManagement::AbortTaskSet),
            3 => self.manage_unit(at, pdu, TaskManagement::ClearAca),
            4 => self.manage_unit(at, pdu, TaskManagement::ClearTaskSet),
            5 => self.manage_unit(at, pdu, TaskManagement::LogicalUnitReset),
            6 | 7 => self.manage_unit(at, pdu, TaskManagement::TargetReset),
            8 => Managed::NoReassignment,
            _ => Managed::Rejected,
        };
        // Tasks that end in others' name have their responses before this one.
        self.pump();
        if let Some(connection) = self.connections.get_mut(&at) {
            let mut answer = Pdu::new(answer::TASK_MANAGEMENT, FINAL, pdu.tag());
            answer.header[2] = result as u8;
            connection.send(answer);
        }
    }

    fn abort(&mut self, at: u64, tag: u32) -> Managed {
        let now = self.now();
        let Some(connection) = self.connections.get_mut(&at) else { return Managed::NoTask };
        let (Some(_), Some(task)) = (connection.tasks.remove(&tag), connection.task_id(tag)) else {
            return Managed::NoTask;
        };
        let task: TaskId = task;
        if self.target.handle_abort(now, task) { Managed::Complete } else { Managed::NoTask }
    }

    fn manage_unit(&mut self, at: u64, pdu: &Pdu, function: TaskManagement) -> Managed {
        let now = self.now();
        let Some(nexus) = self.connections.get(&at).and_then(|one| one.nexus) else {
            return Managed::Rejected;
        };
        match self.target.handle_task_management(now, nexus, pdu.lun(), function) {
            ResponseCode::Complete => Managed::Complete,
            ResponseCode::WrongLogicalUnit => Managed::NoUnit,
            ResponseCode::Rejected => Managed::NotSupported,
            _ => Managed::Rejected,
        }
    }
}
