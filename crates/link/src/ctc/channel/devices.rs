//! Devices of a channel: their programs, at the adapter that is here or over the fibre.

use std::sync::Arc;

use halftrack_base::Time;
use halftrack_control_unit::ctc::Reset;
use halftrack_exchange::program::CommandChain;
use halftrack_exchange::unsolicited_status::StatusPath;
use halftrack_exchange::{ChannelOutcome, Program, Target};
use halftrack_program::DeviceStatus;
use halftrack_subsystem::PathWatch;
use halftrack_wire::StartNumber;

use super::{ChannelEvent, CtcChannel, Stage};
use crate::ctc::adapters::NEAR;
use crate::ctc::own_side::{OwnProgram, OwnProgress};
use crate::ctc::program::{CtcOutcome, CtcProgram};
use crate::plug::Plug;

/// Bit of the tag of a reset; that of a program is the unit address.
const RESET: u32 = 0x100;

/// Program of a device.
#[derive(Debug)]
enum Running {
    Nothing,
    /// At the adapter here.
    Here(OwnProgram),
    /// In an exchange, with the counts of its CCWs.
    Far(Vec<u16>),
    /// A reset over the fibre.
    Reset,
}

/// A device.
#[derive(Debug)]
pub(super) struct Device {
    unit: u8,
    /// Its control-unit function is here.
    is_here: bool,
    number: StartNumber,
    running: Running,
}

impl Device {
    pub fn new(unit: u8, is_here: bool) -> Self {
        Self { unit, is_here, number: StartNumber::default(), running: Running::Nothing }
    }
}

impl<P: Plug> CtcChannel<P> {
    /// Starts a program for a unit; false when the channel is not online, or the unit is not there or not free.
    pub fn start(&mut self, now: Time, unit: u8, program: CtcProgram) -> bool {
        let (Stage::Online, Some(target)) = (self.stage, self.target) else { return false };
        let is_free =
            |device: &&mut Device| device.unit == unit && matches!(device.running, Running::Nothing);
        let Some(device) = self.devices.iter_mut().find(is_free) else { return false };
        if device.is_here {
            let mut program = OwnProgram::new(program);
            match self.adapters.with(unit, |pair| program.begin(pair)).flatten() {
                Some(end) => self.events.push_back(ChannelEvent::Ended(unit, CtcOutcome::Ended(end))),
                None => device.running = Running::Here(program),
            }
            return true;
        }
        let Some((program, counts)) = program.into_exchange() else { return false };
        device.number = device.number.next();
        let target = Target { device: unit, number: device.number, ..target };
        let is_started = self.programs.start(now, &target, &program, u32::from(unit));
        if is_started {
            device.running = Running::Far(counts);
            self.watch.handle_start(now);
        }
        is_started
    }

    /// Halts the program of a unit: it ends as lost, unless it has ended.
    pub fn halt(&mut self, now: Time, unit: u8) {
        let Some(device) = self.devices.iter_mut().find(|device| device.unit == unit) else { return };
        match device.running {
            Running::Nothing | Running::Reset => {}
            Running::Here(_) => {
                device.running = Running::Nothing;
                self.adapters.with(unit, |pair| pair.reset(NEAR, Reset::Halt));
                self.events.push_back(ChannelEvent::Ended(unit, CtcOutcome::Lost));
            }
            Running::Far(_) => self.programs.cancel(u32::from(unit), now),
        }
    }

    /// Resets the own side of a unit: a program in progress has no end, and an event follows when the side is reset. Nothing
    /// happens while the channel is not online.
    pub fn reset(&mut self, now: Time, unit: u8) {
        let (Stage::Online, Some(target)) = (self.stage, self.target) else { return };
        let Some(device) = self.devices.iter_mut().find(|device| device.unit == unit) else { return };
        if device.is_here {
            device.running = Running::Nothing;
            self.adapters.with(unit, |pair| pair.reset(NEAR, Reset::System));
            self.events.push_back(ChannelEvent::Reset(unit));
            return;
        }
        if matches!(device.running, Running::Far(_)) {
            self.programs.cancel(u32::from(unit), now);
        }
        device.running = Running::Reset;
        device.number = device.number.next();
        let target = Target { device: unit, number: device.number, ..target };
        let reset = Program::Command(Arc::new(CommandChain::reset()));
        if !self.programs.start(now, &target, &reset, RESET | u32::from(unit)) {
            self.lose_partner(now, "a device cannot be reset");
        }
    }

    /// Follows what happened at the adapters here and to the exchanges with those of the other channel; true when there was
    /// anything.
    pub(super) fn serve_devices(&mut self, now: Time) -> bool {
        let mut worked = self.take_ends();
        if std::mem::take(&mut self.has_failed_reset) {
            self.lose_partner(now, "a reset was not answered");
            return true;
        }
        if self.adapters.take_withdrawn() {
            self.exchanges.end_withdrawn(now, &mut self.adapters);
        }
        // What one side does may let the other go on, and that again the first.
        while self.adapters.take_touched() {
            worked = true;
            self.exchanges.end_waits(now, &mut self.adapters);
            self.poll_own_side();
            self.present_attentions();
        }
        worked
    }

    fn poll_own_side(&mut self) {
        for device in self.devices.iter_mut().filter(|device| device.is_here) {
            let unit = device.unit;
            if let Running::Here(program) = &mut device.running {
                match self.adapters.poll(unit, |pair| program.poll(pair)) {
                    None | Some(OwnProgress::Nothing) => {}
                    Some(OwnProgress::GoesOn) => self.adapters.touch(),
                    Some(OwnProgress::End(end)) => {
                        self.adapters.touch();
                        device.running = Running::Nothing;
                        self.events.push_back(ChannelEvent::Ended(unit, CtcOutcome::Ended(end)));
                    }
                }
            }
            if self.adapters.poll(unit, |pair| pair.poll_attention(NEAR)) == Some(true) {
                self.events.push_back(ChannelEvent::Attention(unit));
            }
        }
    }

    /// Presents the attention of adapters here to the other channel, along the logical path from it.
    fn present_attentions(&mut self) {
        let Some(target) = self.target.filter(|_| self.stage == Stage::Online) else { return };
        for unit in self.adapters.far_attentions() {
            let path = StatusPath {
                peer: target.d_id,
                channel_image: target.control_unit_image,
                control_unit_image: target.channel_image,
                device: unit,
            };
            self.presenter.present(path, DeviceStatus::ATTENTION.0);
        }
    }

    /// Ends everything on the logical paths, which are gone.
    pub(super) fn end_paths(&mut self) {
        self.target = None;
        self.outward.handle_link_down();
        self.inward.handle_link_down();
        while self.outward.poll_event().is_some() {}
        while self.inward.poll_event().is_some() {}
        self.programs.handle_link_down();
        self.exchanges.handle_link_down(&mut self.adapters);
        self.presenter.forget(None);
        self.taker.forget(None);
        self.watch = PathWatch::default();
        self.adapters.reset_sides();
        self.take_ends();
        for device in &mut self.devices {
            if let Running::Here(_) = std::mem::replace(&mut device.running, Running::Nothing) {
                self.events.push_back(ChannelEvent::Ended(device.unit, CtcOutcome::Lost));
            }
        }
    }

    fn take_ends(&mut self) -> bool {
        let mut worked = false;
        while let Some(end) = self.programs.poll_end() {
            worked = true;
            let Some(device) = self.devices.iter_mut().find(|device| device.unit == end.device) else {
                continue;
            };
            match &device.running {
                Running::Far(counts) if end.tag & RESET == 0 => {
                    let outcome = CtcOutcome::of_exchange(&end.outcome, counts, end.data);
                    device.running = Running::Nothing;
                    self.events.push_back(ChannelEvent::Ended(end.device, outcome));
                }
                Running::Reset if end.tag & RESET != 0 => {
                    device.running = Running::Nothing;
                    self.has_failed_reset |= end.outcome != ChannelOutcome::Cancelled;
                    self.events.push_back(ChannelEvent::Reset(end.device));
                }
                _ => {}
            }
        }
        worked
    }
}
