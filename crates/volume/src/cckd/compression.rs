//! How units are packed: not at all, zlib, or bzip2; unpacking is bounded.

use std::io::{self, Write};

/// The algorithm of a unit header.
const NONE: u8 = 0;
const ZLIB: u8 = 1;
const BZIP2: u8 = 2;
/// Compression level of zlib when the image leaves it open.
const ZLIB_DEFAULT: u32 = 6;
/// Block size of bzip2, in units of 100,000 bytes, when the image leaves it open.
const BZIP2_DEFAULT: u32 = 5;

/// How an image packs the units that are written to it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Compression {
    algorithm: Algorithm,
    /// Level of zlib 0 to 9, block size of bzip2 1 to 9; anything else leaves it open.
    parameter: i16,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    None,
    Zlib,
    Bzip2,
}

impl Algorithm {
    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        match byte {
            NONE => Some(Self::None),
            ZLIB => Some(Self::Zlib),
            BZIP2 => Some(Self::Bzip2),
            _ => None,
        }
    }

    pub(super) fn to_byte(self) -> u8 {
        match self {
            Self::None => NONE,
            Self::Zlib => ZLIB,
            Self::Bzip2 => BZIP2,
        }
    }
}

/// Result of unpacking.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unpacked {
    /// The stream ended after so many octets of the packed ones.
    Whole(usize),
    /// The packed octets end before the stream does; what came until then is right.
    Cut,
    /// The stream is damaged, or longer than a unit.
    Damaged(&'static str),
}

impl Compression {
    /// Selects units that are stored as they are.
    pub const fn none() -> Self {
        Self { algorithm: Algorithm::None, parameter: -1 }
    }

    /// Selects zlib at its usual level.
    pub const fn zlib() -> Self {
        Self { algorithm: Algorithm::Zlib, parameter: -1 }
    }

    /// Selects bzip2 with the block size that Hercules uses.
    pub const fn bzip2() -> Self {
        Self { algorithm: Algorithm::Bzip2, parameter: -1 }
    }

    /// Returns the compression of the fields of a compressed-device header. An unknown algorithm is taken
    /// for none: it is only a wish for units to be written.
    /// Its name: `none`, `zlib` or `bzip2`.
    pub const fn name(self) -> &'static str {
        match self.algorithm {
            Algorithm::None => "none",
            Algorithm::Zlib => "zlib",
            Algorithm::Bzip2 => "bzip2",
        }
    }

    pub(super) fn from_header(algorithm: u8, parameter: i16) -> Self {
        Self { algorithm: Algorithm::from_byte(algorithm).unwrap_or(Algorithm::None), parameter }
    }

    /// Returns the two fields.
    pub(super) fn to_header(self) -> (u8, i16) {
        (self.algorithm.to_byte(), self.parameter)
    }

    /// Adds the packed `octets` to `into`, which holds a unit header, and returns the algorithm used. It is none when
    /// packing gains nothing.
    pub(super) fn pack(self, octets: &[u8], into: &mut Vec<u8>) -> Algorithm {
        let begin = into.len();
        let packed = match self.algorithm {
            Algorithm::None => false,
            Algorithm::Zlib => self.pack_zlib(octets, into).is_ok(),
            Algorithm::Bzip2 => self.pack_bzip2(octets, into).is_ok(),
        };
        if packed && into.len() - begin < octets.len() {
            return self.algorithm;
        }
        into.truncate(begin);
        into.extend_from_slice(octets);
        Algorithm::None
    }

    fn level(self, least: u32, open: u32) -> u32 {
        u32::try_from(self.parameter).ok().filter(|level| (least..=9).contains(level)).unwrap_or(open)
    }

    fn pack_zlib(self, octets: &[u8], into: &mut Vec<u8>) -> io::Result<()> {
        let level = flate2::Compression::new(self.level(0, ZLIB_DEFAULT));
        let mut encoder = flate2::write::ZlibEncoder::new(into, level);
        encoder.write_all(octets)?;
        encoder.finish().map(drop)
    }

    fn pack_bzip2(self, octets: &[u8], into: &mut Vec<u8>) -> io::Result<()> {
        let level = bzip2::Compression::new(self.level(1, BZIP2_DEFAULT));
        let mut encoder = bzip2::write::BzEncoder::new(into, level);
        encoder.write_all(octets)?;
        encoder.finish().map(drop)
    }
}

/// Unpacks `packed` behind what `into` holds; never more than `most` octets.
pub(super) fn unpack(algorithm: Algorithm, packed: &[u8], most: usize, into: &mut Vec<u8>) -> Unpacked {
    let begin = into.len();
    let outcome = match algorithm {
        Algorithm::None => {
            into.extend_from_slice(&packed[..packed.len().min(most + 1)]);
            Unpacked::Whole(packed.len())
        }
        Algorithm::Zlib => unpack_zlib(packed, most, into),
        Algorithm::Bzip2 => unpack_bzip2(packed, most, into),
    };
    if into.len() - begin > most {
        into.truncate(begin + most);
        return Unpacked::Damaged("it is longer than a unit");
    }
    outcome
}

/// Unpacks a zlib stream. The room for one octet too many distinguishes a stream that is too long from one that just
/// fits.
fn unpack_zlib(packed: &[u8], most: usize, into: &mut Vec<u8>) -> Unpacked {
    into.reserve_exact(most + 1);
    let mut stream = flate2::Decompress::new(true);
    let status = stream.decompress_vec(packed, into, flate2::FlushDecompress::Finish);
    match status {
        Ok(flate2::Status::StreamEnd) => Unpacked::Whole(stream.total_in() as usize),
        Ok(flate2::Status::Ok | flate2::Status::BufError) => Unpacked::Cut,
        Err(_) => Unpacked::Damaged("the zlib stream is damaged"),
    }
}

fn unpack_bzip2(packed: &[u8], most: usize, into: &mut Vec<u8>) -> Unpacked {
    into.reserve_exact(most + 1);
    let mut stream = bzip2::Decompress::new(false);
    loop {
        let before = (stream.total_in(), stream.total_out());
        let rest = packed.get(stream.total_in() as usize..).unwrap_or_default();
        match stream.decompress_vec(rest, into) {
            Ok(bzip2::Status::StreamEnd) => return Unpacked::Whole(stream.total_in() as usize),
            Ok(_) if before == (stream.total_in(), stream.total_out()) => return Unpacked::Cut,
            Ok(_) => {}
            Err(_) => return Unpacked::Damaged("the bzip2 stream is damaged"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn packed(compression: Compression, octets: &[u8]) -> (Algorithm, Vec<u8>) {
        let mut into = Vec::new();
        let algorithm = compression.pack(octets, &mut into);
        (algorithm, into)
    }

    #[test]
    fn a_stream_of_more_than_a_unit_is_refused_and_one_that_just_fits_is_not() {
        for compression in [Compression::zlib(), Compression::bzip2(), Compression::none()] {
            let (algorithm, octets) = packed(compression, &[7; 60_000]);
            let mut into = vec![1];
            assert_eq!(unpack(algorithm, &octets, 60_000, &mut into), Unpacked::Whole(octets.len()));
            assert_eq!(into.len(), 60_001);
            let mut into = Vec::new();
            let short = unpack(algorithm, &octets, 59_999, &mut into);
            assert_eq!(short, Unpacked::Damaged("it is longer than a unit"));
            assert_eq!(into.len(), 59_999);
        }
    }

    #[test]
    fn a_cut_stream_is_told_from_a_damaged_one() {
        let octets: Vec<u8> = (0..40_000_u32).map(|number| ((number * number) >> 7) as u8).collect();
        for compression in [Compression::zlib(), Compression::bzip2()] {
            let (algorithm, mut whole) = packed(compression, &octets);
            assert_ne!(algorithm, Algorithm::None);
            let mut into = Vec::new();
            assert_eq!(unpack(algorithm, &whole[..whole.len() - 9], 60_000, &mut into), Unpacked::Cut);
            assert!(octets.starts_with(&into));
            whole[0] = 0;
            assert!(matches!(unpack(algorithm, &whole, 60_000, &mut Vec::new()), Unpacked::Damaged(_)));
        }
    }

    #[test]
    fn what_cannot_be_packed_lies_as_it_is() {
        assert_eq!(packed(Compression::zlib(), &[1, 2, 3]), (Algorithm::None, vec![1, 2, 3]));
        assert_eq!(packed(Compression::bzip2(), &[1, 2, 3]), (Algorithm::None, vec![1, 2, 3]));
    }

    proptest! {
        #[test]
        fn what_was_packed_is_unpacked(octets in prop::collection::vec(0_u8..4, 0..5000), which in 0..3) {
            let compression = [Compression::none(), Compression::zlib(), Compression::bzip2()][which as usize];
            let (algorithm, into) = packed(compression, &octets);
            let mut back = Vec::new();
            prop_assert_eq!(unpack(algorithm, &into, 5000, &mut back), Unpacked::Whole(into.len()));
            prop_assert_eq!(back, octets);
        }

        #[test]
        fn any_octets_are_taken(octets in prop::collection::vec(any::<u8>(), 0..300), which in 0_u8..3) {
            let algorithm = Algorithm::from_byte(which).unwrap();
            let mut into = Vec::new();
            unpack(algorithm, &octets, 100, &mut into);
            prop_assert!(into.len() <= 100);
        }
    }
}
