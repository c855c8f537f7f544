//! The whole machine's numbers, out of `whole_machine.json`, and its stations of one server.

use serde::{Deserialize, Serialize};

/// I/Os that end before this are not counted, us.
pub const WARM_UP_US: f64 = 2_000.0;
/// About how long a job's cycle takes, us: how long to run for a number of I/Os.
pub const CYCLE_US: f64 = 115.0;

/// Dimensions of the machine, and its times.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Machine {
    /// Logical partitions.
    pub partitions: usize,
    /// Channel subsystems, each with as many channels.
    pub subsystems: usize,
    /// CPs of a partition.
    pub cps: usize,
    /// Jobs of a partition, each with one read at a time.
    pub jobs: usize,
    /// IOP threads of the machine.
    pub iop_threads: usize,
    /// Channels, each with a port of its own.
    pub channels: usize,
    /// Channels of a subsystem that a control unit has, taken in turn.
    pub paths: usize,
    /// Devices of the machine; each belongs to one partition.
    pub devices: usize,
    /// Devices of a control unit.
    pub devices_of_a_control_unit: usize,
    /// A CP starts an I/O.
    pub cp_start_us: f64,
    /// A CP takes an interrupt.
    pub cp_interrupt_us: f64,
    /// The part of a start that an image does one at a time.
    pub image_serial_us: f64,
    /// An IOP thread starts an I/O.
    pub iop_start_us: f64,
    /// An IOP thread takes an interrupt.
    pub iop_interrupt_us: f64,
    /// The channel's processor, for a read.
    pub channel_us: f64,
    /// The command on a link.
    pub command_wire_us: f64,
    /// Light in both cables, and the director.
    pub light_and_director_us: f64,
    /// The port's processor, for a read.
    pub port_us: f64,
    /// Work of the control unit before the data are searched for.
    pub dispatch_us: f64,
    /// The data out of cache.
    pub cache_us: f64,
    /// Data and status on a link.
    pub data_wire_us: f64,
    /// Data over the channel's bus.
    pub bus_us: f64,
}

impl Machine {
    /// Reads the machine of `whole_machine.json`, which the Python program reads too.
    pub fn read() -> Self {
        serde_json::from_str(include_str!("../whole_machine.json")).expect("the file has all numbers")
    }

    /// Returns the number of channels of a subsystem.
    pub fn channels_of_a_subsystem(&self) -> usize {
        self.channels / self.subsystems
    }
}

/// One server, first in first out, that computes a departure when the arrival comes.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Fifo {
    free_at_ns: u64,
    given_ns: u64,
}

impl Fifo {
    /// Returns the departure of an arrival at `now_ns` that needs `service_us`, ns.
    #[inline]
    pub fn arrive(&mut self, now_ns: u64, service_us: f64) -> u64 {
        let service_ns = nanoseconds(service_us);
        self.given_ns += service_ns;
        self.free_at_ns = self.free_at_ns.max(now_ns) + service_ns;
        self.free_at_ns
    }
}

/// Several equal servers with one queue, which compute the departure of each arrival when it comes.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Servers {
    free_at_ns: std::collections::BinaryHeap<std::cmp::Reverse<u64>>,
}

impl Servers {
    /// Makes `servers` idle servers.
    pub fn new(servers: usize) -> Self {
        Self { free_at_ns: (0..servers).map(|_| std::cmp::Reverse(0)).collect() }
    }

    /// Returns the departure of an arrival at `now_ns` that needs `service_us`, ns.
    #[inline]
    pub fn arrive(&mut self, now_ns: u64, service_us: f64) -> u64 {
        let mut earliest = self.free_at_ns.peek_mut().expect("there is a server");
        earliest.0 = earliest.0.max(now_ns) + nanoseconds(service_us);
        earliest.0
    }
}

/// Converts microseconds to the clock of the library, which ticks in nanoseconds.
#[inline]
pub fn nanoseconds(us: f64) -> u64 {
    (us * 1e3).round() as u64
}
