//! Bit errors of a link, as the frames on it meet them.

use halftrack_catalog::Coding;

/// Upper limit of a bit error rate in a plant. One error in a thousand bits is more than any receiver locks on to.
pub const BIT_ERROR_RATE_MAX: f64 = 1e-3;

/// Bits of an octet.
const OCTET_BITS: u32 = 8;

/// Errors of a link, of which each unit on the line is lost with one chance, independent of the others. Every frame goes with
/// it of which a part is in it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FrameErrors {
    /// Chance that a unit is lost.
    pub chance: f64,
    /// The unit.
    pub unit: ErrorUnit,
}

/// A part of a link's line that an error takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ErrorUnit {
    /// A bit on the line, of which the code sends `sent` for every `data` bits: nothing corrects it.
    Bit {
        /// Bits of data.
        data: u32,
        /// Bits sent for them.
        sent: u32,
    },
    /// A codeword of forward error correction with so many octets of frames.
    Codeword {
        /// Octets of frames.
        octets: u32,
    },
}

impl FrameErrors {
    /// Computes the errors of a link with `coding` whose bits are wrong at `bit_error_rate`, before any correction. `None`
    /// where no frame is ever lost.
    #[must_use]
    pub fn new(bit_error_rate: f64, coding: &Coding) -> Option<Self> {
        let (data, sent) = (coding.code.value.data, coding.code.value.sent);
        let errors = match &coding.fec {
            None => Self { chance: bit_error_rate, unit: ErrorUnit::Bit { data, sent } },
            Some(fec) => {
                let code = fec.code.value;
                let symbol_error = one_of(bit_error_rate, fec.symbol_bits.value);
                let data_bits = u64::from(code.data) * u64::from(fec.symbol_bits.value);
                let octets = data_bits * u64::from(data) / u64::from(sent) / u64::from(OCTET_BITS);
                let chance = more_than(fec.corrects.value, code.sent, symbol_error);
                Self { chance, unit: ErrorUnit::Codeword { octets: octets.max(1) as u32 } }
            }
        };
        (errors.chance > 0.0).then_some(errors)
    }

    /// Returns the units on the line that frames of so many octets are, rounded up to a whole one.
    #[must_use]
    pub const fn units_of(&self, octets: u64) -> u64 {
        match self.unit {
            ErrorUnit::Bit { data, sent } => (octets * OCTET_BITS as u64 * sent as u64).div_ceil(data as u64),
            // The place in a codeword matters: an octet is a step in it.
            ErrorUnit::Codeword { .. } => octets,
        }
    }
}

/// Computes the chance that at least one of `bits` is wrong, each at `rate`.
fn one_of(rate: f64, bits: u32) -> f64 {
    -libm::expm1(f64::from(bits) * libm::log1p(-rate))
}

/// Computes the chance that more than `corrected` of `symbols` are wrong, each with `chance`. It is the upper tail of the
/// binomial distribution, whose largest term comes first.
fn more_than(corrected: u32, symbols: u32, chance: f64) -> f64 {
    if chance <= 0.0 || corrected >= symbols {
        return 0.0;
    }
    let odds = chance / (1.0 - chance);
    let first = corrected + 1;
    let log_choose: f64 =
        (0..first).map(|index| libm::log(f64::from(symbols - index)) - libm::log(f64::from(index + 1))).sum();
    let log_first =
        log_choose + f64::from(first) * libm::log(chance) + f64::from(symbols - first) * libm::log1p(-chance);
    let (mut term, mut sum) = (1.0, 1.0);
    for wrong in first..symbols {
        term *= odds * f64::from(symbols - wrong) / f64::from(wrong + 1);
        sum += term;
    }
    (libm::exp(log_first) * sum).min(1.0)
}

#[cfg(test)]
mod tests {
    use halftrack_catalog::Catalog;

    use super::*;

    fn errors(gbps: u32, fec: bool, rate: f64) -> Option<FrameErrors> {
        let catalog = Catalog::load(&[]).0;
        FrameErrors::new(rate, catalog.links.coding(gbps, fec).expect("a code"))
    }

    #[test]
    fn a_frame_of_8b10b_has_ten_bits_an_octet_and_one_of_64b66b_fewer() {
        let eight = errors(8, false, 1e-12).expect("errors");
        assert_eq!((eight.chance, eight.units_of(2148)), (1e-12, 21_480));
        let sixteen = errors(16, false, 1e-12).expect("errors");
        assert_eq!(sixteen.units_of(2148), 17_721);
    }

    /// 640 and 256 octets: 514 symbols of ten bits, and 2,080 bits, without the bits of the line code.
    #[test]
    fn codewords_hold_whole_blocks_of_the_line_code() {
        for (gbps, octets) in [(16, 256), (32, 640), (64, 640), (128, 640)] {
            let found = errors(gbps, true, 1e-3).expect("errors").unit;
            assert_eq!(found, ErrorUnit::Codeword { octets }, "{gbps} Gbit/s");
        }
    }

    /// Sums of the binomial distribution computed apart from this code, with 60 digits.
    #[test]
    fn a_codeword_is_lost_when_more_symbols_are_wrong_than_it_corrects() {
        for (gbps, rate, expected) in [(32, 1e-3, 0.160_5), (32, 1e-4, 8.927e-8), (16, 1e-6, 2.226e-6)] {
            let found = errors(gbps, true, rate).expect("errors").chance;
            assert!((found / expected - 1.0).abs() < 0.01, "{gbps} Gbit/s at {rate}: {found}");
        }
    }

    #[test]
    fn no_rate_is_no_errors() {
        assert_eq!(errors(8, false, 0.0), None);
        assert_eq!(errors(32, true, 0.0), None);
    }
}
