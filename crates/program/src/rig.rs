//! Driver's side for the tests: storage with a program in it, a device with given answers, and a subchannel.

use std::collections::VecDeque;

use crate::ccw::{Ccw, CcwFlags, CcwFormat};
use crate::command::{CommandClass, class};
use crate::data_port::{DataPort, Octets};
use crate::device::{ChainEnd, Device, DeviceEnd, OperationEnd, SENSE_BYTES};
use crate::idaw::IdawFormat;
use crate::irb::{Irb, Scsw};
use crate::main_storage::MainStorage;
use crate::orb::{Orb, OrbFlags, OrbProgram};
use crate::pmcw::Pmcw;
use crate::scsw::{CommandScsw, TransportScsw};
use crate::status::DeviceStatus;
use crate::subchannel::{ConditionCode, Subchannel};
use crate::tcw::Transfer;

/// Where the program of a test is.
pub(crate) const PROGRAM: u32 = 0x1000;
/// Bytes of the storage of a test.
pub(crate) const STORAGE_BYTES: usize = 0x40_000;

/// Answer of the device to the next command.
#[derive(Debug, Clone)]
pub(crate) enum Answer {
    /// Sends these octets.
    Gives(Vec<u8>),
    /// Sends this many octets that it does not keep.
    GivesCount(u32),
    /// Wants this many octets.
    Takes(u32),
    /// Needs no data.
    Immediate,
    /// Presents this status without data, and sense.
    Presents(u8, Option<[u8; SENSE_BYTES]>),
}

/// Device with given answers; without one, a read gets 4096 octets, a write takes all it can, and a control command
/// nothing.
#[derive(Debug, Default)]
pub(crate) struct RigDevice {
    pub(crate) answers: VecDeque<Answer>,
    /// Every command with the octets that it took.
    pub(crate) commands: Vec<(u8, Vec<u8>)>,
    pub(crate) chains_ended: u32,
    /// Ending that replaces the one reached.
    pub(crate) broken_promise: Option<DeviceEnd>,
    /// Ending of an operation, except for the part that depends on the port.
    pub(crate) operation_end: Option<OperationEnd>,
    /// TCCB of the last operation.
    pub(crate) tccb: Vec<u8>,
}

pub(crate) const NORMAL: DeviceEnd = DeviceEnd {
    status: DeviceStatus::NORMAL_END,
    moved_bytes: 0,
    device_bytes: 0,
    immediate: false,
    sense: None,
};

/// Returns the data of the device: octets that differ along the area.
pub(crate) fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8 + 1).collect()
}

fn taken(port: &mut impl DataPort, limit: u32) -> Vec<u8> {
    let mut octets = Vec::new();
    while octets.len() < limit as usize {
        let run = port.take(limit - octets.len() as u32);
        if run.is_empty() {
            break;
        }
        octets.extend_from_slice(run.bytes().expect("storage keeps its octets"));
    }
    octets
}

impl Device for RigDevice {
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd {
        let answer = self.answers.pop_front().unwrap_or_else(|| match class(command) {
            CommandClass::Write => Answer::Takes(u32::from(u16::MAX)),
            CommandClass::Control => Answer::Immediate,
            _ => Answer::Gives(pattern(4096)),
        });
        let mut took = Vec::new();
        let end = match answer {
            Answer::Gives(octets) => {
                let moved_bytes = port.give(Octets::Bytes(&octets));
                DeviceEnd { moved_bytes, device_bytes: octets.len() as u32, ..NORMAL }
            }
            Answer::GivesCount(count) => {
                let moved_bytes = port.give(Octets::Count(count));
                DeviceEnd { moved_bytes, device_bytes: count, ..NORMAL }
            }
            Answer::Takes(limit) => {
                took = taken(port, limit);
                let moved_bytes = took.len() as u32;
                DeviceEnd { moved_bytes, device_bytes: moved_bytes, ..NORMAL }
            }
            Answer::Immediate => DeviceEnd { immediate: true, ..NORMAL },
            Answer::Presents(status, sense) => DeviceEnd { status: DeviceStatus(status), sense, ..NORMAL },
        };
        self.commands.push((command, took));
        end
    }

    fn execute_operation(
        &mut self,
        tccb: &[u8],
        transfer: Transfer,
        port: &mut impl DataPort,
    ) -> OperationEnd {
        self.tccb = tccb.to_vec();
        let end = self.execute(if transfer == Transfer::Write { 1 } else { 2 }, port);
        self.operation_end.unwrap_or(OperationEnd {
            status: end.status,
            moved_bytes: end.moved_bytes,
            residual: end.device_bytes - end.moved_bytes,
            dcw_offset: Some(0),
            program_check: None,
            sense: end.sense,
        })
    }

    fn end_chain(&mut self, _: ChainEnd) -> Option<DeviceEnd> {
        self.chains_ended += 1;
        self.broken_promise
    }
}

/// A subchannel with its storage and device, and the ORB of the next start.
pub(crate) struct Rig {
    pub(crate) storage: MainStorage,
    pub(crate) device: RigDevice,
    pub(crate) subchannel: Subchannel,
    pub(crate) key: u8,
    pub(crate) flags: OrbFlags,
    pub(crate) ccw_format: CcwFormat,
    pub(crate) idaw_format: IdawFormat,
}

impl Rig {
    pub(crate) fn new() -> Self {
        Self {
            storage: MainStorage::new(STORAGE_BYTES),
            device: RigDevice::default(),
            subchannel: Subchannel::new(Pmcw::ONE_PATH),
            key: 0,
            flags: OrbFlags(0),
            ccw_format: CcwFormat::One,
            idaw_format: IdawFormat::TwoWith4K,
        }
    }

    /// Creates a rig whose device gives `answers`.
    pub(crate) fn with(answers: impl IntoIterator<Item = Answer>) -> Self {
        let mut rig = Self::new();
        rig.device.answers.extend(answers);
        rig
    }

    pub(crate) fn put(&mut self, address: u64, octets: &[u8]) {
        let from = address as usize;
        self.storage.bytes_mut()[from..from + octets.len()].copy_from_slice(octets);
    }

    pub(crate) fn at(&self, address: u64, bytes: usize) -> &[u8] {
        &self.storage.bytes()[address as usize..][..bytes]
    }

    /// Puts CCWs one after the other at `address`, valid or not.
    pub(crate) fn put_ccws(&mut self, address: u32, ccws: &[Ccw]) {
        for (index, ccw) in ccws.iter().enumerate() {
            let [a0, a1, a2, a3] = ccw.address.to_be_bytes();
            let [c0, c1] = ccw.count.to_be_bytes();
            let octets = match self.ccw_format {
                CcwFormat::Zero => [ccw.command, a1, a2, a3, ccw.flags.0, 0, c0, c1],
                CcwFormat::One => [ccw.command, ccw.flags.0, c0, c1, a0, a1, a2, a3],
            };
            self.put(u64::from(address) + index as u64 * 8, &octets);
        }
    }

    pub(crate) fn orb(&self) -> Orb {
        self.orb_of(OrbProgram::Command {
            flags: self.flags,
            ccw_format: self.ccw_format,
            idaw_format: self.idaw_format,
            address: PROGRAM,
        })
    }

    pub(crate) fn orb_of(&self, program: OrbProgram) -> Orb {
        Orb { interruption_parameter: 0, key: self.key, path_mask: 0xFF, program, priorities: None }
    }

    pub(crate) fn start(&mut self, orb: &Orb) -> ConditionCode {
        self.subchannel.start(orb, &mut self.storage, &mut self.device, &mut ())
    }

    /// Runs the CCWs and tests the subchannel.
    pub(crate) fn run_irb(&mut self, ccws: &[Ccw]) -> Irb {
        self.put_ccws(PROGRAM, ccws);
        assert_eq!(self.start(&self.orb()), ConditionCode::Done);
        let (code, irb) = self.subchannel.test();
        assert_eq!(code, ConditionCode::Done);
        assert_eq!(Irb::parse(&irb.emit()).unwrap(), irb);
        irb
    }

    pub(crate) fn run(&mut self, ccws: &[Ccw]) -> CommandScsw {
        command_scsw(&self.run_irb(ccws))
    }

    /// Starts the TCW at [`PROGRAM`] and tests the subchannel.
    pub(crate) fn run_transport(&mut self) -> TransportScsw {
        let orb = self.orb_of(OrbProgram::Transport { address: PROGRAM });
        assert_eq!(self.start(&orb), ConditionCode::Done);
        transport_scsw(&self.subchannel.test().1)
    }
}

pub(crate) fn command_scsw(irb: &Irb) -> CommandScsw {
    match irb.scsw {
        Scsw::Command(scsw) => scsw,
        Scsw::Transport(_) => panic!("a command-mode program was started"),
    }
}

pub(crate) fn transport_scsw(irb: &Irb) -> TransportScsw {
    match irb.scsw {
        Scsw::Transport(scsw) => scsw,
        Scsw::Command(_) => panic!("a transport-mode program was started"),
    }
}

/// Returns a CCW; `flags` as in storage.
pub(crate) const fn ccw(command: u8, flags: u8, count: u16, address: u32) -> Ccw {
    Ccw { command, flags: CcwFlags(flags), count, address }
}

/// Returns the device status, subchannel status, residual count and CCW address, which distinguish most endings.
pub(crate) fn status_of(scsw: &CommandScsw) -> (u8, u8, u16, u32) {
    (scsw.device_status.0, scsw.subchannel_status.0, scsw.residual_count, scsw.ccw_address)
}
