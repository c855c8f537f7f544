//! Choice of the next order.

use halftrack_base::Time;

use super::End;
use crate::block::{Block, Flags, Header, Kind, StreamId};
use crate::designation::{Designation, MAX_DEVICES};
use crate::device::{Program, Writing};
use crate::hello::{Hello, Report};
use crate::order::Order;
use crate::outbound::Content;
use crate::payload::Payload;

impl End {
    /// Returns the next order; the caller polls until there is none. An order is to be started before the next event is taken.
    pub fn poll_order(&mut self, now: Time) -> Option<Order> {
        self.retry(now);
        for at in 0..self.devices.len() {
            if let Some(order) = self.device_order(at) {
                return Some(order);
            }
        }
        self.queue_report();
        self.data_order()
    }

    /// Tries devices again whose partner was not ready for long.
    fn retry(&mut self, now: Time) {
        let Some(retry) = self.settings.retry else { return };
        for device in &mut self.devices {
            let is_due = device.not_ready.is_some_and(|since| since.saturating_add(retry) <= now);
            if is_due && device.is_free() {
                device.not_ready = None;
            }
        }
    }

    /// Returns what a device has to do, other than to write data by the rule of the link.
    fn device_order(&mut self, at: usize) -> Option<Order> {
        let is_full = self.inbound.is_full();
        let device = &mut self.devices[at];
        let number = device.number;
        if std::mem::take(&mut device.must_reset) {
            return Some(Order::Reset { device: number });
        }
        if !device.is_free() {
            return None;
        }
        if device.has_inbound {
            if is_full {
                return None;
            }
            device.program = Some(Program::Read);
            device.counters.read.starts += 1;
            return Some(Order::Read { device: number });
        }
        if std::mem::take(&mut device.partner_reads) {
            return Some(self.answer(at));
        }
        if device.not_ready.is_some() {
            return None;
        }
        if !device.has_mode {
            device.program = Some(Program::SetMode);
            return Some(Order::SetExtendedMode { device: number });
        }
        device.owes_hello.then(|| self.write_hello(at))
    }

    /// Writes a block for a Read of the partner that waits. Without one it would wait for ever, and keep the device.
    fn answer(&mut self, at: usize) -> Order {
        let device = &self.devices[at];
        if device.owes_hello {
            return self.write_hello(at);
        }
        match self.outbound.next() {
            Some(sequence) if self.devices[at].is_active => self.write_numbered(at, sequence),
            _ => self.write(at, Writing::Filler, self.header(Kind::Filler), Payload::NONE),
        }
    }

    fn write_hello(&mut self, at: usize) -> Order {
        let device = &mut self.devices[at];
        // From here on a hello that comes in between is answered by another one.
        device.owes_hello = false;
        let hello = Hello {
            system: self.settings.system,
            collection: self.settings.collection,
            level: self.settings.level,
            device: device.number,
            wants_answer: !device.has_hello,
            expected: self.inbound.offsets(),
        };
        self.write(at, Writing::Hello, self.header(Kind::Hello), hello.encode().into())
    }

    /// Queues a report, if one is due and a device can carry it.
    fn queue_report(&mut self) {
        if !self.is_up() {
            return;
        }
        // Each block confirms: a report beside data is needed after a loss only.
        let is_wanted = self.owes_report && self.outbound.next().is_none();
        if is_wanted || !self.losses.is_empty() || self.outbound.lacks_confirmation() {
            self.outbound.push_report(std::mem::take(&mut self.losses).into_iter().collect());
        }
    }

    /// Returns the Write of the next block on the device that the rule of the link has for it.
    fn data_order(&mut self) -> Option<Order> {
        let sequence = self.outbound.next()?;
        let (mut linked, mut devices) = ([0; MAX_DEVICES], 0);
        for at in self.linked() {
            linked[devices] = at;
            devices += 1;
        }
        let designation = self.designation(devices)?;
        let chosen = designation.choice(|place| !self.devices[linked[place]].takes_data())?;
        Some(self.write_numbered(linked[chosen], sequence))
    }

    /// Returns the designation of this side over so many devices; none before the partner's name is there.
    pub(super) fn designation(&self, devices: usize) -> Option<Designation> {
        Some(Designation::new(self.role()?, devices))
    }

    /// Returns the devices over which the rule of the link goes: the partner has greeted on them.
    pub(super) fn linked(&self) -> impl Iterator<Item = usize> {
        let devices = self.devices.iter().enumerate();
        devices.filter(|(_, device)| device.has_hello && !device.is_refused).map(|(at, _)| at)
    }

    fn write_numbered(&mut self, at: usize, sequence: u64) -> Order {
        let (content, wants_report) = self.outbound.start(sequence, self.devices[at].number);
        self.owes_report = false;
        let mut header = self.header(Kind::Report);
        header.sequence = sequence;
        if wants_report {
            header.flags = Flags::REPORT_WANTED;
        }
        let payload = match content {
            Content::Data { stream, offset, payload } => {
                header = Header { kind: Kind::Data, stream, offset, ..header };
                payload
            }
            Content::Report(devices) => Report { devices, held: self.inbound.held() }.encode().into(),
        };
        let writing = Writing::Numbered(sequence, payload.len_bytes(), header.kind == Kind::Data);
        self.write(at, writing, header, payload)
    }

    fn write(&mut self, at: usize, writing: Writing, header: Header, payload: Payload) -> Order {
        let device = &mut self.devices[at];
        device.program = Some(Program::Write(writing));
        device.counters.write.starts += 1;
        let header = Header { length_bytes: payload.len_bytes(), ..header };
        Order::Write { device: device.number, block: Block { header, payload } }
    }

    fn header(&self, kind: Kind) -> Header {
        Header {
            kind,
            flags: Flags::default(),
            sequence: 0,
            confirmed: self.inbound.confirmed(),
            sender: self.settings.incarnation,
            receiver: self.partner.map(|partner| partner.incarnation).unwrap_or_default(),
            stream: StreamId(0),
            offset: 0,
            length_bytes: 0,
        }
    }
}
