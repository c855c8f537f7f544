//! When the reader reports the space that it freed.

use crate::message::ProducerFlags;

/// Part of an element that is consumed before an update is due: a tenth, as Linux has it.
///
/// RFC 7609 leaves the rule against silly windows to implementations. The part waits to be confirmed.
const UPDATE_PART: u64 = 10;

/// Returns whether an update of the consumer cursor is due, this long after the last.
///
/// A writer that is blocked gets one as soon as any space is free, and one that wants an update at once.
pub const fn is_update_due(unreported_bytes: u64, element_bytes: u32, writer: ProducerFlags) -> bool {
    if unreported_bytes == 0 {
        return false;
    }
    let is_waiting =
        writer.contains(ProducerFlags::WRITER_BLOCKED) || writer.contains(ProducerFlags::UPDATE_REQUESTED);
    is_waiting || unreported_bytes >= (element_bytes as u64).div_ceil(UPDATE_PART)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenth_of_the_element_is_due_and_less_when_the_writer_waits() {
        let size = 16_384;
        assert!(!is_update_due(1_638, size, ProducerFlags::default()));
        assert!(is_update_due(1_639, size, ProducerFlags::default()));
        assert!(is_update_due(1, size, ProducerFlags::WRITER_BLOCKED));
        assert!(is_update_due(1, size, ProducerFlags::UPDATE_REQUESTED));
        assert!(!is_update_due(0, size, ProducerFlags::WRITER_BLOCKED));
    }
}
