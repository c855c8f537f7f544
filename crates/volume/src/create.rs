//! Creation of volumes: new ones, as `dasdinit` of Hercules 3.13 makes them, and copies of others in any format.
//!
//! Files are written under another name and renamed when all are whole and safe.

use std::io;
use std::path::{Path, PathBuf};

use halftrack_program::Geometry;

use crate::blocks::BLOCK_BYTES;
use crate::cckd::{CckdDevice, CckdWriter, Compression, NullFormat};
use crate::ckd_layout::{CkdLayout, MOST_FILE_BYTES};
use crate::ckd_volume::CkdVolume;
use crate::create_options::CreateOptions;
use crate::device_header::{DEVICE_HEADER_BYTES, DeviceHeader};
use crate::fba_layout::{GROUP_BLOCKS, GROUP_BYTES};
use crate::file_medium::FileMedium;
use crate::file_names::{self, MOST_FILES};
use crate::format::Format;
use crate::layout::LayoutError;
use crate::medium::Medium;
use crate::memory_medium::MemoryMedium;
use crate::open::sync_directory;
use crate::open_error::OpenError;
use crate::standard_label::{VolumeSerial, push_label_track, write_label_block};
use crate::track_image::{push_empty_track, track_address};
use crate::unit_store::{Mode, UnitStore};

/// The device of a volume.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum VolumeDevice {
    /// Count-key-data.
    Ckd(Geometry),
    /// Fixed-block, of so many blocks of 512 bytes.
    Fba {
        /// Blocks.
        blocks: u32,
    },
}

impl VolumeDevice {
    /// Returns the units of the volume: tracks, or block groups.
    pub fn units(self) -> u32 {
        match self {
            Self::Ckd(geometry) => u32::try_from(geometry.tracks()).unwrap_or(u32::MAX),
            Self::Fba { blocks } => blocks.div_ceil(GROUP_BLOCKS),
        }
    }

    fn compressed(self) -> CckdDevice {
        match self {
            Self::Ckd(geometry) => CckdDevice::Ckd {
                device_type: geometry.device_type().number() as u8,
                cylinders: geometry.cylinders(),
                heads: u32::from(geometry.heads()),
                track_bytes: geometry.device_type().image_track_bytes(),
            },
            Self::Fba { blocks } => CckdDevice::Fba { blocks },
        }
    }
}

/// How the units of a new volume are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NewFormat {
    /// As they are, in files of less than 2 GiB each: those that every program can read.
    Plain,
    /// As they are, in one file of any length.
    OneFile,
    /// Packed one by one.
    Compressed(Compression),
}

/// Makes a volume at `path`, with a label when there is a serial number. Returns the files made.
///
/// # Errors
/// A file exists already, or cannot be written; the format cannot hold the device.
pub fn create(
    path: &Path,
    device: VolumeDevice,
    format: NewFormat,
    serial: Option<VolumeSerial>,
) -> Result<Vec<PathBuf>, OpenError> {
    create_with(path, device, format, serial, &mut CreateOptions { replaces: false, watch: &mut |_, _| {} })
}

/// Creates as [`create`], perhaps in the place of another volume, and with reports of progress.
///
/// # Errors
/// Errors of [`create`]; a file that would be replaced is in use.
pub fn create_with(
    path: &Path,
    device: VolumeDevice,
    format: NewFormat,
    serial: Option<VolumeSerial>,
    options: &mut CreateOptions<'_>,
) -> Result<Vec<PathBuf>, OpenError> {
    write_volume(path, device, format, options, |unit, into| {
        push_new_unit(device, serial, unit, into);
        Ok(())
    })
}

/// Writes the unit of a new volume.
fn push_new_unit(device: VolumeDevice, serial: Option<VolumeSerial>, unit: u32, into: &mut Vec<u8>) {
    match (device, serial) {
        (VolumeDevice::Ckd(_), Some(serial)) if unit == 0 => push_label_track(serial, into),
        (VolumeDevice::Ckd(geometry), _) => {
            push_empty_track(track_address(&geometry, unit).unwrap_or_default(), into);
        }
        (VolumeDevice::Fba { blocks }, serial) => {
            let blocks = (blocks - unit * GROUP_BLOCKS).min(GROUP_BLOCKS);
            into.resize(blocks as usize * BLOCK_BYTES, 0);
            if let (0, Some(serial)) = (unit, serial) {
                write_label_block(serial, into);
            }
        }
    }
}

/// Returns a new CKD volume in memory, with a label when there is a serial number: for tests, benches and volumes that
/// nobody keeps.
///
/// # Errors
/// More than 4 GiB.
pub fn create_in_memory(
    geometry: Geometry,
    serial: Option<VolumeSerial>,
) -> Result<CkdVolume<MemoryMedium>, OpenError> {
    let header = DeviceHeader::single(geometry.device_type());
    let mut medium = MemoryMedium::default();
    let mut octets = Vec::new();
    let mut format = || {
        medium.set_len(
            DEVICE_HEADER_BYTES as u64 + header.cylinder_bytes() * u64::from(geometry.cylinders()),
        )?;
        medium.write_at(0, &header.to_bytes())?;
        for unit in 0..VolumeDevice::Ckd(geometry).units() {
            octets.clear();
            push_new_unit(VolumeDevice::Ckd(geometry), serial, unit, &mut octets);
            medium.write_at(offset_in_file(&header, unit), &octets)?;
        }
        Ok(())
    };
    format().map_err(OpenError::io("memory"))?;
    let files = vec![medium];
    let layout = CkdLayout::open(&files).map_err(OpenError::image(&["memory".into()], PathBuf::new()))?;
    let store = UnitStore::new(files, Format::Plain(layout), None, Mode::Sync);
    Ok(CkdVolume::new(store, geometry))
}

fn offset_in_file(header: &DeviceHeader, track: u32) -> u64 {
    DEVICE_HEADER_BYTES as u64 + u64::from(track) * u64::from(header.track_bytes)
}

/// The files of a new volume, under the names they have until they are whole; removed unless they are renamed.
struct Unfinished {
    files: Vec<(PathBuf, PathBuf)>,
}

impl Drop for Unfinished {
    fn drop(&mut self) {
        for (unfinished, _) in &self.files {
            // One that cannot be removed has a name that explains it.
            let _ = std::fs::remove_file(unfinished);
        }
    }
}

impl Unfinished {
    /// Begins files that will have these names.
    fn new(names: Vec<PathBuf>, options: &CreateOptions<'_>) -> Result<Self, OpenError> {
        for path in names.iter().filter(|name| name.exists()) {
            if !options.replaces {
                return Err(OpenError::Exists { path: path.clone() });
            }
            // Opened for writing and closed again: no other process has it open.
            FileMedium::open(path).map_err(OpenError::io(path))?;
        }
        let files = names.into_iter().map(|name| (file_names::unfinished(&name), name)).collect();
        Ok(Self { files })
    }

    fn create(&self, file: usize) -> Result<FileMedium, OpenError> {
        let (unfinished, _) = &self.files[file];
        // What an earlier attempt left that was killed.
        let _ = std::fs::remove_file(unfinished);
        FileMedium::create_new(unfinished).map_err(OpenError::io(unfinished))
    }

    /// Gives the files their names. A journal that is there belongs to a volume that is no more then; one of a file that
    /// a replaced link led to stays.
    fn finish(mut self) -> Result<Vec<PathBuf>, OpenError> {
        let files = std::mem::take(&mut self.files);
        let names: Vec<_> = files.iter().map(|(_, name)| name.clone()).collect();
        for (unfinished, name) in files.iter().rev() {
            std::fs::rename(unfinished, name).map_err(OpenError::io(name))?;
        }
        let Some(first) = names.first() else { return Ok(names) };
        match std::fs::remove_file(file_names::journal(first)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(OpenError::io(first)(error)),
            _ => sync_directory(first).map(|()| names),
        }
    }
}

/// Writes a volume whose units `unit_octets` gives, from the first to the last; it appends to an empty vector.
pub(crate) fn write_volume(
    path: &Path,
    device: VolumeDevice,
    format: NewFormat,
    options: &mut CreateOptions<'_>,
    mut unit_octets: impl FnMut(u32, &mut Vec<u8>) -> Result<(), OpenError>,
) -> Result<Vec<PathBuf>, OpenError> {
    if device.units() == 0 {
        return Err(OpenError::Request("a volume has one block at least".to_owned()));
    }
    let replacing = CreateOptions { replaces: options.replaces, watch: &mut |_, _| {} };
    let mut unit_octets = |unit, into: &mut Vec<u8>| {
        (options.watch)(unit, device.units());
        unit_octets(unit, into)
    };
    match (format, device) {
        (NewFormat::Compressed(compression), _) => {
            let unfinished = Unfinished::new(vec![path.to_owned()], &replacing)?;
            let mut file = unfinished.create(0)?;
            let failed = |error| OpenError::Layout { path: path.to_owned(), error };
            let null = NullFormat::Empty;
            let writer = CckdWriter::new(&mut file, device.compressed(), null, compression);
            write_compressed(writer.map_err(failed)?, path, device, unit_octets)?;
            file.sync().map_err(OpenError::io(path))?;
            drop(file);
            unfinished.finish()
        }
        (_, VolumeDevice::Fba { blocks }) => {
            let unfinished = Unfinished::new(vec![path.to_owned()], &replacing)?;
            let mut file = unfinished.create(0)?;
            let mut octets = Vec::new();
            let length = u64::from(blocks) * BLOCK_BYTES as u64;
            file.set_len(length).map_err(OpenError::io(path))?;
            for unit in 0..device.units() {
                octets.clear();
                unit_octets(unit, &mut octets)?;
                if octets.iter().any(|octet| *octet != 0) {
                    let offset = u64::from(unit) * u64::from(GROUP_BYTES);
                    let room = (length - offset).min(octets.len() as u64) as usize;
                    file.write_at(offset, &octets[..room]).map_err(OpenError::io(path))?;
                }
            }
            file.sync().map_err(OpenError::io(path))?;
            drop(file);
            unfinished.finish()
        }
        (NewFormat::OneFile, VolumeDevice::Ckd(geometry)) => {
            write_plain(path, geometry, u64::MAX, &replacing, unit_octets)
        }
        (NewFormat::Plain, VolumeDevice::Ckd(geometry)) => {
            write_plain(path, geometry, MOST_FILE_BYTES, &replacing, unit_octets)
        }
    }
}

fn write_compressed(
    mut writer: CckdWriter<'_, FileMedium>,
    path: &Path,
    device: VolumeDevice,
    mut unit_octets: impl FnMut(u32, &mut Vec<u8>) -> Result<(), OpenError>,
) -> Result<(), OpenError> {
    let failed = |error: LayoutError| OpenError::Layout { path: path.to_owned(), error };
    let mut octets = Vec::new();
    for unit in 0..device.units() {
        octets.clear();
        unit_octets(unit, &mut octets)?;
        if let VolumeDevice::Fba { .. } = device {
            octets.resize(GROUP_BYTES as usize, 0);
        }
        writer.add(unit, &octets).map_err(failed)?;
    }
    writer.finish().map(|_| ()).map_err(failed)
}

/// Returns the cylinders of each file, which has at most so many bytes.
fn cylinders_of_files(geometry: &Geometry, most_file_bytes: u64) -> Result<Vec<u32>, OpenError> {
    let header = DeviceHeader::single(geometry.device_type());
    let most = most_file_bytes.saturating_sub(DEVICE_HEADER_BYTES as u64) / header.cylinder_bytes();
    let most = u32::try_from(most).unwrap_or(u32::MAX).max(1);
    let mut files = vec![most; (geometry.cylinders() / most) as usize];
    files.extend(Some(geometry.cylinders() % most).filter(|rest| *rest > 0));
    let named = files.len() <= usize::from(MOST_FILES);
    // The header of a file has 16 bits for its highest cylinder.
    let numbered = files.len() < 2 || geometry.cylinders() <= 1 << 16;
    if named && numbered {
        return Ok(files);
    }
    Err(OpenError::Request(format!(
        "{} cylinders do not go into files of 2 GiB each; keep them in one file",
        geometry.cylinders()
    )))
}

fn write_plain(
    path: &Path,
    geometry: Geometry,
    most_file_bytes: u64,
    options: &CreateOptions<'_>,
    mut unit_octets: impl FnMut(u32, &mut Vec<u8>) -> Result<(), OpenError>,
) -> Result<Vec<PathBuf>, OpenError> {
    let members = cylinders_of_files(&geometry, most_file_bytes)?;
    let heads = u32::from(geometry.heads());
    let names = match members.len() {
        1 => vec![path.to_owned()],
        several => (1..=several).map(|number| file_names::member_of_new(path, number as u8)).collect(),
    };
    let unfinished = Unfinished::new(names.clone(), options)?;
    let (mut unit, mut octets) = (0, Vec::new());
    for (file, (cylinders, name)) in members.iter().zip(&names).enumerate() {
        let mut header = DeviceHeader::single(geometry.device_type());
        let (first, last) = (unit, unit + cylinders * heads);
        if members.len() > 1 {
            header.file_number = (file + 1) as u8;
            let followed = file + 1 < members.len();
            header.highest_cylinder = if followed { (last / heads - 1) as u16 } else { 0 };
        }
        let mut medium = unfinished.create(file)?;
        let failed = OpenError::io(name);
        let mut write = || {
            medium.set_len(offset_in_file(&header, last - first))?;
            medium.write_at(0, &header.to_bytes())
        };
        write().map_err(failed)?;
        while unit < last {
            octets.clear();
            unit_octets(unit, &mut octets)?;
            medium.write_at(offset_in_file(&header, unit - first), &octets).map_err(OpenError::io(name))?;
            unit += 1;
        }
        medium.sync().map_err(OpenError::io(name))?;
    }
    unfinished.finish()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::open::Volume;
    use crate::tracks::{Track, Tracks};
    use halftrack_program::{DeviceType, TrackAddress};

    /// As `dasdinit` divides a 3390-3 and a 3390-9, seen from the lengths of the files that it makes.
    #[test]
    fn files_of_less_than_two_gib_have_as_many_cylinders_as_those_of_dasdinit() {
        let members = |name| {
            let geometry = Geometry::named(name).unwrap();
            cylinders_of_files(&geometry, MOST_FILE_BYTES).unwrap()
        };
        assert_eq!(members("3390-1"), [1113]);
        assert_eq!(members("3390-3"), [2519, 820]);
        assert_eq!(members("3390-9"), [2519, 2519, 2519, 2460]);
        assert_eq!(members("3390-54").len(), 27);
        let large = Geometry::with_cylinders(262_668).unwrap();
        assert!(cylinders_of_files(&large, MOST_FILE_BYTES).is_err());
        assert_eq!(cylinders_of_files(&large, u64::MAX).unwrap(), [262_668]);
    }

    #[test]
    fn a_volume_in_several_files_is_one_volume() {
        let directory = tempfile::tempdir().unwrap();
        let geometry = Geometry::of_type(DeviceType::D3375, 5).unwrap();
        let new_unit = |unit, into: &mut Vec<u8>| {
            push_new_unit(VolumeDevice::Ckd(geometry), None, unit, into);
            Ok(())
        };
        let path = directory.path().join("volume.ckd");
        let options = CreateOptions { replaces: false, watch: &mut |_, _| {} };
        let files = write_plain(&path, geometry, 1_000_000, &options, new_unit).unwrap();
        let names = ["volume_1.ckd", "volume_2.ckd", "volume_3.ckd"].map(|name| directory.path().join(name));
        assert_eq!(files, names);
        assert!(matches!(
            write_plain(&path, geometry, 1_000_000, &options, new_unit),
            Err(OpenError::Exists { .. })
        ));
        let track = TrackAddress::new(3, 11).unwrap();
        let Volume::Ckd(mut volume) = Volume::open(&names[0], Mode::Sync).unwrap() else {
            panic!("a CKD volume")
        };
        volume.erase(track, 0).unwrap();
        volume.commit().unwrap();
        volume.close().unwrap();
        let Volume::Ckd(mut volume) = Volume::open(&path, Mode::ReadOnly).unwrap() else {
            panic!("a CKD volume")
        };
        assert_eq!(volume.geometry(), &geometry);
        let records: u32 = (0..60)
            .map(|track| u32::from(volume.track(track_address(&geometry, track).unwrap()).unwrap().records()))
            .sum();
        assert_eq!((records, volume.track(track).unwrap().records()), (59, 0));
        assert!(Volume::open(&names[1], Mode::ReadOnly).is_err());
        drop(volume);
        std::fs::remove_file(&names[2]).unwrap();
        let missing = Volume::open(&names[0], Mode::ReadOnly).unwrap_err();
        assert!(missing.to_string().contains("volume_3.ckd"), "{missing}");
    }
}
