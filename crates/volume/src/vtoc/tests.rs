//! Label, VTOC, data sets and members on small made-up volumes.

use proptest::prelude::*;

use super::rig::{Rig, ebcdic, extent, track};
use super::*;
use crate::tracks::Track;

/// Returns every record of a data set or member, and the errors between them.
fn records(rig: &mut Rig, data_set: &DataSet) -> Vec<Result<Vec<u8>, ReadError>> {
    let cursor = BlockCursor::new(data_set, &rig.geometry().clone()).unwrap();
    let mut records = LogicalRecords::new(data_set, cursor).unwrap();
    let mut found = Vec::new();
    while let Some(record) = records.next(rig).map(|record| record.map(<[u8]>::to_vec)).transpose() {
        found.push(record);
        assert!(found.len() < 1000, "reading ends");
    }
    found
}

fn one_extent() -> [[u8; 10]; 1] {
    [extent(1, 0, track(1, 0), track(1, 1))]
}

/// Returns a volume with one data set of this RECFM and LRECL and these blocks, an end-of-file record behind them.
fn sequential(format: u8, record_bytes: u16, blocks: &[&[u8]]) -> (Rig, DataSet) {
    let mut rig = Rig::new(3).with_vtoc();
    rig.data_set("A.B", &one_extent(), |data| {
        data[40] = format;
        data[44..46].copy_from_slice(&record_bytes.to_be_bytes());
    });
    for block in blocks {
        rig.put(track(1, 0), &[], block);
    }
    rig.put(track(1, 0), &[], &[]);
    rig.put(track(1, 0), &[], b"behind the end");
    let vtoc = Vtoc::read(&mut rig).unwrap();
    assert_eq!(vtoc.faults, []);
    let data_set = vtoc.find("a.b").unwrap().clone();
    (rig, data_set)
}

#[test]
fn data_sets_are_found_with_what_their_dscbs_say() {
    let mut rig = Rig::new(3).with_vtoc();
    let extents = [extent(1, 0, track(0, 5), track(0, 6)), extent(0x81, 1, track(1, 0), track(1, 14))];
    rig.data_set("SYS1.PARMLIB", &extents, |data| {
        data[9..12].copy_from_slice(&[126, 0, 45]);
        (data[38], data[40], data[46]) = (0x02, 0x90, 8);
        data[42..46].copy_from_slice(&[0x0C, 0x30, 0, 80]);
        data[50..57].copy_from_slice(&[0xC0, 0, 0, 2, 0, 3, 9]);
    });
    let vtoc = Vtoc::read(&mut rig).unwrap();
    assert_eq!((vtoc.dscbs, vtoc.free_dscbs, vtoc.faults.len()), (2, 0, 0));
    let data_set = vtoc.find("sys1.parmlib").unwrap();
    assert_eq!(
        (data_set.organization, data_set.record_format.to_string()),
        (Organization::Partitioned, "FB".to_owned())
    );
    assert_eq!((data_set.record_bytes, data_set.block_bytes, data_set.key_bytes), (80, 3120, 8));
    assert_eq!((data_set.tracks, data_set.used_tracks()), (17, Some(4)));
    assert_eq!(data_set.created.unwrap().to_string(), "2026-045");
    let secondary = SecondaryAllocation { unit: AllocationUnit::Cylinders, quantity: 2 };
    assert_eq!(
        (data_set.secondary, data_set.last_block),
        (secondary, Some(LastBlock { track: 3, record: 9 }))
    );
    let free = vtoc.free_space(rig.geometry());
    let expected = [(track(0, 3), 2), (track(0, 7), 8), (track(2, 0), 15)];
    assert_eq!(free.iter().map(|run| (run.begin, run.tracks)).collect::<Vec<_>>(), expected);
}

#[test]
fn extents_past_the_third_are_in_a_chain() {
    let mut rig = Rig::new(3).with_vtoc();
    let one = |number: u8| extent(1, number, track(1, number), track(1, number));
    let all: Vec<_> = (0..8).map(one).collect();
    let record = rig.data_set("MANY", &all, |data| data[91..96].copy_from_slice(&[0, 0, 0, 1, 3]));
    assert_eq!(record, 2);
    let (mut key, mut data) = ([3; 44], [0; 96]);
    for number in 0..4 {
        key[4 + number * 10..14 + number * 10].copy_from_slice(&all[3 + number]);
    }
    data[0] = 0xF3;
    data[1..11].copy_from_slice(&all[7]);
    rig.put(track(0, 1), &key, &data);
    let vtoc = Vtoc::read(&mut rig).unwrap();
    assert_eq!((vtoc.data_sets[0].extents.len(), vtoc.data_sets[0].tracks, vtoc.faults.len()), (8, 8, 0));

    rig.change(track(0, 1), 3, |areas| areas[44] = 0xF5);
    rig.change(track(0, 1), 3, |areas| areas[135..140].copy_from_slice(&[0, 0, 0, 1, 3]));
    let vtoc = Vtoc::read(&mut rig).unwrap();
    let fault = VtocFault::Chain { name: "MANY".to_owned(), extents: 3 };
    assert_eq!(vtoc.faults, [PlacedFault { at: track(0, 1), fault }], "a chain that runs in a circle");
}

#[test]
fn what_contradicts_itself_is_said_and_the_rest_is_there() {
    let mut rig = Rig::new(3).with_vtoc();
    rig.data_set("GOOD", &one_extent(), |_| {});
    rig.data_set("OVER", &[extent(1, 0, track(1, 1), track(1, 1))], |data| data[15] = 2);
    rig.data_set("OUTSIDE", &[extent(1, 0, track(2, 0), track(3, 0))], |_| {});
    rig.put(track(0, 1), &[], b"stray");
    rig.unreadable.push(track(0, 2));
    let vtoc = Vtoc::read(&mut rig).unwrap();
    let said: Vec<_> = vtoc.faults.iter().map(|one| one.fault.to_string()).collect();
    assert_eq!(
        said,
        [
            "record 5 is not a DSCB: 0 bytes of key and 5 of data, 44 and 96 expected",
            "a track of the VTOC cannot be read: the track cannot be read",
            "OVER: its DSCB counts 2 extents, 1 are there",
            "OUTSIDE: extent 1 is not on the volume: cylinder 2 head 0 to cylinder 3 head 0",
            "GOOD and OVER both have cylinder 1 head 1",
        ]
    );
    assert_eq!(vtoc.data_sets.len(), 3);
}

#[test]
fn an_image_that_was_cut_short_is_seen_by_its_vtoc() {
    let mut rig = Rig::new(3).with_vtoc();
    for (said, faults) in [(3_u16, 0), (4, 1), (0xFFFE, 0)] {
        rig.change(track(0, 1), 1, |areas| areas[62..64].copy_from_slice(&said.to_be_bytes()));
        assert_eq!(Vtoc::read(&mut rig).unwrap().faults.len(), faults, "{said}");
    }
}

#[test]
fn volumes_without_a_vtoc_say_so() {
    assert_eq!(Vtoc::read(&mut Rig::new(1)), Err(VtocError::NoLabel));
    let mut rig = Rig::new(1).with_vtoc();
    rig.change(track(0, 1), 1, |areas| areas[44] = 0);
    let at = RecordAddress { cylinder: 0, head: 1, record: 1 };
    assert_eq!(Vtoc::read(&mut rig), Err(VtocError::NoFormat4 { at }));
    rig.change(track(0, 0), 3, |areas| areas[15..20].fill(0));
    assert_eq!(Vtoc::read(&mut rig), Err(VtocError::NoVtoc));
    rig.change(track(0, 0), 3, |areas| areas[15..20].fill(0xFF));
    assert!(matches!(Vtoc::read(&mut rig), Err(VtocError::Track { fault: TrackFault::NoTrack, .. })));
}

#[test]
fn fixed_records_are_cut_from_their_blocks() {
    let (mut rig, data_set) = sequential(0x90, 3, &[b"abcdef", b"ghi", b"jklm", b"nop"]);
    let found = records(&mut rig, &data_set);
    assert_eq!(found.len(), 6);
    let good: Vec<_> = found.iter().filter_map(|record| record.as_deref().ok()).collect();
    assert_eq!(good, [b"abc", b"def", b"ghi", b"jkl", b"nop"]);
    let bad = found[4].as_ref().unwrap_err().to_string();
    assert_eq!(bad, "cylinder 1 head 0 record 3: the block is not a multiple of the record length");
}

#[test]
fn undefined_records_are_blocks() {
    let (mut rig, data_set) = sequential(0xC0, 0, &[b"abcdef", b"g"]);
    assert_eq!(records(&mut rig, &data_set), [Ok(b"abcdef".to_vec()), Ok(b"g".to_vec())]);
}

#[test]
fn variable_records_lie_behind_their_lengths() {
    let (mut rig, data_set) = sequential(
        0x50,
        99,
        &[b"\0\x0f\0\0\0\x07\0\0abc\0\x04\0\0", b"\0\x09\0\0\0\x05\0\0d", b"\0\x08\0\0\0\x09\0\0"],
    );
    let found = records(&mut rig, &data_set);
    assert_eq!(found[..3], [Ok(b"abc".to_vec()), Ok(Vec::new()), Ok(b"d".to_vec())]);
    assert!(found[3].as_ref().unwrap_err().to_string().ends_with("leads out of the block"));
}

#[test]
fn spanned_records_are_put_together() {
    let (mut rig, data_set) = sequential(
        0x58,
        99,
        &[
            b"\0\x0a\0\0\0\x06\x01\0ab",
            b"\0\x0a\0\0\0\x06\x03\0cd",
            b"\0\x0f\0\0\0\x05\x02\0e\0\x06\0\0fg",
            b"\0\x09\0\0\0\x05\x01\0h",
        ],
    );
    let found = records(&mut rig, &data_set);
    assert_eq!(found[..2], [Ok(b"abcde".to_vec()), Ok(b"fg".to_vec())]);
    assert!(found[2].as_ref().unwrap_err().to_string().ends_with("ends in the middle of a record"));
}

#[test]
fn a_data_set_that_goes_on_elsewhere_ends_with_its_last_block() {
    let mut rig = Rig::new(3).with_vtoc();
    rig.data_set("PART", &one_extent(), |data| {
        (data[40], data[49]) = (0xC0, 0);
        data[54..57].copy_from_slice(&[0, 1, 1]);
    });
    for (head, octets) in [(0, b"one"), (1, b"two"), (1, b"old")] {
        rig.put(track(1, head), &[], octets);
    }
    let data_set = Vtoc::read(&mut rig).unwrap().data_sets[0].clone();
    assert_eq!(records(&mut rig, &data_set), [Ok(b"one".to_vec()), Ok(b"two".to_vec())]);
}

#[test]
fn reading_goes_on_behind_a_track_that_cannot_be_read() {
    let (mut rig, data_set) = sequential(0xC0, 0, &[b"lost"]);
    rig.put(track(1, 1), &[], b"kept");
    rig.unreadable.push(track(1, 0));
    let fault = ReadError::Track { at: track(1, 0), fault: TrackFault::Unreadable };
    assert_eq!(records(&mut rig, &data_set), [Err(fault), Ok(b"kept".to_vec())]);
}

#[test]
fn libraries_and_clusters_are_refused() {
    for (offset, value, words) in
        [(34, 0x08, "PDSE"), (34, 0x04, "extended format"), (34, 0x02, "file system"), (39, 0x08, "VSAM")]
    {
        let mut rig = Rig::new(3).with_vtoc();
        rig.data_set("NO", &one_extent(), |data| data[offset] |= value);
        let vtoc = Vtoc::read(&mut rig).unwrap();
        let refused = BlockCursor::new(&vtoc.data_sets[0], rig.geometry()).unwrap_err();
        assert!(refused.to_string().contains(words), "{refused}");
        assert_eq!(vtoc.data_sets[0].used_tracks(), None);
    }
}

/// Returns a partitioned data set with the entries `entries` in one directory block.
fn partitioned(entries: &[u8]) -> (Rig, DataSet) {
    let mut rig = Rig::new(3).with_vtoc();
    rig.data_set("LIB", &one_extent(), |data| (data[38], data[40]) = (0x02, 0xC0));
    let mut block = [0; 256];
    block[..2].copy_from_slice(&(entries.len() as u16 + 2).to_be_bytes());
    block[2..2 + entries.len()].copy_from_slice(entries);
    rig.put(track(1, 0), &[0xFF; 8], &block);
    rig.put(track(1, 0), &[], &[]);
    for octets in [&b"first"[..], b"", b"second", b""] {
        rig.put(track(1, 0), &[], octets);
    }
    let data_set = Vtoc::read(&mut rig).unwrap().data_sets[0].clone();
    (rig, data_set)
}

#[test]
fn members_are_read_from_where_the_directory_says() {
    let mut entries = ebcdic("ONE", 8);
    entries.extend([0, 0, 3, 0]);
    entries.extend(ebcdic("TWO", 8));
    entries.extend([0, 0, 5, 0x81, 7, 9]);
    entries.extend([0xFF; 12]);
    let (mut rig, data_set) = partitioned(&entries);
    let directory = Directory::read(&data_set, &mut rig).unwrap();
    assert_eq!((directory.members.len(), directory.blocks, directory.faults.len()), (2, 1, 0));
    let two = directory.find("two").unwrap();
    assert!(two.is_alias && two.user_data == [7, 9]);
    let mut blocks = two.blocks(&data_set, rig.geometry()).unwrap();
    assert_eq!(blocks.next(&mut rig).unwrap(), Some(&b"second"[..]));
    assert_eq!(blocks.address(), (track(1, 0), 5));
    assert_eq!(blocks.next(&mut rig).unwrap(), None);
}

#[test]
fn members_that_lead_nowhere_and_broken_directories_are_said() {
    let mut entries = ebcdic("GONE", 8);
    entries.extend([0, 9, 1, 0]);
    entries.extend(ebcdic("HOLE", 8));
    entries.extend([0, 0, 77, 0]);
    entries.extend(ebcdic("LONG", 8));
    entries.extend([0, 0, 3, 0x1F]);
    let (mut rig, data_set) = partitioned(&entries);
    let directory = Directory::read(&data_set, &mut rig).unwrap();
    assert_eq!((directory.members.len(), directory.faults.len()), (2, 1));
    let gone = directory.members[0].blocks(&data_set, rig.geometry()).unwrap_err();
    assert_eq!(gone, ReadError::NoPlace { track: 9, record: 1, tracks: 2 });
    let mut hole = directory.members[1].blocks(&data_set, rig.geometry()).unwrap();
    assert_eq!(hole.next(&mut rig), Err(ReadError::NoPlace { track: 0, record: 77, tracks: 2 }));
    assert_eq!(hole.next(&mut rig), Ok(None));
}

proptest! {
    /// Any contents of the VTOC and the data sets give an answer to every request.
    #[test]
    fn no_content_makes_reading_panic_or_endless(
        dscbs in prop::collection::vec((any::<[u8; 44]>(), prop::collection::vec(any::<u8>(), 96)), 1..8),
        blocks in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..12),
        format in any::<u8>(),
    ) {
        let mut rig = Rig::new(3).with_vtoc();
        rig.data_set("A", &one_extent(), |data| (data[38], data[40], data[45]) = (0x02, format, 7));
        for (key, data) in &dscbs {
            rig.put(track(0, 1), key, data);
            let mut chained = data.clone();
            chained[0] = 0xF1;
            chained[91..96].copy_from_slice(&[0, 0, 0, 1, 4]);
            rig.put(track(0, 2), key, &chained);
        }
        for block in &blocks {
            rig.put(track(1, 0), &block[..block.len().min(8)], block);
        }
        let vtoc = Vtoc::read(&mut rig).unwrap();
        vtoc.free_space(rig.geometry());
        for data_set in &vtoc.data_sets {
            let Ok(cursor) = BlockCursor::new(data_set, rig.geometry()) else { continue };
            if let Ok(mut records) = LogicalRecords::new(data_set, cursor) {
                while !matches!(records.next(&mut rig), Ok(None)) {}
            }
            if let Ok(directory) = Directory::read(data_set, &mut rig) {
                for member in &directory.members {
                    let _ = member.blocks(data_set, rig.geometry()).map(|mut blocks| blocks.next(&mut rig).is_ok());
                }
            }
        }
    }
}

#[test]
fn the_rig_is_a_volume() {
    let mut rig = Rig::new(1).with_vtoc();
    let first = rig.track(track(0, 0)).unwrap();
    assert_eq!((first.records(), first.key(3).len(), first.data(3).len()), (4, 4, 80));
    assert_eq!(first.home_address(), [0; 5]);
    assert!(rig.track(track(1, 0)).is_err());
}
