//! Two ends of a connection with their memory, and packets between them as octets.

use core::net::{Ipv4Addr, Ipv6Addr};

use halftrack_base::{Span, Time};
use halftrack_roce::packet::{
    Network, Operation, PACKET_BYTES_MAX, Packet, PacketError, Path, Psn, QueuePairNumber, Rkey,
};
use halftrack_roce::queue_pair::{
    AccessError, Completion, LocalSpan, Memory, Message, QueuePair, Received, Remote, Settings, Work, WorkId,
};

/// Key of the memory of either end.
pub const RKEY: Rkey = Rkey(0xA1A2_A3A4);
/// Key of memory that may not be written.
pub const READ_ONLY: Rkey = Rkey(0xA1A2_A3A5);
/// Address of the first octet.
pub const BASE: u64 = 0xFFFF_FFFF_FFFE_0000;
/// Octets of the memory of an end.
pub const REGION_BYTES: usize = 0x1_0000;

/// Memory that counts how often each octet was written.
#[derive(Debug, Clone)]
pub struct Region {
    pub octets: Vec<u8>,
    pub writes: Vec<u16>,
    /// Withdraws the memory, as a program does that deletes the key.
    pub is_withdrawn: bool,
}

impl Memory for Region {
    fn check(&self, rkey: Rkey, address: u64, length_bytes: u32) -> Result<(), AccessError> {
        match rkey {
            RKEY if !self.is_withdrawn => {}
            READ_ONLY => return Err(AccessError::Permission),
            _ => return Err(AccessError::Key),
        }
        let offset = address.checked_sub(BASE).ok_or(AccessError::Bounds)?;
        let is_inside = offset + u64::from(length_bytes) <= REGION_BYTES as u64;
        if is_inside { Ok(()) } else { Err(AccessError::Bounds) }
    }

    fn write(&mut self, rkey: Rkey, address: u64, octets: &[u8]) -> Result<(), AccessError> {
        self.check(rkey, address, octets.len() as u32)?;
        let start = (address - BASE) as usize;
        self.octets[start..start + octets.len()].copy_from_slice(octets);
        self.writes[start..start + octets.len()].iter_mut().for_each(|count| *count += 1);
        Ok(())
    }
}

/// One end.
#[derive(Debug, Clone)]
pub struct End {
    pub pair: QueuePair,
    /// Octets that writes are sent from; addresses are places in it.
    pub source: Vec<u8>,
    pub memory: Region,
    /// Path of packets that come.
    pub peer_path: Path,
}

impl End {
    /// Takes all packets that are due.
    pub fn transmit(&mut self, now: Time) -> Vec<Vec<u8>> {
        let mut packets = Vec::new();
        while let Some(packet) = self.transmit_one(now) {
            packets.push(packet);
        }
        packets
    }

    pub fn transmit_one(&mut self, now: Time) -> Option<Vec<u8>> {
        let mut buffer = [0xEE; PACKET_BYTES_MAX];
        let source = &self.source;
        let load = |address: u64, into: &mut [u8]| {
            into.copy_from_slice(&source[address as usize..address as usize + into.len()]);
        };
        let bytes = self.pair.poll_transmit(now, &load, &mut buffer)?;
        Some(buffer[..bytes].to_vec())
    }

    pub fn receive(&mut self, now: Time, octets: &[u8]) -> Result<(), PacketError> {
        let packet = Packet::decode(&self.peer_path, octets)?;
        self.pair.receive(now, &packet, &mut self.memory);
        Ok(())
    }

    pub fn completions(&mut self) -> Vec<Completion> {
        std::iter::from_fn(|| self.pair.poll_completion()).collect()
    }

    pub fn received(&mut self) -> Vec<Received> {
        std::iter::from_fn(|| self.pair.poll_received()).collect()
    }

    /// Returns a packet that this end receives, as it reads it.
    pub fn read<'a>(&self, octets: &'a [u8]) -> Packet<'a> {
        Packet::decode(&self.peer_path, octets).expect("a packet of the peer")
    }
}

/// Makes both ends; `change` is applied to the settings of the first, and of the second.
pub fn ends(is_v6: bool, change: impl Fn(&mut Settings)) -> [End; 2] {
    let (a, b) = (Ipv4Addr::new(10, 1, 0, 1), Ipv4Addr::new(10, 1, 0, 2));
    let v6 = |last: u16| Ipv6Addr::new(0xFD00, 0, 0, 0, 0, 0, 0, last);
    let paths = match is_v6 {
        false => [Path::v4(a, b, 49_152), Path::v4(b, a, 49_153)],
        true => [Path::v6(v6(1), v6(2), 49_152), Path::v6(v6(2), v6(1), 49_153)],
    };
    assert!(is_v6 || matches!(paths[0].network, Network::V4 { .. }));
    let numbers = [QueuePairNumber::new(0x11_0001), QueuePairNumber::new(0x22_0002)];
    [0, 1].map(|at: usize| {
        let mut settings = Settings::new(paths[at], numbers[at], numbers[1 - at]);
        let psns = [Psn::new(0xFF_FFF0), Psn::new(7)];
        (settings.send_psn, settings.receive_psn) = (psns[at], psns[1 - at]);
        settings.timeout = Span::from_us(500);
        change(&mut settings);
        End {
            pair: QueuePair::new(settings),
            source: (0..REGION_BYTES).map(|place| (place * 7 / 3 + at * 101) as u8).collect(),
            memory: Region {
                octets: vec![0; REGION_BYTES],
                writes: vec![0; REGION_BYTES],
                is_withdrawn: false,
            },
            peer_path: paths[1 - at],
        }
    })
}

/// Makes a write of octets to the offset of the peer's memory that they have in the source.
pub fn write(offset: u32, length_bytes: u32) -> Work {
    let from = LocalSpan { address: offset.into(), length_bytes };
    Work::Write { from, to: Remote { rkey: RKEY, address: BASE + u64::from(offset) }, immediate: None }
}

/// Makes a SEND.
pub fn send(octets: &[u8]) -> Work {
    Work::Send { message: Message::new(octets).expect("a short message"), immediate: None }
}

/// Posts work with the next number, from 0 on.
pub fn post(end: &mut End, works: &[Work]) {
    for (id, work) in (0..).zip(works) {
        end.pair.post(WorkId(id), *work).expect("room");
    }
}

/// Moves packets without loss and without time until none is due.
pub fn settle(ends: &mut [End; 2], now: Time) {
    let mut has_moved = true;
    while has_moved {
        has_moved = false;
        for from in 0..2 {
            for packet in ends[from].transmit(now) {
                has_moved = true;
                ends[1 - from].receive(now, &packet).expect("a packet");
            }
        }
    }
}

/// Returns operations and numbers of packets that `end` receives, and whether an acknowledgement is requested.
pub fn shown(end: &End, packets: &[Vec<u8>]) -> Vec<(Operation, u32, bool)> {
    let read = packets.iter().map(|packet| end.read(packet));
    read.map(|packet| (packet.operation, packet.heading.psn.get(), packet.heading.is_acknowledge_requested))
        .collect()
}
