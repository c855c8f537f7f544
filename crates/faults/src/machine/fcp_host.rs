//! A host over FCP: its paths, its logical units, and what its stream does.

use halftrack_engine::RandomStream;

/// Bytes of an I/O, and of a block of its units. The longest takes many frames.
const SIZES: [(u32, u32); 8] = [
    (512, 512),
    (4096, 512),
    (4096, 4096),
    (4096, 4096),
    (16_384, 512),
    (65_536, 4096),
    (65_536, 512),
    (262_144, 4096),
];
/// Bytes of the records of an I/O, where it has whole ones, and otherwise.
const RECORD_BYTES: [u16; 2] = [4096, 512];
/// Bytes of a logical unit, and how many I/Os it has places for.
const UNIT_BYTES: u32 = 2 << 20;
const PLACES: std::ops::RangeInclusive<u32> = 12..=48;

/// How many times as many I/Os as over FICON it does in a time. Where paths are long, many of them are on their way then.
const PACES: [u32; 6] = [1, 1, 1, 1, 4, 8];

/// A host over FCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FcpHost {
    /// The first of its paths, which are the last of the machine.
    pub first_path: usize,
    /// Bytes of an I/O.
    pub io_bytes: u32,
    /// Bytes of a block of its units.
    pub block_bytes: u32,
    /// Logical units.
    pub units: u32,
    /// How many times as many I/Os as over FICON it does in a time.
    pub pace: u32,
    /// Its time-outs are short: it requests the state of an exchange, and aborts, while the answer is still on its way.
    pub is_hasty: bool,
}

impl FcpHost {
    /// Returns the host of a seed, whose paths begin there.
    #[must_use]
    pub fn of_seed(seed: u64, first_path: usize) -> Self {
        let mut random = RandomStream::new(seed, "fcp host");
        let (io_bytes, block_bytes) = SIZES[random.below(SIZES.len() as u64) as usize];
        Self {
            first_path,
            io_bytes,
            block_bytes,
            units: 1 + random.below(2) as u32,
            pace: PACES[random.below(PACES.len() as u64) as usize],
            is_hasty: random.below(3) == 0,
        }
    }

    /// Returns the numbers of its units.
    pub fn luns(&self) -> std::ops::Range<u32> {
        0..self.units
    }

    /// Returns the name of the image of a unit.
    #[must_use]
    pub fn image(lun: u32) -> String {
        format!("lun{lun}.img")
    }

    /// Returns the bytes in which the data of an I/O are compared, as the I/O driver does.
    #[must_use]
    pub fn record_bytes(&self) -> u16 {
        let whole = RECORD_BYTES.into_iter().find(|bytes| self.io_bytes.is_multiple_of((*bytes).into()));
        whole.unwrap_or(RECORD_BYTES[1])
    }

    /// Returns the records of a unit.
    #[must_use]
    pub fn records(&self) -> u32 {
        let places = (UNIT_BYTES / self.io_bytes).clamp(*PLACES.start(), *PLACES.end());
        places * (self.io_bytes / u32::from(self.record_bytes()))
    }
}
