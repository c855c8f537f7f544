//! Start functions over paths: what the subchannel decides is carried out here, nothing is decided.

use halftrack_engine::SimTime;
use halftrack_exchange::{BusyKind, ChannelOutcome, PlanId};
use halftrack_subsystem::{Attempt, Ending, NextAction, StartFunction, Waiting};

use super::HostState;
use super::exchange::{Exchange, Opening};
use super::io::{Io, NONE};
use super::iops::RetryCause;
use super::view::LcuView;
use crate::events::crossing::Interrupt;
use crate::events::event::HostEvent;
use crate::events::message::Envelope;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl HostState {
    /// An IOP has done its part of a start (no path chosen yet) or of a retry: the I/O is offered to the channel of its
    /// path.
    #[inline(never)]
    pub(super) fn on_drive(&mut self, w: &Wiring, io: u32) {
        if self.ios[io].path == NONE {
            self.look(w, io);
        }
        let this = &mut self.ios[io];
        let view = &mut self.views[this.view as usize];
        if this.path == NONE {
            self.iops[usize::from(this.cpc)].started(this.iop);
            view.css_delay_ps += self.now.since(this.started).as_ps();
            let (start, action) = StartFunction::begin(self.now, &mut view.group);
            this.rare.start = start;
            let NextAction::Try(position) = action else {
                self.not_tried(w, io, action);
                return;
            };
            this.path = view.first_path + u32::from(position);
        }
        let path = &w.paths[this.path as usize];
        let channel = &mut self.channels[path.channel as usize];
        if channel.busy > 0 || channel.dark > 0 {
            let dark = channel.dark > 0;
            self.refused(w, io, if dark { Attempt::InterfaceControlCheck } else { Attempt::ChannelBusy });
            return;
        }
        let paced = self.paced[this.path as usize];
        let (plan, protocol) = w.plan(this.program, path, this.operation, this.hit, paced);
        // A circuit is taken when it is known to be connected.
        view.taken[usize::from(path.position)] += u64::from(!path.is_circuit);
        if channel.open_exchange(self.now, protocol) {
            let envelope = envelope(this, channel.epoch, plan);
            let opening = Opening { io, lpar: this.lpar, protocol, envelope };
            self.open(w, path, opening);
        } else if path.is_circuit {
            // Its subchannels are all in use: it takes no start, and tells when it is free as ever.
            self.refused(w, io, Attempt::ChannelBusy);
        } else {
            channel.operations(protocol).deferred += 1;
            channel.deferred.push_back((io, protocol));
            channel.book_shortage(self.now);
        }
    }

    /// The start function has found no path to try.
    #[cold]
    pub(super) fn not_tried(&mut self, w: &Wiring, io: u32, action: NextAction) {
        match action {
            NextAction::Try(_) => {}
            NextAction::Wait(waiting) => self.wait(w, io, waiting),
            NextAction::End(ending) => self.io_over(w, io, ending, None),
        }
    }

    /// An open exchange of a channel with deferred I/Os is free: the oldest deferred I/O that may have it begins.
    #[cold]
    pub(super) fn drive_deferred(&mut self, w: &Wiring, channel_index: u32) {
        let channel = &mut self.channels[channel_index as usize];
        let admissible = (0..channel.deferred.len()).find(|at| channel.has_exchange(channel.deferred[*at].1));
        let Some((io, protocol)) = admissible.and_then(|at| channel.deferred.remove(at)) else { return };
        let opened = channel.open_exchange(self.now, protocol);
        debug_assert!(opened, "an admissible start has its exchange");
        channel.book_shortage(self.now);
        let this = &self.ios[io];
        let paced = self.paced[this.path as usize];
        let path = &w.paths[this.path as usize];
        let (plan, _) = w.plan(this.program, path, this.operation, this.hit, paced);
        let envelope = envelope(this, channel.epoch, plan);
        let opening = Opening { io, lpar: this.lpar, protocol, envelope };
        self.open(w, path, opening);
    }

    /// An exchange has come to its outcome.
    #[inline(never)]
    pub(super) fn attempt_over(&mut self, w: &Wiring, slot: u32, outcome: &ChannelOutcome) {
        let exchange = &self.exchanges[slot];
        let io = exchange.io;
        let attempt = match outcome {
            ChannelOutcome::Ended { device_status, .. } => {
                if w.paths[exchange.envelope.path as usize].is_circuit {
                    self.path_taken(w, io);
                }
                Attempt::Ended { device_status: *device_status }
            }
            ChannelOutcome::Busy(BusyKind::ControlUnit) => Attempt::ControlUnitBusy,
            ChannelOutcome::Busy(BusyKind::Device) => Attempt::DeviceBusy,
            ChannelOutcome::InterfaceControlCheck(_) => Attempt::InterfaceControlCheck,
            ChannelOutcome::Cancelled => Attempt::Cancelled,
        };
        if matches!(attempt, Attempt::ControlUnitBusy) {
            self.ios[io].rare.busy_since = self.now;
            let position = usize::from(w.paths[self.ios[io].path as usize].position);
            self.view_of(io).path_busy[position].control_unit_busy += 1;
        }
        let mut times = None;
        if let Attempt::Ended { device_status } = attempt {
            if self.data.is_some() {
                self.compare(w, slot, device_status);
            }
            if (Ending::Status { device_status }).is_normal() {
                let this = &self.ios[io];
                let wire = &w.paths[this.path as usize];
                times = Some(ended(io, this, &self.exchanges[slot], wire, self.now));
            }
        }
        self.follow(w, io, attempt, times);
    }

    /// The fibre went dark under an I/O that waited for an open exchange.
    #[cold]
    pub(super) fn path_lost(&mut self, w: &Wiring, io: u32) {
        self.refused(w, io, Attempt::InterfaceControlCheck);
    }

    /// An attempt came to nothing before it had an exchange.
    #[cold]
    fn refused(&mut self, w: &Wiring, io: u32, attempt: Attempt) {
        self.follow(w, io, attempt, None);
    }

    /// Tells the subchannel how the attempt over the I/O's path came out and does what it says; `ended` is the interrupt
    /// of one that ended normally.
    #[inline(always)]
    pub(super) fn follow(&mut self, w: &Wiring, io: u32, attempt: Attempt, ended: Option<Interrupt>) {
        let this = &mut self.ios[io];
        let position = w.paths[this.path as usize].position;
        let view = &mut self.views[this.view as usize];
        let action = this.rare.start.handle_attempt(position, attempt, &mut view.group);
        let cause = match attempt {
            Attempt::ChannelBusy => RetryCause::ChannelPathBusy,
            Attempt::DirectorPortBusy => RetryCause::DirectorPortBusy,
            Attempt::ControlUnitBusy => RetryCause::ControlUnitBusy,
            Attempt::DeviceBusy => RetryCause::DeviceBusy,
            Attempt::Ended { .. } | Attempt::InterfaceControlCheck | Attempt::Cancelled => {
                RetryCause::Redrive
            }
        };
        match action {
            NextAction::Try(position) => self.retry(io, position, cause),
            NextAction::Wait(waiting) => self.wait(w, io, waiting),
            NextAction::End(ending) => self.io_over(w, io, ending, ended),
        }
    }

    #[cold]
    pub(super) fn retry(&mut self, io: u32, position: u8, cause: RetryCause) {
        let first_path = self.view_of(io).first_path;
        self.ios[io].path = first_path + u32::from(position);
        let Io { iop, cpc, .. } = self.ios[io];
        let iops = &mut self.iops[usize::from(cpc)];
        let done = iops.retry(self.now, iop, cause);
        self.pending.push(done, iops.sequencer.next(), HostEvent::Drive { io });
    }

    /// Notes what has come free so far, so that what comes free from now on is not missed by `io`.
    #[inline(always)]
    pub(super) fn look(&mut self, w: &Wiring, io: u32) {
        let frees = if w.circuits.is_empty() { self.channel_frees } else { self.channel_frees_of(w, io) };
        self.ios[io].rare.seen = (frees, self.control_unit_ends);
    }

    #[cold]
    fn wait(&mut self, w: &Wiring, io: u32, waiting: Waiting) {
        let seen = self.ios[io].rare.seen;
        self.look(w, io);
        // What it waits for has come while it was still trying.
        let (cause, come) = match waiting {
            Waiting::Channel => (RetryCause::ChannelPathBusy, seen.0 != self.ios[io].rare.seen.0),
            Waiting::DirectorPort => (RetryCause::DirectorPortBusy, false),
            Waiting::ControlUnit | Waiting::Device => {
                let lcu = self.view_of(io).lcu;
                let last_end = self.last_end[lcu as usize];
                (RetryCause::ControlUnitBusy, last_end > seen.1)
            }
        };
        if come {
            self.redrive(w, io, cause);
            return;
        }
        self.view_of(io).enqueue();
        match waiting {
            Waiting::Channel => self.waiting_channel.push(io),
            Waiting::DirectorPort => self.wait_for_port(w, io),
            Waiting::ControlUnit | Waiting::Device => {
                let lcu = w.paths[self.ios[io].path as usize].lcu;
                self.waiting_control_unit[lcu as usize].push(io);
            }
        }
    }

    /// A control unit that had answered busy is free: every I/O that waits for it is driven again.
    pub(super) fn on_control_unit_end(&mut self, w: &Wiring, lcu: u32) {
        self.control_unit_ends += 1;
        self.last_end[lcu as usize] = self.control_unit_ends;
        for io in std::mem::take(&mut self.waiting_control_unit[lcu as usize]) {
            let position = usize::from(w.paths[self.ios[io].path as usize].position);
            let waited = self.now.since(self.ios[io].rare.busy_since).as_ps();
            let view = self.view_of(io);
            view.path_busy[position].control_unit_busy_ps += waited;
            view.dequeue();
            self.redrive(w, io, RetryCause::ControlUnitBusy);
        }
    }

    /// Channels have come free: the I/Os that wait for one are driven again.
    pub(super) fn redrive_waiting_for_channel(&mut self, w: &Wiring) {
        self.channel_frees += 1;
        for io in std::mem::take(&mut self.waiting_channel) {
            self.view_of(io).dequeue();
            self.redrive(w, io, RetryCause::ChannelPathBusy);
        }
    }

    /// The logical control unit of `io` as its partition sees it.
    pub(super) fn view_of(&mut self, io: u32) -> &mut LcuView {
        &mut self.views[self.ios[io].view as usize]
    }

    #[cold]
    pub(super) fn redrive(&mut self, w: &Wiring, io: u32, cause: RetryCause) {
        self.look(w, io);
        let this = &mut self.ios[io];
        let view = &mut self.views[this.view as usize];
        match this.rare.start.redrive(&mut view.group) {
            NextAction::Try(position) => self.retry(io, position, cause),
            NextAction::Wait(waiting) => self.wait(w, io, waiting),
            NextAction::End(ending) => self.io_over(w, io, ending, None),
        }
    }
}

/// What all that the exchange of `io` sends bears, but the exchange.
#[inline(always)]
fn envelope(io: &Io, epoch: u32, plan: PlanId) -> Envelope {
    let (device, channel_image) = (io.unit_address, io.channel_image);
    Envelope { exchange: NONE, path: io.path, epoch, plan, device, channel_image }
}

/// The interrupt of `io`, of which the record is `this` and which ended normally at `now` over `wire`, but for the ledger.
#[inline(always)]
pub(super) fn ended(io: u32, this: &Io, exchange: &Exchange, wire: &PathWire, now: SimTime) -> Interrupt {
    // ESCON measures no command response: initial selection is pending time (RMF).
    let first_sent = if wire.is_circuit { exchange.command_response } else { exchange.first_sent };
    Interrupt {
        started: this.started,
        opened: SimTime::MAX,
        first_sent,
        command_response: exchange.command_response,
        over_at: now,
        connect: exchange.connect,
        disconnect: exchange.disconnect,
        io,
        thread: 0,
        position: wire.position,
        normal: Some(exchange.protocol),
    }
}
