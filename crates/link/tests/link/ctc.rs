//! Channel-to-channel connections: two systems in one process, with real octets over real frames.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_control_unit::ctc::{Block, Command, Ending, Pair, Side, Started};
use halftrack_link::ctc::{
    CtcChannelOptions, CtcCommand, CtcDeviceId, CtcEnd, CtcEvent, CtcOutcome, CtcProgram, CtcSystem,
    has_function,
};
use halftrack_link::plug::{Plug, PlugState, Plugged};
use halftrack_link::{FrameTap, InProcessTransport};
use halftrack_program::DeviceStatus;
use halftrack_wire::WorldWideName;
use proptest::prelude::*;

const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const CONTROL: u8 = 0x07;
const SENSE_COMMAND_BYTE: u8 = 0x14;
const SET_EXTENDED_MODE: u8 = 0xC3;
const BUSY_AND_ATTENTION: DeviceStatus = DeviceStatus(0x90);
/// The block that a chain of a reader takes: 1 MiB and more.
const READ_MAX_BYTES: u32 = 17 * 65_000;

/// Links that a test hands in, one after the other.
#[derive(Default)]
struct Hand(Option<Plugged<InProcessTransport>>);

impl Plug for Hand {
    type Transport = InProcessTransport;

    fn poll(&mut self, _: Time) -> PlugState<InProcessTransport> {
        self.0.take().map_or(PlugState::Waiting, PlugState::New)
    }
}

/// Two systems with one channel each.
struct World {
    now: Time,
    systems: [CtcSystem<Hand>; 2],
    events: [Vec<CtcEvent>; 2],
}

fn options(system: usize, units: &[u8]) -> CtcChannelOptions {
    let names = [0x5005_0764_0000_0040, 0x5005_0764_0000_0041].map(WorldWideName);
    CtcChannelOptions {
        chpid: 0x40 + system as u8,
        port_name: names[system],
        node_name: WorldWideName(names[system].0 | 1 << 60),
        partner: names[1 - system],
        images: if system == 0 { (1, 2) } else { (2, 1) },
        credits: 64,
        units: units.to_vec(),
        clock: None,
        disks: None,
    }
}

impl World {
    /// Returns two systems that are connected and online.
    fn new(units: &[u8]) -> Self {
        let (one, other) = InProcessTransport::pair().unwrap();
        let plugs = [(one, true), (other, false)];
        let mut systems = plugs.into_iter().enumerate().map(|(system, (transport, opened))| {
            CtcSystem::new([(options(system, units), Hand(Some(Plugged { transport, opened })))])
        });
        let systems = [systems.next().unwrap(), systems.next().unwrap()];
        let mut world = Self { now: Time::ZERO, systems, events: Default::default() };
        world.settle();
        for (system, events) in world.events.iter_mut().enumerate() {
            assert_eq!(std::mem::take(events), [CtcEvent::Online(0)], "{:?}", world.systems[system].state(0));
        }
        world
    }

    fn settle(&mut self) {
        let mut idle = 0;
        while idle < 3 {
            self.now = self.now.saturating_add(Span::from_us(10));
            let mut worked = false;
            for (system, events) in self.systems.iter_mut().zip(&mut self.events) {
                worked |= system.turn(self.now, &mut |_| None::<Box<dyn FrameTap>>);
                while let Some(event) = system.poll_event() {
                    worked = true;
                    events.push(event);
                }
            }
            idle = if worked { 0 } else { idle + 1 };
        }
    }

    fn start(&mut self, system: usize, unit: u8, commands: Vec<CtcCommand>) {
        let device = CtcDeviceId { channel: 0, unit };
        assert!(self.systems[system].start(self.now, device, CtcProgram(commands)));
        self.settle();
    }

    /// Takes the ends of programs of a system, and counts its attentions.
    fn take(&mut self, system: usize) -> (Vec<CtcOutcome>, usize) {
        let (mut outcomes, mut attentions) = (Vec::new(), 0);
        for event in self.events[system].drain(..) {
            match event {
                CtcEvent::Ended(_, outcome) => outcomes.push(outcome),
                CtcEvent::Attention(_) => attentions += 1,
                other => panic!("{other:?}"),
            }
        }
        (outcomes, attentions)
    }

    fn end(&mut self, system: usize) -> CtcEnd {
        match self.take(system).0.pop() {
            Some(CtcOutcome::Ended(end)) => end,
            other => panic!("{other:?}"),
        }
    }
}

fn octets(length: u32, salt: u8) -> Vec<u8> {
    (0..length).map(|octet| (octet.wrapping_mul(2_654_435_761) >> 13) as u8 ^ salt).collect()
}

fn write(data: &[u8]) -> Vec<CtcCommand> {
    vec![CtcCommand::write(WRITE, data.to_vec())]
}

fn sense_and_read() -> Vec<CtcCommand> {
    vec![CtcCommand::read(SENSE_COMMAND_BYTE, 1), CtcCommand::read(READ, READ_MAX_BYTES)]
}

/// A block crosses whole in both directions, wherever the function of the device is: the writer waits, the reader has attention,
/// senses the command and reads.
#[test]
fn a_block_crosses_both_ways() {
    let mut world = World::new(&[0, 1]);
    for (writer, unit, length) in
        [(0, 0, 1), (1, 0, 4096), (0, 1, 65_535), (1, 1, 65_536), (0, 0, 1 << 20), (1, 0, 1 << 20)]
    {
        let data = octets(length, unit);
        world.start(writer, unit, write(&data));
        assert_eq!(world.take(writer), (vec![], 0), "it waits");
        assert_eq!(world.take(1 - writer), (vec![], 1));
        world.start(1 - writer, unit, sense_and_read());
        let read = world.end(1 - writer);
        assert_eq!((read.status, read.octets_behind(0)[0]), (DeviceStatus::NORMAL_END, WRITE));
        assert!(read.octets_behind(1)[..] == data, "{writer} {unit} {length}");
        let written = world.end(writer);
        assert_eq!((written.status, written.moved_bytes), (DeviceStatus::NORMAL_END, length));
    }
}

/// A Read that waits is met by a Write, and the shorter count moves.
#[test]
fn the_shorter_count_moves() {
    let mut world = World::new(&[0, 1]);
    for (reader, unit) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        world.start(reader, unit, vec![CtcCommand::read(READ, 1000)]);
        assert_eq!(world.take(1 - reader).1, 1);
        let data = octets(4000, unit);
        world.start(1 - reader, unit, write(&data));
        assert_eq!(world.end(1 - reader).moved_bytes, 1000);
        assert!(world.end(reader).octets_behind(0)[..] == data[..1000]);
    }
}

/// Of two writes the later one is answered busy with attention, at either end.
#[test]
fn a_collision_is_reported_to_the_later_writer() {
    let mut world = World::new(&[0, 1]);
    for (first, unit) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        world.start(first, unit, write(&octets(5000, 1)));
        world.start(1 - first, unit, write(&octets(6000, 2)));
        assert_eq!(world.end(1 - first).status, BUSY_AND_ATTENTION);
        world.start(1 - first, unit, sense_and_read());
        assert!(world.end(1 - first).octets_behind(1)[..] == octets(5000, 1));
        assert_eq!(world.end(first).status, DeviceStatus::NORMAL_END);
    }
}

/// A program that waits can be halted at either end. The other side's next command finds nothing of it.
#[test]
fn a_write_that_waits_can_be_halted() {
    let mut world = World::new(&[0, 1]);
    for (writer, unit) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
        world.start(1 - writer, unit, vec![CtcCommand::control(SET_EXTENDED_MODE)]);
        world.start(writer, unit, write(&octets(100, 3)));
        world.take(1 - writer);
        let now = world.now;
        world.systems[writer].halt(now, CtcDeviceId { channel: 0, unit });
        world.settle();
        assert_eq!(world.take(writer).0, [CtcOutcome::Lost]);
        world.start(1 - writer, unit, vec![CtcCommand::read(SENSE_COMMAND_BYTE, 1)]);
        assert!(world.end(1 - writer).status.contains(DeviceStatus::UNIT_CHECK), "the writer is not ready");
        world.start(writer, unit, vec![CtcCommand::control(SET_EXTENDED_MODE)]);
        world.take(writer);
    }
}

/// After a reset of one side, at either end, the other one finds it not ready, and its own program has no end. Then all is as
/// at the beginning.
#[test]
fn a_side_can_be_reset_with_a_program_and_without() {
    let mut world = World::new(&[0, 1]);
    for (system, unit, is_writing) in
        [(0, 0, true), (1, 0, true), (0, 1, true), (1, 1, true), (0, 0, false), (1, 0, false), (0, 1, false)]
    {
        for system in [0, 1] {
            world.start(system, unit, vec![CtcCommand::control(SET_EXTENDED_MODE)]);
            assert_eq!(world.end(system).status, DeviceStatus::NORMAL_END);
        }
        if is_writing {
            world.start(system, unit, write(&octets(100, 3)));
            world.take(1 - system);
        }
        let device = CtcDeviceId { channel: 0, unit };
        let now = world.now;
        world.systems[system].reset(now, device);
        world.settle();
        assert_eq!(std::mem::take(&mut world.events[system]), [CtcEvent::Reset(device)]);
        world.start(1 - system, unit, sense_and_read());
        assert!(world.end(1 - system).status.contains(DeviceStatus::UNIT_CHECK));
        let data = octets(3000, unit);
        world.start(system, unit, write(&data));
        world.take(1 - system);
        world.start(1 - system, unit, sense_and_read());
        assert!(world.end(1 - system).octets_behind(1) == data);
        world.end(system);
    }
}

/// Both channels have functions: each is channel and control unit.
#[test]
fn functions_are_shared_between_the_channels() {
    let [one, other] = [0, 1].map(|system| options(system, &[]).port_name);
    for unit in 0..=255 {
        assert_ne!(has_function(one, other, unit), has_function(other, one, unit));
    }
    let at_one = (0..16).filter(|unit| has_function(one, other, *unit)).count();
    assert_eq!(at_one, 8);
}

fn commands() -> impl Strategy<Value = CtcCommand> {
    let data = prop::collection::vec(any::<u8>(), 1..40);
    prop_oneof![
        4 => data.prop_map(|data| CtcCommand::write(WRITE, data)),
        4 => (1_u32..60).prop_map(|count| CtcCommand::read(READ, count)),
        1 => Just(CtcCommand::control(CONTROL)),
        2 => Just(CtcCommand::read(SENSE_COMMAND_BYTE, 1)),
        1 => Just(CtcCommand::control(SET_EXTENDED_MODE)),
        1 => Just(CtcCommand::control(0xE3)),
        1 => Just(CtcCommand::write(0x81, vec![1, 2])),
        1 => Just(CtcCommand::control(0x03)),
        1 => any::<u8>().prop_map(CtcCommand::control),
    ]
}

/// The adapter by itself, with the programs that wait at its sides.
#[derive(Default)]
struct Model {
    pair: Pair,
    waits: BTreeMap<usize, ()>,
}

impl Model {
    fn side(system: usize) -> Side {
        if system == 0 { Side::X } else { Side::Y }
    }

    /// Returns the endings of both systems' commands, and the attentions.
    fn run(&mut self, system: usize, command: &CtcCommand) -> [(Vec<Ending>, usize); 2] {
        let block = if command.data.is_empty() { Block::NONE } else { Block::Bytes(command.data.clone()) };
        let command = Command { code: command.code, count_bytes: command.count_bytes, block };
        let mut endings = [Vec::new(), Vec::new()];
        match self.pair.start(Self::side(system), command) {
            Started::Ended(ending) => {
                self.pair.end_chain(Self::side(system));
                endings[system].push(ending);
            }
            Started::Waits { .. } => {
                self.waits.insert(system, ());
            }
        }
        let [mut one, mut other] = endings;
        for (system, endings) in [(0, &mut one), (1, &mut other)] {
            if let Some(ending) = self.pair.poll_ending(Self::side(system)) {
                self.waits.remove(&system);
                self.pair.end_chain(Self::side(system));
                endings.push(ending);
            }
        }
        let attention = [0, 1].map(|system| usize::from(self.pair.poll_attention(Self::side(system))));
        [(one, attention[0]), (other, attention[1])]
    }
}

fn is_as(outcome: &CtcOutcome, ending: &Ending) -> bool {
    let CtcOutcome::Ended(end) = outcome else { return false };
    let data = match &ending.data {
        halftrack_control_unit::ctc::Data::Read(Block::Bytes(octets)) => octets.to_vec(),
        other => {
            other.answer()[..ending.device.moved_bytes.min(other.answer().len() as u32) as usize].to_vec()
        }
    };
    // Over the fibre channel end is presented together with device end.
    let status = if ending.device.status == DeviceStatus::DEVICE_END {
        DeviceStatus::NORMAL_END
    } else {
        ending.device.status
    };
    let seen = if end.status == DeviceStatus::DEVICE_END { DeviceStatus::NORMAL_END } else { end.status };
    seen == status && end.octets_behind(0)[..] == data && end.sense == ending.device.sense
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Whatever programs the two systems start, one after the other, their ends and attentions are those of the adapter by
    /// itself, on whichever side its function is.
    #[test]
    fn the_fibre_changes_nothing(
        unit in 0_u8..2,
        programs in prop::collection::vec((0_usize..2, commands()), 1..40),
    ) {
        let mut world = World::new(&[unit]);
        let mut model = Model::default();
        for (system, command) in programs {
            if model.waits.contains_key(&system) {
                continue;
            }
            let expected = model.run(system, &command);
            world.start(system, unit, vec![command.clone()]);
            for (system, (endings, attentions)) in expected.iter().enumerate() {
                let (outcomes, seen) = world.take(system);
                prop_assert_eq!(outcomes.len(), endings.len(), "{:?} {:?}", command, outcomes);
                for (outcome, ending) in outcomes.iter().zip(endings) {
                    prop_assert!(is_as(outcome, ending), "{:?}: {:?} {:?}", command, outcome, ending);
                }
                prop_assert_eq!(seen, *attentions, "{:?}", command);
            }
        }
    }
}
