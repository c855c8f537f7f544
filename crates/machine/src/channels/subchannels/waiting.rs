//! Starts that wait for a channel, a director port or a control unit, and the order in which they are driven again.

use std::mem;

use halftrack_subsystem::{NextAction, Waiting};

use super::Subchannels;
use crate::channels::Outside;
use crate::channels::channel::ChannelState;
use crate::events::crossing::RetryCause;
use crate::wiring::Wiring;
use crate::wiring::path_wire::PathWire;

impl Subchannels {
    /// Notes what has come free so far, so that what comes free from now on is not missed by `io`.
    #[inline(always)]
    pub(super) fn note_frees(&mut self, w: &Wiring, channels: &[ChannelState], io: u32) {
        let frees =
            if w.circuits.is_empty() { self.channel_frees } else { self.channel_frees_of(w, channels, io) };
        self.ios[io].details.frees_noted = (frees, self.control_unit_ends);
    }

    /// Puts `io` into the line for what it waits for, unless that has come free while it was still trying.
    #[cold]
    pub(super) fn wait(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        io: u32,
        waiting: Waiting,
    ) {
        let noted = self.ios[io].details.frees_noted;
        self.note_frees(w, channels, io);
        let (cause, come) = match waiting {
            Waiting::Channel => (RetryCause::ChannelPathBusy, noted.0 != self.ios[io].details.frees_noted.0),
            Waiting::DirectorPort => (RetryCause::DirectorPortBusy, false),
            Waiting::ControlUnit | Waiting::Device => {
                let lcu = self.view_of(io).lcu;
                let last_end = self.last_end[lcu as usize];
                (RetryCause::ControlUnitBusy, last_end > noted.1)
            }
        };
        if come {
            self.redrive(out, w, channels, io, cause);
            return;
        }
        self.view_of(io).enqueue();
        match waiting {
            Waiting::Channel => self.waiting_channel.push(io),
            Waiting::DirectorPort => {
                let channel = w.paths[self.ios[io].path as usize].channel;
                channels[channel as usize].wait_for_port(out, io);
            }
            Waiting::ControlUnit | Waiting::Device => {
                let lcu = w.paths[self.ios[io].path as usize].lcu;
                self.waiting_control_unit[lcu as usize].push(io);
            }
        }
    }

    /// Drives every I/O again that waits for a control unit, which had answered busy and is free.
    pub(in crate::channels) fn on_control_unit_end(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        lcu: u32,
    ) {
        self.control_unit_ends += 1;
        self.last_end[lcu as usize] = self.control_unit_ends;
        for io in mem::take(&mut self.waiting_control_unit[lcu as usize]) {
            let position = usize::from(w.paths[self.ios[io].path as usize].position);
            let waited = out.now().since(self.ios[io].details.busy_since).as_ps();
            let view = self.view_of(io);
            view.path_busy[position].control_unit_busy_ps += waited;
            view.dequeue();
            self.redrive(out, w, channels, io, RetryCause::ControlUnitBusy);
        }
    }

    /// Drives the I/Os again that wait for a channel: channels have come free.
    pub(in crate::channels) fn redrive_waiting_for_channel(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
    ) {
        self.channel_frees += 1;
        for io in mem::take(&mut self.waiting_channel) {
            self.view_of(io).dequeue();
            self.redrive(out, w, channels, io, RetryCause::ChannelPathBusy);
        }
    }

    /// Drives a start again that found every director port busy: the time until then is up.
    #[cold]
    pub(in crate::channels) fn on_ports_tried_again(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        io: u32,
    ) {
        self.view_of(io).dequeue();
        self.redrive(out, w, channels, io, RetryCause::DirectorPortBusy);
    }

    /// Gives the path of a channel, which is free, to the I/O that has waited longest of those that can use it. Returns false
    /// when none waits.
    pub(in crate::channels) fn try_wake_for_channel(
        &mut self,
        out: &mut impl Outside,
        w: &Wiring,
        channels: &mut [ChannelState],
        channel: u32,
    ) -> bool {
        let waiting = self.waiting_channel.iter().enumerate();
        let found = waiting.map(|(at, io)| (at, self.position_on(w, *io, channel)));
        let Some((at, position)) = found.filter_map(|(at, found)| Some((at, found?))).next() else {
            return false;
        };
        let io = self.waiting_channel.remove(at);
        self.view_of(io).dequeue();
        self.note_frees(w, channels, io);
        let this = &mut self.ios[io];
        match this.details.start.redrive(&mut self.views[this.view as usize].group) {
            NextAction::Try(_) => self.retry(out, io, position, RetryCause::ChannelPathBusy),
            other => self.not_tried(out, w, channels, io, other),
        }
        true
    }

    /// Returns the position of the path of the group of `io` that is over `channel`, if one is.
    fn position_on(&self, w: &Wiring, io: u32, channel: u32) -> Option<u8> {
        self.group_of(w, io).find(|wire| wire.channel == channel).map(|wire| wire.position)
    }

    /// Iterates over the paths of the group of `io`.
    pub(super) fn group_of<'w>(&self, w: &'w Wiring, io: u32) -> impl Iterator<Item = &'w PathWire> {
        let view = &self.views[self.ios[io].view as usize];
        let lcu = view.lcu;
        let wires = w.paths[view.first_path as usize..].iter().enumerate();
        let own = wires.take_while(move |(at, wire)| wire.lcu == lcu && usize::from(wire.position) == *at);
        own.map(|(_, wire)| wire)
    }

    /// Counts the times that the channels of the group of `io` have come free.
    fn channel_frees_of(&self, w: &Wiring, channels: &[ChannelState], io: u32) -> u32 {
        let frees = self.group_of(w, io).map(|wire| channels[wire.channel as usize].path_frees());
        frees.fold(self.channel_frees, u32::wrapping_add)
    }
}
