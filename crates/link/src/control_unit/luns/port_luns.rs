//! The logical units as the exchanges of one port have them.

use halftrack_base::Time;
use halftrack_exchange::fcp::{ScsiDevice, ScsiEnding, ScsiProgress, TaskTag};
use halftrack_scsi::{Request, TaskAttribute as ScsiAttribute, TaskId, Transfer};
use halftrack_wire::WorldWideName;
use halftrack_wire::fcp::{
    DataDirection, FcpCommand, FcpTask, Lun, Residual, ResponseCode, ScsiStatus, TaskAttribute,
    TaskManagement,
};

use super::lun_table::LunTable;

/// The logical units behind one port.
#[derive(Debug)]
pub struct PortLuns<'a> {
    table: &'a mut LunTable,
    port: u16,
}

impl<'a> PortLuns<'a> {
    /// Returns the units behind port number `port`.
    pub fn new(table: &'a mut LunTable, port: u16) -> Self {
        Self { table, port }
    }

    /// Notes the name of an initiator that has logged in.
    pub fn admit(&mut self, address: u32, name: WorldWideName) {
        self.table.admit(self.port, address, name);
    }

    /// Drops what is of the nexus of an initiator whose login is over.
    pub fn lose(&mut self, now: Time, address: u32) {
        self.table.lose(now, self.port, address);
    }

    fn task(&self, (address, ox_id): TaskTag) -> Option<TaskId> {
        Some(TaskId { nexus: self.table.nexus(self.port, address)?, tag: ox_id.into() })
    }
}

impl ScsiDevice for PortLuns<'_> {
    fn begin(&mut self, now: Time, task: TaskTag, command: &FcpCommand) -> ScsiProgress {
        let FcpTask::Command { attribute, cdb, .. } = &command.task else { return ScsiProgress::Aborted };
        let (direction, bytes) = command.transfer();
        let Some(task) = self.task(task) else {
            let (status, residual) = (ScsiStatus::BUSY, Residual::of(0, bytes));
            return ScsiProgress::Ended(ScsiEnding { status, residual, ..ScsiEnding::default() });
        };
        let request = Request {
            task,
            lun: command.logical_unit,
            attribute: match attribute {
                TaskAttribute::Simple | TaskAttribute::Aca => ScsiAttribute::Simple,
                TaskAttribute::Ordered => ScsiAttribute::Ordered,
                TaskAttribute::HeadOfQueue => ScsiAttribute::HeadOfQueue,
            },
            cdb: cdb.octets(),
            transfer: match direction {
                DataDirection::None => Transfer::None,
                DataDirection::In => Transfer::In(bytes),
                DataDirection::Out => Transfer::Out(bytes),
            },
        };
        self.table.target.handle_command(now, &request);
        self.table.collect(task)
    }

    fn finish(&mut self, now: Time, task: TaskTag, data: &[u8]) -> ScsiProgress {
        let Some(task) = self.task(task) else { return ScsiProgress::Aborted };
        self.table.target.handle_data_out(now, task, data);
        self.table.collect(task)
    }

    fn abort(&mut self, now: Time, task: TaskTag) {
        if let Some(task) = self.task(task) {
            self.table.target.handle_abort(now, task);
            self.table.distribute();
        }
    }

    fn manage(&mut self, now: Time, initiator: u32, unit: Lun, function: TaskManagement) -> ResponseCode {
        let Some(nexus) = self.table.nexus(self.port, initiator) else { return ResponseCode::Failed };
        let code = self.table.target.handle_task_management(now, nexus, unit, function);
        self.table.distribute();
        code
    }

    fn poll_progress(&mut self) -> Option<(TaskTag, ScsiProgress)> {
        self.table.poll_progress(self.port)
    }

    fn read_again(&mut self, initiator: u32, command: &FcpCommand) -> Option<Vec<u8>> {
        let FcpTask::Command { cdb, .. } = &command.task else { return None };
        let nexus = self.table.nexus(self.port, initiator)?;
        let (_, room) = command.transfer();
        self.table.target.read_again(nexus, command.logical_unit, cdb.octets(), room)
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        self.table.target.lend(buffer);
    }
}
