//! The channels of a system, and the loop that serves them.

use std::io;

use halftrack_base::Time;

use super::channel::{ChannelEvent, CtcChannel, CtcChannelOptions, CtcDeviceId};
use super::program::{CtcOutcome, CtcProgram};
use crate::driver::{Taps, UnitPaths};
use crate::plug::Plug;
use crate::{Clock, Poller, StopSignal, Transport};

/// Event of a channel or a device of the system.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CtcEvent {
    /// Programs may be started over this channel.
    Online(usize),
    /// The link of this channel is lost, for this reason; its programs have ended.
    Offline(usize, String),
    /// The program of a device has ended.
    Ended(CtcDeviceId, CtcOutcome),
    /// A device presents attention.
    Attention(CtcDeviceId),
    /// The own side of a device was reset.
    Reset(CtcDeviceId),
}

/// The channels of a system.
pub struct CtcSystem<P: Plug> {
    channels: Vec<CtcChannel<P>>,
    poller: Poller,
    /// Channel whose events are polled next.
    next: usize,
}

impl<P: Plug> CtcSystem<P> {
    /// Returns a system with these channels, each with the source of its links.
    pub fn new(channels: impl IntoIterator<Item = (CtcChannelOptions, P)>) -> Self {
        let channels = channels.into_iter().map(|(options, plug)| CtcChannel::new(options, plug)).collect();
        Self { channels, poller: Poller::default(), next: 0 }
    }

    /// Returns the options of every channel, in order.
    pub fn channels(&self) -> impl Iterator<Item = &CtcChannelOptions> {
        self.channels.iter().map(CtcChannel::options)
    }

    /// Returns whether a channel is online, and why it is not, as far as that is known.
    pub fn state(&self, channel: usize) -> (bool, &str) {
        let channel = &self.channels[channel];
        (channel.is_online(), channel.trouble())
    }

    /// Starts a program; false when the channel is not online, or the device is not there or not free.
    pub fn start(&mut self, now: Time, device: CtcDeviceId, program: CtcProgram) -> bool {
        self.channels[device.channel].start(now, device.unit, program)
    }

    /// Halts the program of a device: it ends as lost, unless it has ended.
    pub fn halt(&mut self, now: Time, device: CtcDeviceId) {
        self.channels[device.channel].halt(now, device.unit);
    }

    /// Resets the own side of a device: a program in progress has no end. [`CtcEvent::Reset`] follows, unless the channel is not
    /// online or its link is lost before.
    pub fn reset(&mut self, now: Time, device: CtcDeviceId) {
        self.channels[device.channel].reset(now, device.unit);
    }

    /// Returns the paths to control units of disks, in the order of the channels that have one.
    pub fn disk_paths(&mut self) -> UnitPaths<'_> {
        UnitPaths(self.channels.iter_mut().filter_map(CtcChannel::disks).collect())
    }

    /// Runs one turn of every channel; true when there was something to do.
    pub fn turn(&mut self, now: Time, taps: &mut Taps<'_>) -> bool {
        let channels = self.channels.iter_mut().enumerate();
        channels.fold(false, |worked, (place, channel)| channel.turn(now, &mut || taps(place)) | worked)
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<CtcEvent> {
        for _ in 0..self.channels.len() {
            let channel = self.next % self.channels.len();
            if let Some(event) = self.channels[channel].poll_event() {
                return Some(match event {
                    ChannelEvent::Online => CtcEvent::Online(channel),
                    ChannelEvent::Offline(why) => CtcEvent::Offline(channel, why),
                    ChannelEvent::Ended(unit, outcome) => {
                        CtcEvent::Ended(CtcDeviceId { channel, unit }, outcome)
                    }
                    ChannelEvent::Attention(unit) => CtcEvent::Attention(CtcDeviceId { channel, unit }),
                    ChannelEvent::Reset(unit) => CtcEvent::Reset(CtcDeviceId { channel, unit }),
                });
            }
            self.next += 1;
        }
        None
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
        if !self.poller.end_turn(worked, clock.now()) {
            return Ok(());
        }
        let until = self.channels.iter().map(CtcChannel::poll_timeout).fold(until, Time::min);
        let Self { channels, poller, .. } = self;
        let mut transports: Vec<&mut dyn Transport> = Vec::new();
        let mut others: Vec<_> = stop.iter().map(|stop| stop.fd()).collect();
        for channel in channels {
            let (plug, fibre) = channel.plug_and_fibre();
            match fibre {
                Some(fibre) => transports.push(fibre.transport()),
                None => others.extend(plug.fd()),
            }
        }
        poller.sleep(clock, Some(until), &mut transports, &others)
    }

    /// Gives up the link of a channel, as when its cable is pulled.
    pub fn pull(&mut self, now: Time, channel: usize) {
        self.channels[channel].lose(now, "the cable was pulled");
    }

    /// Logs out of the other system's channels.
    pub fn log_out(&mut self, now: Time) {
        for channel in &mut self.channels {
            channel.log_out(now);
        }
    }
}
