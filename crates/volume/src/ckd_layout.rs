//! Where the tracks of an uncompressed CKD volume lie: one after the other behind the header of their file.

use std::cmp::Ordering;

use halftrack_program::Geometry;

use crate::device_header::{DEVICE_HEADER_BYTES, DeviceHeader, PLAIN_CKD};
use crate::layout::{Layout, LayoutError, Place};
use crate::medium::Medium;
use crate::open_error::{Flaw, ImageError};
use crate::redo::RedoRecord;

/// Most bytes of a file of a volume in several, as Hercules has it: 2 GiB less one.
pub(crate) const MOST_FILE_BYTES: u64 = i32::MAX as u64;

/// The tracks of a volume in one file or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CkdLayout {
    header: DeviceHeader,
    geometry: Geometry,
    /// Number of the first track of each file.
    first_tracks: Vec<u32>,
    tracks: u32,
}

/// Returns the header of a file, if it has a whole one that begins as uncompressed CKD.
fn header_of<M: Medium>(file: usize, medium: &M) -> Result<DeviceHeader, ImageError> {
    let mut bytes = [0; DEVICE_HEADER_BYTES];
    if medium.len().map_err(ImageError::io(file))? < DEVICE_HEADER_BYTES as u64 {
        let flaw =
            Flaw::new(0, "the file is shorter than a header", "a CKD image begins with 512 bytes of it");
        return Err(ImageError::Flaw { file, flaw });
    }
    medium.read_at(0, &mut bytes).map_err(ImageError::io(file))?;
    if bytes[..8] != PLAIN_CKD {
        let flaw = Flaw::new(0, "not an uncompressed CKD file", "such a file begins with CKD_P370");
        return Err(ImageError::Flaw { file, flaw });
    }
    DeviceHeader::from_bytes(&bytes).map_err(ImageError::flaw(file))
}

/// A flaw of the files of a volume, and the number of the file.
pub type FileFlaw = (usize, Flaw);

impl CkdLayout {
    /// Reads the headers of the files of a volume.
    ///
    /// # Errors
    /// A file cannot be read, is cut short, or contradicts its format or the other files.
    pub fn open<M: Medium>(files: &[M]) -> Result<Self, ImageError> {
        let (layout, flaws) = Self::examine(files)?;
        match flaws.into_iter().next() {
            Some((file, flaw)) => Err(ImageError::Flaw { file, flaw }),
            None => Ok(layout),
        }
    }

    /// Opens files as [`CkdLayout::open`], but takes those that are cut short, too. Their tracks that cannot be read
    /// extend to the end of the cylinder in which the file ends, or of the last that its header names.
    ///
    /// # Errors
    /// A file cannot be read, or its header makes no sense.
    pub fn examine<M: Medium>(files: &[M]) -> Result<(Self, Vec<FileFlaw>), ImageError> {
        let mut flaws = Vec::new();
        let (mut first, mut cylinders, mut first_tracks) = (None, 0u32, Vec::new());
        for (file, medium) in files.iter().enumerate() {
            let header = header_of(file, medium)?;
            let of_volume = *first.get_or_insert(header);
            check_member(file, files.len(), &of_volume, &header)?;
            first_tracks.push(cylinders.saturating_mul(u32::from(header.device.heads())));
            let file_bytes = medium.len().map_err(ImageError::io(file))?;
            let there =
                file_bytes.saturating_sub(DEVICE_HEADER_BYTES as u64).div_ceil(header.cylinder_bytes());
            let end = match file + 1 < files.len() {
                true => u32::from(header.highest_cylinder) + 1,
                false => cylinders.saturating_add(u32::try_from(there).unwrap_or(u32::MAX)),
            };
            let expected = header.file_bytes(end.saturating_sub(cylinders));
            if files.len() > 1 && expected > MOST_FILE_BYTES {
                let found = format!("cylinder {} is the highest of the file", end - 1);
                let flaw = Flaw::new(18, found, "a file of several has less than 2 GiB");
                return Err(ImageError::Flaw { file, flaw });
            }
            flaws.extend(length_flaw(file_bytes, expected).map(|flaw| (file, flaw)));
            cylinders = end.max(cylinders);
        }
        let volume = first.and_then(|header| Some((header, header.geometry(cylinders)?)));
        let Some((header, geometry)) = volume else {
            let flaw = Flaw::new(DEVICE_HEADER_BYTES as u64, "no track", "a volume has a cylinder at least");
            return Err(ImageError::Flaw { file: 0, flaw });
        };
        let tracks = u32::try_from(geometry.tracks()).unwrap_or(u32::MAX);
        Ok((Self { header, geometry, first_tracks, tracks }, flaws))
    }

    /// Returns the bytes that a file of the volume has when it is whole.
    pub fn whole_file_bytes(&self, file: usize) -> u64 {
        let first = self.first_tracks.get(file).copied().unwrap_or(0);
        let end = self.first_tracks.get(file + 1).copied().unwrap_or(self.tracks);
        DEVICE_HEADER_BYTES as u64 + u64::from(end.saturating_sub(first)) * u64::from(self.header.track_bytes)
    }

    /// Returns the device.
    pub fn geometry(&self) -> Geometry {
        self.geometry
    }

    /// Returns the bytes of a track in the files.
    pub fn track_bytes(&self) -> u32 {
        self.header.track_bytes
    }

    #[inline]
    fn place_of(&self, track: u32) -> Option<Place> {
        if track >= self.tracks {
            return None;
        }
        let file = match &self.first_tracks[..] {
            [_] => 0,
            several => several.partition_point(|first| *first <= track).saturating_sub(1),
        };
        let within = u64::from(track - self.first_tracks[file]);
        let octets = self.header.track_bytes;
        let offset = DEVICE_HEADER_BYTES as u64 + within * u64::from(octets);
        Some(Place { file: file as u16, offset, octets })
    }
}

/// Returns the error in the length of a file.
fn length_flaw(found: u64, expected: u64) -> Option<Flaw> {
    let found_bytes = format!("the file ends after {found} bytes");
    let fix = match found.cmp(&expected) {
        Ordering::Equal => return None,
        Ordering::Less => "`halftrack volume check` offers to fill it with empty tracks",
        Ordering::Greater => "the rest belongs to no track",
    };
    Some(Flaw::new(found.min(expected), found_bytes, format!("it should have {expected}; {fix}")))
}

/// Returns whether a file is the one that comes at this place of the volume.
fn check_member(
    file: usize,
    files: usize,
    first: &DeviceHeader,
    header: &DeviceHeader,
) -> Result<(), ImageError> {
    let number = if files == 1 { header.file_number.min(1) } else { (file + 1) as u8 };
    if header.file_number != number {
        let found = format!("the header numbers the file {}", header.file_number);
        let flaw = Flaw::new(17, found, format!("it is file {number} of the volume; name its first file"));
        return Err(ImageError::Flaw { file, flaw });
    }
    if (header.device, header.track_bytes) != (first.device, first.track_bytes) {
        let found = format!("a {:04X} of {} bytes a track", header.device.number(), header.track_bytes);
        let expected = format!(
            "the first file is of a {:04X} of {} bytes a track",
            first.device.number(),
            first.track_bytes
        );
        return Err(ImageError::Flaw { file, flaw: Flaw::new(12, found, expected) });
    }
    Ok(())
}

impl<M: Medium> Layout<M> for CkdLayout {
    fn units(&self) -> u32 {
        self.tracks
    }

    fn unit_bytes(&self) -> u32 {
        self.header.track_bytes
    }

    #[inline]
    fn place(&self, unit: u32) -> Option<Place> {
        self.place_of(unit)
    }

    fn read(&self, files: &[M], unit: u32, into: &mut Vec<u8>) -> Result<(), LayoutError> {
        into.clear();
        read_place(self.place_of(unit), files, into)
    }

    fn write(&mut self, _: &[M], unit: u32, octets: &[u8], redo: &mut RedoRecord) -> Result<(), LayoutError> {
        write_place(self.place_of(unit), octets, redo)
    }
}

/// Reads the octets at a place.
pub(crate) fn read_place<M: Medium>(
    place: Option<Place>,
    files: &[M],
    into: &mut Vec<u8>,
) -> Result<(), LayoutError> {
    let place = place.ok_or_else(no_such_unit)?;
    let file = files.get(usize::from(place.file)).ok_or_else(no_such_unit)?;
    into.resize(place.octets as usize, 0);
    if place.offset + u64::from(place.octets) > file.len()? {
        return Err(LayoutError::Corrupt(format!("file {} ends before the unit does", place.file + 1)));
    }
    Ok(file.read_at(place.offset, into)?)
}

/// Puts into `redo` that `octets` come to a place.
pub(crate) fn write_place(
    place: Option<Place>,
    octets: &[u8],
    redo: &mut RedoRecord,
) -> Result<(), LayoutError> {
    let place = place.ok_or_else(no_such_unit)?;
    if octets.len() > place.octets as usize {
        return Err(LayoutError::Full(format!("{} octets do not fit into {}", octets.len(), place.octets)));
    }
    redo.push(place.file, place.offset, octets);
    Ok(())
}

fn no_such_unit() -> LayoutError {
    LayoutError::Corrupt("the volume has no such unit".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory_medium::MemoryMedium;
    use halftrack_program::DeviceType;

    /// Returns a file of a volume of 3375s with so many cylinders, and bytes more or less.
    fn file(number: u8, highest_cylinder: u16, cylinders: u64, more: i64) -> MemoryMedium {
        let header =
            DeviceHeader { file_number: number, highest_cylinder, ..DeviceHeader::single(DeviceType::D3375) };
        let mut medium = MemoryMedium::new(header.to_bytes().to_vec());
        let bytes = DEVICE_HEADER_BYTES as u64 + cylinders * header.cylinder_bytes();
        medium.set_len(bytes.checked_add_signed(more).unwrap()).unwrap();
        medium
    }

    fn flaw(files: &[MemoryMedium]) -> (usize, u64) {
        match CkdLayout::open(files) {
            Err(ImageError::Flaw { file, flaw }) => (file, flaw.offset),
            other => panic!("no flaw: {other:?}"),
        }
    }

    #[test]
    fn tracks_lie_behind_the_headers_of_their_files() {
        let files = [file(1, 1, 2, 0), file(2, 4, 3, 0), file(3, 0, 1, 0)];
        let layout = CkdLayout::open(&files).unwrap();
        assert_eq!(layout.geometry().cylinders(), 6);
        let places = [0, 23, 24, 59, 60, 71].map(|track| {
            let place = layout.place_of(track).unwrap();
            (place.file, (place.offset - 512) / 35_840)
        });
        assert_eq!(places, [(0, 0), (0, 23), (1, 0), (1, 35), (2, 0), (2, 11)]);
        assert_eq!(layout.place_of(72), None);
        assert_eq!(layout.whole_file_bytes(1), files[1].len().unwrap());
    }

    #[test]
    fn files_that_do_not_belong_together_are_named() {
        let single = file(0, 0, 1, 0);
        assert_eq!(flaw(&[MemoryMedium::new(vec![0; 100])]), (0, 0));
        assert_eq!(flaw(&[MemoryMedium::new(single.bytes()[..512].to_vec())]), (0, 512));
        assert_eq!(flaw(&[file(2, 0, 1, 0)]), (0, 17));
        assert_eq!(flaw(&[file(1, 0, 1, 0), file(3, 0, 1, 0)]), (1, 17));
        let mut other = file(2, 0, 1, 0);
        other
            .write_at(
                0,
                &DeviceHeader { file_number: 2, ..DeviceHeader::single(DeviceType::D3380) }.to_bytes(),
            )
            .unwrap();
        assert_eq!(flaw(&[file(1, 0, 1, 0), other]), (1, 12));
    }

    #[test]
    fn a_file_cut_short_keeps_its_cylinders() {
        let whole = file(0, 0, 2, 0).len().unwrap();
        let cut = [file(0, 0, 2, -1)];
        assert_eq!(flaw(&cut), (0, whole - 1));
        let (layout, _) = CkdLayout::examine(&cut).unwrap();
        assert_eq!((layout.geometry().cylinders(), layout.whole_file_bytes(0)), (2, whole));
        let mut octets = Vec::new();
        assert!(layout.read(&cut, 22, &mut octets).is_ok());
        assert!(matches!(layout.read(&cut, 23, &mut octets), Err(LayoutError::Corrupt(_))));
        assert_eq!(flaw(&[file(1, 2, 2, 0), file(2, 0, 1, 0)]), (0, whole));
        assert_eq!(flaw(&[file(1, 0, 1, 100), file(2, 0, 1, 0)]).0, 0);
        assert_eq!(flaw(&[file(1, u16::MAX, 1, 0), file(2, 0, 1, 0)]), (0, 18));
    }
}
