//! For tests: a disk of short blocks behind a target, and both ends until they are quiet.

use halftrack_base::{Span, Time};
use halftrack_wire::FcHeader;
use halftrack_wire::fcp::{
    Cdb, FcpCommand, FcpIu, FcpResponse, FcpTask, Lun, Residual, ResponseCode, ScsiStatus, TaskManagement,
};
use halftrack_wire::heading::FromSide;

use super::task_set::TaskSet;
use super::*;
use crate::outcome::ControlUnitOutcome;

/// Octets of a block.
pub(super) const BLOCK: usize = 4;
pub(super) const BLOCKS: usize = 8;
pub(super) const UNIT: Lun = Lun([0, 1, 0, 0, 0, 0, 0, 0]);
pub(super) const INITIATOR: u32 = 0x01_0100;
pub(super) const TAG: (u32, u16) = (INITIATOR, 7);
/// Sense of a command that the disk does not have.
pub(super) const SENSE: [u8; 18] = [0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0];

/// A disk with TEST UNIT READY, READ(10) and WRITE(10).
#[derive(Debug, Clone)]
pub(super) struct Disk {
    pub(super) blocks: [u8; BLOCK * BLOCKS],
    pub(super) executed: u32,
    pub(super) managed: Vec<(u32, TaskManagement)>,
    /// Extents of writes whose data have not come, and the octets that the initiator stated.
    writes: Vec<(std::ops::Range<usize>, u32)>,
    ended_by_function: Vec<TaskTag>,
}

impl Default for Disk {
    fn default() -> Self {
        Self {
            blocks: std::array::from_fn(|at| at as u8),
            executed: 0,
            managed: Vec::new(),
            writes: Vec::new(),
            ended_by_function: Vec::new(),
        }
    }
}

fn extent(cdb: &Cdb) -> std::ops::Range<usize> {
    let octets = cdb.octets();
    let (from, count) = (usize::from(octets[5]), usize::from(octets[8]));
    from * BLOCK..(from + count) * BLOCK
}

fn check(stated_bytes: u32) -> ScsiProgress {
    ScsiProgress::Ended(ScsiEnding {
        status: ScsiStatus::CHECK_CONDITION,
        sense: SENSE.to_vec(),
        residual: Residual::of(0, stated_bytes),
        wants_confirmation: true,
        ..ScsiEnding::default()
    })
}

fn good(data: &[u8], called_bytes: usize, stated_bytes: u32) -> ScsiProgress {
    let residual = Residual::of(called_bytes as u64, stated_bytes);
    let data = data[..data.len().min(stated_bytes as usize)].to_vec();
    ScsiProgress::Ended(ScsiEnding { data, residual, ..ScsiEnding::default() })
}

impl Disk {
    /// Returns a disk that ends these tasks at the next function.
    pub(super) fn ending(tasks: &[TaskTag]) -> Self {
        Self { ended_by_function: tasks.to_vec(), ..Self::default() }
    }

    fn write(&mut self, data: &[u8]) -> ScsiProgress {
        let Some((extent, stated_bytes)) = self.writes.pop() else { return check(0) };
        self.executed += 1;
        let whole = data.len() / BLOCK * BLOCK;
        let called_bytes = extent.len();
        self.blocks[extent][..whole].copy_from_slice(&data[..whole]);
        good(&[], called_bytes, stated_bytes)
    }
}

impl ScsiDevice for Disk {
    fn begin(&mut self, _: Time, _: TaskTag, command: &FcpCommand) -> ScsiProgress {
        let FcpTask::Command { cdb, .. } = command.task else { return check(0) };
        let (_, stated_bytes) = command.transfer();
        match cdb.operation_code() {
            0x2A if extent(&cdb).end > self.blocks.len() => check(stated_bytes),
            0x2A => {
                self.writes.push((extent(&cdb), stated_bytes));
                match extent(&cdb).len().min(stated_bytes as usize) {
                    0 => self.write(&[]),
                    bytes => ScsiProgress::DataOut(bytes as u32),
                }
            }
            0x00 | 0x28 => {
                self.executed += 1;
                let extent = if cdb.operation_code() == 0 { 0..0 } else { extent(&cdb) };
                good(&self.blocks[extent.clone()], extent.len(), stated_bytes)
            }
            _ => check(stated_bytes),
        }
    }

    fn finish(&mut self, _: Time, _: TaskTag, data: &[u8]) -> ScsiProgress {
        self.write(data)
    }

    fn abort(&mut self, _: Time, _: TaskTag) {
        self.writes.pop();
    }

    fn manage(&mut self, _: Time, initiator: u32, unit: Lun, function: TaskManagement) -> ResponseCode {
        match function {
            TaskManagement::ClearAca => ResponseCode::Rejected,
            _ if unit != UNIT => ResponseCode::WrongLogicalUnit,
            _ => {
                self.managed.push((initiator, function));
                ResponseCode::Complete
            }
        }
    }

    fn poll_progress(&mut self) -> Option<(TaskTag, ScsiProgress)> {
        if self.managed.is_empty() {
            return None;
        }
        self.ended_by_function.pop().map(|tag| (tag, ScsiProgress::Aborted))
    }

    fn read_again(&mut self, _: u32, command: &FcpCommand) -> Option<Vec<u8>> {
        let FcpTask::Command { cdb, data_bytes, .. } = command.task else { return None };
        let extent = (cdb.operation_code() == 0x28).then(|| extent(&cdb))?;
        let data = &self.blocks[extent];
        Some(data[..data.len().min(data_bytes as usize)].to_vec())
    }

    fn lend(&mut self, _: &mut Vec<u8>) {}
}

pub(super) fn cdb(operation: u8, from: u8, blocks: u8) -> Cdb {
    Cdb::new(&[operation, 0, 0, 0, 0, from, 0, 0, blocks, 0]).expect("a short block")
}

pub(super) fn read(from: u8, blocks: u8, room_bytes: u32) -> FcpRequest {
    FcpRequest::read(UNIT, cdb(0x28, from, blocks), room_bytes)
}

pub(super) fn write(from: u8, blocks: u8, data: &[u8]) -> FcpRequest {
    FcpRequest::write(UNIT, cdb(0x2A, from, blocks), data.to_vec())
}

/// Returns the values of a login with bursts of two blocks, and short time-outs in the order of the real ones.
pub(super) fn agreement(is_retried: bool) -> FcpAgreement {
    let timers = FcpTimers {
        recovery: Span::from_ms(3),
        command: Span::from_ms(30),
        management: Span::from_ms(10),
        abort: Span::from_ms(20),
        retention: Span::from_ms(if is_retried { 300 } else { 2 }),
    };
    FcpAgreement { is_retried, is_confirmed: true, burst_bytes: 2 * BLOCK as u32, timers }
}

pub(super) fn ended(response: FcpResponse) -> FcpOutcome {
    let FcpResponse { status, residual, sense, retry_delay, .. } = response;
    FcpOutcome::Ended { status, residual, sense, retry_delay }
}

/// Returns the message that comes out of the other end of the fibre: an IU goes through its octets.
pub(super) fn over_the_wire(message: FcpMessage, from: FromSide) -> FcpMessage {
    let FcpMessage::Iu(iu) = message else { return message };
    let heading = iu.heading(from);
    let header = FcHeader {
        r_ctl: heading.r_ctl,
        fc_type: heading.fc_type,
        f_ctl: heading.frame_control(true),
        parameter: heading.parameter,
        ..FcHeader::default()
    };
    let (parts, data) = iu.into_parts();
    let octets = [parts.before(), &data[..parts.data_bytes as usize]].concat();
    FcpMessage::Iu(FcpIu::parse(&header, &octets).expect("a sound IU"))
}

/// Runs both ends until they are quiet and returns the IUs of the target.
pub(super) fn run_until_quiet(
    initiator: &mut FcpInitiator,
    tasks: &mut TaskSet,
    disk: &mut Disk,
    agreement: &FcpAgreement,
) -> Vec<FcpMessage> {
    let mut inbound = Vec::new();
    loop {
        let outbound = initiator.poll_transmit();
        let is_quiet = outbound.is_none();
        if let Some(message) = outbound {
            let message = over_the_wire(message, FromSide::Channel);
            tasks.handle(disk, Time::ZERO, TAG, agreement, message);
        }
        match tasks.poll_transmit() {
            Some((_, message)) => {
                let message = over_the_wire(message, FromSide::ControlUnit);
                inbound.push(message.clone());
                initiator.handle(Time::ZERO, message);
            }
            None if is_quiet => return inbound,
            None => {}
        }
    }
}

/// Outcomes of an exchange that ran until both ends were quiet.
#[derive(Debug)]
pub(super) struct Run {
    pub(super) outcome: FcpOutcome,
    pub(super) target: Vec<ControlUnitOutcome>,
    pub(super) data: Vec<u8>,
    pub(super) inbound: Vec<FcpMessage>,
    pub(super) disk: Disk,
}

/// Runs an exchange on a fresh disk.
pub(super) fn run(request: FcpRequest, agreement: FcpAgreement) -> Run {
    let mut initiator = FcpInitiator::new(request, agreement, Time::ZERO);
    let (mut tasks, mut disk) = (TaskSet::default(), Disk::default());
    let inbound = run_until_quiet(&mut initiator, &mut tasks, &mut disk, &agreement);
    let outcome = initiator.poll_outcome().expect("an outcome");
    assert_eq!(initiator.poll_outcome(), None, "once");
    let target = std::iter::from_fn(|| tasks.poll_outcome()).map(|(_, outcome)| outcome).collect();
    Run { outcome, target, data: initiator.take_read_data(), inbound, disk }
}
