//! What passes between the I/O supervisors of the images and the channel subsystem: a start goes down, and what became
//! of it comes up with its interrupt.

use halftrack_engine::{SimDuration, SimTime};
use halftrack_program::{Operation, Protocol};

/// A start, as START SUBCHANNEL hands it over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Start {
    /// The I/O.
    pub io: u32,
    /// Its subchannel: the number of its unit control block.
    pub subchannel: u32,
    /// Its logical control unit as its partition sees it.
    pub view: u32,
    /// Partition.
    pub lpar: u32,
    /// Its program, among those of all streams.
    pub program: u32,
    /// The track that is asked for, where the control unit is to look it up.
    pub track: Option<u32>,
    /// Unit address of the base.
    pub unit_address: u8,
    /// Channel-image id of the partition.
    pub channel_image: u8,
    /// Read or write.
    pub operation: Operation,
    /// The record is in cache.
    pub hit: bool,
}

/// The interrupt of an I/O that is over, as it goes to a side of the images that is apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interrupt {
    /// The I/O.
    pub io: u32,
    /// It ended with channel end and device end alone.
    pub normal: bool,
    /// When it ended.
    pub over_at: SimTime,
    /// Its times, where it ended normally.
    pub ended: Option<Ended>,
}

/// The measured times of an I/O that ended normally, those of its last attempt where there were several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Ended {
    /// Position in its group of the path that it went over.
    pub position: u8,
    /// In which mode.
    pub protocol: Protocol,
    /// START SUBCHANNEL was executed.
    pub started: SimTime,
    /// The first IU of the exchange went onto the fibre.
    pub first_sent: SimTime,
    /// The command response was received (command mode).
    pub command_response: SimTime,
    /// Ending status was received.
    pub ended: SimTime,
    /// Connect and disconnect time that the control unit reported.
    pub connect: SimDuration,
    pub disconnect: SimDuration,
    /// From its start to its end by the clock of the ledger, which shares no instant with the others.
    pub measured: Option<SimDuration>,
}
