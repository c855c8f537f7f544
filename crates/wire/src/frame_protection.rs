//! Octets that encryption adds to a frame.

/// Octets around the payload of an encrypted frame, beside those of a frame in clear text (RFC 4303, RFC 4106).
///
/// ```text
///  header, vector │ payload │ padding, trailer │ check value
///                 └── multiple of the alignment ┘
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct FrameProtection {
    /// Before the payload: the ESP header and the initialisation vector.
    pub header_bytes: u16,
    /// Behind payload and padding: pad length and next header.
    pub trailer_bytes: u16,
    /// Payload, padding and trailer are a multiple of it; 0 and 1 are no alignment.
    pub align_bytes: u16,
    /// At the end: the integrity check value.
    pub check_bytes: u16,
}

impl FrameProtection {
    /// Frames in clear text.
    pub const NONE: Self = Self { header_bytes: 0, trailer_bytes: 0, align_bytes: 0, check_bytes: 0 };

    /// Returns the octets that a frame with this payload has more than in clear text.
    #[must_use]
    pub const fn added_bytes(self, payload_bytes: u32) -> u32 {
        let align = if self.align_bytes == 0 { 1 } else { self.align_bytes as u32 };
        let inner = payload_bytes + self.trailer_bytes as u32;
        let padded = inner.div_ceil(align) * align;
        self.header_bytes as u32 + (padded - payload_bytes) + self.check_bytes as u32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The ESP header with AES-GCM: security parameters index and sequence number, vector, two octets of trailer, check value.
    const ESP: FrameProtection =
        FrameProtection { header_bytes: 16, trailer_bytes: 2, align_bytes: 4, check_bytes: 16 };

    #[test]
    fn a_full_frame_takes_36_octets_more_and_stays_within_the_data_field() {
        assert_eq!(ESP.added_bytes(2048), 36);
        assert!(2048 + ESP.added_bytes(2048) <= 2112 && 2112 + ESP.added_bytes(2112) > 2112);
    }

    #[test]
    fn padding_fills_the_last_word() {
        let added = [0, 1, 2, 3, 4].map(|payload| ESP.added_bytes(payload));
        assert_eq!(added, [36, 35, 34, 37, 36]);
        for payload in 0..2049 {
            assert_eq!((payload + ESP.added_bytes(payload) - 32) % 4, 0, "{payload}");
        }
    }

    #[test]
    fn clear_text_adds_nothing() {
        assert_eq!(FrameProtection::NONE.added_bytes(2047), 0);
    }
}
