//! Areas of input and output of a request: flat, or scattered over a list.

use halftrack_program::{Storage, StorageFault};

use crate::answer::Answer;
use crate::region::{PAGE_BYTES, RegionToken, Regions};

/// Most entries of a list: as many as 1 MiB touches pages (our choice).
pub const SEGMENTS_MAX: usize = (1 << 20) / PAGE_BYTES as usize + 1;

/// Run of octets in a registered region.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Segment {
    /// Region in which it lies.
    pub region: RegionToken,
    /// Address of its first octet.
    pub address: u64,
    /// Length.
    pub length_bytes: u32,
}

/// Area that was checked against the registered regions, and copied: what the program does with its list is no matter then.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Area {
    segments: Vec<(Segment, u8)>,
    length_bytes: usize,
}

impl Area {
    /// Checks segments, of at most `most_bytes`. A flat area has one of them.
    ///
    /// # Errors
    /// Why they are no area.
    pub fn check(
        segments: &[Segment],
        is_list: bool,
        most_bytes: usize,
        regions: &Regions,
    ) -> Result<Self, Answer> {
        let segments_max = if is_list { SEGMENTS_MAX } else { 1 };
        if segments.is_empty() || segments.len() > segments_max {
            return Err(Answer::BadList);
        }
        let length_bytes: u64 = segments.iter().map(|segment| u64::from(segment.length_bytes)).sum();
        if length_bytes > most_bytes as u64 {
            return Err(Answer::TooLong);
        }
        let key =
            |segment: &Segment| regions.key_of_area(segment.region, segment.address, segment.length_bytes);
        let segments: Result<_, _> = segments.iter().map(|segment| Ok((*segment, key(segment)?))).collect();
        Ok(Self { segments: segments?, length_bytes: length_bytes as usize })
    }

    /// Returns the length.
    pub const fn length_bytes(&self) -> usize {
        self.length_bytes
    }

    /// Returns its segments.
    pub fn segments(&self) -> impl Iterator<Item = Segment> {
        self.segments.iter().map(|(segment, _)| *segment)
    }

    /// Returns the regions in which it lies.
    pub fn regions(&self) -> impl Iterator<Item = RegionToken> {
        self.segments.iter().map(|(segment, _)| segment.region)
    }

    /// Returns whether any octet of this area, which is written, is one of `input` or comes twice.
    pub fn is_overlapping(&self, input: &Self) -> bool {
        let runs = |area: &Self, is_output: bool| {
            let runs =
                area.segments.iter().map(|(segment, _)| (segment.address, segment.length_bytes, is_output));
            runs.filter(|(_, length, _)| *length != 0).collect::<Vec<_>>()
        };
        let mut all = runs(self, true);
        all.extend(runs(input, false));
        all.sort_unstable();
        // Ends of the octets so far, those of any area and those of the output.
        let (mut any_end, mut output_end) = (0, 0);
        all.into_iter().any(|(address, length, is_output)| {
            let end = address + u64::from(length);
            let is_met = address < if is_output { any_end } else { output_end };
            any_end = any_end.max(end);
            if is_output {
                output_end = output_end.max(end);
            }
            is_met
        })
    }

    /// Returns the runs of `count` octets from `offset` on: address, length and key.
    fn runs(&self, offset: usize, count: usize) -> impl Iterator<Item = (u64, usize, u8)> {
        let (mut skip, mut left) = (offset, count);
        self.segments.iter().filter_map(move |(segment, key)| {
            let length = segment.length_bytes as usize;
            let skipped = skip.min(length);
            skip -= skipped;
            let taken = left.min(length - skipped);
            left -= taken;
            (taken != 0).then_some((segment.address + skipped as u64, taken, *key))
        })
    }

    /// Fetches octets from `offset` on until `into` is full.
    ///
    /// # Errors
    /// The fault met.
    ///
    /// # Panics
    /// When the area ends before.
    pub fn fetch(
        &self,
        offset: usize,
        into: &mut [u8],
        storage: &mut impl Storage,
    ) -> Result<(), StorageFault> {
        assert!(offset + into.len() <= self.length_bytes, "nothing is fetched behind an area");
        let mut filled = 0;
        for (address, length, key) in self.runs(offset, into.len()) {
            storage.fetch_all(address, &mut into[filled..][..length], key)?;
            filled += length;
        }
        Ok(())
    }

    /// Stores octets from `offset` on.
    ///
    /// # Errors
    /// The fault met; the octets before it are stored.
    ///
    /// # Panics
    /// When the area ends before.
    pub fn store(
        &self,
        offset: usize,
        octets: &[u8],
        storage: &mut impl Storage,
    ) -> Result<(), StorageFault> {
        assert!(offset + octets.len() <= self.length_bytes, "nothing is stored behind an area");
        let mut stored = 0;
        for (address, length, key) in self.runs(offset, octets.len()) {
            storage.store_all(address, &octets[stored..][..length], key)?;
            stored += length;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use halftrack_program::MainStorage;

    use super::*;
    use crate::region::Region;
    use crate::rig::pages;

    const REGION: RegionToken = RegionToken(1);

    fn regions(storage: &mut MainStorage) -> Regions {
        let mut regions = Regions::default();
        let region = Region { address: 0x1000, length_bytes: 0x4000, key: 8, is_in_data_space: false };
        regions.register(REGION, region, |region| region.reach(storage)).expect("a region");
        regions
    }

    const fn segment(address: u64, length_bytes: u32) -> Segment {
        Segment { region: REGION, address, length_bytes }
    }

    fn area(segments: &[(u64, u32)]) -> Area {
        let list: Vec<_> = segments.iter().map(|(address, length)| segment(*address, *length)).collect();
        Area::check(&list, true, 0x4000, &regions(&mut pages(8, 8))).expect("an area")
    }

    #[test]
    fn octets_are_scattered_and_gathered_at_any_offset() {
        let mut storage = pages(8, 8);
        let area = area(&[(0x4FFE, 2), (0x1000, 0), (0x2000, 3), (0x1001, 1)]);
        area.store(0, b"abcdef", &mut storage).expect("storage");
        assert_eq!(&storage.bytes()[0x4FFE..0x5000], b"ab");
        assert_eq!(&storage.bytes()[0x2000..0x2004], b"cde\0");
        assert_eq!(&storage.bytes()[0x1000..0x1003], b"\0f\0");
        for from in 0..=6 {
            for count in 0..=6 - from {
                let mut octets = vec![0; count];
                area.fetch(from, &mut octets, &mut storage).expect("storage");
                assert_eq!(octets, b"abcdef"[from..][..count]);
            }
        }
    }

    #[test]
    fn bad_designations_are_refused() {
        let regions = regions(&mut pages(8, 8));
        let check = |segments: &[Segment], is_list| {
            Area::check(segments, is_list, 0x2000, &regions).map(|area| area.length_bytes())
        };
        assert_eq!(check(&[], true), Err(Answer::BadList));
        assert_eq!(check(&[segment(0x1000, 1); SEGMENTS_MAX + 1], true), Err(Answer::BadList));
        assert_eq!(
            check(&[segment(0x1000, 1); 2], false),
            Err(Answer::BadList),
            "flat areas have one segment"
        );
        assert_eq!(check(&[segment(0x1000, u32::MAX); 3], true), Err(Answer::TooLong));
        assert_eq!(check(&[segment(0x1000, 0x2001)], false), Err(Answer::TooLong));
        assert_eq!(check(&[segment(0x4FFF, 2)], false), Err(Answer::OutsideRegion));
        let unknown = Segment { region: RegionToken(9), ..segment(0x1000, 1) };
        assert_eq!(check(&[segment(0x1000, 1), unknown], true), Err(Answer::BadRegionToken));
        assert_eq!(check(&[segment(0x1000, 0x2000)], false), Ok(0x2000));
        assert_eq!(check(&[segment(0x1000, 0)], false), Ok(0));
    }

    #[test]
    fn output_over_input_or_itself_is_found() {
        let overlap = |input: &[(u64, u32)], output: &[(u64, u32)]| area(output).is_overlapping(&area(input));
        assert!(overlap(&[(0x1000, 10)], &[(0x1009, 1)]));
        assert!(overlap(&[(0x1005, 1)], &[(0x1000, 10)]));
        assert!(overlap(&[(0x2000, 1)], &[(0x1000, 10), (0x1009, 2)]));
        assert!(overlap(&[(0x1000, 1), (0x1000, 0x2000)], &[(0x2FFF, 1)]));
        assert!(!overlap(&[(0x1000, 10)], &[(0x100A, 1), (0x0FFF + 1, 0)]));
        assert!(!overlap(&[(0x1000, 10), (0x1005, 10)], &[(0x100F, 1)]), "input may come twice");
        assert!(!overlap(&[(0x1004, 0)], &[(0x1000, 10)]), "no octet of input");
    }
}
