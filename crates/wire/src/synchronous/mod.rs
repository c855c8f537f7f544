//! Synchronous I/O (zHyperLink) in shared memory: slots with a request, its answer and the data of one record, and the
//! greeting of a link. The real formats are not public: all of these are our choice.
//!
//! ```text
//! page 0      area header: mark, version, functions; line 1: the control unit sleeps
//! pages 1, 2  slot of function 0: state, request, answer │ data
//! pages 3, 4  slot of function 1
//! ```
//!
//! Both ends are on one host, so that words are in its order of octets. Neither trusts what the other has put there.

mod answer;
mod greeting;
mod request;
mod slot_word;

pub use answer::{RemoteReject, SynchronousAnswer};
pub use greeting::{Greeting, GreetingRefusal, Welcome};
pub use request::{MalformedRequest, SynchronousOperation, SynchronousRequest};
pub use slot_word::{SlotState, SlotWord};

use crc_fast::CrcAlgorithm;

/// Octets of a word.
pub const WORD_BYTES: usize = 8;
/// Words of the area header.
pub const HEADER_WORDS: usize = 512;
/// Word of the header that is not zero while the control unit sleeps.
pub const SLEEP_WORD: usize = 8;
/// Words of a slot: a page of control, a page of data.
pub const SLOT_WORDS: usize = 1024;
/// Words of a slot: the state, the first ones of request and answer, of which each has a line of the cache, and of the data.
pub const STATE_WORD: usize = 0;
/// First word of the request.
pub const REQUEST_WORD: usize = 8;
/// First word of the answer.
pub const ANSWER_WORD: usize = 16;
/// First word of the data.
pub const DATA_WORD: usize = 512;
/// Words of a request, and of an answer.
pub const MESSAGE_WORDS: usize = 5;

/// Most data of a request, octets.
pub const DATA_MAX: usize = (SLOT_WORDS - DATA_WORD) * WORD_BYTES;
/// Octets of which address and length of a buffer are multiples.
pub const ALIGNMENT: u64 = 16;
/// Most functions of a link.
pub const FUNCTIONS_MAX: u8 = 64;

/// Returns the words of an area with so many functions.
#[must_use]
pub const fn area_words(functions: u8) -> usize {
    HEADER_WORDS + functions as usize * SLOT_WORDS
}

/// Returns the check word of data: CRC-32C.
#[must_use]
pub fn data_check(data: &[u8]) -> u32 {
    crc_fast::checksum(CrcAlgorithm::Crc32Iscsi, data) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The check value of CRC-32C (RFC 3720, appendix B.4: 32 octets of zeros, of ones, and ascending).
    #[test]
    fn data_are_checked_by_crc_32c() {
        assert_eq!(data_check(&[0; 32]), 0x8A91_36AA);
        assert_eq!(data_check(&[0xFF; 32]), 0x62A8_AB43);
        let ascending: Vec<u8> = (0..32).collect();
        assert_eq!(data_check(&ascending), 0x46DD_794E);
    }

    #[test]
    fn parts_of_a_slot_do_not_overlap() {
        const { assert!(STATE_WORD < REQUEST_WORD && REQUEST_WORD + MESSAGE_WORDS <= ANSWER_WORD) };
        const { assert!(ANSWER_WORD + MESSAGE_WORDS <= DATA_WORD && SLEEP_WORD < HEADER_WORDS) };
        assert_eq!((DATA_MAX, area_words(64) * WORD_BYTES), (4096, 4096 + 64 * 8192));
    }
}
