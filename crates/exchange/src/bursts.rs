//! How the data of a transport-mode write, or of a SCSI command, is cut into bursts (Fibre Channel reference 6.6; the rule is the choice
//! at [`BURST_ALIGNMENT_BYTES`]).

use halftrack_wire::choices::BURST_ALIGNMENT_BYTES;

use crate::plan::Login;

/// Returns the bytes that follow the command at once; 0 when none may.
pub(crate) fn first(transport_count: u32, data_bytes: u32, login: &Login) -> u32 {
    match aligned(login.first_transfer_bytes) {
        0 => 0,
        limit if data_bytes <= limit => transport_count,
        limit => limit,
    }
}

/// Returns the bytes that the next transfer-ready requests when `sent` bytes of the transfer have come.
pub(crate) fn next(transport_count: u32, data_bytes: u32, sent: u32, login: &Login) -> u32 {
    next_within(transport_count, data_bytes, sent, login.transfer_ready_bytes)
}

/// Returns the bytes of the next burst of a transfer as [`next`] does, where a burst has at most `burst_bytes`; 0 for no
/// limit.
pub(crate) fn next_within(transport_count: u32, data_bytes: u32, sent: u32, burst_bytes: u32) -> u32 {
    let rest = transport_count.saturating_sub(sent);
    // The rule counts every burst but the last as user data, whatever check words lie in it.
    let data_left = data_bytes.saturating_sub(sent);
    let limit = match burst_bytes {
        0 => u32::MAX,
        limit => aligned(limit).max(BURST_ALIGNMENT_BYTES),
    };
    if data_left <= limit { rest } else { limit }
}

fn aligned(bytes: u32) -> u32 {
    bytes / BURST_ALIGNMENT_BYTES * BURST_ALIGNMENT_BYTES
}

#[cfg(test)]
mod tests {
    use halftrack_wire::FrameProtection;

    use super::*;

    fn login(first_transfer_bytes: u32, transfer_ready_bytes: u32) -> Login {
        Login {
            frame_payload_bytes: 2048,
            initial_pacing: 16,
            granted_pacing: 0,
            first_transfer_bytes,
            transfer_ready_bytes,
            carrier: crate::plan::Carrier::Ficon,
            window_bytes: 0,
            protection: FrameProtection::NONE,
        }
    }

    fn cut(count: u32, data: u32, login: &Login) -> Vec<u32> {
        let mut bursts = vec![first(count, data, login)];
        while bursts.iter().sum::<u32>() < count {
            bursts.push(next(count, data, bursts.iter().sum(), login));
        }
        bursts
    }

    #[test]
    fn check_words_ride_in_the_last_burst() {
        assert_eq!(cut(131_084, 131_072, &login(0, 65_536)), [0, 65_536, 65_548]);
        assert_eq!(cut(131_084, 131_072, &login(65_536, 0)), [65_536, 65_548]);
        assert_eq!(cut(4100, 4096, &login(4096, 4096)), [4100]);
        assert_eq!(cut(4100, 4096, &login(4095, 1)), [4092, 8]);
    }

    #[test]
    fn no_limit_is_one_burst() {
        assert_eq!(cut(131_084, 131_072, &login(0, 0)), [0, 131_084]);
    }
}
