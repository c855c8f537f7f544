//! Laws of a channel port and a control-unit port for valid frames in any order. The tests of `exchange` run the committed
//! corpus and random octets through the same function.

use std::cell::RefCell;
use std::rc::Rc;

use halftrack_base::{Span, Time};
use halftrack_exchange::device::{Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding};
use halftrack_exchange::eckd_device::EckdDevice;
use halftrack_exchange::{
    BusyKind, Carrier, ChannelPort, ControlUnitPort, Login, Opened, Program, Start, Target, Units, Wait,
};
use halftrack_program::{
    ChainEnd, Geometry, Grouping, Octets, Operation, Positioning, ProgramShape, Protocol, RecordAddress,
    TrackAddress,
};
use halftrack_volume::{CkdVolume, CountArea, MemoryMedium, TrackFault, Tracks, create_in_memory};
use halftrack_wire::command_iu::CommandIuView;
use halftrack_wire::fc_frame::emit_frame;
use halftrack_wire::fc_header::{fc_type, routing};
use halftrack_wire::{
    Body, CommandMode, ControlDib, ControlFunction, DataFlags, Dib, Eof, FcFrame, FcHeader, FrameControl,
    FrameSink, Iu, IuData, Sof, StartNumber,
};

const CHANNEL: u32 = 0x01_0100;
const CONTROL_UNIT: u32 = 0x01_0200;
/// Exchanges of a port, and devices.
const OPEN_MAX: u16 = 4;
const DEVICES: usize = 3;
/// Records of the one track that each device has.
const RECORDS: u8 = 4;
const RECORD_BYTES: u16 = 1024;
/// Frames that are kept for later.
const KEPT_MAX: usize = 64;
/// Time after which everything that waits for a peer has given up.
const LONG: Span = Span::from_s(300);

const LOGIN: Login = Login {
    frame_payload_bytes: 2048,
    initial_pacing: 2,
    granted_pacing: 0,
    first_transfer_bytes: 0,
    transfer_ready_bytes: 2048,
    carrier: Carrier::Ficon,
    window_bytes: 0,
    protection: halftrack_wire::FrameProtection::NONE,
};

/// Lets two ports meet as octets determine, two for each step. Starts, frames of the other end in any order and more than
/// once, recovery that nobody requested, changed headers, lost links, barriers and time come to them. Every program that was
/// started ends once, no device stays lent, and no exchange stays open.
pub fn peer_states(octets: &[u8]) {
    let mut peers = Peers::new();
    for step in octets.chunks_exact(2) {
        peers.step(step[0], step[1]);
        peers.check();
    }
    peers.finish();
}

/// Device that may be withdrawn, and whose endings may be withheld.
#[derive(Debug)]
struct Unit {
    place: usize,
    lease: u64,
    shared: Rc<RefCell<Slot>>,
    waits: Option<u64>,
}

/// State that a device has beside its exchanges.
#[derive(Debug)]
struct Slot {
    device: EckdDevice<CkdVolume<MemoryMedium>>,
    /// Lease that may use it.
    lease: Option<u64>,
    barrier: Wait,
}

impl Unit {
    fn begin_wait(&mut self) {
        let is_pending = self.shared.borrow().barrier == Wait::Pending;
        self.waits = is_pending.then_some(self.lease);
    }
}

impl Device for Unit {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        assert!(!self.is_withdrawn(), "a device that was withdrawn is used");
        self.shared.borrow_mut().device.execute(command)
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        self.begin_wait();
        self.shared.borrow_mut().device.end_chain(end)
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        assert!(!self.is_withdrawn(), "a device that was withdrawn is used");
        self.begin_wait();
        self.shared.borrow_mut().device.execute_operation(operation)
    }

    fn reset(&mut self) {
        if !self.is_withdrawn() {
            self.shared.borrow_mut().device.reset();
        }
    }

    fn is_withdrawn(&self) -> bool {
        self.shared.borrow().lease != Some(self.lease)
    }

    fn wait(&self) -> Option<u64> {
        self.waits
    }

    fn poll_wait(&mut self) -> Wait {
        let slot = &mut *self.shared.borrow_mut();
        match slot.barrier {
            Wait::Failed(_) => Wait::Failed(slot.device.fail_chain(TrackFault::Medium)),
            ref other => other.clone(),
        }
    }
}

/// All devices.
struct Table {
    slots: Vec<Rc<RefCell<Slot>>>,
    leases: u64,
}

impl Units for Table {
    type Device = Unit;

    fn open(&mut self, start: &Start) -> Opened<Unit> {
        let place = usize::from(start.device);
        let Some(shared) = self.slots.get(place).filter(|_| start.control_unit_image == 0) else {
            return Opened::AddressException;
        };
        let mut slot = shared.borrow_mut();
        if slot.lease.is_some() {
            return if start.number.value().is_multiple_of(3) {
                Opened::Active
            } else {
                Opened::Busy(BusyKind::Device)
            };
        }
        if start.number.value() % 16 == 15 {
            return Opened::Late;
        }
        self.leases += 1;
        slot.lease = Some(self.leases);
        Opened::Device(Unit { place, lease: self.leases, shared: Rc::clone(shared), waits: None })
    }

    fn close(&mut self, device: Unit) {
        let mut slot = self.slots[device.place].borrow_mut();
        if slot.lease == Some(device.lease) {
            slot.lease = None;
        }
    }
}

/// Frames that a port has sent and that come to the other when a step determines it.
#[derive(Default)]
struct Kept(Vec<Vec<u8>>);

impl FrameSink for Kept {
    fn frame(&mut self, _: Sof, header: &FcHeader, parts: &[&[u8]], _: Eof) {
        let mut octets = Vec::new();
        emit_frame(header, parts, &mut octets).expect("a port sends frames that fit");
        if self.0.len() == KEPT_MAX {
            self.0.remove(0);
        }
        self.0.push(octets);
    }
}

struct Peers {
    now: Time,
    channel: ChannelPort,
    control_unit: ControlUnitPort<Unit>,
    table: Table,
    /// From the channel, and from the control unit.
    kept: [Kept; 2],
    /// Ends of each start, by its tag.
    ends: Vec<u32>,
}

impl Peers {
    fn new() -> Self {
        let mut control_unit = ControlUnitPort::new(OPEN_MAX);
        control_unit.log_in(CHANNEL, LOGIN);
        let slot = || Slot { device: EckdDevice::new(volume()), lease: None, barrier: Wait::Safe };
        Self {
            now: Time::ZERO,
            channel: ChannelPort::new(OPEN_MAX),
            control_unit,
            table: Table { slots: (0..DEVICES).map(|_| Rc::new(RefCell::new(slot()))).collect(), leases: 0 },
            kept: [Kept::default(), Kept::default()],
            ends: Vec::new(),
        }
    }

    fn step(&mut self, action: u8, value: u8) {
        let at = usize::from(value);
        match action % 16 {
            0 | 1 => self.start(value),
            2 => (0..value % 8).for_each(|_| _ = self.channel.poll_frame(&mut self.kept[0])),
            3 => (0..value % 8).for_each(|_| _ = self.control_unit.poll_frame(&mut self.kept[1])),
            4 | 5 => self.deliver(at, |_| {}),
            6 | 7 => self.answer(at, |_| {}),
            8 => self.talk(1 + at % 16),
            9 => self.pass(Span::from_ms(100 * u64::from(value))),
            10 => self.channel.cancel(u32::from(value), self.now),
            11 => self.recover(action, at),
            12 => self.deliver(at, |header| change(header, action)),
            13 => self.answer(at, |header| change(header, action)),
            14 => self.lose(value),
            _ => self.set_barrier(value),
        }
    }

    fn start(&mut self, value: u8) {
        let protocol = if value & 1 == 0 { Protocol::Command } else { Protocol::Transport };
        let operation = if value & 2 == 0 { Operation::Read } else { Operation::UpdateWrite };
        let records = 1 + u16::from(value >> 2 & 1) * 3;
        let shape = ProgramShape {
            operation,
            record_bytes: RECORD_BYTES,
            records,
            grouping: Grouping::Records,
            positioning: Positioning::Prefix,
        };
        let data = match operation {
            Operation::Read => IuData::None,
            _ => IuData::Bytes(vec![value; usize::from(RECORD_BYTES * records)]),
        };
        let first = RecordAddress { cylinder: 0, head: 0, record: 1 };
        let program = Program::at(&shape, protocol, &first, &geometry(), &data).expect("a program");
        let tag = self.ends.len() as u32;
        let target = Target {
            s_id: CHANNEL,
            d_id: CONTROL_UNIT,
            login: LOGIN,
            channel_image: 0,
            control_unit_image: 0,
            // One that is not there, too.
            device: value >> 3 & 3,
            number: StartNumber::new(tag),
        };
        if self.channel.start(self.now, &target, &program, tag) {
            self.ends.push(0);
        }
    }

    /// Gives a frame of the channel, whose header may be changed, to the control unit.
    fn deliver(&mut self, at: usize, change: impl Fn(&mut FcHeader)) {
        let Some(octets) = self.kept[0].0.get(at % self.kept[0].0.len().max(1)) else { return };
        let mut frame = FcFrame::parse(octets).expect("the octets of a frame");
        change(&mut frame.header);
        let _ = self.control_unit.handle_frame(self.now, &frame, &mut self.table);
    }

    /// Gives a frame of the control unit to the channel.
    fn answer(&mut self, at: usize, change: impl Fn(&mut FcHeader)) {
        let Some(octets) = self.kept[1].0.get(at % self.kept[1].0.len().max(1)) else { return };
        let mut frame = FcFrame::parse(octets).expect("the octets of a frame");
        change(&mut frame.header);
        let _ = self.channel.handle_frame(self.now, &frame);
    }

    /// Gives an information unit of control to an exchange of a frame that was sent, or aborts it.
    fn recover(&mut self, action: u8, at: usize) {
        let way = usize::from(action >> 4 & 1);
        let Some(octets) = self.kept[way].0.last().cloned() else { return };
        let frame = FcFrame::parse(&octets).expect("the octets of a frame");
        let mut header = FcHeader { seq_cnt: 0, seq_id: frame.header.seq_id.wrapping_add(1), ..frame.header };
        let function = ControlFunction::ALL[at % ControlFunction::ALL.len()];
        let payload = match CommandIuView::new(frame.payload) {
            Ok(view) if action & 0x20 == 0 && frame.header.fc_type != fc_type::FCP => {
                let dib = if function == ControlFunction::PurgePath {
                    ControlDib::purge_path(action)
                } else {
                    ControlDib::plain(function)
                };
                let fields = CommandMode {
                    flags: DataFlags::default(),
                    ccw: 1,
                    iu_count: action >> 6,
                    dib: Dib::Control(dib),
                };
                let iu = Iu { address: view.address(), body: Body::CommandMode(fields), data: IuData::None };
                iu.emit().unwrap_or_default()
            }
            _ => {
                (header.fc_type, header.r_ctl) = (fc_type::BASIC_LINK_SERVICE, routing::ABTS);
                Vec::new()
            }
        };
        let frame = FcFrame { header, optional: &[], payload: &payload };
        let _ = match way {
            0 => self.control_unit.handle_frame(self.now, &frame, &mut self.table),
            _ => self.channel.handle_frame(self.now, &frame),
        };
    }

    /// Lets both ports talk in order, so many times a frame of each.
    fn talk(&mut self, frames: usize) {
        for _ in 0..frames {
            if self.channel.poll_frame(&mut self.kept[0]) {
                self.deliver(self.kept[0].0.len() - 1, |_| {});
            }
            if self.control_unit.poll_frame(&mut self.kept[1]) {
                self.answer(self.kept[1].0.len() - 1, |_| {});
            }
        }
    }

    fn pass(&mut self, span: Span) {
        self.now = self.now.saturating_add(span);
        self.channel.handle_timeout(self.now);
        self.control_unit.handle_timeout(self.now, &mut self.table);
    }

    fn lose(&mut self, value: u8) {
        match value % 6 {
            0 => self.channel.handle_link_down(),
            1 => self.channel.handle_peer_gone(CONTROL_UNIT),
            2 => self.control_unit.handle_link_down(&mut self.table),
            3 => self.control_unit.log_out(CHANNEL, &mut self.table),
            4 => self.withdraw(usize::from(value >> 4)),
            _ => self.control_unit.log_in(CHANNEL, LOGIN),
        }
    }

    /// Takes a device from the exchange that has it.
    fn withdraw(&mut self, place: usize) {
        let slot = &self.table.slots[place % DEVICES];
        slot.borrow_mut().device.reset();
        slot.borrow_mut().lease = None;
        self.control_unit.end_withdrawn(self.now, &mut self.table);
    }

    /// Begins or ends the barrier of a device.
    fn set_barrier(&mut self, value: u8) {
        let slot = &self.table.slots[usize::from(value >> 4) % DEVICES];
        let failed = slot.borrow_mut().device.fail_chain(TrackFault::Medium);
        slot.borrow_mut().barrier = match value % 3 {
            0 => Wait::Pending,
            1 => Wait::Safe,
            _ => Wait::Failed(failed),
        };
        self.control_unit.end_waits(self.now, &mut self.table);
    }

    /// Takes the ends, and checks that each is the only one of its start.
    fn check(&mut self) {
        while let Some(end) = self.channel.poll_end() {
            let count = &mut self.ends[end.tag as usize];
            *count += 1;
            assert_eq!(*count, 1, "start {} has a second end: {:?}", end.tag, end.outcome);
            self.channel.recycle(end.data);
        }
        let open = usize::from(OPEN_MAX);
        assert!(self.channel.open() <= open && self.control_unit.open() <= open + open / 4 + 8);
    }

    /// Lets time pass until nothing is open any more: by time alone, with barriers that have ended.
    fn finish(mut self) {
        self.table.slots.iter().for_each(|slot| slot.borrow_mut().barrier = Wait::Safe);
        self.control_unit.end_waits(self.now, &mut self.table);
        let until = self.now.saturating_add(LONG);
        while self.now < until {
            self.talk(64);
            self.check();
            let timeouts = [self.channel.poll_timeout(), self.control_unit.poll_timeout()];
            let Some(next) = timeouts.into_iter().flatten().min() else { break };
            self.now = self.now.max(next);
            self.pass(Span::ZERO);
        }
        assert_eq!((self.channel.open(), self.control_unit.open()), (0, 0), "exchanges stay open");
        assert!(self.ends.iter().all(|ends| *ends == 1), "a start has no end: {:?}", self.ends);
        assert!(self.table.slots.iter().all(|slot| slot.borrow().lease.is_none()), "a device stays lent");
    }
}

/// Changes one field of a header as a value determines.
fn change(header: &mut FcHeader, value: u8) {
    match value >> 4 {
        0 => header.ox_id ^= 1,
        1 => header.rx_id ^= 1,
        2 => header.seq_cnt ^= 1,
        3 => header.seq_id ^= 1,
        4 => header.f_ctl.0 ^= FrameControl::FIRST_SEQUENCE.0,
        5 => header.f_ctl.0 ^= FrameControl::INITIATIVE.0,
        6 => header.parameter ^= 4,
        7 => std::mem::swap(&mut header.s_id, &mut header.d_id),
        _ => header.ox_id = header.ox_id.wrapping_add(u16::from(value)),
    }
}

fn geometry() -> Geometry {
    Geometry::with_cylinders(1).expect("a cylinder")
}

/// Returns a volume whose first track has records.
fn volume() -> CkdVolume<MemoryMedium> {
    let mut volume = create_in_memory(geometry(), None).expect("a volume");
    let track = TrackAddress::new(0, 0).expect("the first track");
    for record in 1..=RECORDS {
        let count = CountArea { cchh: track.to_cchh(), record, key_bytes: 0, data_bytes: RECORD_BYTES };
        let data = Octets::Bytes(&[record; RECORD_BYTES as usize]);
        volume.format_record(track, record, count, data).expect("room on the track");
    }
    volume
}
