//! Where the tracks of an uncompressed CKD volume lie: one after the other behind the header of their file.

use halftrack_program::Geometry;

use crate::device_header::{DEVICE_HEADER_BYTES, DeviceHeader, PLAIN_CKD};
use crate::layout::{Layout, LayoutError, Place};
use crate::medium::Medium;
use crate::open_error::{Flaw, ImageError};
use crate::redo::Redo;

/// The tracks of a volume in one file or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CkdLayout {
    header: DeviceHeader,
    cylinders: u32,
    /// Number of the first track of each file.
    first_tracks: Vec<u32>,
    tracks: u32,
}

/// The header of a file, if it has a whole one that begins as uncompressed CKD.
fn header_of<M: Medium>(file: usize, medium: &M) -> Result<DeviceHeader, ImageError> {
    let mut bytes = [0; DEVICE_HEADER_BYTES];
    if medium.len().map_err(ImageError::io(file))? < DEVICE_HEADER_BYTES as u64 {
        let flaw =
            Flaw::new(0, "the file is shorter than a header", "a CKD image begins with 512 bytes of it");
        return Err(ImageError::Flaw { file, flaw });
    }
    medium.read_at(0, &mut bytes).map_err(ImageError::io(file))?;
    if bytes[..8] != PLAIN_CKD {
        let flaw = Flaw::new(0, "no uncompressed CKD file", "such a file begins with CKD_P370");
        return Err(ImageError::Flaw { file, flaw });
    }
    DeviceHeader::from_bytes(&bytes).map_err(ImageError::flaw(file))
}

/// Whole cylinders of a file, and the flaw when there is something behind them.
fn cylinders_of(header: &DeviceHeader, file_bytes: u64) -> (u32, Option<Flaw>) {
    let bytes = file_bytes.saturating_sub(DEVICE_HEADER_BYTES as u64);
    let cylinders = bytes / header.cylinder_bytes();
    let rest = bytes % header.cylinder_bytes();
    let flaw = (rest != 0).then(|| {
        let found = format!("the file ends {rest} bytes into cylinder {cylinders} of it");
        Flaw::new(
            file_bytes,
            found,
            format!(
                "a cylinder has {} bytes; `halftrack volume check` offers to fill it with empty tracks",
                header.cylinder_bytes()
            ),
        )
    });
    (u32::try_from(cylinders).unwrap_or(u32::MAX), flaw)
}

impl CkdLayout {
    /// Reads the headers of the files of a volume.
    ///
    /// # Errors
    /// A file cannot be read, or contradicts its format or the other files.
    pub fn open<M: Medium>(files: &[M]) -> Result<Self, ImageError> {
        let (layout, flaws) = Self::examine(files)?;
        match flaws.into_iter().next() {
            Some((file, flaw)) => Err(ImageError::Flaw { file, flaw }),
            None => Ok(layout),
        }
    }

    /// As [`CkdLayout::open`], but tells of files that are cut short, with the layout of what is there.
    ///
    /// # Errors
    /// A file cannot be read, or its header makes no sense.
    pub fn examine<M: Medium>(files: &[M]) -> Result<(Self, Vec<(usize, Flaw)>), ImageError> {
        let mut flaws = Vec::new();
        let (mut first, mut cylinders, mut first_tracks) = (None, 0u32, Vec::new());
        for (file, medium) in files.iter().enumerate() {
            let header = header_of(file, medium)?;
            let of_volume = *first.get_or_insert(header);
            check_member(file, files.len(), &of_volume, &header)?;
            let heads = u32::from(header.device.heads());
            first_tracks.push(cylinders.saturating_mul(heads));
            let file_bytes = medium.len().map_err(ImageError::io(file))?;
            let (in_file, flaw) = cylinders_of(&header, file_bytes);
            flaws.extend(flaw.map(|flaw| (file, flaw)));
            cylinders = cylinders.saturating_add(in_file);
            let stated = u32::from(header.highest_cylinder) + 1;
            if file + 1 < files.len() && stated != cylinders {
                let found = format!("the header says that cylinder {} is the last of the file", stated - 1);
                let expected = format!("the file ends with cylinder {}", i64::from(cylinders) - 1);
                flaws.push((file, Flaw::new(18, found, expected)));
            }
        }
        let empty =
            || Flaw::new(DEVICE_HEADER_BYTES as u64, "no whole cylinder", "a volume has one at least");
        let volume = first.and_then(|header| Some((header, header.geometry(cylinders)?)));
        let Some((header, geometry)) = volume else {
            return Err(ImageError::Flaw { file: 0, flaw: empty() });
        };
        let tracks = u32::try_from(geometry.tracks()).unwrap_or(u32::MAX);
        Ok((Self { header, cylinders, first_tracks, tracks }, flaws))
    }

    /// The device.
    pub fn geometry(&self) -> Geometry {
        // The constructor has seen that there is such a geometry.
        self.header.geometry(self.cylinders).unwrap_or(Geometry::of(halftrack_program::Model::Model1))
    }

    /// Bytes of a track in the files.
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
            several => several.partition_point(|first| *first <= track) - 1,
        };
        let within = u64::from(track - self.first_tracks[file]);
        let octets = self.header.track_bytes;
        let offset = DEVICE_HEADER_BYTES as u64 + within * u64::from(octets);
        Some(Place { file: file as u16, offset, octets })
    }
}

/// Whether a file is the one that comes at this place of the volume.
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

    fn write(&mut self, _: &[M], unit: u32, octets: &[u8], redo: &mut Redo) -> Result<(), LayoutError> {
        write_place(self.place_of(unit), octets, redo)
    }
}

/// Reads what lies at a place.
pub(crate) fn read_place<M: Medium>(
    place: Option<Place>,
    files: &[M],
    into: &mut Vec<u8>,
) -> Result<(), LayoutError> {
    let place = place.ok_or_else(no_such_unit)?;
    let file = files.get(usize::from(place.file)).ok_or_else(no_such_unit)?;
    into.resize(place.octets as usize, 0);
    Ok(file.read_at(place.offset, into)?)
}

/// Puts into `redo` that `octets` come to a place.
pub(crate) fn write_place(place: Option<Place>, octets: &[u8], redo: &mut Redo) -> Result<(), LayoutError> {
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
