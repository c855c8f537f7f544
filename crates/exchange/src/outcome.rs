//! How each end's exchange closes; every exchange reaches exactly one outcome at each end that was begun.

use halftrack_base::Decision;
use halftrack_wire::ParseError;
use halftrack_wire::choices::{CONTROL_UNIT_BUSY_STATUS, DEVICE_BUSY_STATUS, SENSE_BYTES};

/// Holder of a busy condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum BusyKind {
    /// The control unit (its image); it will present control-unit end.
    ControlUnit,
    /// The device.
    Device,
}

impl BusyKind {
    /// Returns the device status for it (Fibre Channel reference 6.4).
    #[must_use]
    pub const fn device_status(self) -> u8 {
        match self {
            BusyKind::ControlUnit => CONTROL_UNIT_BUSY_STATUS,
            BusyKind::Device => DEVICE_BUSY_STATUS,
        }
    }

    /// Returns the busy condition in a device status, if there is one.
    #[must_use]
    pub const fn of_status(device_status: u8) -> Option<BusyKind> {
        if device_status & DEVICE_BUSY_STATUS == 0 {
            None
        } else if device_status & CONTROL_UNIT_BUSY_STATUS == CONTROL_UNIT_BUSY_STATUS {
            Some(BusyKind::ControlUnit)
        } else {
            Some(BusyKind::Device)
        }
    }
}

/// Why an exchange was given up; the codes of a purge path are those of Fibre Channel reference 6.2.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Cause {
    /// The peer did not answer in time, the request to cancel or abort included or not.
    Timeout,
    /// The link is gone.
    LinkDown,
    /// Longitudinal redundancy check.
    Lrc,
    /// CRC of the data.
    Crc,
    /// An IU was lost: the count of IUs does not run on.
    IuCount,
    /// An IU whose length or data does not fit.
    Length,
    /// An IU that the state of the exchange does not allow.
    Protocol,
    /// The device does not exist at the control unit.
    AddressException,
    /// The peer purged the path, with this error code.
    Purged(u8),
    /// The channel cancelled or aborted.
    Cancelled,
    /// The peer aborted the exchange (ABTS) in command mode.
    Aborted,
    /// The channel reset the device or the system.
    Reset,
    /// A newer start of the same subchannel came over another path.
    Superseded,
}

impl Cause {
    /// Returns the error code of the purge path that reports this cause.
    #[must_use]
    pub const fn purge_code(self) -> u8 {
        match self {
            Cause::Timeout => 1,
            Cause::LinkDown => 2,
            Cause::Length => 6,
            Cause::Lrc => 7,
            Cause::Crc => 8,
            Cause::IuCount => 9,
            Cause::Protocol | Cause::AddressException => 11,
            Cause::Aborted => 12,
            Cause::Cancelled => 13,
            Cause::Reset | Cause::Superseded => 14,
            Cause::Purged(code) => code,
        }
    }

    /// Returns what the octets of a damaged IU are reported as.
    #[must_use]
    pub const fn of_parse_error(error: &ParseError) -> Cause {
        match error {
            ParseError::Length { .. } => Cause::Length,
            ParseError::Lrc { .. } => Cause::Lrc,
            ParseError::Crc { .. } => Cause::Crc,
            ParseError::Type(_) | ParseError::Function(_) | ParseError::Field { .. } => Cause::Protocol,
        }
    }
}

impl ChannelOutcome {
    /// Counts the decision of recovery that it is the end of, if it is one.
    pub(crate) fn count(&self) {
        let cause = match self {
            Self::InterfaceControlCheck(cause) => *cause,
            Self::Cancelled => Cause::Cancelled,
            Self::Ended { .. } | Self::Busy(_) => return,
        };
        let decision = match cause {
            Cause::Timeout => Decision::ExchangeTimedOut,
            Cause::LinkDown => Decision::ExchangeLinkLost,
            Cause::Lrc | Cause::Crc | Cause::IuCount | Cause::Length | Cause::Protocol => {
                Decision::ExchangeDamaged
            }
            Cause::Cancelled => Decision::ExchangeCancelled,
            Cause::AddressException
            | Cause::Purged(_)
            | Cause::Aborted
            | Cause::Reset
            | Cause::Superseded => Decision::ExchangePurged,
        };
        decision.count();
    }
}

impl ControlUnitOutcome {
    /// Counts the decision of recovery that it is the end of, if it is one.
    pub(crate) fn count(&self) {
        let Self::Abandoned(cause) = self else { return };
        let decision = match cause {
            Cause::Timeout => Decision::ProgramTimedOut,
            Cause::LinkDown => Decision::ProgramLinkLost,
            Cause::Superseded => Decision::ProgramSuperseded,
            Cause::Lrc | Cause::Crc | Cause::IuCount | Cause::Length | Cause::Protocol => {
                Decision::ProgramDamaged
            }
            Cause::AddressException | Cause::Purged(_) | Cause::Aborted | Cause::Reset | Cause::Cancelled => {
                Decision::ProgramWithdrawn
            }
        };
        decision.count();
    }
}

/// How the channel's end of an exchange closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChannelOutcome {
    /// The control unit presented ending status.
    Ended {
        /// Device status.
        device_status: u8,
        /// Bytes of the last CCW, or of a transport-mode program, that were not moved.
        residual: u32,
        /// Sense that came with the status.
        sense: Option<[u8; SENSE_BYTES]>,
        /// The count of the last CCW did not fit the record and the CCW did not suppress that.
        incorrect_length: bool,
        /// Number of the last CCW from 1; 0 in transport mode.
        last_command: u16,
    },
    /// Nothing was done: control unit or device busy.
    Busy(BusyKind),
    /// The exchange could not be brought to an end.
    InterfaceControlCheck(Cause),
    /// The channel withdrew the program on request.
    Cancelled,
}

/// How the control unit's end of an exchange closed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ControlUnitOutcome {
    /// The program ended, with whatever status, and the channel has it.
    Completed,
    /// Busy was answered.
    Refused,
    /// The exchange was given up.
    Abandoned(Cause),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn busy_status_names_what_is_busy() {
        for kind in [BusyKind::ControlUnit, BusyKind::Device] {
            assert_eq!(BusyKind::of_status(kind.device_status()), Some(kind));
        }
        assert_eq!(BusyKind::of_status(0x0C), None);
    }
}
