//! The systems at both ends of a logical link: which device carries the next block.

use halftrack_config::{Configuration, IsLink};
use halftrack_control_unit::ctc::{Block, Command, Ending};
use halftrack_isfc::{Designation, Role, SystemName};
use halftrack_program::DeviceStatus;

use super::adapter::Adapter;

/// Octets of a block.
const BLOCK_BYTES: u32 = 1 << 20;

/// One system.
#[derive(Debug)]
struct End {
    designation: Designation,
    /// It has data as long as the run.
    is_bulk: bool,
    taken: Vec<bool>,
    writing: Vec<bool>,
}

/// Both systems.
#[derive(Debug)]
pub(super) struct Ends([End; 2]);

impl Ends {
    pub(super) fn new(c: &Configuration, link: &IsLink) -> Self {
        let names = link.lpars.map(|lpar| c.lpars[lpar as usize].name.parse::<SystemName>());
        let role = match names {
            [Ok(first), Ok(second)] => Role::of(first, second).unwrap_or(Role::Low),
            _ => Role::Low,
        };
        let devices = link.devices.len();
        let end = |index: usize| End {
            designation: Designation::new(if index == 0 { role } else { role.other() }, devices),
            is_bulk: link.bulks.iter().any(|bulk| usize::from(bulk.from) == index),
            taken: vec![false; devices],
            writing: vec![false; devices],
        };
        Self([end(0), end(1)])
    }

    /// Returns the next Write of an end, with the device.
    pub(super) fn write(&mut self, end: usize) -> Option<(usize, Command)> {
        let own = &mut self.0[end];
        if !own.is_bulk {
            return None;
        }
        let device = own.designation.choice(|device| own.taken[device])?;
        own.taken[device] = true;
        own.writing[device] = true;
        Some((
            device,
            Command { code: Adapter::WRITE, count_bytes: BLOCK_BYTES, block: Block::Count(BLOCK_BYTES) },
        ))
    }

    /// Takes attention at an end. Returns the Read that answers it.
    pub(super) fn attention(&mut self, end: usize, device: usize) -> Option<Command> {
        let own = &mut self.0[end];
        if own.taken[device] {
            return None;
        }
        own.taken[device] = true;
        Some(Command { code: Adapter::READ, count_bytes: BLOCK_BYTES, block: Block::NONE })
    }

    /// Takes the ending of a command of an end. Returns the next command on the device.
    pub(super) fn ended(&mut self, end: usize, device: usize, ending: Ending) -> Option<Command> {
        let own = &mut self.0[end];
        own.taken[device] = false;
        if ending.device.status.contains(DeviceStatus::BUSY) {
            own.writing[device] = false;
            return self.attention(end, device);
        }
        own.writing[device] = false;
        None
    }
}
