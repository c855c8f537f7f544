//! Cost of an exchange at both ends together: a channel port and a control-unit port in one thread, joined by a
//! buffer of octets, over a device on a volume in memory. The CRC of every frame is made and checked, the data read
//! are compared with the volume, and 128 exchanges are open. A time is that of one read.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use halftrack_base::Time;
use halftrack_exchange::eckd_device::EckdDevice;
use halftrack_exchange::port::{ChannelPort, ControlUnitPort, Opened, Start, Target, Units};
use halftrack_exchange::{BusyKind, Carrier, Login, Program};
use halftrack_program::{
    Geometry, Grouping, Octets, Operation, Positioning, ProgramShape, Protocol, RecordAddress, TrackAddress,
};
use halftrack_volume::{CkdVolume, CountArea, MemoryMedium, Tracks, create_in_memory};
use halftrack_wire::fc_frame::emit_frame;
use halftrack_wire::{Eof, FcFrame, FcHeader, FrameSink, IuData, Sof, StartNumber};

const DEPTH: u32 = 128;
const RECORD_BYTES: u16 = 4096;
const RECORDS_PER_TRACK: u8 = 12;
const CHANNEL: u32 = 0x01_0100;
const CONTROL_UNIT: u32 = 0x01_0200;
const LOGIN: Login = Login {
    frame_payload_bytes: 2112,
    initial_pacing: 64,
    granted_pacing: 64,
    first_transfer_bytes: 0,
    transfer_ready_bytes: 0,
    carrier: Carrier::Ficon,
    window_bytes: 0,
    protection: halftrack_wire::FrameProtection::NONE,
};

type Unit = Box<EckdDevice<CkdVolume<MemoryMedium>>>;

/// Devices, each used by one exchange at a time. Which comes back does not matter: all hold the same.
struct Volumes {
    units: Vec<Unit>,
}

impl Units for Volumes {
    type Device = Unit;

    fn open(&mut self, _start: &Start) -> Opened<Unit> {
        self.units.pop().map_or(Opened::Busy(BusyKind::Device), Opened::Device)
    }

    fn close(&mut self, device: Unit) {
        self.units.push(device);
    }
}

/// Frames in one direction, each behind its length.
#[derive(Default)]
struct Wire(Vec<u8>);

impl FrameSink for Wire {
    fn frame(&mut self, _sof: Sof, header: &FcHeader, parts: &[&[u8]], _eof: Eof) {
        let at = self.0.len();
        self.0.extend_from_slice(&[0; 4]);
        emit_frame(header, parts, &mut self.0).expect("a frame has room for what a port puts in it");
        let length = (self.0.len() - at - 4) as u32;
        self.0[at..at + 4].copy_from_slice(&length.to_be_bytes());
    }
}

impl Wire {
    fn take(&mut self, mut each: impl FnMut(&FcFrame<'_>)) {
        let mut rest = &self.0[..];
        while let Some((length, after)) = rest.split_first_chunk() {
            let (frame, after) = after.split_at(u32::from_be_bytes(*length) as usize);
            each(&FcFrame::parse(frame).expect("nothing damages a frame here"));
            rest = after;
        }
        self.0.clear();
    }
}

fn geometry() -> Geometry {
    Geometry::with_cylinders(1).expect("a cylinder")
}

fn content(address: TrackAddress, record: u8) -> Vec<u8> {
    let seed = u32::from_be_bytes(address.to_cchh()) * 31 + u32::from(record);
    (0..u32::from(RECORD_BYTES))
        .map(|at| (seed.wrapping_add(at).wrapping_mul(0x9E37_79B9) >> 24) as u8)
        .collect()
}

fn tracks() -> impl Iterator<Item = TrackAddress> {
    let geometry = geometry();
    let first = TrackAddress::new(0, 0).expect("track 0");
    (0..geometry.cylinders() * u32::from(geometry.heads()))
        .map_while(move |track| geometry.advance(first, track))
}

fn volume() -> Unit {
    let mut volume = create_in_memory(geometry(), None).expect("a volume");
    for address in tracks() {
        for record in 1..=RECORDS_PER_TRACK {
            let count = CountArea { cchh: address.to_cchh(), record, key_bytes: 0, data_bytes: RECORD_BYTES };
            let data = content(address, record);
            volume.format_record(address, record, count, Octets::Bytes(&data)).expect("room for a record");
        }
    }
    Box::new(EckdDevice::new(volume))
}

/// Reads of `records` records from many places, with what they read.
fn programs(protocol: Protocol, records: u16) -> Vec<(Program, Vec<u8>)> {
    let shape = ProgramShape {
        operation: Operation::Read,
        record_bytes: RECORD_BYTES,
        records,
        grouping: Grouping::Records,
        positioning: Positioning::Prefix,
    };
    let all: Vec<(TrackAddress, u8)> =
        tracks().flat_map(|track| (1..=RECORDS_PER_TRACK).map(move |record| (track, record))).collect();
    let starts = (0..all.len() - usize::from(records)).step_by(7);
    starts
        .map(|from| {
            let (track, record) = all[from];
            let start = RecordAddress { cylinder: track.cylinder(), head: track.head(), record };
            let program = Program::at(&shape, protocol, &start, &geometry(), &IuData::None).expect("a read");
            let places = &all[from..from + usize::from(records)];
            (program, places.iter().flat_map(|(track, record)| content(*track, *record)).collect())
        })
        .collect()
}

/// Both ports, and the programs of which 128 are always open.
pub(crate) struct Bench {
    channel: ChannelPort,
    control_unit: ControlUnitPort<Unit>,
    volumes: Volumes,
    outbound: Wire,
    inbound: Wire,
    programs: Vec<(Program, Vec<u8>)>,
    next: usize,
    number: StartNumber,
}

impl Bench {
    pub(crate) fn new(protocol: Protocol, records: u16) -> Bench {
        let mut control_unit = ControlUnitPort::new(DEPTH as u16);
        control_unit.log_in(CHANNEL, LOGIN);
        // In command mode a device is taken from the first command to the accepted status.
        let devices = if protocol == Protocol::Command { DEPTH } else { 1 };
        Bench {
            channel: ChannelPort::new(DEPTH as u16),
            control_unit,
            volumes: Volumes { units: (0..devices).map(|_| volume()).collect() },
            outbound: Wire::default(),
            inbound: Wire::default(),
            programs: programs(protocol, records),
            next: 0,
            number: StartNumber::default(),
        }
    }

    fn start(&mut self) {
        let target = Target {
            s_id: CHANNEL,
            d_id: CONTROL_UNIT,
            login: LOGIN,
            channel_image: 0,
            control_unit_image: 0,
            device: 0,
            number: self.number,
        };
        self.number = self.number.next();
        self.next = (self.next + 127) % self.programs.len();
        let tag = self.next as u32;
        assert!(self.channel.start(Time::ZERO, &target, &self.programs[self.next].0, tag));
    }

    /// Reads `count` times with 128 exchanges open.
    pub(crate) fn run(&mut self, count: u64) {
        let (mut left, mut ended) = (count, 0);
        while ended < count {
            while left > 0 && self.channel.can_start() {
                self.start();
                left -= 1;
            }
            while self.channel.poll_frame(&mut self.outbound) {}
            self.outbound.take(|frame| {
                let taken = self.control_unit.handle_frame(Time::ZERO, frame, &mut self.volumes);
                taken.expect("every frame has its exchange");
                // At once, while what was read is near.
                while self.control_unit.poll_frame(&mut self.inbound) {}
            });
            self.inbound.take(|frame| {
                self.channel.handle_frame(Time::ZERO, frame).expect("every frame has its exchange");
            });
            while let Some(end) = self.channel.poll_end() {
                assert!(end.data == self.programs[end.tag as usize].1, "{:?}", end.outcome);
                self.channel.recycle(end.data);
                ended += 1;
            }
        }
    }
}

fn ports(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("ports");
    for (name, protocol, records) in [
        ("zhpf_4k_read", Protocol::Transport, 1),
        ("zhpf_128k_read", Protocol::Transport, 32),
        ("ficon_4k_read", Protocol::Command, 1),
    ] {
        group.bench_function(name, |bencher| {
            let mut bench = Bench::new(protocol, records);
            bencher.iter_custom(|count| {
                let begun = std::time::Instant::now();
                bench.run(black_box(count));
                begun.elapsed()
            });
        });
    }
    group.finish();
}

criterion_group!(benches, ports);
criterion_main!(benches);
