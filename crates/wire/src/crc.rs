//! The Fibre Channel CRC-32, also used for FICON data.

/// Polynomial 04C11DB7, the lowest power in the highest bit.
const REFLECTED_POLYNOMIAL: u32 = 0xEDB8_8320;

/// Returns the CRC over `octets` as the four octets that go out (least significant first), read as a big-endian word.
///
/// Polynomial 04C11DB7, reflected, initial and final value all ones (FC-FS; reference section 1.3).
///
/// `crc32fast` folds with VPCLMULQDQ where the processor has it; `crc-fast` was slower at every length of a frame.
#[must_use]
pub fn crc(octets: &[u8]) -> u32 {
    crc32fast::hash(octets).swap_bytes()
}

/// The CRC of octets that come in pieces.
#[derive(Debug, Clone, Default)]
pub struct Crc(crc32fast::Hasher);

/// Contribution of an octet with 0 to 7 octets behind it to the CRC.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut index = 0;
    while index < 256 {
        let (mut crc, mut bit) = (index as u32, 0);
        while bit < 8 {
            crc = if crc & 1 == 0 { crc >> 1 } else { crc >> 1 ^ REFLECTED_POLYNOMIAL };
            bit += 1;
        }
        tables[0][index] = crc;
        index += 1;
    }
    let mut behind = 1;
    while behind < 8 {
        let mut index = 0;
        while index < 256 {
            let before = tables[behind - 1][index];
            tables[behind][index] = before >> 8 ^ tables[0][(before & 0xFF) as usize];
            index += 1;
        }
        behind += 1;
    }
    tables
}

impl Crc {
    /// Begins with octets that are still in registers, eight in each word, the first in the lowest. Reading them back
    /// from memory would wait until all earlier stores have left the processor.
    #[inline]
    #[must_use]
    pub fn of_words(words: &[u64]) -> Self {
        let crc = words.iter().fold(!0, |crc, word| {
            let octets = (word ^ u64::from(crc)).to_le_bytes();
            octets
                .iter()
                .zip(TABLES.iter().rev())
                .fold(0, |sum, (octet, table)| sum ^ table[usize::from(*octet)])
        });
        Self(crc32fast::Hasher::new_with_initial(!crc))
    }

    /// Takes the next piece.
    pub fn update(&mut self, octets: &[u8]) {
        self.0.update(octets);
    }

    /// Returns what [`crc`] gives for all pieces in a row.
    #[must_use]
    pub fn word(self) -> u32 {
        self.0.finalize().swap_bytes()
    }
}

/// Returns the octets up to the next word boundary.
#[must_use]
pub fn padding(bytes: usize) -> usize {
    bytes.wrapping_neg() & 3
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The read command IU of the reference's section 9.3, whose frame ends with `74 3b e4 5b`.
    #[test]
    fn published_frame() {
        let frame = [
            0x06, 0x01, 0x02, 0x00, 0x00, 0x01, 0x01, 0x00, 0x1b, 0x08, 0x00, 0x00, 0x01, 0x00, 0x00, 0x00,
            0x00, 0x12, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0x00, 0x01, 0x00, 0x02, 0x00, 0x34, 0x00, 0x00,
            0x11, 0x00, 0x00, 0x02, 0x00, 0x00, 0xab, 0xcd, 0x86, 0x28, 0x10, 0x00, 0x00, 0x00, 0x00, 0x00,
            0x00, 0x02, 0x00, 0x00, 0x97, 0x1f, 0xbb, 0xcd,
        ];
        assert_eq!(crc(&frame), 0x743b_e45b);
    }

    #[test]
    fn pieces_give_the_crc_of_the_whole() {
        let mut pieces = Crc::default();
        pieces.update(&[1, 2, 3]);
        pieces.update(&[4]);
        assert_eq!(pieces.word(), crc(&[1, 2, 3, 4]));
    }

    #[test]
    fn words_are_octets() {
        let words = [0x0123_4567_89AB_CDEF_u64, u64::MAX, 42];
        let mut crc = Crc::of_words(&words);
        crc.update(b"and more");
        let octets: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).chain(*b"and more").collect();
        assert_eq!(crc.word(), super::crc(&octets));
    }

    #[test]
    fn padding_reaches_a_word() {
        assert_eq!([0, 1, 2, 3, 4].map(padding), [0, 3, 2, 1, 0]);
    }
}
