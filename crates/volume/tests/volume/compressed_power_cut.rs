//! Whatever the disk holds after a power cut, a compressed image is sound once its journal is in it: tables, free
//! chain and counters agree, and every track can be unpacked.

use halftrack_program::{DeviceType, Geometry, Octets, TrackAddress};
use halftrack_volume::cckd::{CckdDevice, CckdWriter, CheckDepth, Compression, NullFormat, check};
use halftrack_volume::power_cut::{Effort, PowerCut};
use halftrack_volume::{CountArea, MemoryMedium, Mode, Tracks, Volume, recover};

const EFFORT: Effort = Effort { exhaustive_sectors: 4, samples: 5, seed: 20_261_121 };
/// Cylinders of a device of which the tracks are in two level-2 tables.
const CYLINDERS: u32 = 30;

fn image() -> Vec<u8> {
    let device = DeviceType::D3390;
    let geometry = Geometry::of_type(device, CYLINDERS).unwrap();
    let device = CckdDevice::Ckd {
        device_type: device.number() as u8,
        cylinders: geometry.cylinders(),
        heads: u32::from(geometry.heads()),
        track_bytes: device.image_track_bytes(),
    };
    let mut file = MemoryMedium::default();
    CckdWriter::new(&mut file, device, NullFormat::Empty, Compression::zlib()).unwrap().finish().unwrap();
    file.bytes().to_vec()
}

/// Returns the octets that do not become shorter when they are packed, so that their length decides where a track goes.
fn octets(seed: u32, length: u16) -> Vec<u8> {
    let mut state = seed | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    };
    (0..length).map(|_| next()).collect()
}

#[test]
fn a_compressed_image_is_sound_after_every_cut() {
    let power = PowerCut::new(vec![image(), Vec::new()]);
    let mut media = power.media();
    let journal = media.pop();
    let Ok(Volume::Ckd(mut volume)) = Volume::from_media(media, journal, Mode::Sync) else { panic!() };
    for turn in 0..18_u32 {
        let cylinder = if turn % 4 == 3 { 29 } else { 0 };
        let track = TrackAddress::new(cylinder, (turn % 3) as u8).unwrap();
        let data_bytes = 300 + (turn * 7 % 5) as u16 * 400;
        let count = CountArea { cchh: track.to_cchh(), record: 1, key_bytes: 0, data_bytes };
        if turn % 6 == 5 {
            volume.erase(track, 1).unwrap();
        } else {
            volume.format_record(track, 1, count, Octets::Bytes(&octets(turn, data_bytes))).unwrap();
        }
        volume.commit().unwrap();
    }
    volume.close().unwrap();
    let (mut tried, mut unsound_before) = (0, 0);
    for cut in 0..=power.events() {
        power.states(cut, EFFORT, |mut files| {
            let mut journal = files.pop().unwrap();
            unsound_before += usize::from(!check(&files[0], CheckDepth::Units).unwrap().is_empty());
            recover(&mut files, &mut journal, Mode::Sync).unwrap();
            assert_eq!(check(&files[0], CheckDepth::Units).unwrap(), [], "cut after event {cut}");
            tried += 1;
        });
    }
    assert!(tried > 500, "{tried} states");
    assert!(unsound_before > 50, "only {unsound_before} states needed the journal");
}
