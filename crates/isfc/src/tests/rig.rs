//! Two ends over adapters, which take their orders at once. Blocks pass by value, as in the twin.

use halftrack_base::{Span, Time};
use halftrack_control_unit::ctc::{Data as EndingData, Ending, Pair, Reset, Side, Started};
use halftrack_program::DeviceStatus;

use crate::*;

pub const SIDES: [Side; 2] = [Side::X, Side::Y];
pub const STREAM: StreamId = StreamId(1);
pub const MIB: u32 = 1 << 20;

pub fn settings(system: &str) -> Settings {
    Settings {
        system: name(system),
        collection: name("CSC1"),
        level: Level::SIXTEEN_DEVICES,
        incarnation: Incarnation(1),
        node: None,
        block_bytes: MIB,
        send_bytes: 64 << 20,
        receive_bytes: 64 << 20,
        retry: Some(Span::from_ms(1000)),
    }
}

pub fn name(text: &str) -> SystemName {
    text.parse().unwrap()
}

pub const fn number(device: usize) -> DeviceNumber {
    DeviceNumber(0xD000 + device as u16)
}

pub struct Rig {
    pub ends: [End; 2],
    pub pairs: Vec<Pair>,
    /// Blocks of Writes, by side and device.
    blocks: [Vec<Option<Block>>; 2],
    pub notices: [Vec<Notice>; 2],
    pub now: Time,
}

impl Rig {
    pub fn new(settings: [Settings; 2], devices: usize) -> Self {
        let ends = settings.map(|settings| {
            let mut end = End::new(settings);
            for device in 0..devices {
                end.activate(number(device), None).unwrap();
            }
            end
        });
        let blocks = [vec![None; devices], vec![None; devices]];
        let notices = [Vec::new(), Vec::new()];
        Self { ends, pairs: vec![Pair::default(); devices], blocks, notices, now: Time::ZERO }
    }

    /// Makes a link of two systems that is up.
    pub fn up(devices: usize) -> Self {
        let mut rig = Self::new([settings("VMA"), settings("VMB")], devices);
        rig.operational();
        rig.run();
        rig
    }

    pub fn operational(&mut self) {
        for device in 0..self.pairs.len() {
            for end in &mut self.ends {
                end.operational(number(device));
            }
        }
    }

    pub fn lose(&mut self, side: Side, device: usize) {
        self.pairs[device].reset(side, Reset::System);
        self.ends[side as usize].lost(number(device));
    }

    /// Starts a side anew, with what its application has kept.
    pub fn start_anew(&mut self, side: Side, kept: u64) {
        let mut settings = self.ends[side as usize].settings().clone();
        settings.incarnation.0 += 1;
        let mut end = End::new(settings);
        end.resume(STREAM, kept);
        for device in 0..self.pairs.len() {
            self.pairs[device].reset(side, Reset::System);
            end.activate(number(device), None).unwrap();
            end.operational(number(device));
        }
        self.ends[side as usize] = end;
    }

    pub fn end(&mut self, side: Side) -> &mut End {
        &mut self.ends[side as usize]
    }

    pub fn send(&mut self, side: Side, bytes: u32) -> bool {
        self.end(side).send(STREAM, &Payload::Count(bytes))
    }

    /// Takes all deliveries of a side. Returns their octets; they follow each other.
    pub fn take(&mut self, side: Side) -> u64 {
        let mut bytes = 0;
        while let Some(delivery) = self.end(side).poll_delivery() {
            bytes += u64::from(delivery.payload.len_bytes());
        }
        bytes
    }

    /// Takes everything that can happen, until nothing does. Returns how many programs were started.
    pub fn run(&mut self) -> usize {
        let mut programs = 0;
        loop {
            let mut is_quiet = true;
            for side in SIDES {
                while let Some(order) = self.ends[side as usize].poll_order(self.now) {
                    is_quiet = false;
                    programs += 1;
                    self.start(side, order);
                    assert!(programs < 100_000, "the ends spin");
                }
                is_quiet &= !self.events(side);
                while let Some(notice) = self.ends[side as usize].poll_notice() {
                    self.notices[side as usize].push(notice);
                }
            }
            if is_quiet {
                return programs;
            }
        }
    }

    fn start(&mut self, side: Side, order: Order) {
        let device = usize::from(order.device().0 - number(0).0);
        let pair = &mut self.pairs[device];
        let [first, chained] = order.commands();
        if let Order::Write { block, .. } = order {
            self.blocks[side as usize][device] = Some(block);
        }
        let Some(first) = first else { return pair.reset(side, Reset::System) };
        let started = match (pair.start(side, first), chained) {
            (Started::Ended(ended), Some(chained)) if ended.device.status == DeviceStatus::NORMAL_END => {
                pair.start(side, chained)
            }
            (started, _) => started,
        };
        if let Started::Ended(ending) = started {
            self.ended(side, device, ending);
        }
    }

    /// Presents endings and attention of a side. Returns whether there were any.
    fn events(&mut self, side: Side) -> bool {
        let mut has_events = false;
        for device in 0..self.pairs.len() {
            if let Some(ending) = self.pairs[device].poll_ending(side) {
                has_events = true;
                self.ended(side, device, ending);
            }
            if self.pairs[device].poll_attention(side) {
                has_events = true;
                self.ends[side as usize].attention(number(device));
            }
        }
        has_events
    }

    fn ended(&mut self, side: Side, device: usize, ending: Ending) {
        self.pairs[device].end_chain(side);
        let received = match ending.data {
            EndingData::Read(_) => {
                let block = self.blocks[side.other() as usize][device].take();
                Received::Block(block.expect("the partner has written"))
            }
            _ => Received::Nothing,
        };
        let end = ProgramEnd {
            status: ending.device.status,
            sense: ending.device.sense.map_or(0, |sense| sense[0]),
            moved_bytes: ending.device.moved_bytes,
            received,
        };
        let now = self.now;
        self.end(side).program_ended(number(device), end, now);
    }
}
