//! How the payload of one sequence is cut into FC-2 frames.

/// Octets of a frame around its payload: SOF 4, header 24, CRC 4, EOF 4 (FC-FS; reference section 1).
pub const FRAMING_BYTES: u32 = 36;

/// Returns the FC-2 frames that a payload takes when each carries at most `frame_payload_bytes` (2048 or 2112). A sequence
/// without payload, such as ABTS, is one frame.
#[must_use]
pub const fn frame_count(payload_bytes: u32, frame_payload_bytes: u32) -> u32 {
    let full = if frame_payload_bytes == 0 { 1 } else { frame_payload_bytes };
    if payload_bytes == 0 { 1 } else { payload_bytes.div_ceil(full) }
}

/// Returns the payload octets of the last of those frames.
#[must_use]
pub const fn last_frame_bytes(payload_bytes: u32, frame_payload_bytes: u32) -> u32 {
    let full = if frame_payload_bytes == 0 { 1 } else { frame_payload_bytes };
    payload_bytes - (frame_count(payload_bytes, full) - 1) * full
}

/// Returns the octets of all frames of a payload, framing included and without the fill words between frames.
#[must_use]
pub const fn wire_bytes(payload_bytes: u32, frame_payload_bytes: u32) -> u64 {
    payload_bytes as u64 + frame_count(payload_bytes, frame_payload_bytes) as u64 * FRAMING_BYTES as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The data IU of a 4K read in command mode: reference section 6.4.
    #[test]
    fn a_4k_data_iu() {
        assert_eq!((frame_count(4132, 2112), last_frame_bytes(4132, 2112)), (2, 2020));
        assert_eq!((frame_count(4132, 2048), last_frame_bytes(4132, 2048)), (3, 36));
        assert_eq!(wire_bytes(4132, 2048), 4132 + 3 * 36);
    }

    #[test]
    fn exact_and_empty_payloads() {
        assert_eq!((frame_count(8192, 2048), last_frame_bytes(8192, 2048)), (4, 2048));
        assert_eq!((frame_count(0, 2048), last_frame_bytes(0, 2048)), (1, 0));
        assert_eq!(wire_bytes(0, 2048), 36);
    }
}
