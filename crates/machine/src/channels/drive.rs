//! Drives: a start is offered to the channel of its path, and its subchannel gets the outcome of the attempt.

use halftrack_base::Time;
use halftrack_exchange::{BusyKind, ChannelOutcome, PlanId};
use halftrack_subsystem::{Attempt, Ending};

use super::exchange::{Exchange, Opening};
use super::subchannels::{Io, NONE};
use super::{Channels, Outside};
use crate::events::ended::Ended;
use crate::events::message::Envelope;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl Channels {
    /// Offers an I/O to the channel of its path, when an IOP has done its part of a start or of a retry. The path of a
    /// start, executed at `started`, is chosen now.
    #[inline(never)]
    pub(crate) fn on_drive(&mut self, out: &mut impl Outside, w: &Wiring, io: u32, started: Time) {
        let chosen = self.subchannels.choose(out, w, &mut self.channels, io, started);
        let Some(chosen) = chosen else { return };
        let path = &w.paths[chosen as usize];
        let channel = &mut self.channels[path.channel as usize];
        if channel.takes_none() {
            let attempt =
                if channel.is_dark() { Attempt::InterfaceControlCheck } else { Attempt::ChannelBusy };
            self.refused(out, w, io, attempt);
            return;
        }
        let lost = &self.subchannels.lost_paths;
        if lost.is_gone(w, chosen) {
            self.refused(out, w, io, Attempt::InterfaceControlCheck);
            return;
        }
        let losses = lost.losses(chosen);
        if channel.is_fcp() && !self.try_post(out.now(), w, io, chosen) {
            return;
        }
        let channel = &mut self.channels[path.channel as usize];
        let paced = self.paced[chosen as usize];
        let this = self.subchannels.taken_over(io, path);
        let (plan, protocol) = w.plan(this.program, path, this.operation, this.hit, paced);
        if channel.try_open_exchange(out.now(), protocol) {
            let envelope = envelope(this, losses, plan);
            let opening = Opening { io, lpar: this.lpar, protocol, envelope };
            self.open(out, w, path, opening);
        } else if path.is_circuit {
            // Its subchannels are all in use: it takes no start, and wakes those that wait when it is free.
            self.refused(out, w, io, Attempt::ChannelBusy);
        } else {
            channel.defer(out.now(), io, protocol);
        }
    }

    /// Begins the oldest deferred I/O of a channel that may have the open exchange which has come free.
    #[cold]
    pub(super) fn drive_deferred(&mut self, out: &mut impl Outside, w: &Wiring, channel_index: u32) {
        let channel = &mut self.channels[channel_index as usize];
        let Some((io, protocol)) = channel.open_for_deferred(out.now()) else { return };
        let this = self.subchannels.io(io);
        let paced = self.paced[this.path as usize];
        let path = &w.paths[this.path as usize];
        let (plan, _) = w.plan(this.program, path, this.operation, this.hit, paced);
        let envelope = envelope(this, self.subchannels.lost_paths.losses(this.path), plan);
        let opening = Opening { io, lpar: this.lpar, protocol, envelope };
        self.open(out, w, path, opening);
    }

    /// Hands the outcome of an exchange to the subchannel.
    #[inline(never)]
    pub(super) fn attempt_over(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        slot: u32,
        outcome: &ChannelOutcome,
    ) {
        let exchange = &self.exchanges[slot];
        let io = exchange.io;
        let attempt = match outcome {
            ChannelOutcome::Ended { device_status, .. } => {
                if w.paths[exchange.envelope.path as usize].is_circuit {
                    self.subchannels.path_taken(w, io);
                }
                Attempt::Ended { device_status: *device_status }
            }
            ChannelOutcome::Busy(BusyKind::ControlUnit) => Attempt::ControlUnitBusy,
            ChannelOutcome::Busy(BusyKind::Device) => Attempt::DeviceBusy,
            ChannelOutcome::InterfaceControlCheck(_) => {
                let redrives = u64::from(exchange.is_watched);
                self.channels[exchange.channel as usize].recoveries.redrives += redrives;
                Attempt::InterfaceControlCheck
            }
            ChannelOutcome::Cancelled => Attempt::Cancelled,
        };
        if matches!(attempt, Attempt::ControlUnitBusy) {
            self.subchannels.book_control_unit_busy(w, io, out.now());
        }
        let mut times = None;
        if let Attempt::Ended { device_status } = attempt {
            if self.subchannels.has_data() {
                self.compare(w, slot, device_status);
            }
            if (Ending::Status { device_status }).is_normal() {
                let wire = &w.paths[self.subchannels.io(io).path as usize];
                times = Some(ended(io, &self.exchanges[slot], wire, out.now()));
            }
        }
        let queue = self.give_buffers_back(out.now(), io);
        self.subchannels.follow(out, w, &mut self.channels, io, attempt, times);
        if let Some(queue) = queue {
            self.drive_waiting_requests(out, w, queue);
        }
    }

    /// Hands an attempt to the subchannel that came to nothing before it had an exchange.
    #[cold]
    pub(super) fn refused(&mut self, out: &mut impl Outside, w: &Wiring, io: u32, attempt: Attempt) {
        let queue = self.give_buffers_back(out.now(), io);
        self.subchannels.follow(out, w, &mut self.channels, io, attempt, None);
        if let Some(queue) = queue {
            self.drive_waiting_requests(out, w, queue);
        }
    }
}

/// Makes the envelope of all that the exchange of `io` sends; the exchange is still open.
#[inline(always)]
fn envelope(io: &Io, epoch: u32, plan: PlanId) -> Envelope {
    let (device, channel_image) = (io.unit_address, io.channel_image);
    Envelope { exchange: NONE, path: io.path, epoch, plan, device, channel_image }
}

/// Makes the end of `io`, which ended normally at `now` over `wire`.
#[inline(always)]
pub(super) fn ended(io: u32, exchange: &Exchange, wire: &PathWire, now: Time) -> Ended {
    // ESCON measures no command response: initial selection is pending time (RMF).
    let first_sent = if wire.is_circuit { exchange.command_response } else { exchange.first_sent };
    Ended {
        first_sent,
        command_response: exchange.command_response,
        over_at: now,
        connect: exchange.connect,
        disconnect: exchange.disconnect,
        io,
        position: wire.position,
        normal: Some(exchange.protocol),
    }
}
