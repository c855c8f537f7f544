//! Damaged images: what is readable is read, the check names the place, the repair loses nothing readable.

use super::*;
use proptest::prelude::*;

/// Returns an image of three tables with tracks in the first and the last, and its units.
fn sample(compression: Compression) -> (Octets, Vec<Vec<u8>>) {
    let mut file = empty(THREE_TABLES, NullFormat::EndOfFile, compression);
    let mut image = CckdImage::open(&file).unwrap();
    for unit in [0, 1, 5, 6, 7, 520, 530] {
        write(&mut image, &mut file, unit, &track(THREE_TABLES, unit, &[3000, 3000, 500], unit as u8));
        settle(&mut image);
    }
    let units = all_units(&file);
    (file, units)
}

fn u32_at(file: &Octets, at: usize) -> u32 {
    u32::from_le_bytes(file.0[at..at + 4].try_into().unwrap())
}

/// Returns the offset of the level-2 entry of a unit.
fn entry_at(file: &Octets, unit: usize) -> usize {
    u32_at(file, 1024 + unit / 256 * 4) as usize + unit % 256 * 8
}

fn repaired(file: &Octets) -> (Repair, Vec<Vec<u8>>) {
    let mut into = Octets::default();
    let repair = repair(file, &mut into).unwrap();
    assert_eq!(check(&into, CheckDepth::Units).unwrap(), []);
    (repair, all_units(&into))
}

fn faults(file: &Octets) -> Vec<CckdFault> {
    check(file, CheckDepth::Units).unwrap().into_iter().map(|finding| finding.fault).collect()
}

#[test]
fn the_check_names_every_kind_of_damage() {
    let (file, _) = sample(Compression::zlib());
    let with = |change: &dyn Fn(&mut Octets)| {
        let mut damaged = file.clone();
        change(&mut damaged);
        faults(&damaged)
    };
    let first = entry_at(&file, 5);
    let position = u32_at(&file, first) as usize;
    assert_eq!(with(&|_| ()), []);
    let lost = with(&|file| file.0[1024 + 8..1024 + 12].fill(0x7F));
    assert_eq!(lost, [CckdFault::Level1Offset { index: 2, table: 0x7F7F_7F7F }]);
    let outside = with(&|file| file.0[first..first + 4].fill(0x7F));
    assert!(matches!(outside[..], [CckdFault::Level2Offset { position: 0x7F7F_7F7F, .. }]), "{outside:?}");
    let counter = with(&|file| file.0[528] ^= 1);
    assert!(matches!(counter[..], [CckdFault::Counter { name: "used bytes", .. }]), "{counter:?}");
    let header = with(&|file| file.0[position + 4] ^= 1);
    assert_eq!(header, [CckdFault::UnitHeader { found: [1, 0, 0, 0, 4] }]);
    let stream = with(&|file| file.0[position + 100..position + 120].fill(0x5A));
    assert!(matches!(stream[..], [CckdFault::Unpack(_)]), "{stream:?}");
    let tail = with(&|file| file.0.extend_from_slice(&[0; 99]));
    assert!(tail.contains(&CckdFault::FreeSpace), "{tail:?}");
    let short = with(&|file| file.0.truncate(800));
    assert_eq!(short, [CckdFault::EndsEarly { file_bytes: 800, needed_bytes: 1024 }]);
}

#[test]
fn a_finding_says_where() {
    let (mut file, _) = sample(Compression::zlib());
    let position = u32_at(&file, entry_at(&file, 5)) as usize;
    file.0[position + 4] ^= 1;
    let text = check(&file, CheckDepth::Units).unwrap()[0].to_string();
    assert_eq!(
        text,
        format!(
            "offset {position:#x}: unit 5: the unit header [01, 00, 00, 00, 04] is not that of this unit"
        )
    );
    let image = CckdImage::open(&file).unwrap();
    assert_eq!(read(&image, &file, 5).unwrap_err().to_string(), text);
}

#[test]
fn units_of_a_lost_table_are_found_by_their_headers() {
    for compression in [Compression::none(), Compression::zlib(), Compression::bzip2()] {
        let (mut file, units) = sample(compression);
        file.0[1024..1028].fill(0xEE);
        let image = CckdImage::open(&file).unwrap();
        assert!(read(&image, &file, 5).is_err());
        assert_eq!(read(&image, &file, 520).unwrap(), units[520]);
        let (repair, after) = repaired(&file);
        assert!(after == units);
        assert_eq!(repair.found.iter().map(|(unit, _)| *unit).collect::<Vec<_>>(), [0, 1, 5, 6, 7]);
        assert_eq!(repair.lost.len(), 251, "units of which nothing was found");
    }
}

#[test]
fn units_behind_a_table_of_rubbish_are_found() {
    let (mut file, units) = sample(Compression::zlib());
    let table = u32_at(&file, 1024) as usize;
    file.0[table..table + 2048].fill(0xA5);
    let (repair, after) = repaired(&file);
    assert!(after == units);
    assert_eq!(repair.found.len(), 5);
}

#[test]
fn a_truncated_image_keeps_the_records_before_its_end() {
    for compression in [Compression::none(), Compression::zlib()] {
        let (mut file, units) = sample(compression);
        let position = u32_at(&file, entry_at(&file, 530)) as usize;
        let length = file.0.len() - position;
        file.0.truncate(position + length - 12);
        let image = CckdImage::open(&file).unwrap();
        assert_eq!(read(&image, &file, 520).unwrap(), units[520]);
        assert!(read(&image, &file, 530).is_err());
        let (repair, after) = repaired(&file);
        assert!(after[..530] == units[..530]);
        assert!(matches!(repair.cut[..], [(530, 2..=3)]), "{repair:?}");
        assert!(after[530].len() > 3000);
        assert!(units[530].starts_with(&after[530][..after[530].len() - 8]));
    }
}

#[test]
fn a_current_unit_is_not_replaced_by_an_earlier_state() {
    let (mut file, units) = sample(Compression::none());
    let entry = entry_at(&file, 6);
    let (from, length) = (u32_at(&file, entry) as usize, 6000);
    let copy: Vec<u8> = file.0[from..from + length].to_vec();
    file.0.extend_from_slice(&copy);
    let (repair, after) = repaired(&file);
    assert_eq!(repair.found, []);
    assert!(after == units);
}

#[test]
fn blocks_of_a_lost_table_are_found() {
    let device = CckdDevice::Fba { blocks: 1200 };
    for compression in [Compression::none(), Compression::zlib()] {
        let mut file = empty(device, NullFormat::EndOfFile, compression);
        let mut image = CckdImage::open(&file).unwrap();
        for unit in [0, 3, 4] {
            let group: Vec<u8> = (0..GROUP_BYTES).map(|at| (at / 300) as u8 + unit as u8).collect();
            write(&mut image, &mut file, unit, &group);
        }
        let units = all_units(&file);
        file.0[1024..1028].fill(0xEE);
        let (repair, after) = repaired(&file);
        assert!(after == units);
        assert_eq!(repair.found.len(), 3);
    }
}

#[test]
fn a_header_that_lies_about_the_size_is_given_up() {
    let mut file = empty(CckdDevice::Fba { blocks: 200_000_000 }, NullFormat::EndOfFile, Compression::zlib());
    let tables_end = file.0.len();
    file.0[1024..tables_end].fill(0xEE);
    let error = repair(&file, &mut Octets::default()).unwrap_err();
    assert!(error.to_string().starts_with("more than 1048576 units cannot be read"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// Whatever octets are changed or cut away: nothing panics, and every unit that was readable in the damaged
    /// image is the same in the repaired one, which is sound.
    #[test]
    fn a_repair_loses_no_readable_unit(
        changes in prop::collection::vec((0_usize..1 << 20, any::<u8>()), 1..12),
        near in prop::collection::vec((1020_usize..1100, any::<u8>()), 0..3),
        cut in prop::option::of(0_usize..1 << 20),
        which in 0..3,
    ) {
        let compression = [Compression::none(), Compression::zlib(), Compression::bzip2()][which as usize];
        let (mut file, _) = sample(compression);
        let octets = file.0.len();
        for (at, octet) in changes.into_iter().chain(near) {
            file.0[at % octets] = octet;
        }
        if let Some(cut) = cut {
            file.0.truncate(octets - cut % (octets / 2));
        }
        let findings = check(&file, CheckDepth::Units).unwrap();
        let Ok(image) = CckdImage::open(&file) else {
            prop_assert!(!findings.is_empty());
            return Ok(());
        };
        let mut into = Octets::default();
        let repair = repair(&file, &mut into).unwrap();
        prop_assert_eq!(check(&into, CheckDepth::Units).unwrap(), []);
        let after = CckdImage::open(&into).unwrap();
        for unit in 0..Layout::<Octets>::units(&image) {
            if let Ok(octets) = read(&image, &file, unit)
                && !repair.found.iter().any(|(found, _)| *found == unit)
            {
                prop_assert_eq!(read(&after, &into, unit).unwrap(), octets);
            }
        }
    }

    #[test]
    fn any_octets_are_taken_for_an_image(
        mut octets in prop::collection::vec(any::<u8>(), 0..3000),
        ckd in any::<bool>(),
    ) {
        let (file, _) = sample(Compression::zlib());
        let there = octets.len().min(576);
        octets[..there].copy_from_slice(&file.0[..there]);
        if !ckd && there > 0 {
            octets[..3.min(there)].copy_from_slice(&b"FBA"[..3.min(there)]);
        }
        let file = Octets(octets);
        let _ = check(&file, CheckDepth::Units).unwrap();
        if let Ok(image) = CckdImage::open(&file) {
            for unit in 0..Layout::<Octets>::units(&image).min(600) {
                let _ = read(&image, &file, unit);
            }
            let mut into = Octets::default();
            repair(&file, &mut into).unwrap();
        }
    }
}
