//! Written units are read back, the image stays sound, and the space of units that are gone is used again.

use super::*;
use proptest::prelude::*;

#[test]
fn a_new_image_is_sound_and_its_units_are_null() {
    for format in [NullFormat::EndOfFile, NullFormat::Empty, NullFormat::Linux] {
        let file = empty(THREE_TABLES, format, Compression::zlib());
        assert_eq!(file.0.len(), 1024 + 3 * 4);
        assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
        assert_eq!(all_units(&file), null_units(THREE_TABLES, format));
    }
}

#[test]
fn block_groups_are_whole_and_of_zeros_at_first() {
    let device = CckdDevice::Fba { blocks: 1000 };
    let mut file = empty(device, NullFormat::EndOfFile, Compression::bzip2());
    let mut image = CckdImage::open(&file).unwrap();
    let mut group = vec![0; GROUP_BYTES as usize];
    assert_eq!(read(&image, &file, 8).unwrap(), group);
    group[700] = 9;
    write(&mut image, &mut file, 8, &group);
    assert_eq!(read(&CckdImage::open(&file).unwrap(), &file, 8).unwrap(), group);
    let mut redo = RedoRecord::new();
    assert!(image.write(std::slice::from_ref(&file), 8, &group[1..], &mut redo).is_err());
    assert!(image.write(std::slice::from_ref(&file), 0, &group, &mut redo).is_ok());
    assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
}

#[test]
fn a_unit_that_becomes_null_gives_its_space_back() {
    let mut file = empty(SMALL, NullFormat::Empty, Compression::none());
    let mut image = CckdImage::open(&file).unwrap();
    write(&mut image, &mut file, 7, &track(SMALL, 7, &[4096, 4096], 1));
    let full = file.0.len();
    for format in [NullFormat::Empty, NullFormat::EndOfFile, NullFormat::Linux] {
        let null = null_units(SMALL, format).swap_remove(7);
        write(&mut image, &mut file, 7, &null);
        assert_eq!(read(&CckdImage::open(&file).unwrap(), &file, 7).unwrap(), null);
    }
    assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
    settle(&mut image);
    write(&mut image, &mut file, 7, &track(SMALL, 7, &[4096, 4096], 2));
    assert_eq!(file.0.len(), full);
    assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
}

#[test]
fn octets_that_an_earlier_state_needs_are_kept_until_it_is_settled() {
    let mut file = empty(SMALL, NullFormat::EndOfFile, Compression::none());
    let mut image = CckdImage::open(&file).unwrap();
    write(&mut image, &mut file, 7, &track(SMALL, 7, &[4096], 1));
    settle(&mut image);
    let before = file.0.len();
    write(&mut image, &mut file, 7, &track(SMALL, 7, &[4096], 2));
    write(&mut image, &mut file, 8, &track(SMALL, 8, &[4096], 3));
    assert!(file.0.len() > before + 8000, "both had to take new space");
    settle(&mut image);
    let before = file.0.len();
    write(&mut image, &mut file, 9, &track(SMALL, 9, &[4000], 4));
    assert_eq!(file.0.len(), before);
}

#[test]
fn what_lies_in_a_damaged_or_open_image_is_not_written_over() {
    let mut file = empty(SMALL, NullFormat::EndOfFile, Compression::none());
    let mut image = CckdImage::open(&file).unwrap();
    let octets = track(SMALL, 7, &[4096], 1);
    write(&mut image, &mut file, 7, &octets);
    let refuses = |file: &Octets, says: &str| {
        let mut image = CckdImage::open(file).unwrap();
        let error = image.write(std::slice::from_ref(file), 8, &octets, &mut RedoRecord::new()).unwrap_err();
        assert!(error.to_string().contains(says), "{error}");
        assert_eq!(read(&image, file, 7).unwrap(), octets);
    };
    let mut open = file.clone();
    open.0[515] |= 0x80;
    refuses(&open, "open");
    let mut overlapping = file.clone();
    let entry: Vec<u8> = file.0[1028 + 7 * 8..][..8].to_vec();
    overlapping.0[1028 + 9 * 8..][..8].copy_from_slice(&entry);
    refuses(&overlapping, "overlaps");
}

#[test]
fn a_list_of_free_spaces_becomes_a_chain() {
    let mut file = empty(SMALL, NullFormat::EndOfFile, Compression::none());
    let mut image = CckdImage::open(&file).unwrap();
    for unit in 0..6 {
        write(&mut image, &mut file, unit, &track(SMALL, unit, &[2000], 1));
    }
    for unit in [1, 3] {
        write(&mut image, &mut file, unit, &null_units(SMALL, NullFormat::EndOfFile)[unit as usize]);
    }
    let first = u32::from_le_bytes(file.0[532..536].try_into().unwrap()) as usize;
    let second: [u8; 4] = file.0[first..first + 4].try_into().unwrap();
    let lengths = [file.0[first + 4..first + 8].to_vec(), file.0[first + 4..first + 8].to_vec()];
    let first_bytes = (first as u32).to_le_bytes();
    let list = [b"FREE_BLK".as_slice(), &second, &lengths[1], &first_bytes, &lengths[0]].concat();
    file.0[first..first + list.len()].copy_from_slice(&list);
    assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
    let mut image = CckdImage::open(&file).unwrap();
    write(&mut image, &mut file, 9, &track(SMALL, 9, &[500], 1));
    assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
    assert_ne!(&file.0[first..first + 8], b"FREE_BLK");
}

#[test]
fn a_compacted_image_says_the_same_without_free_space() {
    let mut file = empty(THREE_TABLES, NullFormat::Empty, Compression::zlib());
    let mut image = CckdImage::open(&file).unwrap();
    for unit in [599, 3, 300, 3, 599] {
        write(&mut image, &mut file, unit, &track(THREE_TABLES, unit, &[4096, 77], unit as u8));
        settle(&mut image);
    }
    let mut small = Octets::default();
    let bytes = compact(&file, &mut small, &mut |_, _| {}).unwrap();
    assert_eq!(bytes as usize, small.0.len());
    assert!(small.0.len() < file.0.len());
    assert_eq!(check(&small, CheckDepth::Units).unwrap(), []);
    assert_eq!(&small.0[528..532], &(bytes as u32).to_le_bytes(), "everything is used");
    assert_eq!(all_units(&small), all_units(&file));
}

#[test]
fn a_device_too_large_for_the_format_is_refused() {
    let device = CckdDevice::Ckd { device_type: 0x90, cylinders: 262_668, heads: 15, track_bytes: 56_832 };
    let mut file = Octets::default();
    let refused = CckdWriter::new(&mut file, device, NullFormat::Empty, Compression::zlib());
    assert!(matches!(refused, Err(LayoutError::Full(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    /// After any writes the image is sound and has the written octets, also in another byte order and when two writes
    /// are of one transaction; applying a transaction twice changes nothing.
    #[test]
    fn what_was_written_is_read(
        steps in prop::collection::vec(
            (0_u32..600, prop::collection::vec(0_u16..3000, 0..4), any::<u8>(), 0..4),
            1..25,
        ),
        which in 0..3,
        null in 0_u8..3,
        big in any::<bool>(),
    ) {
        let compression = [Compression::none(), Compression::zlib(), Compression::bzip2()][which as usize];
        let null = NullFormat::from_byte(null).unwrap();
        let mut file = empty(THREE_TABLES, null, compression);
        if big {
            swap(&mut file);
        }
        let mut expected = null_units(THREE_TABLES, null);
        let mut image = CckdImage::open(&file).unwrap();
        let mut redo = RedoRecord::new();
        for (unit, lengths, seed, end) in steps {
            let octets = track(THREE_TABLES, unit, &lengths, seed);
            image.write(std::slice::from_ref(&file), unit, &octets, &mut redo).unwrap();
            expected[unit as usize] = octets;
            if end > 0 {
                apply(&mut file, &redo);
                let once = file.clone();
                apply(&mut file, &redo);
                prop_assert!(once == file);
                redo.clear();
                prop_assert_eq!(read(&image, &file, unit).unwrap(), expected[unit as usize].clone());
            }
            if end > 1 {
                settle(&mut image);
            }
        }
        apply(&mut file, &redo);
        prop_assert_eq!(check(&file, CheckDepth::Units).unwrap(), []);
        prop_assert!(all_units(&file) == expected);
    }
}

/// Makes an empty image big-endian.
fn swap(file: &mut Octets) {
    file.0[515] |= 2;
    for field in file.0[516..552].chunks_exact_mut(4) {
        field.reverse();
    }
    file.0[558..560].reverse();
}
