//! Damaged volumes: what is wrong is named with file, offset and track, reading goes on, and a repair loses no
//! record that can be read.

use std::path::Path;

use halftrack_program::{DeviceType, Geometry, Octets, TrackAddress};
use halftrack_volume::cckd::Compression;
use halftrack_volume::{
    CkdVolume, CountArea, FileMedium, Mode, NewFormat, OpenError, Track, TrackFault, Tracks, Volume,
    VolumeDevice, check, create, file_names, repair,
};

const TRACK_BYTES: usize = 35_840;
const CYLINDERS: u32 = 2;

fn address(track: u32) -> TrackAddress {
    TrackAddress::new(track / 12, (track % 12) as u8).unwrap()
}

fn offset(track: usize) -> usize {
    512 + track * TRACK_BYTES
}

fn open(path: &Path, mode: Mode) -> CkdVolume<FileMedium> {
    match Volume::open(path, mode) {
        Ok(Volume::Ckd(volume)) => volume,
        other => panic!("no CKD volume: {other:?}"),
    }
}

/// A volume with five records of 1000 bytes on every track, full of the number of the track.
fn volume(path: &Path, format: NewFormat) {
    let geometry = Geometry::of_type(DeviceType::D3375, CYLINDERS).unwrap();
    create(path, VolumeDevice::Ckd(geometry), format, None).unwrap();
    let mut volume = open(path, Mode::WriteBack);
    for track in 0..24 {
        for record in 1..=5 {
            let count = CountArea { cchh: address(track).to_cchh(), record, key_bytes: 0, data_bytes: 1000 };
            volume.format_record(address(track), record, count, Octets::Bytes(&[track as u8; 1000])).unwrap();
        }
    }
    volume.close().unwrap();
}

/// Records of each track, record zero counted; nothing of one that cannot be read. Every octet of data is looked at.
fn records(path: &Path, mode: Mode) -> Vec<Option<u8>> {
    let mut volume = open(path, mode);
    let records = |track: u32| {
        let view = match volume.track(address(track)) {
            Err(TrackFault::Unreadable) => return None,
            view => view.unwrap(),
        };
        assert!((1..view.records()).all(|place| view.data(place) == Octets::Bytes(&[track as u8; 1000])));
        Some(view.records())
    };
    (0..24).map(records).collect()
}

/// Damages a volume, and compares what is found and what the repaired volume has with what is expected.
fn damaged(damage: impl FnOnce(&mut Vec<u8>), finding: (usize, Option<&str>), expected: &[(usize, u8)]) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume.ckd");
    volume(&path, NewFormat::Plain);
    assert_eq!(check(&path).unwrap(), []);
    let mut octets = std::fs::read(&path).unwrap();
    damage(&mut octets);
    std::fs::write(&path, &octets).unwrap();
    let findings = check(&path).unwrap();
    assert_eq!((findings[0].offset as usize, findings[0].unit.as_deref()), finding);
    assert!(findings.iter().all(|finding| finding.repair.is_some() && finding.path == path));
    assert!(std::fs::read(&path).unwrap() == octets, "a check only reads");
    assert_eq!(repair(&path).unwrap(), findings);
    assert_eq!(check(&path).unwrap(), []);
    let mut whole = vec![Some(6); 24];
    for (track, records) in expected {
        whole[*track] = Some(*records);
    }
    assert_eq!(records(&path, Mode::Sync), whole);
}

#[test]
fn a_truncated_volume_keeps_its_records_and_is_filled_up() {
    let cut = offset(20) + 5 + 16 + 2 * 1008 + 500;
    let rest = [(20, 3), (21, 1), (22, 1), (23, 1)];
    damaged(|octets| octets.truncate(cut), (cut, None), &rest);
}

#[test]
fn a_torn_track_keeps_the_records_before_the_damage() {
    let third = offset(7) + 5 + 16 + 2 * 1008;
    damaged(
        |octets| octets[third..].iter_mut().take(2000).for_each(|octet| *octet = 0xA5),
        (third, Some("cylinder 0 head 7")),
        &[(7, 3)],
    );
    damaged(
        |octets| octets[offset(9)..offset(10)].fill(0),
        (offset(9) + 5, Some("cylinder 0 head 9")),
        &[(9, 1)],
    );
}

#[test]
fn a_wrong_home_address_or_header_costs_nothing() {
    damaged(|octets| octets[offset(13) + 2] ^= 1, (offset(13), Some("cylinder 1 head 1")), &[]);
    damaged(|octets| octets[8] = 15, (8, None), &[]);
    damaged(|octets| octets[13] = 0, (12, None), &[]);
}

#[test]
fn a_damaged_volume_can_be_read() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume.ckd");
    volume(&path, NewFormat::Plain);
    let mut octets = std::fs::read(&path).unwrap();
    octets[offset(3) + 5..][..2000].fill(0xEE);
    octets.truncate(offset(20) + 2000);
    std::fs::write(&path, &octets).unwrap();
    let mut expected = vec![Some(6); 24];
    for track in [3, 20, 21, 22, 23] {
        expected[track] = None;
    }
    assert_eq!(records(&path, Mode::ReadOnly), expected);
    let refused = Volume::open(&path, Mode::Sync).unwrap_err();
    assert!(matches!(&refused, OpenError::Flaw { flaw, .. } if flaw.offset as usize == octets.len()));
    assert!(refused.to_string().contains("halftrack volume check"), "{refused}");
}

#[test]
fn a_compressed_image_is_made_anew_and_the_damaged_one_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume.cckd");
    volume(&path, NewFormat::Compressed(Compression::none()));
    assert_eq!(check(&path).unwrap(), []);
    let mut octets = std::fs::read(&path).unwrap();
    octets[1024..1028].fill(0x77);
    std::fs::write(&path, &octets).unwrap();
    assert!(!check(&path).unwrap().is_empty());
    repair(&path).unwrap();
    assert_eq!(check(&path).unwrap(), []);
    assert_eq!(records(&path, Mode::ReadOnly), vec![Some(6); 24]);
    assert!(std::fs::read(file_names::before_repair(&path)).unwrap() == octets);
}

#[test]
fn what_a_journal_still_holds_is_found_and_applied() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume.ckd");
    volume(&path, NewFormat::Plain);
    let before = std::fs::read(&path).unwrap();
    let journal = file_names::journal(&path);
    let mut writer = open(&path, Mode::Sync);
    writer.erase(address(4), 2).unwrap();
    writer.commit().unwrap();
    let held = std::fs::read(&journal).unwrap();
    drop(writer);
    std::fs::write(&path, &before).unwrap();
    std::fs::write(&journal, &held).unwrap();
    let findings = check(&path).unwrap();
    assert_eq!((findings.len(), findings[0].path == journal), (1, true));
    assert_eq!(records(&path, Mode::ReadOnly)[4], Some(2));
    assert!(std::fs::read(&path).unwrap() == before);
    repair(&path).unwrap();
    assert!(!journal.exists());
    assert_eq!(check(&path).unwrap(), []);
    assert_eq!(records(&path, Mode::ReadOnly)[4], Some(2));
    let other = directory.path().join("other.ckd");
    let geometry = Geometry::of_type(DeviceType::D3380, 1).unwrap();
    create(&other, VolumeDevice::Ckd(geometry), NewFormat::Plain, None).unwrap();
    std::fs::write(file_names::journal(&other), &held).unwrap();
    assert_eq!(check(&other).unwrap()[0].repair, None);
    assert!(matches!(Volume::open(&other, Mode::Sync), Err(OpenError::OtherJournal { .. })));
}

#[test]
fn blocks_cut_short_are_filled_up() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume.fba");
    std::fs::write(&path, [9; 1300]).unwrap();
    assert_eq!(check(&path).unwrap()[0].offset, 1024);
    assert!(Volume::open(&path, Mode::Sync).is_err());
    assert!(matches!(Volume::open(&path, Mode::ReadOnly), Ok(Volume::Fba(_))));
    repair(&path).unwrap();
    assert_eq!(check(&path).unwrap(), []);
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 1536);
}

#[test]
fn what_is_no_volume_is_said_so() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume");
    assert!(matches!(check(&path), Err(OpenError::Io { .. })));
    for octets in [&b""[..], b"CKD_P370", b"CKD_C370 and so on", b"CKD_S370", b"CKD_C064", b"FBA_C370"] {
        std::fs::write(&path, octets).unwrap();
        let findings = check(&path).unwrap();
        assert!(!findings.is_empty(), "{octets:?}");
        assert!(Volume::open(&path, Mode::ReadOnly).is_err(), "{octets:?}");
        assert!(!file_names::journal(&path).exists());
    }
}
