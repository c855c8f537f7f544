//! Laws of the transport of a logical link and of the adapter below it. The tests of `isfc` run the committed corpora and
//! random octets through the same functions.

use halftrack_base::{SharedOctets, Span, Time};
use halftrack_control_unit::ctc::{self, Command, Data, Ending, Pair, Reset, Side, Started};
use halftrack_isfc::{
    BLOCK_BYTES_MAX, Block, DeviceNumber, End, Flags, HEADER_BYTES, Header, Hello, Incarnation, Kind, Level,
    Order, Payload, ProgramEnd, Received, Report, Settings, StreamId,
};
use halftrack_program::DeviceStatus;

const SIDES: [Side; 2] = [Side::X, Side::Y];
const STREAM: StreamId = StreamId(1);
const WRITE: u8 = 0x01;
const READ: u8 = 0x02;
const SENSE_COMMAND_BYTE: u8 = 0x14;
const SET_EXTENDED_MODE: u8 = 0xC3;
/// Most octets of data in a block of the link, and of data that are kept.
const BLOCK_BYTES: u32 = 48;
const KEPT_BYTES: u64 = 400;
/// Programs in which a link that nothing disturbs must have come to rest.
const PROGRAMS_MAX: usize = 20_000;

/// Reads octets as a block, as values of a header and data, and as contents of a block. Each is its octets again.
pub fn isfc_block(octets: &[u8]) {
    let shared = SharedOctets::from(octets.to_vec());
    if let Ok(block) = Block::decode(&shared) {
        assert_eq!(Block::decode(&block.encode().into()), Ok(block));
    }
    if let Some((values, data)) = octets.split_first_chunk::<46>() {
        let block = Block { header: header(values, data), payload: Payload::from(data.to_vec()) };
        assert_eq!(Block::decode(&block.encode().into()), Ok(block));
    }
    if let Ok(hello) = Hello::decode(octets) {
        assert_eq!(Hello::decode(&hello.encode()), Ok(hello));
    }
    if let Ok(report) = Report::decode(octets) {
        assert_eq!(Report::decode(&report.encode()), Ok(report));
    }
}

fn header(values: &[u8; 46], data: &[u8]) -> Header {
    let double = |at: usize| u64::from_be_bytes(values[at..at + 8].try_into().expect("eight octets"));
    Header {
        kind: [Kind::Hello, Kind::Data, Kind::Report, Kind::Filler][usize::from(values[0] % 4)],
        flags: Flags(values[1]),
        sequence: double(2),
        confirmed: double(10),
        sender: Incarnation(double(18)),
        receiver: Incarnation(double(26)),
        stream: StreamId(double(34) as u32),
        offset: double(38),
        length_bytes: data.len() as u32,
    }
}

/// State of the host of a side of an adapter.
#[derive(Debug, Default)]
struct Host {
    /// Octets of the command that waits: those of a Write.
    open: Option<Option<Vec<u8>>>,
    /// Octets that the Read which waits must get, or the number that was read of the Write.
    due: Option<Result<Vec<u8>, u32>>,
}

/// Gives commands of any codes and counts to both sides of an adapter, three octets a step, with halts, resets and endings
/// in any order. Each command ends once, a Read has the octets of one Write, and resets leave nothing.
pub fn ctc_commands(octets: &[u8]) {
    let mut pair = Pair::default();
    let mut hosts = [Host::default(), Host::default()];
    for (number, step) in octets.chunks_exact(3).enumerate() {
        let side = SIDES[usize::from(step[0] & 1)];
        match step[0] >> 1 & 7 {
            0..=3 => start(&mut pair, &mut hosts, side, (step[1], step[2], number as u8)),
            4 => collect(&mut pair, &mut hosts, side),
            5 => {
                pair.poll_attention(side);
            }
            6 => pair.end_chain(side),
            _ => {
                let reset = [Reset::Halt, Reset::Selective, Reset::System][usize::from(step[1] % 3)];
                pair.reset(side, reset);
                hosts[side as usize] = Host::default();
            }
        }
    }
    for side in SIDES {
        collect(&mut pair, &mut hosts, side);
        pair.reset(side, Reset::System);
    }
    collect(&mut pair, &mut hosts, Side::X);
    pair.reset(Side::X, Reset::System);
    assert_eq!(pair, Pair::default(), "resets of both sides leave something");
}

fn start(pair: &mut Pair, hosts: &mut [Host; 2], side: Side, (code, count, number): (u8, u8, u8)) {
    let is_write = code & 3 == 1;
    let octets = is_write.then(|| (0..count).map(|at| number ^ at.wrapping_mul(31)).collect::<Vec<u8>>());
    let block = octets.clone().map_or(ctc::Block::NONE, |octets| ctc::Block::Bytes(octets.into()));
    let started = pair.start(side, Command { code, count_bytes: count.into(), block });
    let [own, other] = hosts.get_disjoint_mut([side as usize, side.other() as usize]).expect("two sides");
    let ending = match started {
        Started::Waits { .. } => {
            assert!(own.open.is_none(), "two commands wait at a side");
            own.open = Some(octets);
            return;
        }
        Started::Ended(ending) => ending,
    };
    assert!(own.open.is_none() || ending.device.status == DeviceStatus::BUSY, "a second command has run");
    match ending.data {
        Data::Read(ctc::Block::Bytes(read)) => {
            let written = other.open.as_ref().and_then(Option::as_ref).expect("a Write waits");
            let moved = written.len().min(count.into());
            assert_eq!(read[..], written[..moved], "a Read has other octets");
            other.due = Some(Err(moved as u32));
        }
        Data::None if ending.device.moved_bytes > 0 => {
            let octets = octets.expect("a Write moves octets");
            other.due = Some(Ok(octets[..ending.device.moved_bytes as usize].to_vec()));
        }
        Data::Unsent(ctc::Block::Bytes(unsent)) => assert_eq!(Some(unsent.to_vec()), octets),
        _ => {}
    }
}

fn collect(pair: &mut Pair, hosts: &mut [Host; 2], side: Side) {
    let Some(ending) = pair.poll_ending(side) else { return };
    let host = &mut hosts[side as usize];
    let octets = host.open.take().expect("a command ends once");
    match (host.due.take(), ending.data) {
        (Some(Ok(due)), Data::Read(ctc::Block::Bytes(read))) => assert_eq!(read[..], due[..]),
        (Some(Err(due)), Data::None) => assert_eq!(ending.device.moved_bytes, due),
        (None, Data::Unsent(ctc::Block::Bytes(unsent))) => assert_eq!(Some(unsent.to_vec()), octets),
        // A transfer of no octets leaves nothing that is due.
        (None, Data::None | Data::Read(_)) => assert_eq!(ending.device.moved_bytes, 0),
        (due, data) => panic!("a command is owed {due:?} and gets {data:?}"),
    }
}

/// Lets two ends meet over adapters as octets determine, two for each step. Data, endings and attention come in any order;
/// devices are lost, systems start anew, blocks are broken, and blocks come that no end would send. Whatever an end is given,
/// it goes on. Where no such block came, every octet arrives once and in order.
pub fn isfc_link(octets: &[u8]) {
    let Some((first, steps)) = octets.split_first() else { return };
    let mut link = Link::new(usize::from(first % 4) + 1);
    for step in steps.chunks_exact(2) {
        link.step(step[0], step[1]);
    }
    link.finish();
}

/// Change to a block on its way.
#[derive(Debug, Clone, Copy)]
enum Change {
    /// An octet is another one.
    Broken(u8),
    /// The header has another value, and the check of it.
    Forged(u8),
}

struct Link {
    ends: [End; 2],
    pairs: Vec<Pair>,
    /// Octets that each application has, and keeps over its starts.
    received: [u64; 2],
    has_path: [Vec<bool>; 2],
    change: Option<Change>,
    is_honest: bool,
    now: Time,
}

impl Link {
    fn new(devices: usize) -> Self {
        let mut link = Self {
            ends: SIDES.map(|side| new_end(side, devices, 1, 0)),
            pairs: vec![Pair::default(); devices],
            received: [0; 2],
            has_path: [vec![true; devices], vec![true; devices]],
            change: None,
            is_honest: true,
            now: Time::ZERO,
        };
        for device in 0..devices {
            link.ends.iter_mut().for_each(|end| end.operational(number(device)));
        }
        link
    }

    fn step(&mut self, kind: u8, value: u8) {
        let (side, device) = (SIDES[usize::from(value & 1)], usize::from(value >> 1) % self.pairs.len());
        // Disturbances are few, so that the link comes up in between.
        match kind % 64 {
            0..=15 => {
                self.go_on();
            }
            16..=23 => {
                self.follow(side);
            }
            24..=31 => {
                self.present(side, device);
            }
            32..=37 => {
                self.attend(side, device);
            }
            38..=52 => self.send(side, u32::from(value >> 1) % BLOCK_BYTES + 1),
            53..=55 => self.take(side),
            56 | 57 => self.lose(side, device),
            58 | 59 => self.restore(side, device),
            60 => self.start_anew(side),
            61 => self.change = Some(Change::Broken(value)),
            62 if kind >= 128 => self.change = Some(Change::Forged(value)),
            _ => self.now += Span::from_ms(u64::from(value) * 10),
        }
        while self.ends[side as usize].poll_notice().is_some() {}
    }

    fn follow(&mut self, side: Side) -> bool {
        let Some(order) = self.ends[side as usize].poll_order(self.now) else { return false };
        let device = usize::from(order.device().0 - number(0).0);
        if !self.has_path[side as usize][device] {
            return true;
        }
        let pair = &mut self.pairs[device];
        let command = |code, count_bytes| Command { code, count_bytes, block: ctc::Block::NONE };
        let started = match order {
            Order::Reset { .. } => {
                pair.reset(side, Reset::System);
                self.ends[side as usize].operational(number(device));
                return true;
            }
            Order::SetExtendedMode { .. } => pair.start(side, command(SET_EXTENDED_MODE, 1)),
            Order::Write { block, .. } => {
                let octets = block.encode();
                let count_bytes = octets.len() as u32;
                pair.start(
                    side,
                    Command { code: WRITE, count_bytes, block: ctc::Block::Bytes(octets.into()) },
                )
            }
            Order::Read { .. } => match pair.start(side, command(SENSE_COMMAND_BYTE, 1)) {
                Started::Ended(sensed) if sensed.device.status == DeviceStatus::NORMAL_END => {
                    pair.start(side, command(READ, BLOCK_BYTES_MAX + HEADER_BYTES as u32))
                }
                started => started,
            },
        };
        if let Started::Ended(ending) = started {
            self.ended(side, device, ending);
        }
        true
    }

    fn present(&mut self, side: Side, device: usize) -> bool {
        match self.pairs[device].poll_ending(side) {
            Some(ending) if self.has_path[side as usize][device] => {
                self.ended(side, device, ending);
                true
            }
            _ => false,
        }
    }

    fn attend(&mut self, side: Side, device: usize) -> bool {
        let has_attention = self.has_path[side as usize][device] && self.pairs[device].poll_attention(side);
        if has_attention {
            self.ends[side as usize].attention(number(device));
        }
        has_attention
    }

    fn ended(&mut self, side: Side, device: usize, ending: Ending) {
        self.pairs[device].end_chain(side);
        let received = match ending.data {
            Data::Read(ctc::Block::Bytes(octets)) => {
                let octets = self.changed(octets);
                Block::decode(&octets).map_or(Received::Corrupt, Received::Block)
            }
            _ => Received::Nothing,
        };
        let end = ProgramEnd {
            status: ending.device.status,
            sense: ending.device.sense.map_or(0, |sense| sense[0]),
            moved_bytes: ending.device.moved_bytes,
            received,
        };
        self.ends[side as usize].program_ended(number(device), end, self.now);
    }

    /// Changes octets on their way as it was determined.
    fn changed(&mut self, octets: SharedOctets) -> SharedOctets {
        match self.change.take() {
            None => octets,
            Some(Change::Broken(at)) => {
                let mut octets = octets.to_vec();
                let at = usize::from(at) % octets.len().max(1);
                octets.iter_mut().skip(at).take(1).for_each(|octet| *octet ^= 0x41);
                octets.into()
            }
            Some(Change::Forged(value)) => {
                let Ok(mut block) = Block::decode(&octets) else { return octets };
                let header = &mut block.header;
                match value % 8 {
                    0 => header.sequence = header.sequence.wrapping_add(u64::from(value)),
                    1 => header.confirmed = header.confirmed.wrapping_add(u64::from(value)),
                    2 => header.sender.0 = header.sender.0.wrapping_add(1),
                    3 => header.receiver.0 = header.receiver.0.wrapping_sub(1),
                    4 => header.offset = u64::MAX - u64::from(value),
                    5 => header.stream.0 ^= u32::from(value),
                    6 => header.sequence = u64::MAX,
                    _ => header.confirmed = u64::MAX,
                }
                self.is_honest = false;
                block.encode().into()
            }
        }
    }

    fn send(&mut self, side: Side, bytes: u32) {
        let end = &mut self.ends[side as usize];
        // The offset is certain when the partner has greeted.
        if end.is_up() {
            let from = end.next_offset(STREAM);
            let octets: Vec<u8> = (0..bytes.into()).map(|at| octet(side, from.wrapping_add(at))).collect();
            end.send(STREAM, &Payload::from(octets));
        }
    }

    fn take(&mut self, side: Side) {
        let from = side.other();
        while let Some(delivery) = self.ends[side as usize].poll_delivery() {
            let Payload::Bytes(octets) = &delivery.payload else { panic!("octets are kept") };
            if !self.is_honest {
                continue;
            }
            assert_eq!((delivery.stream, delivery.offset), (STREAM, self.received[side as usize]));
            let is_right = |(at, value): (u64, &u8)| *value == octet(from, delivery.offset + at);
            assert!((0..).zip(octets.iter()).all(is_right), "octets are those that were sent");
            self.received[side as usize] += octets.len() as u64;
        }
    }

    fn lose(&mut self, side: Side, device: usize) {
        self.pairs[device].reset(side, Reset::System);
        self.has_path[side as usize][device] = false;
        self.ends[side as usize].lost(number(device));
    }

    fn restore(&mut self, side: Side, device: usize) {
        if !std::mem::replace(&mut self.has_path[side as usize][device], true) {
            self.ends[side as usize].operational(number(device));
        }
    }

    fn start_anew(&mut self, side: Side) {
        let incarnation = self.ends[side as usize].settings().incarnation.0 + 1;
        let devices = self.pairs.len();
        let mut end = new_end(side, devices, incarnation, self.received[side as usize]);
        for device in 0..devices {
            self.pairs[device].reset(side, Reset::System);
            self.has_path[side as usize][device] = true;
            end.operational(number(device));
        }
        self.ends[side as usize] = end;
    }

    /// Lets everything happen that still can, undisturbed. Ends that were never deceived have all octets.
    fn finish(&mut self) {
        self.change = None;
        let devices = self.pairs.len();
        for (side, device) in
            SIDES.into_iter().flat_map(|side| (0..devices).map(move |device| (side, device)))
        {
            self.restore(side, device);
        }
        let mut programs = 0;
        // Devices that found their partner not ready are tried again after a time.
        for _ in 0..4 {
            while self.go_on() {
                programs += 1;
                assert!(programs < PROGRAMS_MAX || !self.is_honest, "the ends do not come to rest");
                if programs >= PROGRAMS_MAX {
                    return;
                }
            }
            self.now += Span::from_s(2);
        }
        for side in SIDES.into_iter().filter(|_| self.is_honest) {
            let end = &self.ends[side as usize];
            assert!(end.is_up(), "the link is up again");
            let sent = end.next_offset(STREAM);
            assert_eq!(self.received[side.other() as usize], sent, "all octets have arrived");
            assert_eq!(end.acknowledged(STREAM), sent);
            // The last blocks are kept until the partner confirms them with some later one.
            assert!(end.kept_bytes() <= KEPT_BYTES);
        }
    }

    fn go_on(&mut self) -> bool {
        let mut worked = false;
        for side in SIDES {
            worked |= self.follow(side);
            for device in 0..self.pairs.len() {
                worked |= self.present(side, device) | self.attend(side, device);
            }
            self.take(side);
            while self.ends[side as usize].poll_notice().is_some() {}
        }
        worked
    }
}

fn new_end(side: Side, devices: usize, incarnation: u64, received: u64) -> End {
    let mut end = End::new(Settings {
        system: ["VMA", "VMB"][side as usize].parse().expect("a name"),
        collection: "CSC".parse().expect("a name"),
        level: Level::SIXTEEN_DEVICES,
        incarnation: Incarnation(incarnation),
        node: None,
        block_bytes: BLOCK_BYTES,
        send_bytes: KEPT_BYTES,
        receive_bytes: KEPT_BYTES,
        retry: Some(Span::from_s(1)),
    });
    end.resume(STREAM, received);
    for device in 0..devices {
        end.activate(number(device), None).expect("few devices");
    }
    end
}

const fn number(device: usize) -> DeviceNumber {
    DeviceNumber(0xD000 + device as u16)
}

/// Returns the octet of a side's stream at an offset.
const fn octet(side: Side, offset: u64) -> u8 {
    (offset.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56) as u8 ^ (side as u8) << 7
}
