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

/// The interrupt of an I/O that is over, with its measured times where it ended normally: those of its last attempt where
/// there were several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Interrupt {
    /// START SUBCHANNEL was executed.
    pub started: SimTime,
    /// The same by the clock of the ledger, which shares no instant with the others; [`SimTime::MAX`] if it does not
    /// know.
    pub opened: SimTime,
    /// The first IU of the exchange went onto the fibre.
    pub first_sent: SimTime,
    /// The command response was received (command mode).
    pub command_response: SimTime,
    /// It was over.
    pub over_at: SimTime,
    /// Connect and disconnect time that the control unit reported.
    pub connect: SimDuration,
    pub disconnect: SimDuration,
    /// The I/O.
    pub io: u32,
    /// The IOP thread that has processed it, counted over all machines.
    pub thread: u16,
    /// Position in its group of the path that it went over.
    pub position: u8,
    /// In which mode it ended with channel end and device end alone; else it has no times but its end.
    pub normal: Option<Protocol>,
}

const _: () = assert!(size_of::<Interrupt>() == 64);

impl Interrupt {
    /// That of `io`, which has not ended normally.
    pub(crate) fn of_failed(io: u32, over_at: SimTime) -> Self {
        Self {
            started: over_at,
            opened: over_at,
            first_sent: over_at,
            command_response: over_at,
            over_at,
            connect: SimDuration::ZERO,
            disconnect: SimDuration::ZERO,
            io,
            thread: 0,
            position: 0,
            normal: None,
        }
    }
}
