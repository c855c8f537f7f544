//! The volume of a case as an image in memory, opened by the product, and read back.

use halftrack_program::{Geometry, TrackAddress};
use halftrack_volume::cckd::{CckdDevice, CckdWriter, Compression, NullFormat};
use halftrack_volume::{
    CkdVolume, DEVICE_HEADER_BYTES, DeviceHeader, MemoryMedium, Mode, Track as _, Tracks,
};

use crate::model::volume::{CYLINDERS, HEADS, Record, Track, Volume};

/// How the image is kept and opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keeping {
    /// Tracks as they are, without a journal.
    Plain,
    /// With a journal.
    Journal,
    /// With a journal, chains gathered.
    WriteBack,
    /// Packed tracks, with a journal.
    Compressed,
}

fn address(number: u32) -> TrackAddress {
    TrackAddress::new(number / HEADS, (number % HEADS) as u8).unwrap()
}

/// Returns the octets of a track in an image.
fn octets(track: &Track) -> Vec<u8> {
    let mut octets = track.home.to_vec();
    for record in &track.records {
        octets.extend([&record.count[..], &record.key, &record.data].concat());
    }
    octets.extend([0xFF; 8]);
    octets
}

fn plain(volume: &Volume, geometry: Geometry) -> MemoryMedium {
    let header = DeviceHeader::single(geometry.device_type());
    let track_bytes = header.track_bytes as usize;
    let mut bytes = vec![0; DEVICE_HEADER_BYTES + volume.tracks.len() * track_bytes];
    bytes[..DEVICE_HEADER_BYTES].copy_from_slice(&header.to_bytes());
    for (number, track) in volume.tracks.iter().enumerate() {
        let (at, octets) = (DEVICE_HEADER_BYTES + number * track_bytes, octets(track));
        bytes[at..at + octets.len()].copy_from_slice(&octets);
    }
    MemoryMedium::new(bytes)
}

fn compressed(volume: &Volume, geometry: Geometry) -> MemoryMedium {
    let device = CckdDevice::Ckd {
        device_type: geometry.device_type().number() as u8,
        cylinders: CYLINDERS,
        heads: HEADS,
        track_bytes: geometry.device_type().image_track_bytes(),
    };
    let mut medium = MemoryMedium::default();
    let mut writer = CckdWriter::new(&mut medium, device, NullFormat::Empty, Compression::none()).unwrap();
    for (number, track) in (0..).zip(&volume.tracks) {
        writer.add(number, &octets(track)).unwrap();
    }
    writer.finish().unwrap();
    medium
}

/// Opens an image of the volume.
pub fn open(volume: &Volume, keeping: Keeping) -> CkdVolume<MemoryMedium> {
    let geometry = Geometry::with_cylinders(volume.cylinders).unwrap();
    let medium = match keeping {
        Keeping::Compressed => compressed(volume, geometry),
        Keeping::Plain | Keeping::Journal | Keeping::WriteBack => plain(volume, geometry),
    };
    let journal = (keeping != Keeping::Plain).then(MemoryMedium::default);
    let mode = if keeping == Keeping::WriteBack { Mode::WriteBack } else { Mode::Sync };
    match halftrack_volume::Volume::from_media(vec![medium], journal, mode).unwrap() {
        halftrack_volume::Volume::Ckd(volume) => volume,
        halftrack_volume::Volume::Fba(_) => panic!("a CKD image was made"),
    }
}

/// Reads the volume back.
pub fn read(image: &mut CkdVolume<MemoryMedium>) -> Volume {
    let tracks = (0..CYLINDERS * HEADS).map(|number| {
        let track = image.track(address(number)).unwrap();
        let records = (0..track.records()).map(|place| Record {
            count: track.count(place).unwrap().to_bytes(),
            key: track.key(place).bytes().unwrap_or_default().to_vec(),
            data: track.data(place).bytes().unwrap_or_default().to_vec(),
        });
        Track { home: track.home_address(), records: records.collect() }
    });
    Volume { cylinders: CYLINDERS, tracks: tracks.collect() }
}
