//! The end of a logical link over the devices of channels.

use std::collections::BTreeMap;
use std::io;

use halftrack_base::{SharedOctets, Span, Time};
use halftrack_isfc::{
    ActivationError, Block, DeviceNumber, End, Order, ProgramEnd, Received, SENSED_BYTES, Settings,
};
use halftrack_program::DeviceStatus;

use crate::ctc::{CtcCommand, CtcDeviceId, CtcEnd, CtcEvent, CtcOutcome, CtcProgram, CtcSystem};
use crate::driver::{Taps, UnitPaths};
use crate::plug::Plug;
use crate::{Clock, StopSignal};

/// Time after which a program that has not ended is halted: missing-interrupt handling. Our choice. A Write that only waits
/// for the partner's application is halted too, and goes again.
const MISSING_INTERRUPT: Span = Span::from_s(5);

/// A device of the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DevicePlace {
    /// Device number.
    pub number: DeviceNumber,
    /// Its channel and unit address.
    pub id: CtcDeviceId,
}

#[derive(Debug)]
struct LinkDevice {
    id: CtcDeviceId,
    /// Time by which the program in progress must have ended.
    due: Option<Time>,
    /// The device is operational again when its reset has ended.
    is_restarting: bool,
    /// The program in progress is of Read.
    is_read: bool,
}

/// The end of a logical link over the devices of channels.
pub struct LogicalLink<P: Plug> {
    system: CtcSystem<P>,
    end: End,
    devices: BTreeMap<DeviceNumber, LinkDevice>,
    numbers: BTreeMap<CtcDeviceId, DeviceNumber>,
    /// Channels that came or went, with the reason, until that is taken.
    changes: Vec<(usize, Option<String>)>,
}

impl<P: Plug> LogicalLink<P> {
    /// Returns the end of a link with these devices, over the channels of `system`.
    ///
    /// # Errors
    /// More devices than a link has, or one twice.
    pub fn new(
        system: CtcSystem<P>,
        settings: Settings,
        devices: &[DevicePlace],
    ) -> Result<Self, (DeviceNumber, ActivationError)> {
        let mut end = End::new(settings);
        for device in devices {
            end.activate(device.number, None).map_err(|error| (device.number, error))?;
        }
        let of = |device: &DevicePlace| {
            let of_link = LinkDevice { id: device.id, due: None, is_restarting: false, is_read: false };
            (device.number, of_link)
        };
        Ok(Self {
            system,
            end,
            devices: devices.iter().map(of).collect(),
            numbers: devices.iter().map(|device| (device.id, device.number)).collect(),
            changes: Vec::new(),
        })
    }

    /// Returns the end of the link.
    pub fn end(&self) -> &End {
        &self.end
    }

    /// Returns the end of the link, to send, to receive and to be polled for notices.
    pub fn end_mut(&mut self) -> &mut End {
        &mut self.end
    }

    /// Returns the channels.
    pub fn system(&self) -> &CtcSystem<P> {
        &self.system
    }

    /// Returns the paths of the channels to control units of disks.
    pub fn disk_paths(&mut self) -> UnitPaths<'_> {
        self.system.disk_paths()
    }

    /// Returns the channels that came, or went for a reason, since this was last called.
    pub fn take_changes(&mut self) -> Vec<(usize, Option<String>)> {
        std::mem::take(&mut self.changes)
    }

    /// Runs one turn; true when there was something to do.
    pub fn turn(&mut self, now: Time, taps: &mut Taps<'_>) -> bool {
        let mut worked = self.system.turn(now, taps);
        while let Some(event) = self.system.poll_event() {
            worked = true;
            self.take(now, event);
        }
        self.halt_late(now);
        worked | self.follow_orders(now)
    }

    /// Follows what the end orders; true when there was anything.
    pub fn follow_orders(&mut self, now: Time) -> bool {
        let mut worked = false;
        while let Some(order) = self.end.poll_order(now) {
            worked = true;
            self.follow(now, order);
        }
        worked
    }

    /// Ends a turn: returns at once when it worked, and otherwise polls again or sleeps, until something comes or `until`.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn rest(
        &mut self,
        clock: &Clock,
        worked: bool,
        until: Time,
        stop: Option<&StopSignal>,
    ) -> io::Result<()> {
        let late = self.devices.values().filter_map(|device| device.due).min();
        let until = [late, self.end.deadline()].into_iter().flatten().fold(until, Time::min);
        self.system.rest(clock, worked, until, stop)
    }

    /// Gives up the link of a channel, as when its cable is pulled.
    pub fn pull(&mut self, now: Time, channel: usize) {
        self.system.pull(now, channel);
    }

    /// Logs out of the other system's channels.
    pub fn log_out(&mut self, now: Time) {
        self.system.log_out(now);
    }

    fn take(&mut self, now: Time, event: CtcEvent) {
        match event {
            CtcEvent::Online(channel) => {
                self.changes.push((channel, None));
                for number in self.of_channel(channel) {
                    self.end.operational(number);
                }
            }
            CtcEvent::Offline(channel, why) => {
                self.changes.push((channel, Some(why)));
                for number in self.of_channel(channel) {
                    if let Some(device) = self.devices.get_mut(&number) {
                        (device.due, device.is_restarting) = (None, false);
                    }
                    self.end.lost(number);
                }
            }
            CtcEvent::Ended(id, outcome) => self.take_end(now, id, outcome),
            CtcEvent::Attention(id) => {
                if let Some(number) = self.numbers.get(&id) {
                    self.end.attention(*number);
                }
            }
            CtcEvent::Reset(id) => {
                let Some(&number) = self.numbers.get(&id) else { return };
                let Some(device) = self.devices.get_mut(&number) else { return };
                if std::mem::take(&mut device.is_restarting) {
                    self.end.operational(number);
                }
            }
        }
    }

    fn of_channel(&self, channel: usize) -> Vec<DeviceNumber> {
        let of = self.numbers.iter().filter(|(id, _)| id.channel == channel);
        of.map(|(_, number)| *number).collect()
    }

    fn take_end(&mut self, now: Time, id: CtcDeviceId, outcome: CtcOutcome) {
        let Some(&number) = self.numbers.get(&id) else { return };
        let Some(device) = self.devices.get_mut(&number) else { return };
        device.due = None;
        match outcome {
            CtcOutcome::Ended(end) => {
                let end = program_end(&end, device.is_read);
                self.end.program_ended(number, end, now);
            }
            // Nothing is certain of the program: the device begins anew.
            CtcOutcome::Busy | CtcOutcome::Lost => {
                self.end.lost(number);
                device.is_restarting = true;
                self.system.reset(now, id);
            }
        }
    }

    fn follow(&mut self, now: Time, order: Order) {
        let number = order.device();
        let Some(device) = self.devices.get_mut(&number) else { return };
        let is_read = matches!(order, Order::Read { .. });
        let commands = order.commands().into_iter().flatten();
        let program = match order {
            Order::Write { block, .. } => {
                let octets = SharedOctets::from(block.encode());
                commands.map(|command| CtcCommand::write(command.code, octets.clone())).collect()
            }
            Order::SetExtendedMode { .. } | Order::Read { .. } => {
                commands.map(|command| CtcCommand::read(command.code, command.count_bytes)).collect()
            }
            Order::Reset { .. } => {
                (device.due, device.is_restarting) = (None, false);
                return self.system.reset(now, device.id);
            }
        };
        // A channel that is gone reports that, and then the device is lost.
        if self.system.start(now, device.id, CtcProgram(program)) {
            device.is_read = is_read;
            device.due = Some(now.saturating_add(MISSING_INTERRUPT));
        }
    }

    fn halt_late(&mut self, now: Time) {
        for device in self.devices.values_mut() {
            if device.due.is_some_and(|due| due <= now) {
                device.due = Some(now.saturating_add(MISSING_INTERRUPT));
                self.system.halt(now, device.id);
            }
        }
    }
}

fn program_end(end: &CtcEnd, is_read: bool) -> ProgramEnd {
    let is_normal = end.status == DeviceStatus::NORMAL_END;
    let received = match is_read && is_normal {
        true => block(&end.octets_behind(SENSED_BYTES as usize)),
        false => Received::Nothing,
    };
    ProgramEnd {
        status: end.status,
        sense: end.sense.map_or(0, |sense| sense[0]),
        moved_bytes: end.moved_bytes,
        received,
    }
}

fn block(octets: &SharedOctets) -> Received {
    Block::decode(octets).map_or(Received::Corrupt, Received::Block)
}
