//! Hosts that send blocks to each other over one adapter, both ways at once, by the usual channel programs.

use halftrack_program::DeviceStatus;
use proptest::prelude::*;

use super::*;

const BLOCKS: u8 = 40;
/// Steps of both hosts after which they are taken for stuck.
const STEPS_MAX: usize = 4_000;

/// Commands that a host has open.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doing {
    Nothing,
    Controlling,
    Writing,
    Reading,
}

/// A host: it writes its blocks one after the other, and reads when attention has it do so.
struct Host {
    side: Side,
    /// Control goes before each Write.
    controls: bool,
    doing: Doing,
    must_read: bool,
    sent: u8,
    received: Vec<u8>,
}

impl Host {
    fn new(side: Side, controls: bool) -> Self {
        Self { side, controls, doing: Doing::Nothing, must_read: false, sent: 0, received: Vec::new() }
    }

    fn start(&mut self, pair: &mut Pair, doing: Doing) {
        let (code, block) = match doing {
            Doing::Controlling => (0x07, Block::NONE),
            Doing::Writing => (0x01, Block::Bytes(vec![self.sent; 3].into())),
            Doing::Reading | Doing::Nothing => (0x02, Block::NONE),
        };
        self.doing = doing;
        if let Started::Ended(ending) = pair.start(self.side, Command { code, count_bytes: 3, block }) {
            self.end(pair, ending);
        }
    }

    fn end(&mut self, pair: &mut Pair, ending: Ending) {
        let status = ending.device.status;
        let done = std::mem::replace(&mut self.doing, Doing::Nothing);
        if status == DeviceStatus::BUSY.with(DeviceStatus::ATTENTION) {
            self.must_read = true;
        } else if done == Doing::Controlling {
            assert_eq!(status, DeviceStatus::DEVICE_END);
            return self.start(pair, Doing::Writing);
        } else {
            assert_eq!((status, ending.device.moved_bytes), (DeviceStatus::NORMAL_END, 3));
            match ending.data {
                Data::Read(Block::Bytes(octets)) => self.received.extend_from_slice(&octets),
                _ => self.sent += 1,
            }
        }
        pair.end_chain(self.side);
    }

    fn step(&mut self, pair: &mut Pair) {
        if let Some(ending) = pair.poll_ending(self.side) {
            self.end(pair, ending);
        } else if self.doing == Doing::Nothing {
            if std::mem::take(&mut self.must_read) || pair.poll_attention(self.side) {
                let sense = Command { code: 0x14, count_bytes: 1, block: Block::NONE };
                let Started::Ended(sensed) = pair.start(self.side, sense) else { panic!("it waits") };
                assert!(matches!(sensed.data, Data::CommandByte(0x01 | 0x07)), "{sensed:?}");
                self.start(pair, Doing::Reading);
            } else if self.sent < BLOCKS {
                self.start(pair, if self.controls { Doing::Controlling } else { Doing::Writing });
            }
        }
    }
}

proptest! {
    #[test]
    fn blocks_cross_both_ways_in_any_schedule(controls: [bool; 2], seed: u64) {
        let mut pair = Pair::default();
        let mut hosts = [Host::new(Side::X, controls[0]), Host::new(Side::Y, controls[1])];
        let mut schedule = seed | 1;
        let expected: Vec<u8> = (0..BLOCKS).flat_map(|block| [block; 3]).collect();
        let is_done = |hosts: &[Host; 2]| hosts.iter().all(|host| host.sent == BLOCKS && host.received.len() == expected.len());
        let mut steps = 0;
        while !is_done(&hosts) {
            steps += 1;
            prop_assert!(steps < STEPS_MAX, "{:?}", pair);
            schedule ^= schedule << 13;
            schedule ^= schedule >> 7;
            schedule ^= schedule << 17;
            hosts[(schedule >> 32 & 1) as usize].step(&mut pair);
        }
        for host in &hosts {
            prop_assert_eq!(&host.received, &expected);
        }
    }
}
