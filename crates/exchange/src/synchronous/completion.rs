//! Ends of a request, as the host counts them.

use std::fmt;

use halftrack_wire::synchronous::{ALIGNMENT, DATA_MAX, RemoteReject};

/// Reason of processor or adapter not to send a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LocalReject {
    /// Synchronous reads, or writes, are switched off.
    NotEnabled,
    /// The device has no count, key and data, or the I/O is not one record.
    NotCapable,
    /// The buffer is not at a multiple of 16.
    Alignment,
    /// The length is no multiple of 16.
    Length,
    /// The record is longer than the limit.
    OverLimit,
    /// All functions are in use.
    LinkBusy,
    /// The link is not operational.
    NotOperational,
}

/// Error of a link in a transfer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LinkError {
    /// The data do not fit their check word.
    Crc,
    /// The answer is none.
    Answer,
}

/// End of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Completion {
    /// The data were moved.
    Done,
    /// Nothing was sent.
    Local(LocalReject),
    /// The control unit did nothing.
    Remote(RemoteReject),
    /// No answer came in time.
    TimedOut,
    /// The link failed in the transfer.
    Failed(LinkError),
}

/// Shares of the attempts in a report: together they are all attempts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CompletionShare {
    /// Data moved.
    Success,
    /// Every function was in use.
    LinkBusy,
    /// The track was not in memory.
    CacheMiss,
    /// No answer came in time.
    TimedOut,
    /// Anything else.
    Other,
}

impl Completion {
    /// Returns the share of an attempt; nothing of a request that was never tried, because of its size, its alignment, its
    /// device or a switch.
    #[must_use]
    pub fn share(self) -> Option<CompletionShare> {
        match self {
            Self::Done => Some(CompletionShare::Success),
            Self::Local(LocalReject::LinkBusy) => Some(CompletionShare::LinkBusy),
            Self::Local(LocalReject::NotOperational) | Self::Failed(_) => Some(CompletionShare::Other),
            Self::Local(_) => None,
            Self::Remote(RemoteReject::CacheMiss) => Some(CompletionShare::CacheMiss),
            Self::Remote(_) => Some(CompletionShare::Other),
            Self::TimedOut => Some(CompletionShare::TimedOut),
        }
    }
}

impl fmt::Display for Completion {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Done => "done",
            Self::Local(LocalReject::NotEnabled) => "not enabled",
            Self::Local(LocalReject::NotCapable) => "not one record of count, key and data",
            Self::Local(LocalReject::Alignment) => "buffer not aligned to 16",
            Self::Local(LocalReject::Length) => "length no multiple of 16",
            Self::Local(LocalReject::OverLimit) => "over 4096 bytes",
            Self::Local(LocalReject::LinkBusy) => "link busy",
            Self::Local(LocalReject::NotOperational) => "link not operational",
            Self::Remote(RemoteReject::CacheMiss) => "cache miss",
            Self::Remote(RemoteReject::RecordNotFound) => "record not found or format mismatch",
            Self::Remote(RemoteReject::TrackBusy) => "track busy",
            Self::Remote(RemoteReject::ExtentConflict) => "extent conflict",
            Self::Remote(RemoteReject::NotStored) => "write data not immediately stored",
            Self::Remote(RemoteReject::Reserved) => "device reserved",
            Self::Remote(RemoteReject::NoPathGroup) => "path group not established",
            Self::Remote(RemoteReject::NotEnabled) => "function disabled",
            Self::Remote(RemoteReject::Fenced) => "volume fenced",
            Self::Remote(RemoteReject::WriteInhibited) => "write inhibited",
            Self::Remote(RemoteReject::NotCapable) => "no such device",
            Self::Remote(RemoteReject::NotReady) => "control unit not ready",
            Self::Remote(RemoteReject::Malformed) => "malformed request",
            Self::Failed(LinkError::Crc) | Self::Remote(RemoteReject::DamagedData) => "CRC error",
            Self::Failed(LinkError::Answer) => "invalid answer",
            Self::TimedOut => "timeout",
        })
    }
}

/// Checks address and length of a buffer.
///
/// # Errors
/// The reason for which such a request is never sent.
#[inline]
pub fn check_buffer(address: u64, data_bytes: u32) -> Result<(), LocalReject> {
    if data_bytes as usize > DATA_MAX {
        Err(LocalReject::OverLimit)
    } else if data_bytes == 0 || !u64::from(data_bytes).is_multiple_of(ALIGNMENT) {
        Err(LocalReject::Length)
    } else if !address.is_multiple_of(ALIGNMENT) {
        Err(LocalReject::Alignment)
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_aligned_and_no_longer_than_the_limit() {
        let cases = [
            (0x1000, 4096, Ok(())),
            (0x1010, 16, Ok(())),
            (0x1008, 4096, Err(LocalReject::Alignment)),
            (0x1000, 4088, Err(LocalReject::Length)),
            (0x1000, 0, Err(LocalReject::Length)),
            (0x1000, 4112, Err(LocalReject::OverLimit)),
            (0x1001, 5120, Err(LocalReject::OverLimit)),
        ];
        for (address, bytes, expected) in cases {
            assert_eq!(check_buffer(address, bytes), expected, "{bytes} at {address:#x}");
        }
    }

    #[test]
    fn what_was_never_tried_is_no_attempt() {
        let never = [
            LocalReject::NotEnabled,
            LocalReject::NotCapable,
            LocalReject::Alignment,
            LocalReject::Length,
            LocalReject::OverLimit,
        ];
        assert!(never.into_iter().all(|reason| Completion::Local(reason).share().is_none()));
        let tried = RemoteReject::ALL.map(Completion::Remote);
        assert!(tried.into_iter().chain([Completion::TimedOut]).all(|end| end.share().is_some()));
    }
}
