//! Request of one record.

use thiserror::Error;

use super::{ALIGNMENT, DATA_MAX, MESSAGE_WORDS};

const READ: u64 = 1;
const WRITE: u64 = 2;

/// Operation on a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SynchronousOperation {
    /// Read Data.
    Read,
    /// Update write: Write Data over a record that is there.
    Write,
}

/// Request of one record of a device with count, key and data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SynchronousRequest {
    /// Operation.
    pub operation: SynchronousOperation,
    /// Control-unit image.
    pub image: u8,
    /// Unit address of the base.
    pub unit: u8,
    /// Cylinder.
    pub cylinder: u32,
    /// Head.
    pub head: u8,
    /// Record number.
    pub record: u8,
    /// Data length that the record must have, octets; a multiple of 16, at most [`DATA_MAX`].
    pub data_bytes: u32,
    /// Address of the host's buffer, a multiple of 16.
    pub buffer: u64,
    /// Check word of written data.
    pub check: u32,
}

/// Octets that are no request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("no request of synchronous I/O")]
pub struct MalformedRequest;

impl SynchronousRequest {
    /// Returns the words of the request.
    #[must_use]
    pub fn to_words(&self) -> [u64; MESSAGE_WORDS] {
        let operation = match self.operation {
            SynchronousOperation::Read => READ,
            SynchronousOperation::Write => WRITE,
        };
        let device = u64::from(self.image) << 8 | u64::from(self.unit) << 16;
        let place = u64::from(self.head) << 32 | u64::from(self.record) << 40;
        [
            operation | device,
            u64::from(self.cylinder) | place,
            u64::from(self.data_bytes),
            self.buffer,
            u64::from(self.check),
        ]
    }

    /// Returns the request of words that somebody else has written.
    ///
    /// # Errors
    /// An operation that there is not, bits that must be zero, or an address or length against the rules.
    pub fn from_words(words: &[u64; MESSAGE_WORDS]) -> Result<Self, MalformedRequest> {
        let [operation, place, length, buffer, check] = *words;
        let data_bytes = u32::try_from(length).map_err(|_| MalformedRequest)?;
        let request = Self {
            operation: match operation & 0xFF {
                READ => SynchronousOperation::Read,
                WRITE => SynchronousOperation::Write,
                _ => return Err(MalformedRequest),
            },
            image: (operation >> 8) as u8,
            unit: (operation >> 16) as u8,
            cylinder: place as u32,
            head: (place >> 32) as u8,
            record: (place >> 40) as u8,
            data_bytes,
            buffer,
            check: u32::try_from(check).map_err(|_| MalformedRequest)?,
        };
        let fits = (1..=DATA_MAX).contains(&(data_bytes as usize));
        let is_aligned = u64::from(data_bytes).is_multiple_of(ALIGNMENT) && buffer.is_multiple_of(ALIGNMENT);
        // What is beyond the fields is zero.
        if fits && is_aligned && request.to_words() == *words { Ok(request) } else { Err(MalformedRequest) }
    }

    /// Returns whether the request writes.
    #[must_use]
    pub fn writes(&self) -> bool {
        self.operation == SynchronousOperation::Write
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const REQUEST: SynchronousRequest = SynchronousRequest {
        operation: SynchronousOperation::Write,
        image: 1,
        unit: 0x2F,
        cylinder: 70_000,
        head: 14,
        record: 12,
        data_bytes: 4096,
        buffer: 0x7F00_1230,
        check: 0xDEAD_BEEF,
    };

    #[test]
    fn a_request_is_what_it_was() {
        assert_eq!(SynchronousRequest::from_words(&REQUEST.to_words()), Ok(REQUEST));
    }

    #[test]
    fn what_is_against_the_rules_is_no_request() {
        let wrong = [
            SynchronousRequest { data_bytes: 0, ..REQUEST },
            SynchronousRequest { data_bytes: 4112, ..REQUEST },
            SynchronousRequest { data_bytes: 4088, ..REQUEST },
            SynchronousRequest { buffer: 8, ..REQUEST },
        ];
        for request in wrong {
            assert_eq!(SynchronousRequest::from_words(&request.to_words()), Err(MalformedRequest));
        }
    }

    proptest! {
        #[test]
        fn any_words_are_one_request_or_none(words in prop::array::uniform5(any::<u64>()), bit in 0..320_u32) {
            if let Ok(request) = SynchronousRequest::from_words(&words) {
                prop_assert_eq!(request.to_words(), words);
            }
            let mut near = REQUEST.to_words();
            near[(bit / 64) as usize] ^= 1 << (bit % 64);
            if let Ok(request) = SynchronousRequest::from_words(&near) {
                prop_assert!(request != REQUEST && request.data_bytes as usize <= DATA_MAX);
            }
        }
    }
}
