//! Sense in words.

use halftrack_program::SENSE_BYTES;

use crate::status_name::{SENSE, words};

/// Messages of format 0: program errors.
const MESSAGES: [&str; 6] = [
    "no message",
    "invalid command",
    "invalid command sequence",
    "count less than required",
    "invalid parameter",
    "not permitted by the file mask",
];
/// Bytes 5 and 6 of volumes with more cylinders than they can name.
const LARGE_VOLUME: [u8; 2] = [0xFF, 0xFF];

/// Returns `command reject: format 0 message 4, invalid parameter; cylinder 0 head 3`.
pub(crate) fn sense_words(sense: &[u8; SENSE_BYTES]) -> String {
    let bits = u64::from(sense[0]) << 8 | u64::from(sense[1]);
    let mut text = words(bits, SENSE);
    let (format, message) = (sense[7] >> 4, sense[7] & 0x0F);
    if sense[7] != 0 {
        text += &format!(": format {format} message {message}");
        if let (0, Some(words)) = (format, MESSAGES.get(usize::from(message))) {
            text += &format!(", {words}");
        }
    }
    if sense[5..].iter().all(|byte| *byte == 0) {
        return text;
    }
    let head = sense[31] & 0x0F;
    let cylinder = if sense[5..7] == LARGE_VOLUME {
        u16::from_be_bytes([sense[29], sense[30]])
    } else {
        // Byte 5 is the low part, byte 6 has the high part before the head.
        u16::from(sense[6] >> 4) << 8 | u16::from(sense[5])
    };
    text += &format!("; cylinder {cylinder} head {head}");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sense_is_said_with_its_message_and_place() {
        let mut sense = [0; SENSE_BYTES];
        sense[0] = 0x80;
        sense[7] = 0x04;
        (sense[5], sense[6]) = (0xFF, 0xFF);
        sense[29..].copy_from_slice(&[0, 100, 3]);
        let expected = "command reject: format 0 message 4, invalid parameter; cylinder 100 head 3";
        assert_eq!(sense_words(&sense), expected);
        let mut small = [0; SENSE_BYTES];
        small[1] = 0x08;
        (small[5], small[6], small[31]) = (0x2C, 0x13, 3);
        assert_eq!(sense_words(&small), "no record found; cylinder 300 head 3");
    }
}
