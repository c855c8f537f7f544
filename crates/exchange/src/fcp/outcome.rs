//! How an FCP exchange closes at the initiator; each reaches exactly one outcome.

use halftrack_program::DeviceStatus;
use halftrack_wire::choices::SENSE_BYTES;
use halftrack_wire::fcp::{Residual, ResponseCode, ScsiStatus};

use crate::outcome::{BusyKind, Cause, ChannelOutcome};

/// End of an exchange at the initiator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FcpOutcome {
    /// The command ended with a status.
    Ended {
        /// Status.
        status: ScsiStatus,
        /// Octets that did not move.
        residual: Residual,
        /// Sense.
        sense: Vec<u8>,
        /// Status qualifier.
        retry_delay: u16,
    },
    /// A task management function ended with this code.
    Managed(ResponseCode),
    /// The target refused what the initiator sent: a failure of the transport.
    Failed(ResponseCode),
    /// The target has nothing of the command, which can be sent again in a new exchange.
    CommandLost,
    /// The exchange was aborted. What the command did is unknown.
    Aborted(Cause),
}

impl FcpOutcome {
    /// Returns the outcome as every channel's end has it. A command that was withdrawn counts as such when the target
    /// has ended the exchange too.
    pub(crate) fn at_channel(&self, is_settled: bool) -> ChannelOutcome {
        match self {
            Self::Ended { status: ScsiStatus::BUSY | ScsiStatus::TASK_SET_FULL, .. } => {
                ChannelOutcome::Busy(BusyKind::Device)
            }
            Self::Ended { status, residual, sense, .. } => ended(*status, *residual, sense),
            Self::Failed(ResponseCode::DataLength) => ChannelOutcome::InterfaceControlCheck(Cause::Length),
            Self::Failed(_) | Self::Managed(_) => ChannelOutcome::InterfaceControlCheck(Cause::Protocol),
            Self::Aborted(Cause::Cancelled) if is_settled => ChannelOutcome::Cancelled,
            Self::CommandLost | Self::Aborted(Cause::Cancelled) => {
                ChannelOutcome::InterfaceControlCheck(Cause::Timeout)
            }
            Self::Aborted(cause) => ChannelOutcome::InterfaceControlCheck(*cause),
        }
    }
}

/// Returns channel end and device end, with unit check unless the status is good. Octets that the target has beyond what the
/// command states make an incorrect length; all that it states did move.
fn ended(status: ScsiStatus, residual: Residual, sense: &[u8]) -> ChannelOutcome {
    let is_good = matches!(status, ScsiStatus::GOOD | ScsiStatus::CONDITION_MET);
    let check = if is_good { DeviceStatus::default() } else { DeviceStatus::UNIT_CHECK };
    ChannelOutcome::Ended {
        device_status: DeviceStatus::NORMAL_END.with(check).0,
        residual: if let Residual::Under(left) = residual { left } else { 0 },
        sense: (!sense.is_empty()).then(|| first_octets(sense)),
        incorrect_length: matches!(residual, Residual::Over(_)),
        last_command: 0,
    }
}

/// Returns the first octets of the sense, and zeros behind a shorter one.
fn first_octets(sense: &[u8]) -> [u8; SENSE_BYTES] {
    let mut octets = [0; SENSE_BYTES];
    octets.iter_mut().zip(sense).for_each(|(octet, sense)| *octet = *sense);
    octets
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: ScsiStatus, residual: Residual, sense: &[u8]) -> ChannelOutcome {
        FcpOutcome::Ended { status, residual, sense: sense.to_vec(), retry_delay: 0 }.at_channel(true)
    }

    #[test]
    fn a_status_is_channel_end_and_device_end_with_or_without_unit_check() {
        let ended = |device_status, residual, sense, incorrect_length| ChannelOutcome::Ended {
            device_status,
            residual,
            sense,
            incorrect_length,
            last_command: 0,
        };
        let good = ScsiStatus::GOOD;
        assert_eq!(status(good, Residual::None, &[]), ended(0x0C, 0, None, false));
        assert_eq!(status(good, Residual::Under(512), &[]), ended(0x0C, 512, None, false));
        assert_eq!(status(good, Residual::Over(512), &[]), ended(0x0C, 0, None, true));
        assert_eq!(status(ScsiStatus::CONDITION_MET, Residual::None, &[]), ended(0x0C, 0, None, false));
        let mut sense = [0; SENSE_BYTES];
        sense[..18].fill(0x70);
        let check = status(ScsiStatus::CHECK_CONDITION, Residual::Under(8), &[0x70; 18]);
        assert_eq!(check, ended(0x0E, 8, Some(sense), false));
        let check = status(ScsiStatus::CHECK_CONDITION, Residual::None, &[0x72; 252]);
        assert_eq!(check, ended(0x0E, 0, Some([0x72; SENSE_BYTES]), false));
        assert_eq!(
            status(ScsiStatus::RESERVATION_CONFLICT, Residual::None, &[]),
            ended(0x0E, 0, None, false)
        );
    }

    #[test]
    fn the_other_ends_have_their_causes() {
        use ChannelOutcome::{Busy, Cancelled, InterfaceControlCheck};
        for busy in [ScsiStatus::BUSY, ScsiStatus::TASK_SET_FULL] {
            assert_eq!(status(busy, Residual::Under(512), &[]), Busy(BusyKind::Device));
        }
        for (outcome, is_settled, expected) in [
            (FcpOutcome::Failed(ResponseCode::DataLength), true, InterfaceControlCheck(Cause::Length)),
            (FcpOutcome::Failed(ResponseCode::DataOffset), true, InterfaceControlCheck(Cause::Protocol)),
            (FcpOutcome::CommandLost, true, InterfaceControlCheck(Cause::Timeout)),
            (FcpOutcome::Aborted(Cause::LinkDown), false, InterfaceControlCheck(Cause::LinkDown)),
            (FcpOutcome::Aborted(Cause::Cancelled), true, Cancelled),
            (FcpOutcome::Aborted(Cause::Cancelled), false, InterfaceControlCheck(Cause::Timeout)),
        ] {
            assert_eq!(outcome.at_channel(is_settled), expected, "{outcome:?}");
        }
    }
}
