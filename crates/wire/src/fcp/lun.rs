//! Logical unit number: eight octets, whose first two bits choose how the rest is read (SAM-5).

/// Largest number with peripheral addressing, as this format writes it.
const PERIPHERAL_MAX: u32 = 0xFF;
/// Largest number with flat addressing.
const FLAT_MAX: u32 = 0x3FFF;
/// Largest number with extended flat addressing.
const EXTENDED_MAX: u32 = 0xFF_FFFF;
/// Method of the first octet: flat addressing, the first 6 bits of the number behind it.
const FLAT: u8 = 0x40;
/// First octet of extended flat addressing, 24 bits of number behind it.
const EXTENDED_FLAT: u8 = 0xD2;

/// A logical unit number as it is in a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Lun(pub [u8; Self::BYTES]);

impl Lun {
    /// Octets of a number.
    pub const BYTES: usize = 8;
    /// The well-known logical unit of REPORT LUNS.
    pub const REPORT_LUNS: Self = Self([0xC1, 0x01, 0, 0, 0, 0, 0, 0]);

    /// Returns the single-level form of a number, the shortest that it fits; none above 24 bits.
    #[must_use]
    pub const fn of_number(number: u32) -> Option<Self> {
        let [_, high, middle, low] = number.to_be_bytes();
        let octets = if number <= PERIPHERAL_MAX {
            [0, low, 0, 0, 0, 0, 0, 0]
        } else if number <= FLAT_MAX {
            [FLAT | middle, low, 0, 0, 0, 0, 0, 0]
        } else if number <= EXTENDED_MAX {
            [EXTENDED_FLAT, high, middle, low, 0, 0, 0, 0]
        } else {
            return None;
        };
        Some(Self(octets))
    }

    /// Returns the number of a single-level form, of whichever method; none for two levels and well-known units.
    #[must_use]
    pub const fn number(self) -> Option<u32> {
        let [first, a, b, c, rest @ ..] = self.0;
        let number = match first {
            0x00 if b == 0 && c == 0 => a as u32,
            0x40..=0x7F if b == 0 && c == 0 => ((first & 0x3F) as u32) << 8 | a as u32,
            EXTENDED_FLAT => u32::from_be_bytes([0, a, b, c]),
            _ => return None,
        };
        if u32::from_be_bytes(rest) == 0 { Some(number) } else { None }
    }

    /// Returns the form in which a unit is reported: both methods of a small number are the same unit.
    #[must_use]
    pub const fn canonical(self) -> Self {
        match self.number() {
            Some(number) => match Self::of_number(number) {
                Some(shortest) => shortest,
                None => self,
            },
            None => self,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of the FCP reference, section 1.3.
    #[test]
    fn each_method_has_its_form() {
        let forms = [
            (1, [0, 1, 0, 0, 0, 0, 0, 0]),
            (300, [0x41, 0x2C, 0, 0, 0, 0, 0, 0]),
            (20_000, [0xD2, 0, 0x4E, 0x20, 0, 0, 0, 0]),
        ];
        for (number, octets) in forms {
            assert_eq!(Lun::of_number(number), Some(Lun(octets)));
            assert_eq!(Lun(octets).number(), Some(number));
        }
        assert_eq!(Lun([0x40, 7, 0, 0, 0, 0, 0, 0]).number(), Some(7), "flat, though it is small");
        assert_eq!(Lun::of_number(1 << 24), None);
    }

    #[test]
    fn two_levels_and_well_known_units_have_no_number() {
        for octets in [[0x40, 1, 0x40, 2, 0, 0, 0, 0], [0, 1, 0, 0, 0, 0, 0, 9], [0x80, 0, 0, 0, 0, 0, 0, 0]]
        {
            assert_eq!((Lun(octets).number(), Lun(octets).canonical()), (None, Lun(octets)));
        }
        assert_eq!(Lun::REPORT_LUNS.number(), None);
    }

    #[test]
    fn a_small_number_in_the_flat_method_is_the_unit_of_the_peripheral_one() {
        assert_eq!(Some(Lun([0x40, 7, 0, 0, 0, 0, 0, 0]).canonical()), Lun::of_number(7));
        for number in [0, 255, 256, 16_383, 16_384, 0xFF_FFFF] {
            assert_eq!(Lun::of_number(number).and_then(Lun::number), Some(number));
        }
    }
}
