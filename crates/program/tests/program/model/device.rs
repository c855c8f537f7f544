//! Device with a list of actions, whatever the command: one for the channel and for its model.

use halftrack_program::{
    ChainEnd, DataPort, Device, DeviceEnd, DeviceStatus, Octets, OperationEnd, Transfer,
};

/// Action of the device for one command.
#[derive(Debug, Clone)]
pub struct Action {
    /// Octets that it sends or wants.
    pub octets: u32,
    /// Octets at a time.
    pub at_a_time: u32,
    /// Device status.
    pub status: u8,
    /// It needs no data.
    pub is_immediate: bool,
}

/// The device, and what it saw.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Listed {
    /// Commands, with the octets taken or the number given.
    pub seen: Vec<(u8, Vec<u8>, u32)>,
}

/// Device that takes `actions` in order, from the first again after the last.
#[derive(Debug, Clone)]
pub struct ListedDevice<'a> {
    pub actions: &'a [Action],
    pub log: Listed,
}

impl Device for ListedDevice<'_> {
    fn execute(&mut self, command: u8, port: &mut impl DataPort) -> DeviceEnd {
        let action = &self.actions[self.log.seen.len() % self.actions.len()];
        let is_output = command & 1 != 0;
        let (mut taken, mut given) = (Vec::new(), 0);
        while !action.is_immediate && given + (taken.len() as u32) < action.octets {
            let left = action.octets - given - taken.len() as u32;
            let piece = left.min(action.at_a_time);
            if is_output {
                let run = port.take(piece);
                assert!(run.len() <= piece);
                if run.is_empty() {
                    break;
                }
                taken.extend_from_slice(run.bytes().expect("octets of storage"));
            } else {
                let octets: Vec<u8> = (given..given + piece).map(|index| (index % 255) as u8 + 1).collect();
                let moved = port.give(Octets::Bytes(&octets));
                given += moved;
                if moved < piece {
                    break;
                }
            }
        }
        let moved_bytes = given + taken.len() as u32;
        self.log.seen.push((command, taken, given));
        DeviceEnd {
            status: DeviceStatus(action.status),
            moved_bytes,
            device_bytes: if action.is_immediate || is_output { moved_bytes } else { action.octets },
            immediate: action.is_immediate,
            sense: None,
        }
    }

    fn execute_operation(&mut self, _: &[u8], transfer: Transfer, port: &mut impl DataPort) -> OperationEnd {
        let end = self.execute(if transfer == Transfer::Write { 1 } else { 2 }, port);
        OperationEnd {
            status: end.status,
            moved_bytes: end.moved_bytes,
            residual: end.device_bytes - end.moved_bytes,
            dcw_offset: None,
            program_check: None,
            sense: None,
        }
    }

    fn end_chain(&mut self, _: ChainEnd) -> Option<DeviceEnd> {
        None
    }
}
