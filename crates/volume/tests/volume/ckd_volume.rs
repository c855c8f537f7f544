//! CKD volumes through their files: what is written is read, by this volume and by the next that opens it.

use std::path::Path;

use halftrack_program::{DeviceType, Geometry, Octets, TrackAddress};
use halftrack_volume::cckd::Compression;
use halftrack_volume::{
    Blocks, CountArea, MemoryMedium, Mode, NewFormat, Track, TrackFault, Tracks, Volume, VolumeDevice,
    VolumeSerial, create, create_in_memory,
};

fn address(cylinder: u32, head: u8) -> TrackAddress {
    TrackAddress::new(cylinder, head).unwrap()
}

fn geometry(cylinders: u32) -> Geometry {
    Geometry::with_cylinders(cylinders).unwrap()
}

fn count(track: TrackAddress, record: u8, key_bytes: u8, data_bytes: u16) -> CountArea {
    CountArea { cchh: track.to_cchh(), record, key_bytes, data_bytes }
}

fn memory(cylinders: u32) -> halftrack_volume::CkdVolume<MemoryMedium> {
    create_in_memory(geometry(cylinders), VolumeSerial::new("VOL001")).unwrap()
}

/// Formats a track with twelve records of 4096 bytes, each full of its number.
fn format_4k<T: Tracks>(volume: &mut T, track: TrackAddress) {
    for record in 1..=12 {
        let data = vec![record; 4096];
        volume.format_record(track, record, count(track, record, 0, 4096), Octets::Bytes(&data)).unwrap();
    }
}

fn data<T: Tracks>(volume: &mut T, track: TrackAddress, place: u8) -> Vec<u8> {
    volume.track(track).unwrap().data(place).bytes().unwrap().to_vec()
}

#[test]
fn records_are_formatted_updated_and_erased() {
    let mut volume = memory(2);
    let track = address(1, 3);
    format_4k(&mut volume, track);
    assert_eq!(volume.track(track).unwrap().records(), 13);
    let thirteenth = volume.format_record(track, 13, count(track, 13, 0, 4096), Octets::NONE);
    assert_eq!(thirteenth, Err(TrackFault::TooLong));
    volume.write_data(track, 5, Octets::Bytes(&[0xEE; 10])).unwrap();
    let updated = data(&mut volume, track, 5);
    assert_eq!((&updated[..10], &updated[10..]), (&[0xEE; 10][..], &[0; 4086][..]));
    assert_eq!(data(&mut volume, track, 6), [6; 4096]);
    assert_eq!(volume.write_data(track, 5, Octets::Bytes(&[0; 4097])), Err(TrackFault::TooLong));
    assert_eq!(volume.write_data(track, 13, Octets::Bytes(&[0])), Err(TrackFault::NoTrack));
    volume.commit().unwrap();
    assert_eq!(data(&mut volume, track, 5)[..10], [0xEE; 10]);
    volume.erase(track, 4).unwrap();
    assert_eq!(volume.track(track).unwrap().records(), 4);
    assert_eq!(volume.erase(track, 4), Ok(()));
    assert_eq!(volume.erase(track, 5), Err(TrackFault::NoTrack));
    volume.format_record(track, 2, count(track, 77, 8, 100), Octets::Bytes(&[1; 50])).unwrap();
    let view = volume.track(track).unwrap();
    assert_eq!((view.records(), view.count(2)), (3, Some(count(track, 77, 8, 100))));
    assert_eq!((view.key(2), view.data(2).len()), (Octets::Bytes(&[1; 8]), 100));
    assert_eq!(volume.write_key(track, 2, Octets::Bytes(&[7; 7])), Err(TrackFault::TooLong));
    volume.write_key(track, 2, Octets::Bytes(&[7; 8])).unwrap();
    assert_eq!(
        volume.track(track).unwrap().record(2).bytes().unwrap()[8..18],
        [7, 7, 7, 7, 7, 7, 7, 7, 1, 1]
    );
}

#[test]
fn home_address_and_record_zero_may_be_written() {
    let mut volume = memory(1);
    let track = address(0, 2);
    format_4k(&mut volume, track);
    volume.write_home_address(track, [1, 0, 9, 0, 9]).unwrap();
    let view = volume.track(track).unwrap();
    assert_eq!((view.home_address(), view.records()), ([1, 0, 9, 0, 9], 13));
    let zero = count(address(0, 3), 0, 0, 16);
    volume.format_record(track, 0, zero, Octets::Bytes(&[3; 16])).unwrap();
    let view = volume.track(track).unwrap();
    assert_eq!((view.records(), view.count(0), view.data(0)), (1, Some(zero), Octets::Bytes(&[3; 16])));
    volume.commit().unwrap();
}

#[test]
fn tracks_outside_are_refused_and_other_records_left_alone() {
    let mut volume = memory(1);
    for outside in [address(1, 0), address(0, 15)] {
        assert_eq!(volume.track(outside).unwrap_err(), TrackFault::NoTrack);
        assert_eq!(volume.erase(outside, 0), Err(TrackFault::NoTrack));
    }
    let end_marker = CountArea::from_bytes([0xFF; 8]);
    assert_eq!(volume.format_record(address(0, 1), 1, end_marker, Octets::NONE), Err(TrackFault::TooLong));
    let gap = volume.format_record(address(0, 1), 2, count(address(0, 1), 2, 0, 1), Octets::NONE);
    assert_eq!(gap, Err(TrackFault::NoTrack));
}

/// Compares a volume made at `path` after it was written, closed and opened again in every mode.
fn round_trip(path: &Path, format: NewFormat) {
    let device = VolumeDevice::Ckd(geometry(3));
    create(path, device, format, VolumeSerial::new("VOL001")).unwrap();
    let written = address(2, 14);
    for mode in [Mode::Sync, Mode::WriteBack] {
        let Volume::Ckd(mut volume) = Volume::open(path, mode).unwrap() else { panic!("a CKD volume") };
        format_4k(&mut volume, written);
        volume.write_data(written, 3, Octets::Bytes(&[mode as u8; 4096])).unwrap();
        volume.commit().unwrap();
        volume.close().unwrap();
        assert!(!halftrack_volume::file_names::journal(path).exists());
        let Volume::Ckd(mut volume) = Volume::open(path, Mode::ReadOnly).unwrap() else {
            panic!("a CKD volume")
        };
        assert_eq!(data(&mut volume, written, 3), [mode as u8; 4096]);
        assert_eq!(data(&mut volume, written, 12), [12; 4096]);
        assert_eq!(volume.track(address(0, 0)).unwrap().records(), 4);
        assert_eq!(volume.erase(written, 1), Err(TrackFault::WriteInhibited));
    }
}

#[test]
fn every_format_keeps_what_was_written() {
    let directory = tempfile::tempdir().unwrap();
    let formats = [NewFormat::Plain, NewFormat::OneFile, NewFormat::Compressed(Compression::zlib())];
    for (number, format) in formats.into_iter().enumerate() {
        round_trip(&directory.path().join(format!("volume{number}.ckd")), format);
    }
}

#[test]
fn copies_have_the_same_tracks_in_every_format() {
    let directory = tempfile::tempdir().unwrap();
    let path = |name: &str| directory.path().join(name);
    let geometry = Geometry::of_type(DeviceType::D3380, 2).unwrap();
    create(&path("a"), VolumeDevice::Ckd(geometry), NewFormat::Plain, VolumeSerial::new("A")).unwrap();
    let Volume::Ckd(mut volume) = Volume::open(&path("a"), Mode::Sync).unwrap() else {
        panic!("a CKD volume")
    };
    let track = address(1, 1);
    volume.format_record(track, 1, count(track, 1, 200, 40_000), Octets::Bytes(&[9; 40_200])).unwrap();
    volume.commit().unwrap();
    volume.close().unwrap();
    let steps = [("a", "b", NewFormat::Compressed(Compression::zlib())), ("b", "c", NewFormat::OneFile)];
    for (from, to, format) in steps {
        let mut volume = Volume::open(&path(from), Mode::ReadOnly).unwrap();
        assert_eq!(volume.copy(&path(from), &path(to), format).unwrap(), [path(to)]);
    }
    assert!(std::fs::read(path("a")).unwrap() == std::fs::read(path("c")).unwrap());
    let mut volume = Volume::open(&path("a"), Mode::ReadOnly).unwrap();
    assert!(volume.copy(&path("a"), &path("b"), NewFormat::Plain).is_err());
}

#[test]
fn fba_volumes_keep_their_blocks() {
    let directory = tempfile::tempdir().unwrap();
    for (name, format) in
        [("plain", NewFormat::Plain), ("packed", NewFormat::Compressed(Compression::zlib()))]
    {
        let path = directory.path().join(name);
        create(&path, VolumeDevice::Fba { blocks: 250 }, format, VolumeSerial::new("FBA001")).unwrap();
        let Volume::Fba(mut volume) = Volume::open(&path, Mode::Sync).unwrap() else {
            panic!("an FBA volume")
        };
        assert_eq!(volume.blocks(), 250);
        assert_eq!(volume.read(1).unwrap()[..5], [0xE5, 0xD6, 0xD3, 0xF1, 0xC6]);
        volume.write(249, &[5; 512]).unwrap();
        volume.write(249, &[6; 500]).unwrap();
        assert_eq!(volume.write(250, &[0; 512]), Err(TrackFault::NoTrack));
        assert_eq!(volume.write(0, &[0; 513]), Err(TrackFault::TooLong));
        volume.commit().unwrap();
        drop(volume);
        let Volume::Fba(mut volume) = Volume::open(&path, Mode::ReadOnly).unwrap() else {
            panic!("an FBA volume")
        };
        let last = volume.read(249).unwrap();
        assert_eq!((last[499], last[500], volume.read(248).unwrap()[0]), (6, 0, 0));
    }
}
