//! A unit as it lies in a compressed image: its header and its packed octets.

use super::compression::{Algorithm, Compression, Unpacked, unpack};
use super::device::CckdDevice;
use super::fault::CckdFault;
use super::null_track::{END_MARKER, NullFormat};
use crate::layout::LayoutError;
use crate::tracks::{COUNT_AREA_BYTES, CountArea, HOME_ADDRESS_BYTES};

/// Octets of a unit header: compression, then CCHH or the number of the block group.
pub(super) const UNIT_HEADER_BYTES: usize = 5;

/// Stored form of a unit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum PackedUnit {
    /// Nothing.
    Null(NullFormat),
    /// Header and packed octets.
    Image(Vec<u8>),
}

impl PackedUnit {
    /// Packs a unit: from the home address to the end marker of a track, all blocks of a group.
    pub(super) fn pack(
        device: CckdDevice,
        unit: u32,
        octets: &[u8],
        compression: Compression,
        image: NullFormat,
    ) -> Result<Self, LayoutError> {
        let octets = checked(device, unit, octets)?;
        if let Some(format) = NullFormat::of_unit(device, unit, octets) {
            let format = if device.is_ckd() { format } else { image };
            if format.to_entry(image).is_some() {
                return Ok(Self::Null(format));
            }
        }
        let mut packed = device.unit_header(unit).to_vec();
        let begin = if device.is_ckd() { HOME_ADDRESS_BYTES } else { 0 };
        packed[0] = compression.pack(&octets[begin..], &mut packed).to_byte();
        Ok(Self::Image(packed))
    }
}

/// Returns the octets of a unit without what lies behind the end marker of a track, when the format can hold them.
fn checked(device: CckdDevice, unit: u32, octets: &[u8]) -> Result<&[u8], LayoutError> {
    if !device.is_ckd() {
        return if octets.len() == device.unit_bytes() as usize {
            Ok(octets)
        } else {
            Err(LayoutError::Corrupt(format!("a block group of {} bytes", octets.len())))
        };
    }
    if !octets.starts_with(&device.unit_header(unit)) {
        let text =
            format!("unit {unit}: a compressed image holds no home address but the track's own, with flag 0");
        return Err(LayoutError::Full(text));
    }
    let end = track_end(octets)
        .ok_or_else(|| LayoutError::Corrupt(format!("unit {unit}: {}", CckdFault::Records)))?;
    if end > device.unit_bytes() as usize {
        return Err(LayoutError::Full(format!("unit {unit}: the track is longer than the image allows")));
    }
    Ok(&octets[..end])
}

/// Returns the octets from the home address to the end marker, which is counted; nothing when the records do not lead there.
fn track_end(octets: &[u8]) -> Option<usize> {
    let (end, marked) = records_end(octets);
    marked.then_some(end + END_MARKER.len())
}

/// Returns the octets of the home address and the whole records, and whether the end marker follows.
fn records_end(octets: &[u8]) -> (usize, bool) {
    let mut end = HOME_ADDRESS_BYTES;
    while let Some(count) = octets.get(end..).and_then(|rest| rest.first_chunk::<COUNT_AREA_BYTES>()) {
        if *count == END_MARKER {
            return (end, true);
        }
        let next = end + COUNT_AREA_BYTES + CountArea::from_bytes(*count).area_bytes() as usize;
        if next > octets.len() {
            break;
        }
        end = next;
    }
    (end, false)
}

/// Unpacks the image of `unit` into `into`, which is empty, and returns the number of octets of the image.
pub(super) fn unpack_unit(
    device: CckdDevice,
    unit: u32,
    image: &[u8],
    into: &mut Vec<u8>,
) -> Result<usize, CckdFault> {
    match unpack_image(device, Some(unit), image, into)? {
        (_, Unpacked::Whole(taken)) => {
            if device.is_ckd() {
                let end = track_end(into).ok_or(CckdFault::Records)?;
                into.truncate(end);
            } else if into.len() != device.unit_bytes() as usize {
                return Err(CckdFault::Unpack("it is shorter than a block group"));
            }
            Ok(UNIT_HEADER_BYTES + taken)
        }
        (_, Unpacked::Cut) => Err(CckdFault::Unpack("its octets end early")),
        (_, Unpacked::Damaged(why)) => Err(CckdFault::Unpack(why)),
    }
}

/// Unpacks the whole records, or whole blocks, that are left of an image that was cut off; nothing when none is.
pub(super) fn salvage_unit(device: CckdDevice, unit: u32, image: &[u8], into: &mut Vec<u8>) -> Option<u32> {
    let (_, outcome) = unpack_image(device, Some(unit), image, into).ok()?;
    if matches!(outcome, Unpacked::Damaged(_)) {
        return None;
    }
    if !device.is_ckd() {
        let blocks = (into.len() / 512) as u32;
        into.truncate(blocks as usize * 512);
        into.resize(device.unit_bytes() as usize, 0);
        return (blocks > 0).then_some(blocks);
    }
    let (end, _) = records_end(into);
    into.truncate(end);
    into.extend_from_slice(&END_MARKER);
    let fits = into.len() <= device.unit_bytes() as usize;
    (fits && end > HOME_ADDRESS_BYTES).then(|| whole_records(into))
}

/// Returns the records of a track that ends with its end marker.
fn whole_records(track: &[u8]) -> u32 {
    let (mut records, mut at) = (0, HOME_ADDRESS_BYTES);
    while let Some(count) = track.get(at..).and_then(|rest| rest.first_chunk::<COUNT_AREA_BYTES>()) {
        if *count == END_MARKER {
            break;
        }
        at += COUNT_AREA_BYTES + CountArea::from_bytes(*count).area_bytes() as usize;
        records += 1;
    }
    records
}

/// Returns the unit that the header of `image` names, and its unpacked octets as far as they go.
fn unpack_image(
    device: CckdDevice,
    unit: Option<u32>,
    image: &[u8],
    into: &mut Vec<u8>,
) -> Result<(u32, Unpacked), CckdFault> {
    let Some((header, packed)) = image.split_first_chunk::<UNIT_HEADER_BYTES>() else {
        return Err(CckdFault::Unpack("it is shorter than its header"));
    };
    let named = device.unit_of(*header).filter(|named| unit.is_none_or(|unit| unit == *named));
    let (Some(unit), Some(algorithm)) = (named, Algorithm::from_byte(header[0])) else {
        return Err(CckdFault::UnitHeader { found: *header });
    };
    let begin = if device.is_ckd() { HOME_ADDRESS_BYTES } else { 0 };
    if begin > 0 {
        into.extend_from_slice(&device.unit_header(unit));
    }
    let most = device.unit_bytes() as usize - begin;
    Ok((unit, unpack(algorithm, packed, most, into)))
}

/// Returns the unit whose image is at the begin of `octets`, unpacked into `into`, which is empty, and the length of
/// its image. Nothing when no image begins there.
pub(super) fn find_unit(device: CckdDevice, octets: &[u8], into: &mut Vec<u8>) -> Option<(u32, usize)> {
    let header = octets.first_chunk::<UNIT_HEADER_BYTES>()?;
    let unit = device.unit_of(*header)?;
    if header[0] != 0 {
        return Some((unit, unpack_unit(device, unit, octets, into).ok()?));
    }
    let taken =
        if device.is_ckd() { track_end(octets)? } else { UNIT_HEADER_BYTES + device.unit_bytes() as usize };
    let image = octets.get(..taken)?;
    unpack_unit(device, unit, image, into).ok()?;
    Some((unit, taken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const DEVICE: CckdDevice =
        CckdDevice::Ckd { device_type: 0x90, cylinders: 40, heads: 15, track_bytes: 56_832 };

    fn track(unit: u32, lengths: &[u16]) -> Vec<u8> {
        let mut octets = DEVICE.unit_header(unit).to_vec();
        for (record, &data_bytes) in lengths.iter().enumerate() {
            let count = CountArea { cchh: [0; 4], record: record as u8, key_bytes: 0, data_bytes };
            octets.extend_from_slice(&count.to_bytes());
            octets.extend((0..data_bytes).map(|at| (at / 50) as u8));
        }
        octets.extend_from_slice(&END_MARKER);
        octets
    }

    fn image(octets: &[u8], unit: u32, compression: Compression) -> Vec<u8> {
        match PackedUnit::pack(DEVICE, unit, octets, compression, NullFormat::EndOfFile).unwrap() {
            PackedUnit::Image(image) => image,
            PackedUnit::Null(format) => panic!("null track {format:?}"),
        }
    }

    #[test]
    fn what_lies_behind_the_end_marker_is_not_kept() {
        let whole = track(17, &[8, 4096, 100]);
        let mut longer = whole.clone();
        longer.extend_from_slice(&[9; 1000]);
        for compression in [Compression::none(), Compression::zlib(), Compression::bzip2()] {
            let packed = image(&longer, 17, compression);
            let mut back = Vec::new();
            assert_eq!(unpack_unit(DEVICE, 17, &packed, &mut back), Ok(packed.len()));
            assert_eq!(back, whole);
            let wrong = unpack_unit(DEVICE, 18, &packed, &mut Vec::new()).unwrap_err();
            assert!(matches!(wrong, CckdFault::UnitHeader { found: [_, 0, 1, 0, 2] }), "{wrong}");
        }
    }

    #[test]
    fn a_home_address_that_the_format_cannot_hold_is_refused() {
        let mut flagged = track(3, &[8, 100]);
        flagged[0] = 2;
        let refused =
            PackedUnit::pack(DEVICE, 3, &flagged, Compression::zlib(), NullFormat::Empty).unwrap_err();
        assert!(matches!(refused, LayoutError::Full(_)));
        let open = &track(3, &[8, 100])[..100];
        let refused = PackedUnit::pack(DEVICE, 3, open, Compression::zlib(), NullFormat::Empty).unwrap_err();
        assert!(matches!(refused, LayoutError::Corrupt(_)));
    }

    #[test]
    fn whole_records_of_a_cut_track_are_salvaged() {
        let whole = track(17, &[8, 4096, 4096, 4096]);
        let packed = image(&whole, 17, Compression::none());
        let mut back = Vec::new();
        assert_eq!(salvage_unit(DEVICE, 17, &packed[..9000], &mut back), Some(3));
        assert_eq!(back.len(), 5 + 16 + 2 * 4104 + 8);
        assert!(whole.starts_with(&back[..back.len() - 8]));
        assert_eq!(salvage_unit(DEVICE, 17, &packed[..20], &mut Vec::new()), None);
    }

    #[test]
    fn a_unit_is_found_by_its_header() {
        let whole = track(17, &[8, 4096, 100]);
        for compression in [Compression::none(), Compression::zlib(), Compression::bzip2()] {
            let mut octets = image(&whole, 17, compression);
            let taken = octets.len();
            octets.extend_from_slice(&[0x55; 70]);
            let mut back = Vec::new();
            assert_eq!(find_unit(DEVICE, &octets, &mut back), Some((17, taken)));
            assert_eq!(back, whole);
            assert_eq!(find_unit(DEVICE, &octets[1..], &mut Vec::new()), None);
        }
    }

    proptest! {
        #[test]
        fn any_octets_are_taken_for_an_image(image in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut into = Vec::new();
            let _ = unpack_unit(DEVICE, 17, &image, &mut into);
            into.clear();
            let _ = salvage_unit(DEVICE, 17, &image, &mut into);
            into.clear();
            prop_assert!(find_unit(DEVICE, &image, &mut into).is_none_or(|(_, taken)| taken <= image.len()));
        }
    }
}
