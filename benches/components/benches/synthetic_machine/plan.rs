//! The generated machine: how much of everything, how long everything takes, and what crosses the fibre.

use halftrack_base::{Span, Time};
use halftrack_engine::Order;

/// Index of the host among the logical processes, and its rank.
pub const HOST: u32 = 0;
/// Index of the control units among the logical processes, and their rank.
pub const CONTROL_UNITS: u32 = 1;

pub const CHANNELS: u32 = 384;
pub const IOPS: u32 = 48;
/// IOP threads that work; the others stand by and are only measured.
pub const IOPS_IN_USE: u32 = 24;
pub const DEVICES: u32 = 65_280;
/// Channels that lead to a device.
pub const PATHS: u32 = 4;
/// Jobs that each start an I/O as soon as their last one has ended.
pub const JOBS: u32 = 1_536;
/// Approximate throughput; converts a number of I/Os to a length of run.
pub const IOS_PER_S: u64 = 5_200_000;
pub const SEED: u64 = 20;

pub const IOP_START: Span = Span::from_ns(1_500);
pub const IOP_INTERRUPT: Span = Span::from_ns(1_300);
pub const CHANNEL_START: Span = Span::from_ns(6_000);
pub const CHANNEL_END: Span = Span::from_ns(11_000);
pub const FIBRE: Span = Span::from_us(20);
pub const UNIT_COMMAND: Span = Span::from_ns(5_000);
pub const UNIT_DATA: Span = Span::from_ns(9_000);
/// The least delay of a hit, and how many picoseconds more it may be.
pub const HIT_LEAST: Span = Span::from_us(120);
pub const HIT_SPREAD_PS: u64 = 180_000_000;

/// Length of an interval of statistics.
pub const INTERVAL: Span = Span::from_ms(100);

/// Something that crosses the fibre, either way.
#[derive(Clone, Copy)]
pub struct Crossing {
    pub at: Time,
    pub order: Order,
    pub job: u32,
    pub channel: u32,
}
