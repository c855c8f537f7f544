//! The path of an ESCON channel: held by one program at a time, from its first command to its end or a miss.
//!
//! While it is held every other start is answered channel busy. What has waited longest for the channel is driven again
//! when it is free.

use halftrack_config::ChannelCircuit;
use halftrack_engine::{SimDuration, SimTime, TimeIntegral};
use halftrack_subsystem::{Attempt, NextAction};

use super::HostState;
use super::iops::RetryCause;
use crate::events::event::{HostEvent, Notice};
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

/// Who holds the path of a channel, and for how long.
#[derive(Debug)]
pub(crate) struct HeldPath {
    /// Exchange and partition that hold it.
    holder: Option<(u32, u32)>,
    /// By partition: 1 while it holds the path, else 0.
    held: Vec<TimeIntegral>,
    /// How often it has come free.
    pub frees: u32,
    /// Until a start that found every director port busy is tried again.
    pub port_busy_retry: SimDuration,
}

impl HeldPath {
    pub(crate) fn new(circuit: &ChannelCircuit, lpars: usize) -> Self {
        let port_busy_retry = circuit.port_busy_retry;
        Self { holder: None, held: vec![TimeIntegral::default(); lpars], frees: 0, port_busy_retry }
    }

    /// `slot` of `lpar` holds it from now on; whoever held it does no more. True when nobody did.
    fn take(&mut self, now: SimTime, slot: u32, lpar: u32) -> bool {
        let before = self.holder.replace((slot, lpar));
        if let Some((_, lpar)) = before {
            self.held[lpar as usize].change(now, -1);
        }
        self.held[lpar as usize].change(now, 1);
        before.is_none()
    }

    /// `slot` holds it no longer. False when it did not.
    fn release(&mut self, now: SimTime, slot: u32) -> bool {
        let Some((_, lpar)) = self.holder.take_if(|(holder, _)| *holder == slot) else { return false };
        self.held[lpar as usize].change(now, -1);
        self.frees = self.frees.wrapping_add(1);
        true
    }

    /// Time held by each partition since the last call, ps.
    pub(crate) fn collect(&mut self, now: SimTime) -> Vec<u64> {
        // One holder at a time, so never more than the interval.
        self.held.iter_mut().map(|held| held.take_until(now) as u64).collect()
    }
}

impl HostState {
    /// Exchange `slot` has just been opened on a channel whose path one program holds.
    #[cold]
    pub(super) fn hold_path(&mut self, slot: u32) {
        let exchange = &self.exchanges[slot];
        let channel = &mut self.channels[exchange.channel as usize];
        if let Some(held) = &mut channel.held
            && held.take(self.now, slot, exchange.lpar)
        {
            channel.busy += 1;
        }
    }

    /// Exchange `slot` needs the path of its channel no longer, or not now.
    #[cold]
    pub(super) fn release_path(&mut self, w: &Wiring, slot: u32) {
        let index = self.exchanges[slot].channel;
        let channel = &mut self.channels[index as usize];
        if let Some(held) = &mut channel.held
            && held.release(self.now, slot)
        {
            channel.busy -= 1;
            if channel.busy == 0 {
                self.wake_for_channel(w, index);
            }
        }
    }

    /// The other end, or the director, says something of the circuit of exchange `slot`.
    #[cold]
    pub(super) fn on_circuit(&mut self, w: &Wiring, slot: u32, notice: Notice) {
        if matches!(notice, Notice::PortBusy | Notice::Overtaken) {
            self.circuit_refused(w, slot, notice);
            return;
        }
        let exchange = &self.exchanges[slot];
        if exchange.lost || exchange.released {
            return;
        }
        match notice {
            Notice::Reconnected => self.hold_path(slot),
            _ => self.release_path(w, slot),
        }
    }

    /// The program of exchange `slot` has not begun: its start goes on as the subchannel decides.
    fn circuit_refused(&mut self, w: &Wiring, slot: u32, notice: Notice) {
        let exchange = &mut self.exchanges[slot];
        exchange.peer_over = true;
        if exchange.reported {
            // The fibre was lost meanwhile.
            self.settle(w, slot);
            return;
        }
        exchange.reported = true;
        exchange.half.close();
        let io = exchange.io;
        self.settle(w, slot);
        let position = usize::from(w.paths[self.ios[io].path as usize].position);
        let sums = &mut self.view_of(io).path_busy[position];
        let attempt = if notice == Notice::PortBusy {
            sums.director_port_busy += 1;
            Attempt::DirectorPortBusy
        } else {
            Attempt::ChannelBusy
        };
        self.follow(w, io, attempt, None);
    }

    /// The path of a channel is free: of the I/Os that wait for one of their channels the one that has waited longest
    /// and can use this gets it.
    fn wake_for_channel(&mut self, w: &Wiring, channel: u32) {
        let waiting = self.waiting_channel.iter().enumerate();
        let found = waiting.map(|(at, io)| (at, self.position_on(w, *io, channel)));
        let Some((at, position)) = found.filter_map(|(at, found)| Some((at, found?))).next() else { return };
        let io = self.waiting_channel.remove(at);
        self.view_of(io).dequeue();
        self.look(w, io);
        let this = &mut self.ios[io];
        match this.rare.start.redrive(&mut self.views[this.view as usize].group) {
            NextAction::Try(_) => self.retry(io, position, RetryCause::ChannelPathBusy),
            other => self.not_tried(w, io, other),
        }
    }

    /// Which path of the group of `io` is over `channel`, if one is.
    fn position_on(&self, w: &Wiring, io: u32, channel: u32) -> Option<u8> {
        self.group_of(w, io).find(|wire| wire.channel == channel).map(|wire| wire.position)
    }

    /// The paths of the group of `io`.
    fn group_of<'w>(&self, w: &'w Wiring, io: u32) -> impl Iterator<Item = &'w PathWire> {
        let view = &self.views[self.ios[io].view as usize];
        let lcu = view.lcu;
        let wires = w.paths[view.first_path as usize..].iter().enumerate();
        let own = wires.take_while(move |(at, wire)| wire.lcu == lcu && usize::from(wire.position) == *at);
        own.map(|(_, wire)| wire)
    }

    /// How often the channels of the group of `io` have come free.
    pub(super) fn channel_frees_of(&self, w: &Wiring, io: u32) -> u32 {
        let channels = self.group_of(w, io).map(|wire| &self.channels[wire.channel as usize]);
        let held = channels.filter_map(|channel| channel.held.as_ref());
        held.fold(self.channel_frees, |sum, held| sum.wrapping_add(held.frees))
    }

    /// The program of `io` was carried over its path.
    #[cold]
    pub(super) fn path_taken(&mut self, w: &Wiring, io: u32) {
        let position = usize::from(w.paths[self.ios[io].path as usize].position);
        self.view_of(io).taken[position] += 1;
    }

    /// The time is up after which a start that found every director port busy is tried again.
    #[cold]
    pub(super) fn on_ports_tried_again(&mut self, w: &Wiring, io: u32) {
        self.view_of(io).dequeue();
        self.redrive(w, io, RetryCause::DirectorPortBusy);
    }

    /// Every path of the group was answered director port busy: its next attempt is after a time.
    #[cold]
    pub(super) fn wait_for_port(&mut self, w: &Wiring, io: u32) {
        let channel = &mut self.channels[w.paths[self.ios[io].path as usize].channel as usize];
        let retry = channel.held.as_ref().map_or(SimDuration::ZERO, |held| held.port_busy_retry);
        let order = channel.sequencer.next();
        self.pending.push(self.now + retry, order, HostEvent::PortsTriedAgain { io });
    }
}
