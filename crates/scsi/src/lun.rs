//! Logical unit numbers: eight bytes, of several methods (SAM-5, 4.7).

/// Bytes of a logical unit number.
pub const LUN_BYTES: usize = 8;

/// Numbers below are written in the peripheral method.
const PERIPHERAL_END: u32 = 0x100;
/// Numbers below are written in the flat method.
const FLAT_END: u32 = 0x4000;

/// Logical unit number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Lun(pub [u8; LUN_BYTES]);

impl Lun {
    /// Well-known unit whose command is REPORT LUNS.
    pub const REPORT_LUNS: Self = Self([0xC1, 0x01, 0, 0, 0, 0, 0, 0]);

    /// Returns a single-level number in the shortest method that has it; of its 32 bits the last 24 count.
    pub const fn from_number(number: u32) -> Self {
        let [_, high, middle, low] = number.to_be_bytes();
        match number {
            0..PERIPHERAL_END => Self([0, low, 0, 0, 0, 0, 0, 0]),
            PERIPHERAL_END..FLAT_END => Self([0x40 | middle, low, 0, 0, 0, 0, 0, 0]),
            _ => Self([0xD2, high, middle, low, 0, 0, 0, 0]),
        }
    }

    /// Returns the number of a single level, of any method.
    pub const fn number(self) -> Option<u32> {
        let [a, b, c, d, rest @ ..] = self.0;
        let ends_here = rest[0] | rest[1] | rest[2] | rest[3] == 0;
        let is_short = ends_here && c | d == 0;
        match a {
            0 if is_short => Some(b as u32),
            0x40..=0x7F if is_short => Some(u32::from_be_bytes([0, 0, a & 0x3F, b])),
            0xD2 if ends_here => Some(u32::from_be_bytes([0, b, c, d])),
            _ => None,
        }
    }

    /// Returns the form in which a unit is reported: both methods of a small number are the same unit.
    #[must_use]
    pub const fn canonical(self) -> Self {
        match self.number() {
            Some(number) => Self::from_number(number),
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_their_methods() {
        assert_eq!(Lun::from_number(1).0, [0, 1, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Lun::from_number(300).0, [0x41, 0x2C, 0, 0, 0, 0, 0, 0]);
        assert_eq!(Lun::from_number(20_000).0, [0xD2, 0, 0x4E, 0x20, 0, 0, 0, 0]);
        for number in [0, 255, 256, 16_383, 16_384, 0xFF_FFFF] {
            assert_eq!(Lun::from_number(number).number(), Some(number));
        }
    }

    #[test]
    fn a_small_number_in_the_flat_method_is_the_unit_of_the_peripheral_one() {
        let flat = Lun([0x40, 7, 0, 0, 0, 0, 0, 0]);
        assert_eq!(flat.canonical(), Lun::from_number(7));
        let two_levels = Lun([0x40, 0x12, 0x40, 0x34, 0, 0, 0, 0]);
        assert_eq!((two_levels.number(), two_levels.canonical()), (None, two_levels));
    }
}
