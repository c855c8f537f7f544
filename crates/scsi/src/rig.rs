//! A target over memory with initiators, for the tests.

use halftrack_base::{Span, Time};

use crate::command::Command;
use crate::logical_unit::Context;
use crate::response::Refusal;
use crate::target_port_groups::TargetPortGroups;
use crate::{
    Identity, LogicalBlocks, LogicalUnit, Lun, Masking, MemoryBlocks, Nexus, Request, Response, ScsiStatus,
    SenseCode, Target, TargetPort, TaskAttribute, TaskId, Transfer, Transmit,
};

/// Tasks of a unit.
pub(crate) const DEPTH: usize = 4;
/// Blocks of a unit.
pub(crate) const BLOCKS: u64 = 1000;

/// Returns the nexus of an initiator at port 1.
pub(crate) const fn nexus(initiator: u64) -> Nexus {
    Nexus { initiator, target_port: 1 }
}

/// Returns the unit of a number.
pub(crate) const fn lun_of(number: u32) -> Lun {
    match Lun::of_number(number) {
        Some(lun) => lun,
        None => panic!("more than 24 bits"),
    }
}

/// Returns a name for unit `number`.
pub(crate) fn identity(number: u8) -> Identity {
    let mut identifier = [0x60; 16];
    identifier[15] = number;
    let serial = format!("SERIAL{number:02}");
    Identity { vendor: *b"HALFTRCK", product: *b"FIXED BLOCK     ", revision: *b"0001", serial, identifier }
}

/// Carries out a command with data-out on a unit alone.
pub(crate) fn finish<B: LogicalBlocks>(
    unit: &mut LogicalUnit<B>,
    cdb: &[u8],
    data_out: &[u8],
) -> Result<(), Refusal> {
    let (ports, masking) = (TargetPortGroups::new(Vec::new()), Masking::default());
    let context = Context {
        nexus: nexus(1),
        ports: &ports,
        masking: &masking,
        transfer: Transfer::None,
        elapsed: Span::from_ps(0),
    };
    let (command, _) = Command::decode(cdb, false)?;
    unit.finish(&command, context, data_out)
}

/// A target with initiators.
pub(crate) struct Rig {
    pub target: Target<MemoryBlocks>,
    tag: u64,
}

impl Rig {
    /// Creates a target of which everybody sees these units, as LUN 0 and up.
    pub fn new(units: impl IntoIterator<Item = MemoryBlocks>) -> Self {
        let units: Vec<_> =
            (0..).zip(units).map(|(at, blocks)| LogicalUnit::new(blocks, identity(at), DEPTH)).collect();
        let mut masking = Masking::default();
        for at in 0..units.len() {
            masking.show_to_everybody(lun_of(at as u32), at);
        }
        let port = |relative_id| TargetPort {
            relative_id,
            name: 0x5000 + u64::from(relative_id),
            group: relative_id,
        };
        Self { target: Target::new(vec![port(1), port(2)], units, masking), tag: 0 }
    }

    /// Creates a target with a thin unit and a full one whose initiator 1 has taken the first unit attention.
    pub fn ready(block_bytes: u32) -> Self {
        let thin = MemoryBlocks::thin(block_bytes, BLOCKS, BLOCKS);
        let mut rig = Self::new([thin, MemoryBlocks::new(block_bytes, BLOCKS)]);
        rig.admit(1);
        rig
    }

    /// Takes all unit attentions of an initiator.
    pub fn admit(&mut self, initiator: u64) {
        for lun in 0..self.target.units().len() as u32 {
            while self.code(initiator, lun, &[0; 6]).is_some_and(|code| code.key == 6) {}
        }
    }

    /// Begins a command.
    pub fn begin(&mut self, nexus: Nexus, lun: Lun, cdb: &[u8], transfer: Transfer) -> TaskId {
        self.tag += 1;
        let task = TaskId { nexus, tag: self.tag };
        let attribute = TaskAttribute::Simple;
        self.target.handle_command(Time::ZERO, &Request { task, lun, attribute, cdb, transfer });
        task
    }

    /// Carries out a command whose data-out is `data`; of what is sent for it, returns the response.
    pub fn run(&mut self, nexus: Nexus, lun: Lun, cdb: &[u8], transfer: Transfer, data: &[u8]) -> Response {
        let id = self.begin(nexus, lun, cdb, transfer);
        loop {
            match self.target.poll_transmit() {
                Some(Transmit::DataOut { task, bytes }) if task == id => {
                    let data = &data[..data.len().min(bytes as usize)];
                    self.target.handle_data_out(Time::ZERO, task, data);
                }
                Some(Transmit::Response { task, response }) if task == id => return response,
                Some(_) => {}
                None => panic!("no response to {cdb:02X?}"),
            }
        }
    }

    /// Carries out a command with 64 KiB of room; returns its data-in.
    pub fn data(&mut self, lun: u32, cdb: &[u8]) -> Vec<u8> {
        let response = self.run(nexus(1), lun_of(lun), cdb, Transfer::In(1 << 16), &[]);
        assert_eq!(response.status, ScsiStatus::GOOD, "{cdb:02X?}: {:02X?}", response.sense);
        response.data_in
    }

    /// Carries out a command with data-out; returns its sense, if it has any.
    pub fn send(&mut self, initiator: u64, lun: u32, cdb: &[u8], data: &[u8]) -> Option<SenseCode> {
        let transfer = Transfer::Out(data.len() as u32);
        code(&self.run(nexus(initiator), lun_of(lun), cdb, transfer, data))
    }

    /// Carries out a command without data-out; returns its sense, if it has any.
    pub fn code(&mut self, initiator: u64, lun: u32, cdb: &[u8]) -> Option<SenseCode> {
        code(&self.run(nexus(initiator), lun_of(lun), cdb, Transfer::In(1 << 16), &[]))
    }
}

/// Returns the sense of a response; its status is GOOD or CHECK CONDITION.
pub(crate) fn code(response: &Response) -> Option<SenseCode> {
    match response.status {
        ScsiStatus::GOOD => None,
        ScsiStatus::CHECK_CONDITION => {
            let sense = &response.sense;
            let (key, code, qualifier) = if sense[0] & 0x7F == 0x70 { (2, 12, 13) } else { (1, 2, 3) };
            Some(SenseCode { key: sense[key], code: sense[code], qualifier: sense[qualifier] })
        }
        status => panic!("{status:?}"),
    }
}

/// Returns a CDB of 10 bytes over a range.
pub(crate) fn cdb_10(opcode: u8, options: u8, first: u32, blocks: u16) -> [u8; 10] {
    let [a, b, c, d] = first.to_be_bytes();
    let [e, f] = blocks.to_be_bytes();
    [opcode, options, a, b, c, d, 0, e, f, 0]
}

/// Returns a CDB of 16 bytes over a range.
pub(crate) fn cdb_16(opcode: u8, options: u8, first: u64, blocks: u32) -> [u8; 16] {
    let mut cdb = [0; 16];
    (cdb[0], cdb[1]) = (opcode, options);
    cdb[2..10].copy_from_slice(&first.to_be_bytes());
    cdb[10..14].copy_from_slice(&blocks.to_be_bytes());
    cdb
}
