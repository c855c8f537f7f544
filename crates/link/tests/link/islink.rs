//! Logical links: streams between two systems in one process, over several channels, with channels that are lost.

use std::collections::BTreeMap;

use halftrack_base::{Span, Time};
use halftrack_engine::RandomStream;
use halftrack_isfc::{DeviceNumber, Incarnation, Level, Notice, Payload, Settings, StreamId, SystemName};
use halftrack_link::ctc::{CtcChannelOptions, CtcDeviceId, CtcSystem};
use halftrack_link::islink::{DevicePlace, LogicalLink, PatternSink, PatternSource, Sink, Source, pattern};
use halftrack_link::plug::{Plug, PlugState, Plugged};
use halftrack_link::{FrameTap, InProcessTransport};
use halftrack_wire::WorldWideName;
use std::cell::RefCell;
use std::rc::Rc;

const STREAM_BYTES: u64 = 24 << 20;

/// Links that a test hands in.
#[derive(Clone, Default)]
struct Hand(Rc<RefCell<Option<Plugged<InProcessTransport>>>>);

impl Plug for Hand {
    type Transport = InProcessTransport;

    fn poll(&mut self, _: Time) -> PlugState<InProcessTransport> {
        self.0.borrow_mut().take().map_or(PlugState::Waiting, PlugState::New)
    }
}

/// A system with its streams.
struct Node {
    link: LogicalLink<Hand>,
    source: PatternSource,
    stream: StreamId,
    sink: PatternSink,
    is_refused: bool,
    collisions: u64,
    losses: u64,
}

fn names(channel: u64) -> [WorldWideName; 2] {
    [0x5005_0764_0000_0000, 0x5005_0764_0001_0000].map(|base| WorldWideName(base + channel))
}

fn channel_options(system: usize, channel: usize, units: Vec<u8>) -> CtcChannelOptions {
    // The lower name is at one end for some channels and at the other for the rest.
    let mut names = names(channel as u64);
    if channel % 2 == 1 {
        names.reverse();
    }
    CtcChannelOptions {
        chpid: 0x40 + channel as u8,
        port_name: names[system],
        node_name: WorldWideName(names[system].0 | 1 << 60),
        partner: names[1 - system],
        images: if system == 0 { (1, 2) } else { (2, 1) },
        credits: 64,
        units,
        clock: None,
        disks: None,
    }
}

fn node(system: usize, hands: &[Hand], units: u8, incarnation: u64, received: u64) -> Node {
    let channels = hands
        .iter()
        .enumerate()
        .map(|(channel, hand)| (channel_options(system, channel, (0..units).collect()), hand.clone()));
    let ctc = CtcSystem::new(channels);
    let devices: Vec<_> = (0..hands.len())
        .flat_map(|channel| (0..units).map(move |unit| (channel, unit)))
        .map(|(channel, unit)| DevicePlace {
            // Striped numbers.
            number: DeviceNumber(0xD000 + u16::from(unit) * hands.len() as u16 + channel as u16),
            id: CtcDeviceId { channel, unit },
        })
        .collect();
    let name = |name: &str| -> SystemName { name.parse().unwrap() };
    let settings = Settings {
        system: name(["VMA", "VMB"][system]),
        collection: name("DEMO"),
        level: Level::SIXTEEN_DEVICES,
        incarnation: Incarnation(incarnation),
        node: Some(name(["VMB", "VMA"][system])),
        block_bytes: 1 << 18,
        send_bytes: 4 << 20,
        receive_bytes: 4 << 20,
        retry: Some(Span::from_ms(100)),
    };
    let mut link = LogicalLink::new(ctc, settings, &devices).unwrap();
    let stream = StreamId(1 + system as u32);
    let other = 2 - system as u32;
    let mut sink = PatternSink::new(pattern(), other);
    if received > 0 {
        link.end_mut().resume(StreamId(other), received);
        sink = PatternSink::new(pattern(), other);
        sink.resume(received);
    }
    let source = PatternSource::new(pattern(), stream.0, Some(STREAM_BYTES));
    Node { link, source, stream, sink, is_refused: false, collisions: 0, losses: 0 }
}

impl Node {
    fn turn(&mut self, now: Time) -> bool {
        let mut worked = self.link.turn(now, &mut |_| None::<Box<dyn FrameTap>>);
        while let Some(notice) = self.link.end_mut().poll_notice() {
            worked = true;
            match notice {
                Notice::Room => self.is_refused = false,
                Notice::Resume { stream, offset } if stream == self.stream => {
                    self.source.seek(offset).unwrap();
                    self.is_refused = false;
                }
                Notice::Gap { stream } => panic!("octets of {stream:?} are missing"),
                Notice::Collision(_) => self.collisions += 1,
                Notice::DeviceLost(_) => self.losses += 1,
                Notice::Refused { device, reason } => panic!("{device}: {reason}"),
                _ => {}
            }
        }
        while let Some(delivery) = self.link.end_mut().poll_delivery() {
            worked = true;
            let Payload::Bytes(octets) = &delivery.payload else { panic!("octets") };
            self.sink.put(delivery.offset, octets).unwrap();
        }
        while !self.is_refused && self.link.end().is_up() {
            let at = self.link.end().next_offset(self.stream);
            self.source.seek(at).unwrap();
            let octets = self.source.take(1 << 18).unwrap();
            if octets.is_empty() {
                break;
            }
            worked = true;
            self.is_refused = !self.link.end_mut().send(self.stream, &Payload::Bytes(octets));
        }
        worked | self.link.follow_orders(now)
    }

    fn has_all(&self) -> bool {
        self.sink.taken_bytes() == STREAM_BYTES && self.link.end().acknowledged(self.stream) == STREAM_BYTES
    }
}

struct World {
    now: Time,
    hands: [Vec<Hand>; 2],
    nodes: [Node; 2],
    units: u8,
    starts: u64,
}

impl World {
    fn new(channels: usize, units: u8) -> Self {
        let hands: [Vec<Hand>; 2] = std::array::from_fn(|_| (0..channels).map(|_| Hand::default()).collect());
        let nodes = std::array::from_fn(|system| node(system, &hands[system], units, 1, 0));
        let mut world = Self { now: Time::ZERO, hands, nodes, units, starts: 1 };
        (0..channels).for_each(|channel| world.plug(channel));
        world
    }

    /// Connects a channel, as far as it is not connected.
    fn plug(&mut self, channel: usize) {
        let (one, other) = InProcessTransport::pair().unwrap();
        for (system, (transport, opened)) in [(one, true), (other, false)].into_iter().enumerate() {
            *self.hands[system][channel].0.borrow_mut() = Some(Plugged { transport, opened });
        }
    }

    /// Pulls a channel: the system loses it now, and the other one with the next octets.
    fn pull(&mut self, system: usize, channel: usize) {
        self.nodes[system].link.pull(self.now, channel);
    }

    /// Starts a system anew: of what it had only the octets received are left.
    fn restart(&mut self, system: usize) {
        let received = self.nodes[system].sink.taken_bytes();
        self.starts += 1;
        self.nodes[system] = node(system, &self.hands[system], self.units, self.starts, received);
        (0..self.hands[0].len()).for_each(|channel| self.plug(channel));
    }

    fn step(&mut self, us: u64) -> bool {
        self.now = self.now.saturating_add(Span::from_us(us));
        let now = self.now;
        self.nodes.iter_mut().fold(false, |worked, node| node.turn(now) | worked)
    }

    fn run(&mut self, mut event: impl FnMut(&mut Self, u64)) {
        let mut steps = 0;
        while !self.nodes.iter().all(Node::has_all) {
            let worked = self.step(20);
            if !worked {
                self.step(2000);
            }
            steps += 1;
            event(self, steps);
            assert!(
                steps < 2_000_000,
                "no progress: {:?}",
                self.nodes.each_ref().map(|node| {
                    let devices: Vec<_> = node.link.end().devices().collect();
                    (node.sink.taken_bytes(), node.link.end().acknowledged(node.stream), devices)
                })
            );
        }
    }
}

/// Streams both ways at once, over one to four channels and all numbers of devices: every octet comes once and in order.
#[test]
fn streams_cross_whole_both_ways() {
    for (channels, units) in [(1, 1), (1, 2), (1, 4), (2, 4), (4, 4), (3, 3)] {
        let mut world = World::new(channels, units);
        world.run(|_, _| {});
        let devices: BTreeMap<_, _> =
            world.nodes[0].link.end().devices().map(|device| (device.number, device.counters)).collect();
        assert_eq!(devices.len(), channels * usize::from(units));
    }
}

/// Channels are pulled and plugged in again, and systems start anew, at random moments: no octet is lost, doubled or out of
/// place.
#[test]
fn nothing_is_lost_whatever_is_pulled_or_started_anew() {
    let mut losses = 0;
    for seed in 0..seeds() {
        let mut random = RandomStream::new(seed, "islink");
        let (channels, units) = (1 + random.below(3) as usize, 1 + random.below(4) as u8);
        let mut world = World::new(channels, units);
        let mut next = 50 + random.below(300);
        let mut pulled = Vec::new();
        world.run(|world, step| {
            if step < next {
                return;
            }
            next = step + 30 + random.below(600);
            let channel = random.below(channels as u64) as usize;
            match random.below(8) {
                0 if seed % 4 == 0 => {
                    world.restart(random.below(2) as usize);
                    pulled.clear();
                }
                0..=3 => {
                    world.pull(random.below(2) as usize, channel);
                    pulled.push(channel);
                }
                _ => {}
            }
            for channel in pulled.drain(..) {
                world.plug(channel);
            }
        });
        losses += world.nodes.iter().map(|node| node.losses).sum::<u64>();
    }
    assert!(losses > seeds(), "devices were lost");
}

/// Returns the number of seeds: `HALFTRACK_ISLINK_SEEDS`, or a few.
fn seeds() -> u64 {
    std::env::var("HALFTRACK_ISLINK_SEEDS").ok().and_then(|seeds| seeds.parse().ok()).unwrap_or(12)
}
