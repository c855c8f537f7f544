//! Blocks of the partner.

use super::{End, Partner};
use crate::block::{Block, Header, Kind};
use crate::device::{Program, Writing};
use crate::device_number::DeviceNumber;
use crate::hello::{Hello, Level, Report};
use crate::order::{Notice, Refusal};
use crate::payload::Payload;

impl End {
    /// Takes a block that came on a device.
    pub(super) fn receive(&mut self, at: usize, block: Block) {
        let device = &mut self.devices[at];
        device.counters.read.blocks += 1;
        match block.header.kind {
            Kind::Filler => {}
            Kind::Hello => match contents(&block, Hello::decode) {
                Some(hello) => self.greeted(at, &block.header, &hello),
                None => self.corrupt(at),
            },
            Kind::Data | Kind::Report => self.take_numbered(at, block),
        }
    }

    /// Takes a hello.
    fn greeted(&mut self, at: usize, header: &Header, hello: &Hello) {
        let is_old = |partner: Partner| partner.system == hello.system && header.sender < partner.incarnation;
        if self.partner.is_some_and(is_old) {
            return;
        }
        if let Some(reason) = self.refusal(at, hello) {
            return self.refuse(at, reason);
        }
        if self.partner.is_none_or(|partner| partner.incarnation != header.sender) {
            self.partner_started(header, hello);
        }
        if header.receiver == self.settings.incarnation {
            self.confirm(header.confirmed);
        }
        let device = &mut self.devices[at];
        device.has_hello = true;
        device.partner_number = Some(hello.device);
        device.owes_hello |= hello.wants_answer;
        self.open(at);
    }

    /// Returns why the device with this hello is no part of the link.
    fn refusal(&self, at: usize, hello: &Hello) -> Option<Refusal> {
        if hello.system == self.settings.system {
            return Some(Refusal::OwnName(hello.system));
        }
        if let Some(expected) = self.node().filter(|expected| *expected != hello.system) {
            return Some(Refusal::WrongNode { expected, found: hello.system });
        }
        let level = hello.level.min(self.settings.level);
        let has_another = self.linked().any(|other| other != at);
        (level < Level::SIXTEEN_DEVICES && has_another).then_some(Refusal::OneDevice(level))
    }

    /// Takes it that the partner is there for the first time, or has started anew.
    fn partner_started(&mut self, header: &Header, hello: &Hello) {
        let Hello { system, collection, level, .. } = *hello;
        for at in 0..self.devices.len() {
            self.close(at);
            let device = &mut self.devices[at];
            if let Some(Program::Write(writing @ Writing::Numbered(..))) = &mut device.program {
                *writing = Writing::Obsolete;
            }
        }
        self.partner = Some(Partner { system, collection, level, incarnation: header.sender });
        self.notify(Notice::NodeAdded { node: system, incarnation: header.sender });
        self.inbound.restart();
        self.owes_report = false;
        let expected = hello.expected.iter().copied().collect();
        for (stream, offset) in self.outbound.restart(&expected) {
            self.notify(Notice::Resume { stream, offset });
        }
        if self.outbound.take_refusal() {
            self.notify(Notice::Room);
        }
    }

    /// Takes a block with a number. One of another pair of incarnations is dropped.
    fn take_numbered(&mut self, at: usize, block: Block) {
        let header = block.header;
        let is_of_pair = self.partner.is_some_and(|partner| partner.incarnation == header.sender)
            && header.receiver == self.settings.incarnation;
        if !is_of_pair {
            // Its hello was lost here with a device, and comes again: the sender takes the block for received.
            if header.receiver == self.settings.incarnation {
                self.losses.insert(self.devices[at].number);
            }
            return;
        }
        self.confirm(header.confirmed);
        let mut numbered = block;
        let is_data = header.kind == Kind::Data;
        if header.kind == Kind::Report {
            match contents(&numbered, Report::decode) {
                Some(report) => self.reported(&report),
                None => return self.corrupt(at),
            }
            numbered.payload = Payload::NONE;
        }
        let accepted = self.inbound.accept(numbered);
        let counters = &mut self.devices[at].counters.read;
        if accepted.is_new {
            counters.octets += if is_data { u64::from(header.length_bytes) } else { 0 };
        } else {
            counters.resends += 1;
        }
        self.owes_report |= accepted.wants_report;
        if let Some(stream) = accepted.gap {
            self.notify(Notice::Gap { stream });
        }
    }

    /// Takes a report: blocks that were lost at the partner go again.
    fn reported(&mut self, report: &Report) {
        let own = |device: &DeviceNumber| {
            let at = self.devices.iter().position(|one| one.partner_number == Some(*device))?;
            Some(self.devices[at].number)
        };
        let devices: Vec<DeviceNumber> = report.devices.iter().filter_map(own).collect();
        for device in self.outbound.report(report, &devices) {
            if let Some(at) = self.index(device) {
                self.devices[at].counters.write.resends += 1;
            }
        }
    }

    fn confirm(&mut self, confirmed: u64) {
        let notices = &mut self.notices;
        let acknowledged = |stream, offset| notices.push_back(Notice::Acknowledged { stream, offset });
        if self.outbound.confirm(confirmed, acknowledged) {
            self.notify(Notice::Room);
        }
    }

    /// Takes octets that are no block: they may have been a hello, or a block that the partner takes for received.
    pub(super) fn corrupt(&mut self, at: usize) {
        self.close(at);
        self.devices[at].owes_hello = true;
        self.losses.insert(self.devices[at].number);
    }
}

/// Returns the contents of a block between the ends themselves.
fn contents<T, E>(block: &Block, decode: impl Fn(&[u8]) -> Result<T, E>) -> Option<T> {
    match &block.payload {
        Payload::Bytes(octets) => decode(octets).ok(),
        Payload::Count(_) => None,
    }
}
