//! For tests: a disk of short blocks behind a target, and both ends until they are quiet.

use halftrack_base::{Span, Time};
use halftrack_wire::FcHeader;
use halftrack_wire::fcp::{Cdb, FcpIu, FcpResponse, Lun, ResponseCode, ScsiStatus, TaskManagement};
use halftrack_wire::heading::FromSide;

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
    pub(super) managed: Vec<(Nexus, TaskManagement)>,
}

impl Default for Disk {
    fn default() -> Self {
        Self { blocks: std::array::from_fn(|at| at as u8), executed: 0, managed: Vec::new() }
    }
}

fn extent(cdb: &Cdb) -> std::ops::Range<usize> {
    let octets = cdb.octets();
    let (from, count) = (usize::from(octets[5]), usize::from(octets[8]));
    from * BLOCK..(from + count) * BLOCK
}

fn check() -> ScsiEnding {
    let status = ScsiStatus::CHECK_CONDITION;
    ScsiEnding { status, sense: SENSE.to_vec(), wants_confirmation: true, ..ScsiEnding::default() }
}

impl ScsiDevice for Disk {
    fn data_out_bytes(&mut self, _: Nexus, cdb: &Cdb) -> Result<u32, ScsiEnding> {
        match cdb.operation_code() {
            0x2A if extent(cdb).end > self.blocks.len() => Err(check()),
            0x2A => Ok(extent(cdb).len() as u32),
            _ => Ok(0),
        }
    }

    fn execute(&mut self, _: Nexus, cdb: &Cdb, data: &[u8]) -> ScsiEnding {
        self.executed += 1;
        let good = ScsiEnding::default();
        match cdb.operation_code() {
            0x00 => good,
            0x28 => ScsiEnding { data: self.blocks[extent(cdb)].to_vec(), ..good },
            0x2A => {
                let whole = data.len() / BLOCK * BLOCK;
                self.blocks[extent(cdb)][..whole].copy_from_slice(&data[..whole]);
                good
            }
            _ => check(),
        }
    }

    fn manage(&mut self, nexus: Nexus, function: TaskManagement) -> ResponseCode {
        match function {
            TaskManagement::ClearAca => ResponseCode::Rejected,
            _ if nexus.unit != UNIT => ResponseCode::WrongLogicalUnit,
            _ => {
                self.managed.push((nexus, function));
                ResponseCode::Complete
            }
        }
    }
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
