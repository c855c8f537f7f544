//! One device of an end.

use halftrack_base::Time;

use crate::counters::Counters;
use crate::device_number::DeviceNumber;

/// Contents of a Write in progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Writing {
    Hello,
    /// The block with this number, this many octets behind its header, and whether they are of a stream.
    Numbered(u64, u32, bool),
    Filler,
    /// A block for a partner that has started anew since.
    Obsolete,
}

/// Program in progress at a device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Program {
    SetMode,
    Read,
    Write(Writing),
}

/// State of a device.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Device {
    pub number: DeviceNumber,
    /// Number of the device at the partner.
    pub partner_number: Option<DeviceNumber>,
    /// Its path is there.
    pub is_operational: bool,
    /// It is no part of the link.
    pub is_refused: bool,
    /// Extended mode is set.
    pub has_mode: bool,
    /// The partner's hello has come.
    pub has_hello: bool,
    /// The own hello is to be sent.
    pub owes_hello: bool,
    /// Both hellos have crossed.
    pub is_active: bool,
    /// A Write of the partner was seen, and not read yet.
    pub has_inbound: bool,
    /// A Read of the partner waits.
    pub partner_reads: bool,
    /// Since when the partner is not ready.
    pub not_ready: Option<Time>,
    /// Its own side is to be reset.
    pub must_reset: bool,
    pub program: Option<Program>,
    pub counters: Counters,
}

impl Device {
    pub fn new(number: DeviceNumber) -> Self {
        Self {
            number,
            partner_number: None,
            is_operational: false,
            is_refused: false,
            has_mode: false,
            has_hello: false,
            owes_hello: true,
            is_active: false,
            has_inbound: false,
            partner_reads: false,
            not_ready: None,
            must_reset: false,
            program: None,
            counters: Counters::default(),
        }
    }

    /// Forgets everything of the time before a reset of the own side.
    pub fn reset(&mut self) {
        *self = Self {
            partner_number: self.partner_number,
            is_operational: self.is_operational,
            is_refused: self.is_refused,
            must_reset: self.must_reset,
            counters: self.counters,
            ..Self::new(self.number)
        };
    }

    /// Returns whether a program can be started.
    pub const fn is_free(&self) -> bool {
        self.is_operational && !self.is_refused && self.program.is_none()
    }

    /// Returns whether data can be written now.
    pub const fn takes_data(&self) -> bool {
        self.is_free()
            && self.is_active
            && !self.owes_hello
            && !self.has_inbound
            && !self.must_reset
            && self.not_ready.is_none()
    }
}
