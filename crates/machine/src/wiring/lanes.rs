//! Lanes: the ways of units of channel-to-channel devices, one for each device and direction, from the channel of one end to
//! that of the other. A channel is control unit there.

use halftrack_base::Span;
use halftrack_config::{Configuration, IsLinkDevice};

use crate::wiring::route::{Hop, Route, Routes, Travel};

/// The path number of what travels on a lane: no path of disks has it.
pub(crate) const NO_PATH: u32 = u32::MAX;

/// The circuit of a device of ESCON channels, from the channel that sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneCircuit {
    /// Time of an answer to data, there and back.
    pub round_trip: Span,
    /// Data that may be unanswered: the receiver's buffer.
    pub window_bytes: u32,
    /// From a request that a port refused until the next.
    pub port_busy_retry: Span,
}

impl LaneCircuit {
    /// Makes the circuit of a device as its end `from` sends over it; `None` for a device of FICON.
    fn of(configuration: &Configuration, device: &IsLinkDevice, from: usize) -> Option<Self> {
        let circuit = |end: usize| configuration.channels[device.channels[end] as usize].hardware.circuit;
        let (own, others) = (circuit(from)?, circuit(1 - from)?);
        let links = device.links.iter().flatten().map(|link| &configuration.links[*link as usize]);
        Some(Self {
            round_trip: links.map(|link| link.propagation + link.forward_latency).sum(),
            window_bytes: others.window_bytes,
            port_busy_retry: own.port_busy_retry,
        })
    }

    /// Returns the least time from the begin of so much data to that of the next: no more than the buffer is unanswered.
    pub(crate) fn pace(&self, bytes: u32) -> Span {
        let round_trips = u128::from(bytes) * u128::from(self.round_trip.as_ps());
        Span::from_ps((round_trips / u128::from(self.window_bytes.max(1))) as u64)
    }
}

/// One direction of one device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LaneWire {
    /// Channels of sender and receiver; one where both systems share it.
    pub channels: [u32; 2],
    /// Partitions of sender and receiver.
    pub lpars: [u32; 2],
    /// Links from one to the other.
    pub route: Route,
    /// Units that may be under way unanswered: the pacing of the sender's channel. On a circuit data are paced by themselves.
    pub window: u32,
    /// Time of an answer to the sender.
    pub answer: Span,
    /// The circuit of an ESCON device.
    pub circuit: Option<LaneCircuit>,
}

/// A device, whose lanes are [`DeviceWire::lane`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct DeviceWire {
    /// Its logical link, and its place among the devices of that.
    pub islink: u32,
    pub position: u32,
    /// Shortest time between two blocks.
    pub turnaround: Span,
    /// End at whose channel the adapter's function is.
    pub function_end: usize,
    /// It is of ESCON: its units cross circuits.
    pub is_circuit: bool,
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
                let circuits = [0, 1].map(|from| LaneCircuit::of(configuration, device, from));
                all.devices.push(DeviceWire {
                    islink: islink as u32,
                    position: position as u32,
                    turnaround: device.turnaround,
                    function_end: device.function_end.into(),
                    is_circuit: circuits[0].is_some(),
                });
                for (from, circuit) in circuits.into_iter().enumerate() {
                    let to = 1 - from;
                    let route = routes.lay(&device.links[from], Travel::to_channel(circuit.is_some()));
                    let answer =
                        device.links[to].iter().map(|link| configuration.links[*link as usize].propagation);
                    let channel = &configuration.channels[device.channels[from] as usize];
                    let pacing = channel.initial_pacing.max(1).into();
                    all.lanes.push(LaneWire {
                        channels: [device.channels[from], device.channels[to]],
                        lpars: [link.lpars[from], link.lpars[to]],
                        route,
                        window: if circuit.is_some() { u32::MAX } else { pacing },
                        answer: answer.fold(Span::ZERO, |sum, one| sum + one),
                        circuit,
                    });
                }
            }
        }
        all
    }

    /// Returns true for the number of a device in place of that of an exchange. Exchanges of disks have others, because the first
    /// slots are those of the lanes.
    pub(crate) fn are_of_device(&self, exchange: u32) -> bool {
        (exchange as usize) < self.devices.len()
    }

    /// Iterates over the hops of each lane.
    pub(crate) fn hops<'a>(&'a self, hops: &'a [Hop]) -> impl Iterator<Item = &'a [Hop]> {
        self.lanes.iter().map(|lane| &hops[lane.route.range()])
    }
}
