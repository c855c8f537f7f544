//! Lanes: the ways of units of channel-to-channel devices, one for each device and direction, from the channel of one end to
//! that of the other. A channel is control unit there.

use halftrack_base::Span;
use halftrack_config::Configuration;

use crate::wiring::route::{Hop, Route, Routes, Travel};

/// The path number of what travels on a lane: no path of disks has it.
pub(crate) const NO_PATH: u32 = u32::MAX;

/// One direction of one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneWire {
    /// Channels of sender and receiver; one where both systems share it.
    pub channels: [u32; 2],
    /// Partitions of sender and receiver.
    pub lpars: [u32; 2],
    /// Links from one to the other.
    pub route: Route,
    /// Units that may be under way unanswered: the pacing of the sender's channel.
    pub window: u32,
    /// Time of an answer to the sender.
    pub answer: Span,
}

/// A device, whose lanes are [`DeviceWire::lane`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceWire {
    /// Its logical link, and its place among the devices of that.
    pub islink: u32,
    pub position: u32,
    /// Shortest time between two blocks.
    pub turnaround: Span,
}

impl DeviceWire {
    /// Returns the lane of device `device` from its end `from`.
    pub(crate) fn lane(device: u32, from: usize) -> u32 {
        device * 2 + from as u32
    }

    /// Returns the device of a lane, and the end that sends on it.
    pub(crate) fn of_lane(lane: u32) -> (u32, usize) {
        (lane / 2, lane as usize % 2)
    }
}

/// All devices of all logical links, and their lanes.
#[derive(Debug, Clone, Default)]
pub(crate) struct Lanes {
    pub devices: Vec<DeviceWire>,
    pub lanes: Vec<LaneWire>,
    /// By logical link: its first device.
    pub first_device: Vec<u32>,
}

impl Lanes {
    /// Lays the lanes of all logical links into `routes`.
    pub(crate) fn lay(configuration: &Configuration, routes: &mut Routes) -> Self {
        let mut all = Self::default();
        for (islink, link) in configuration.islinks.iter().enumerate() {
            all.first_device.push(all.devices.len() as u32);
            for (position, device) in link.devices.iter().enumerate() {
                all.devices.push(DeviceWire {
                    islink: islink as u32,
                    position: position as u32,
                    turnaround: device.turnaround,
                });
                for from in 0..2 {
                    let to = 1 - from;
                    let route = routes.lay(&device.links[from], Travel::to_channel());
                    let answer =
                        device.links[to].iter().map(|link| configuration.links[*link as usize].propagation);
                    let channel = &configuration.channels[device.channels[from] as usize];
                    all.lanes.push(LaneWire {
                        channels: [device.channels[from], device.channels[to]],
                        lpars: [link.lpars[from], link.lpars[to]],
                        route,
                        window: channel.initial_pacing.max(1).into(),
                        answer: answer.fold(Span::ZERO, |sum, one| sum + one),
                    });
                }
            }
        }
        all
    }

    /// Iterates over the hops of each lane.
    pub(crate) fn hops<'a>(&'a self, hops: &'a [Hop]) -> impl Iterator<Item = &'a [Hop]> {
        self.lanes.iter().map(|lane| &hops[lane.route.range()])
    }
}
