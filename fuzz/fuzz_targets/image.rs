//! Any octets as an image file, and behind `J` and a length of two octets any octets as its journal: the volume is
//! refused, or opened, read, checked, repaired and written, without a panic and without allocating beyond the limit
//! of the files.
#![no_main]

use halftrack_program::{Octets, TrackAddress};
use halftrack_volume::cckd;
use halftrack_volume::{
    Blocks, CountArea, MemoryMedium, Mode, Track, Tracks, Volume, check_files, recover, repair_files,
};
use libfuzzer_sys::fuzz_target;

/// Bytes to which a file may grow.
const LIMIT_BYTES: u64 = 4 << 20;
/// Tracks and blocks that are read.
const UNITS: u32 = 200;
/// Units of the volumes that are checked.
const CHECKED_UNITS: u32 = 20_000;

fn file(octets: &[u8]) -> MemoryMedium {
    MemoryMedium::with_limit(octets.to_vec(), LIMIT_BYTES)
}

fn read(volume: &mut Volume<MemoryMedium>) {
    match volume {
        Volume::Ckd(volume) => {
            for unit in 0..UNITS {
                let address = TrackAddress::new(unit / 15, (unit % 15) as u8).unwrap_or_default();
                if let Ok(track) = volume.track(address) {
                    for place in 0..track.records() {
                        let count = track.count(place).expect("a record has a count area");
                        assert_eq!(track.record(place).len(), 8 + count.area_bytes());
                        assert_eq!(track.key(place).len() + track.data(place).len(), count.area_bytes());
                    }
                }
            }
        }
        Volume::Fba(volume) => {
            for block in 0..UNITS {
                let _ = volume.read(block);
            }
        }
    }
}

fn write(volume: &mut Volume<MemoryMedium>, octets: &[u8]) {
    match volume {
        Volume::Ckd(volume) => {
            for (place, chunk) in (0..4).zip(octets.chunks(9)) {
                let address = TrackAddress::new(0, chunk[0] % 16).unwrap_or_default();
                let mut count = [0; 8];
                count[..chunk.len() - 1].copy_from_slice(&chunk[1..]);
                let count = CountArea::from_bytes(count);
                let _ = volume.format_record(address, place, count, Octets::NONE);
                let _ = volume.write_data(address, place, Octets::Bytes(chunk));
                let _ = volume.erase(address, 3);
                let _ = volume.commit();
            }
        }
        Volume::Fba(volume) => {
            let _ = volume.write(0, &octets[..octets.len().min(512)]);
            let _ = volume.commit();
        }
    }
}

/// Divides an input into journal and image.
fn parts(input: &[u8]) -> (&[u8], &[u8]) {
    match input {
        [b'J', a, b, rest @ ..] => rest.split_at(usize::from(u16::from_be_bytes([*a, *b])).min(rest.len())),
        _ => (&[], input),
    }
}

fuzz_target!(|input: &[u8]| {
    let (journal, image) = parts(input);
    if let Ok(mut volume) = Volume::from_media(vec![file(image)], None, Mode::ReadOnly) {
        read(&mut volume);
    }
    let (mut files, mut held) = (vec![file(image)], file(journal));
    if recover(&mut files, &mut held, Mode::Sync).is_err() {
        return;
    }
    let volume = Volume::from_media(files.clone(), None, Mode::ReadOnly);
    // Check and repair visit every unit that the headers name, of which there may be 35 million.
    if volume.is_ok_and(|volume| volume.device().units() <= CHECKED_UNITS) {
        let _ = check_files(files.clone());
        let mut remade = file(&[]);
        let _ = cckd::repair(&files[0], &mut remade);
    }
    let _ = repair_files(files.clone(), Some(file(&[])));
    if let Ok(mut volume) = Volume::from_media(files, Some(file(&[])), Mode::WriteBack) {
        write(&mut volume, &image[image.len().saturating_sub(600)..]);
        read(&mut volume);
    }
});
