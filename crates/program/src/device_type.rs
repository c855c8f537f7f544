//! The types of count-key-data devices: their models, and how records lie on their tracks.
//!
//! Capacities are counted in cells, as the device characteristics give them: formula 1 (3375, 3380) or
//! formula 2 (3390, 9345), with their factors. Largest records and track lengths confirm each row.

/// Device type and control-unit type number of the control unit that serves the devices: a 3990.
pub const CONTROL_UNIT_TYPE: u16 = 0x3990;
/// Model code of the control unit: a 3990-3 with extended function, as emulated volumes report it; our choice.
pub const CONTROL_UNIT_MODEL: u8 = 0xC2;

/// Data bytes of record zero of a formatted track.
pub const RECORD_ZERO_DATA_BYTES: u16 = 8;

/// Bytes in which an image counts the length of its tracks.
const IMAGE_GRANULE_BYTES: u32 = 512;
/// Bytes of a track in an image besides the key and data of record 1: home address, record zero with its
/// count, count of record 1, end marker.
const IMAGE_OVERHEAD_BYTES: u32 = 5 + 16 + 8 + 8;

/// The capacity formula of a device, with the factors that its device characteristics name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CapacityFormula {
    /// Formula 1: an area takes its bytes and a constant, rounded up to cells.
    One {
        /// Factor 1, bytes of a cell.
        cell_bytes: u32,
        /// Factor 2, bytes that a record takes besides its data.
        record_bytes: u32,
        /// Factor 3, bytes that a key area takes besides its own.
        key_area_bytes: u32,
    },
    /// Formula 2: an area takes six bytes more for every segment of its bytes.
    Two {
        /// Factor 1, bytes of a cell.
        cell_bytes: u32,
        /// Factor 2, cells that a record takes besides its data.
        record_cells: u32,
        /// Factor 3, cells that a key area takes besides its bytes.
        key_area_cells: u32,
        /// Factor 4, bytes that a segment takes besides its own.
        segment_overhead_bytes: u32,
        /// Factor 5, half the bytes of a segment.
        half_segment_bytes: u32,
    },
}

impl CapacityFormula {
    /// Returns the number of the formula.
    pub const fn number(self) -> u8 {
        match self {
            Self::One { .. } => 1,
            Self::Two { .. } => 2,
        }
    }

    /// Returns the factors 1 to 5, zeros for those that the formula has not.
    pub const fn factors(self) -> [u16; 5] {
        match self {
            Self::One { cell_bytes, record_bytes, key_area_bytes } => {
                [cell_bytes as u16, record_bytes as u16, key_area_bytes as u16, 0, 0]
            }
            Self::Two {
                cell_bytes,
                record_cells,
                key_area_cells,
                segment_overhead_bytes,
                half_segment_bytes,
            } => [
                cell_bytes as u16,
                record_cells as u16,
                key_area_cells as u16,
                segment_overhead_bytes as u16,
                half_segment_bytes as u16,
            ],
        }
    }

    /// Returns the cells of a record with these areas; no key area when it has no bytes.
    pub const fn record_cells(self, key_bytes: u32, data_bytes: u32) -> u32 {
        match self {
            Self::One { cell_bytes, record_bytes, key_area_bytes } => {
                let key = if key_bytes == 0 { 0 } else { (key_bytes + key_area_bytes).div_ceil(cell_bytes) };
                (data_bytes + record_bytes).div_ceil(cell_bytes) + key
            }
            Self::Two { record_cells, key_area_cells, .. } => {
                let key = if key_bytes == 0 { 0 } else { key_area_cells + self.area_cells(key_bytes) };
                record_cells + self.area_cells(data_bytes) + key
            }
        }
    }

    /// Returns the cells of the bytes of an area.
    const fn area_cells(self, bytes: u32) -> u32 {
        match self {
            Self::One { cell_bytes, .. } => bytes.div_ceil(cell_bytes),
            Self::Two { cell_bytes, segment_overhead_bytes, half_segment_bytes, .. } => {
                let segments = (bytes + segment_overhead_bytes).div_ceil(2 * half_segment_bytes) + 1;
                (bytes + segment_overhead_bytes * segments).div_ceil(cell_bytes)
            }
        }
    }
}

/// A type of count-key-data device.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum DeviceType {
    /// 3375.
    D3375,
    /// 3380.
    D3380,
    /// 3390.
    D3390,
    /// 9345.
    D9345,
}

/// A row of the table of device types.
#[derive(Debug)]
struct Row {
    number: u16,
    heads: u8,
    /// Cells of a track after home address and record zero.
    cells: u32,
    largest_record_zero_bytes: u16,
    largest_record_bytes: u16,
    /// Bytes of home address and record zero, gaps included.
    home_bytes: u16,
    sectors: u8,
    /// Cells from the index to record 1, as sectors count them. Of the 3390 from its printed sectors, of the
    /// others the cells of `home_bytes`; our choice.
    first_record_cells: u32,
    sector_cells: u32,
    formula: CapacityFormula,
    /// Name, cylinders and model code, small models first.
    models: &'static [(&'static str, u32, u8)],
}

const ROW_3375: Row = Row {
    number: 0x3375,
    heads: 12,
    cells: 1125,
    largest_record_zero_bytes: 36_000,
    largest_record_bytes: 35_616,
    home_bytes: 832,
    sectors: 196,
    first_record_cells: 26,
    sector_cells: 7,
    formula: CapacityFormula::One { cell_bytes: 32, record_bytes: 384, key_area_bytes: 160 },
    models: &[("3375-1", 959, 0x02)],
};

const ROW_3380: Row = Row {
    number: 0x3380,
    heads: 15,
    cells: 1499,
    largest_record_zero_bytes: 47_988,
    largest_record_bytes: 47_476,
    home_bytes: 1088,
    sectors: 222,
    first_record_cells: 34,
    sector_cells: 7,
    formula: CapacityFormula::One { cell_bytes: 32, record_bytes: 492, key_area_bytes: 236 },
    models: &[
        ("3380-A", 885, 0x02),
        ("3380-D", 885, 0x06),
        ("3380-J", 885, 0x16),
        ("3380-E", 1770, 0x0A),
        ("3380-K", 2655, 0x1E),
    ],
};

const ROW_3390: Row = Row {
    number: 0x3390,
    heads: 15,
    cells: 1729,
    largest_record_zero_bytes: 57_326,
    largest_record_bytes: 56_664,
    home_bytes: 1428,
    sectors: 224,
    first_record_cells: 49,
    sector_cells: 8,
    formula: CapacityFormula::Two {
        cell_bytes: 34,
        record_cells: 19,
        key_area_cells: 9,
        segment_overhead_bytes: 6,
        half_segment_bytes: 116,
    },
    models: &[
        ("3390-1", 1113, 0x02),
        ("3390-2", 2226, 0x06),
        ("3390-3", 3339, 0x0A),
        ("3390-9", 10_017, 0x0C),
        ("3390-27", 32_760, 0x0C),
        ("3390-54", 65_520, 0x0C),
    ],
};

const ROW_9345: Row = Row {
    number: 0x9345,
    heads: 15,
    cells: 1420,
    largest_record_zero_bytes: 48_174,
    largest_record_bytes: 46_456,
    home_bytes: 1184,
    sectors: 213,
    first_record_cells: 35,
    sector_cells: 7,
    formula: CapacityFormula::Two {
        cell_bytes: 34,
        record_cells: 18,
        key_area_cells: 7,
        segment_overhead_bytes: 6,
        half_segment_bytes: 116,
    },
    models: &[("9345-1", 1440, 0x04), ("9345-2", 2156, 0x04)],
};

impl DeviceType {
    /// Every type.
    pub const ALL: [Self; 4] = [Self::D3375, Self::D3380, Self::D3390, Self::D9345];

    const fn row(self) -> &'static Row {
        match self {
            Self::D3375 => &ROW_3375,
            Self::D3380 => &ROW_3380,
            Self::D3390 => &ROW_3390,
            Self::D9345 => &ROW_9345,
        }
    }

    /// Returns the type with this number, 0x3390 for a 3390.
    pub fn from_number(number: u16) -> Option<Self> {
        Self::ALL.into_iter().find(|device| device.number() == number)
    }

    /// Returns the type of which an image names only the low byte of the number, 0x90 for a 3390.
    pub fn from_low_byte(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|device| device.number() as u8 == byte)
    }

    /// Returns the number, 0x3390 for a 3390.
    pub const fn number(self) -> u16 {
        self.row().number
    }

    /// Returns the tracks of a cylinder.
    pub const fn heads(self) -> u8 {
        self.row().heads
    }

    /// Returns the rotational sectors of a track.
    pub const fn sectors(self) -> u8 {
        self.row().sectors
    }

    /// Returns the most data bytes of a keyless record 1 behind a record zero of 8 bytes.
    pub const fn largest_record_bytes(self) -> u16 {
        self.row().largest_record_bytes
    }

    /// Returns the most data bytes of a record zero.
    pub const fn largest_record_zero_bytes(self) -> u16 {
        self.row().largest_record_zero_bytes
    }

    /// Returns the bytes of home address and record zero, gaps included.
    pub const fn home_bytes(self) -> u16 {
        self.row().home_bytes
    }

    /// Returns the capacity formula.
    pub const fn formula(self) -> CapacityFormula {
        self.row().formula
    }

    /// Returns the cells of a track behind home address and a record zero of 8 bytes.
    pub const fn cells(self) -> u32 {
        self.row().cells
    }

    /// Returns the cells of a record.
    pub const fn record_cells(self, key_bytes: u32, data_bytes: u32) -> u32 {
        self.formula().record_cells(key_bytes, data_bytes)
    }

    /// Returns the cells of a track with record zero counted: what the records of a track may take together.
    pub const fn cells_with_record_zero(self) -> u32 {
        self.cells() + self.record_cells(0, RECORD_ZERO_DATA_BYTES as u32)
    }

    /// Returns the rotational sector at which a record begins that has records of `cells` cells between itself and
    /// record zero.
    pub const fn sector(self, cells: u32) -> u8 {
        ((self.row().first_record_cells + cells) / self.row().sector_cells) as u8
    }

    /// Returns the bytes of a track in an image file.
    pub const fn image_track_bytes(self) -> u32 {
        (self.largest_record_bytes() as u32 + IMAGE_OVERHEAD_BYTES).next_multiple_of(IMAGE_GRANULE_BYTES)
    }

    /// Returns the models with a fixed number of cylinders: name and cylinders.
    pub fn models(self) -> impl Iterator<Item = (&'static str, u32)> {
        self.row().models.iter().map(|(name, cylinders, _)| (*name, *cylinders))
    }

    /// Returns the model code of a device of so many cylinders: that of the smallest model with as many.
    pub fn model_code(self, cylinders: u32) -> u8 {
        let models = self.row().models;
        let fits = models.iter().find(|(_, most, _)| cylinders <= *most);
        fits.or(models.last()).map_or(0, |(_, _, code)| *code)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_largest_record_fills_the_track_and_one_byte_more_does_not_fit() {
        for device in DeviceType::ALL {
            let largest = u32::from(device.largest_record_bytes());
            assert!(device.record_cells(0, largest) <= device.cells(), "{device:?}");
            assert!(device.record_cells(0, largest + 1) > device.cells(), "{device:?}");
        }
    }

    #[test]
    fn the_largest_record_zero_of_a_3390_fills_the_whole_track() {
        let device = DeviceType::D3390;
        assert_eq!(device.record_cells(0, 57_326), device.cells_with_record_zero());
        assert_eq!(device.record_cells(0, 57_327), device.cells_with_record_zero() + 1);
    }

    #[test]
    fn tracks_are_as_long_as_dasdinit_makes_them() {
        let bytes = DeviceType::ALL.map(DeviceType::image_track_bytes);
        assert_eq!(bytes, [35_840, 47_616, 56_832, 46_592]);
    }

    #[test]
    fn records_per_track_of_a_3380() {
        let fit = |bytes| 1499 / DeviceType::D3380.record_cells(0, bytes);
        assert_eq!([4096, 23_476, 6_233, 47_476].map(fit), [10, 2, 7, 1]);
        assert_eq!(1499 / DeviceType::D3380.record_cells(8, 4096), 9);
    }

    #[test]
    fn every_sector_is_on_the_track() {
        for device in DeviceType::ALL {
            assert!(device.sector(device.cells()) < device.sectors(), "{device:?}");
        }
    }

    #[test]
    fn numbers_and_models_are_found() {
        for device in DeviceType::ALL {
            assert_eq!(DeviceType::from_number(device.number()), Some(device));
            assert_eq!(DeviceType::from_low_byte(device.number() as u8), Some(device));
        }
        assert_eq!(DeviceType::from_low_byte(0x14), None);
        let codes = [1, 1113, 1114, 3339, 10_017, 262_668].map(|c| DeviceType::D3390.model_code(c));
        assert_eq!(codes, [0x02, 0x02, 0x06, 0x0A, 0x0C, 0x0C]);
    }
}
