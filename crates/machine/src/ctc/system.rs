//! The system at one end of a logical link: its end of the protocol, and the work over it.

use halftrack_base::Time;
use halftrack_config::{Configuration, IsLink};
use halftrack_control_unit::ctc::{Command, Ending};
use halftrack_isfc::{Block, DeviceNumber, End, Notice, Order, ProgramEnd, Received};

use super::flows::Flows;

/// One system.
#[derive(Debug)]
pub(super) struct System {
    end: End,
    /// Number of each device of the link, by place.
    numbers: Vec<DeviceNumber>,
    pub flows: Flows,
    /// The moment for which a timer is set; [`Time::MAX`] without one.
    pub timer: Time,
}

/// Work of a system at a device.
#[derive(Debug)]
pub(super) enum Action {
    /// Start the program, with the block of a Write.
    Start([Option<Command>; 2], Option<Block>),
    /// Reset its side.
    Reset,
}

impl System {
    /// Makes the system at end `index` of a link, whose devices are there.
    pub(super) fn new(c: &Configuration, link: &IsLink, index: usize) -> Self {
        let numbers = link.devices.iter().map(|device| DeviceNumber(device.numbers[index])).collect();
        let end = link.end(&c.lpars, index);
        Self { end, flows: Flows::new(link, index), numbers, timer: Time::MAX }
    }

    /// Takes attention of a device.
    pub(super) fn attention(&mut self, place: usize) {
        self.end.attention(self.numbers[place]);
    }

    /// Takes the ending of the program at a device.
    pub(super) fn ended(&mut self, now: Time, place: usize, ending: &Ending, block: Option<Block>) {
        let device = &ending.device;
        let end = ProgramEnd {
            status: device.status,
            sense: device.sense.map_or(0, |sense| sense[0]),
            moved_bytes: device.moved_bytes,
            received: block.map_or(Received::Nothing, Received::Block),
        };
        self.end.program_ended(self.numbers[place], end, now);
    }

    /// Takes it that the path of a device is lost.
    pub(super) fn lost(&mut self, place: usize) {
        self.end.lost(self.numbers[place]);
    }

    /// Takes it that the path of a device is there again.
    pub(super) fn operational(&mut self, place: usize) {
        self.end.operational(self.numbers[place]);
    }

    /// Gives its work what has come, and takes what that sends.
    pub(super) fn turn(&mut self, now: Time) {
        while let Some(delivery) = self.end.poll_delivery() {
            self.flows.received(delivery.stream, delivery.payload.len_bytes(), now);
        }
        while let Some(notice) = self.end.poll_notice() {
            if let Notice::Acknowledged { stream, offset } = notice {
                self.flows.acknowledged(stream, offset, now);
            }
        }
        self.flows.send(&mut self.end, now);
    }

    /// Returns the place of the next device at which something is to be done, and what.
    pub(super) fn next_action(&mut self, now: Time) -> Option<(usize, Action)> {
        let order = self.end.poll_order(now)?;
        let place = self.numbers.iter().position(|number| *number == order.device())?;
        let commands = order.commands();
        let action = match order {
            Order::Reset { .. } => Action::Reset,
            Order::Write { block, .. } => Action::Start(commands, Some(block)),
            Order::SetExtendedMode { .. } | Order::Read { .. } => Action::Start(commands, None),
        };
        Some((place, action))
    }

    /// Returns the next moment at which something is to be done although no event has come.
    pub(super) fn deadline(&self, now: Time) -> Option<Time> {
        let due = self.end.deadline().into_iter().chain(self.flows.deadline());
        due.filter(|due| *due > now).min()
    }

    /// Returns its end of the protocol.
    pub(super) const fn end(&self) -> &End {
        &self.end
    }

    /// Returns the octets that are kept until the other system has confirmed them.
    pub(super) fn kept_bytes(&self) -> u64 {
        self.end.kept_bytes()
    }

    /// Returns the octets that were received first on a device.
    pub(super) fn received_bytes(&self, place: usize) -> u64 {
        let number = self.numbers[place];
        let found = self.end.devices().find(|device| device.number == number);
        found.map_or(0, |device| device.counters.read.octets)
    }
}
