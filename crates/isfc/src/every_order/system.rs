//! A system: an end, the programs at its devices, and an application that keeps offsets.

use super::*;

/// Progress of a program at a device.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Default)]
pub enum Progress {
    #[default]
    None,
    Ordered(Order),
    /// Sense Command Byte has ended, and Read is chained to it.
    Chained,
    Waits,
    /// It has ended, and the end does not have its status yet.
    Ended(Ending),
}

/// A system: an end, its programs, and an application that keeps offsets.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct System {
    pub end: End,
    pub programs: Vec<Progress>,
    /// Attention on its way to the end.
    pub attentions: Vec<bool>,
    pub has_path: Vec<bool>,
    pub received: u8,
    /// Data are accepted.
    pub has_room: bool,
    pub is_up: bool,
}

impl System {
    pub fn new(side: Side, case: &Case, incarnation: u64, received: u8) -> Self {
        let mut end = new_end(side, case, incarnation);
        end.resume(STREAM, received.into());
        Self {
            end,
            programs: vec![Progress::None; case.devices],
            attentions: vec![false; case.devices],
            has_path: vec![false; case.devices],
            received,
            has_room: true,
            is_up: false,
        }
    }
}

pub const fn number(device: usize) -> DeviceNumber {
    DeviceNumber(0xD000 + device as u16)
}

fn new_end(side: Side, case: &Case, incarnation: u64) -> End {
    let mut end = End::new(Settings {
        system: ["VMA", "VMB"][side as usize].parse().unwrap(),
        collection: "CSC".parse().unwrap(),
        level: Level::SIXTEEN_DEVICES,
        incarnation: Incarnation(incarnation),
        node: None,
        block_bytes: 1,
        send_bytes: case.send_bytes,
        receive_bytes: 8,
        retry: None,
    });
    for device in 0..case.devices {
        end.activate(number(device), None).unwrap();
    }
    end
}

pub const fn octet(side: Side, offset: u64) -> u8 {
    (side as u8) << 7 | offset as u8
}

/// Presents the ending of a program to its end, if it has ended.
pub fn present<H: Handling>(
    pair: &mut Pair,
    system: &mut System,
    side: Side,
    device: usize,
    is_corrupt: bool,
) -> Option<()> {
    let ending = match std::mem::take(&mut system.programs[device]) {
        Progress::Ended(ending) => ending,
        _ => pair.poll_ending(side)?,
    };
    pair.end_chain(side);
    let received = match ending.data {
        Data::Read(ctc::Block::Bytes(octets)) => {
            let mut octets = octets.to_vec();
            octets[HEADER_BYTES - 1] ^= u8::from(is_corrupt);
            Block::decode(&octets.into()).map_or(Received::Corrupt, Received::Block)
        }
        _ => Received::Nothing,
    };
    let end = ProgramEnd {
        status: ending.device.status,
        sense: ending.device.sense.map_or(0, |sense| sense[0]),
        moved_bytes: ending.device.moved_bytes,
        received,
    };
    H::ended(&mut system.end, number(device), end);
    Some(())
}

/// Starts the next command of a program.
pub fn start(pair: &mut Pair, side: Side, program: Progress) -> Progress {
    let (order, place) = match program {
        Progress::Ordered(order) => (order, 0),
        Progress::Chained => (Order::Read { device: number(0) }, 1),
        other => panic!("{other:?} has no command to start"),
    };
    let is_sense = place == 0 && matches!(order, Order::Read { .. });
    let mut command = order.commands()[place].clone().expect("a program has it");
    if let Order::Write { block, .. } = order {
        command.block = ctc::Block::Bytes(block.encode().into());
    }
    match pair.start(side, command) {
        Started::Waits { .. } => Progress::Waits,
        Started::Ended(ending) if is_sense && ending.device.status == DeviceStatus::NORMAL_END => {
            Progress::Chained
        }
        Started::Ended(ending) => Progress::Ended(ending),
    }
}
