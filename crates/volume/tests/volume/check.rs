//! Damaged volumes: what is wrong is named with file, offset and track, reading goes on, and a repair loses no
//! record that can be read.

use std::path::Path;

use halftrack_program::{DeviceType, Geometry, Octets, TrackAddress};
use halftrack_volume::cckd::Compression;
use halftrack_volume::{
    Blocks, CkdVolume, CountArea, FileMedium, Mode, NewFormat, OpenError, Opening, Track, TrackFault, Tracks,
    Volume, VolumeDevice, check, check_with, create, file_names, repair,
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

/// Makes a volume with five records of 1000 bytes on every track, full of the number of the track.
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

/// Returns the records of each track, record zero counted; nothing of one that cannot be read. Every octet of data is
/// compared.
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
    let mut before = std::fs::read(&path).unwrap();
    let (image, held) = killed(&path);
    // The power failed before anything but the mark of the journal was in the image.
    before[..512].copy_from_slice(&image[..512]);
    std::fs::write(&path, &before).unwrap();
    let journal = file_names::journal(&path);
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

/// Makes a volume as a kill leaves it: the octets of the image and of the journal. The journal holds a chain that
/// erased the records of track 4 behind the second.
fn killed(path: &Path) -> (Vec<u8>, Vec<u8>) {
    let journal = file_names::journal(path);
    let mut writer = open(path, Mode::Sync);
    writer.erase(address(4), 2).unwrap();
    writer.commit().unwrap();
    let left = (std::fs::read(path).unwrap(), std::fs::read(&journal).unwrap());
    drop(writer);
    std::fs::write(path, &left.0).unwrap();
    std::fs::write(journal, &left.1).unwrap();
    left
}

const FORMATS: [NewFormat; 2] = [NewFormat::Plain, NewFormat::Compressed(Compression::none())];

/// Returns the refused by whoever opens it, and found; image and journal stay as they are.
fn refused(path: &Path, what: &str) -> String {
    let journal = file_names::journal(path);
    let before = [path, &journal].map(|path| std::fs::read(path).unwrap());
    let mut why = String::new();
    for mode in [Mode::Sync, Mode::WriteBack, Mode::ReadOnly] {
        let Err(error @ OpenError::OtherJournal { .. }) = Volume::open(path, mode) else {
            panic!("{what}: opened in mode {mode:?}")
        };
        why = error.to_string();
        assert!(why.contains("--discard-journal"), "{why}");
    }
    let findings = check(path).unwrap();
    assert_eq!((findings[0].path == journal, findings[0].repair.is_none()), (true, true), "{what}");
    assert!(
        [path, &journal].map(|path| std::fs::read(path).unwrap()) == before,
        "{what}: something was written"
    );
    why
}

#[test]
fn a_journal_is_not_replayed_into_another_image() {
    for format in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let [path, other] = ["volume", "other"].map(|name| directory.path().join(name));
        volume(&path, format);
        let backup = std::fs::read(&path).unwrap();
        // Made alike, but another volume.
        volume(&other, format);
        let mut writer = open(&other, Mode::Sync);
        writer.erase(address(9), 1).unwrap();
        writer.commit().unwrap();
        writer.close().unwrap();
        let (image, journal) = killed(&path);
        std::fs::copy(&other, &path).unwrap();
        refused(&path, "another volume");
        std::fs::write(&path, &backup).unwrap();
        assert!(refused(&path, "a backup").contains("a backup from before the journal began"));
        std::fs::write(&path, &image).unwrap();
        std::fs::write(file_names::journal(&path), &journal[..]).unwrap();
        assert_eq!(records(&path, Mode::Sync)[4], Some(2));
        assert!(!file_names::journal(&path).exists());
    }
}

/// A volume that was written twice, so that a backup of between has the sectors of the journal as they were.
#[test]
fn a_backup_is_refused_though_the_journal_changes_nothing_that_differs() {
    for format in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("volume");
        volume(&path, format);
        let backup = std::fs::read(&path).unwrap();
        let mut writer = open(&path, Mode::Sync);
        writer.erase(address(20), 3).unwrap();
        writer.commit().unwrap();
        writer.close().unwrap();
        let (_, journal) = killed(&path);
        std::fs::write(&path, backup).unwrap();
        std::fs::write(file_names::journal(&path), journal).unwrap();
        refused(&path, "a backup");
    }
}

#[test]
fn an_image_that_was_written_meanwhile_is_refused_wherever_it_was() {
    let (touched, elsewhere) = (offset(4) + 5 + 16 + 1008 + 8, offset(17) + 5 + 16 + 8);
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume");
    volume(&path, NewFormat::Plain);
    let (image, _) = killed(&path);
    for (at, words) in [(touched, "neither"), (elsewhere, "not as it was when the journal began")] {
        let mut edited = image.clone();
        edited[at] ^= 0xFF;
        std::fs::write(&path, &edited).unwrap();
        let why = refused(&path, "an image that was written");
        assert!(why.contains(words), "{why}");
    }
    std::fs::write(&path, &image[..image.len() - 512]).unwrap();
    assert!(refused(&path, "an image that was cut").contains("bytes"));
}

#[test]
fn blocks_have_a_journal_of_their_own_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume.fba");
    let first = |path: &Path| {
        let Volume::Fba(mut volume) = Volume::open(path, Mode::ReadOnly).unwrap() else { panic!() };
        [5, 200].map(|block| volume.read(block).unwrap()[0])
    };
    std::fs::write(&path, vec![1; 300 * 512]).unwrap();
    let Volume::Fba(mut writer) = Volume::open(&path, Mode::Sync).unwrap() else { panic!() };
    writer.write(5, &[2; 512]).unwrap();
    writer.commit().unwrap();
    let journal = file_names::journal(&path);
    let held = std::fs::read(&journal).unwrap();
    drop(writer);
    std::fs::write(&journal, &held).unwrap();
    let mut other = vec![1; 300 * 512];
    other[200 * 512] = 7;
    std::fs::write(&path, &other).unwrap();
    refused(&path, "another volume");
    other[200 * 512] = 1;
    std::fs::write(&path, &other).unwrap();
    assert_eq!(first(&path), [2, 1], "the image as it was before is brought up");
}

#[test]
fn an_image_recovers_wherever_it_is_moved_with_its_journal() {
    for format in FORMATS {
        let directory = tempfile::tempdir().unwrap();
        let [path, moved] = ["volume", "moved"].map(|name| directory.path().join(name));
        volume(&path, format);
        killed(&path);
        std::fs::copy(&path, &moved).unwrap();
        std::fs::copy(file_names::journal(&path), file_names::journal(&moved)).unwrap();
        assert_eq!(records(&moved, Mode::ReadOnly)[4], Some(2));
        let link = directory.path().join("link");
        std::os::unix::fs::symlink(&moved, &link).unwrap();
        assert_eq!(records(&link, Mode::Sync)[4], Some(2), "by whatever name");
        assert!(!file_names::journal(&moved).exists());
    }
}

#[test]
fn a_journal_is_discarded_on_request_and_kept_by_who_only_reads() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume");
    volume(&path, NewFormat::Plain);
    let backup = std::fs::read(&path).unwrap();
    killed(&path);
    std::fs::write(&path, &backup).unwrap();
    let journal = file_names::journal(&path);
    let discarding = |mode| Volume::open(&path, Opening { mode, discards_journal: true }).unwrap();
    drop(discarding(Mode::ReadOnly));
    assert!(journal.exists());
    assert_eq!(check_with(&path, true).unwrap(), []);
    discarding(Mode::Sync).close().unwrap();
    assert!(!journal.exists());
    assert_eq!(records(&path, Mode::Sync), vec![Some(6); 24]);
    assert!(std::fs::read(&path).unwrap() == backup);
}

/// The journal of a volume that was closed since holds nothing that its image lacks, and may undo what came later.
#[test]
fn a_journal_of_yesterday_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume");
    volume(&path, NewFormat::Plain);
    let (_, journal) = killed(&path);
    open(&path, Mode::Sync).close().unwrap();
    std::fs::write(file_names::journal(&path), &journal).unwrap();
    refused(&path, "a journal of yesterday");
}

/// `dasdinit -z` of Hercules makes 3350s as well, and its header is no worse than that of a 3390.
#[test]
fn whole_is_only_what_every_command_opens() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("volume");
    volume(&path, NewFormat::Compressed(Compression::none()));
    let image = std::fs::read(&path).unwrap();
    for (at, octet) in [(16, 0x50), (16, 0x11), (8, 30)] {
        let mut other = image.clone();
        other[at] = octet;
        std::fs::write(&path, &other).unwrap();
        assert!(Volume::open(&path, Mode::ReadOnly).is_err());
        let findings = check(&path).unwrap();
        assert!(
            findings.iter().any(|finding| finding.problem.contains("no command can open the volume")),
            "type {octet:02X}: {findings:?}"
        );
    }
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
