//! Consequences of the end of a command for its I/O.

use halftrack_exchange::Cause;
use halftrack_exchange::fcp::FcpOutcome;
use halftrack_scsi::Sense;
use halftrack_wire::fcp::{Residual, ScsiStatus};

use crate::driver::statistics::IoError;

/// Sense keys.
const NOT_READY: u8 = 0x02;
/// Sense code and qualifier of a unit that becomes ready by itself.
const BECOMING_READY: (u8, u8) = (0x04, 0x01);
const UNIT_ATTENTION: u8 = 0x06;

/// Consequence of the end of a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The I/O is over.
    Ended(Result<(), IoError>),
    /// It is sent again, at once.
    Again(&'static str),
    /// It is sent again after a while.
    Busy,
}

/// Returns what follows from the end of a command.
#[inline]
pub fn judge(outcome: &FcpOutcome) -> Verdict {
    match outcome {
        FcpOutcome::Ended { status: ScsiStatus::GOOD, residual: Residual::None, .. } => {
            Verdict::Ended(Ok(()))
        }
        FcpOutcome::Ended { status: ScsiStatus::GOOD, .. } => Verdict::Ended(Err(IoError::Length)),
        FcpOutcome::Ended { status: ScsiStatus::BUSY | ScsiStatus::TASK_SET_FULL, .. } => Verdict::Busy,
        FcpOutcome::Ended { status, sense, .. } => match Sense::code_of(sense) {
            Some(code) if code.key == UNIT_ATTENTION => Verdict::Again("unit attention"),
            Some(code) if code.key == NOT_READY && (code.code, code.qualifier) == BECOMING_READY => {
                Verdict::Busy
            }
            code => {
                let sense = code.map(|code| [code.key, code.code, code.qualifier]);
                Verdict::Ended(Err(IoError::Scsi { status: status.0, sense }))
            }
        },
        FcpOutcome::CommandLost => Verdict::Again("command lost"),
        FcpOutcome::Failed(_) => Verdict::Again("refused by the target"),
        FcpOutcome::Aborted(cause) => Verdict::Again(words(*cause)),
        FcpOutcome::Managed(_) => Verdict::Ended(Err(IoError::Cancelled)),
    }
}

/// Returns why an attempt was aborted.
const fn words(cause: Cause) -> &'static str {
    match cause {
        Cause::Timeout => "Timeout",
        Cause::LinkDown => "LinkDown",
        Cause::Length => "Length",
        Cause::Protocol => "Protocol",
        _ => "Aborted",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(status: ScsiStatus, residual: Residual, sense: &[u8]) -> Verdict {
        judge(&FcpOutcome::Ended { status, residual, sense: sense.to_vec(), retry_delay: 0 })
    }

    fn sense(key: u8, code: u8) -> Vec<u8> {
        let mut octets = vec![0x70, 0, key, 0, 0, 0, 0, 10, 0, 0, 0, 0, code];
        octets.resize(18, 0);
        octets
    }

    #[test]
    fn conditions_are_sent_again_and_errors_are_not() {
        let check = ScsiStatus::CHECK_CONDITION;
        assert_eq!(ended(ScsiStatus::GOOD, Residual::None, &[]), Verdict::Ended(Ok(())));
        assert_eq!(ended(ScsiStatus::GOOD, Residual::Under(1), &[]), Verdict::Ended(Err(IoError::Length)));
        assert_eq!(ended(ScsiStatus::TASK_SET_FULL, Residual::None, &[]), Verdict::Busy);
        let mut becomes_ready = sense(2, 4);
        becomes_ready[13] = 1;
        assert_eq!(ended(check, Residual::None, &becomes_ready), Verdict::Busy);
        let stopped = IoError::Scsi { status: 2, sense: Some([2, 4, 0]) };
        assert_eq!(ended(check, Residual::None, &sense(2, 4)), Verdict::Ended(Err(stopped)));
        assert_eq!(ended(check, Residual::None, &sense(6, 0x29)), Verdict::Again("unit attention"));
        let medium = IoError::Scsi { status: 2, sense: Some([3, 0x11, 0]) };
        assert_eq!(ended(check, Residual::None, &sense(3, 0x11)), Verdict::Ended(Err(medium)));
        let conflict = IoError::Scsi { status: 0x18, sense: None };
        let found = ended(ScsiStatus::RESERVATION_CONFLICT, Residual::None, &[]);
        assert_eq!(found, Verdict::Ended(Err(conflict)));
        assert_eq!(judge(&FcpOutcome::Aborted(Cause::LinkDown)), Verdict::Again("LinkDown"));
    }
}
