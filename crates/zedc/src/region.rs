//! Regions of storage that an address space has registered for its requests (FPZ4RMR, FPZ4DMR).

use std::collections::BTreeMap;

use halftrack_program::{Storage, StorageFault};

use crate::answer::Answer;

/// Octets of a page: regions begin on one and have whole ones.
pub const PAGE_BYTES: u64 = 4096;
/// Most regions of an address space (our choice): what a card keeps for one is bounded.
pub const REGIONS_MAX: usize = 256;

/// Token of a registered region. No token is given twice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RegionToken(pub u64);

/// Storage to be registered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Region {
    /// Address of its first page.
    pub address: u64,
    /// Length, whole pages.
    pub length_bytes: u64,
    /// Key of every access.
    pub key: u8,
    /// The storage is in a data space, which no service takes.
    pub is_in_data_space: bool,
}

impl Region {
    const fn end(&self) -> u64 {
        self.address + self.length_bytes
    }

    /// Returns whether the region can be one at all.
    ///
    /// # Errors
    /// Why not.
    const fn check(&self) -> Result<(), Answer> {
        if self.is_in_data_space {
            return Err(Answer::NoDataSpaces);
        }
        if !self.address.is_multiple_of(PAGE_BYTES) {
            return Err(Answer::BadRegionAddress);
        }
        if self.length_bytes == 0 || !self.length_bytes.is_multiple_of(PAGE_BYTES) {
            return Err(Answer::BadRegionLength);
        }
        if self.address.checked_add(self.length_bytes).is_none() {
            return Err(Answer::BadRegionLength);
        }
        Ok(())
    }

    /// Reaches every page with the key.
    ///
    /// # Errors
    /// Why one cannot be reached.
    pub(crate) fn reach(&self, storage: &mut impl Storage) -> Result<(), Answer> {
        for page in (self.address..self.end()).step_by(PAGE_BYTES as usize) {
            let mut octet = [0];
            // Stored as it was: a page that cannot be stored into is no region for output.
            let reached = storage.fetch_all(page, &mut octet, self.key);
            reached.and_then(|()| storage.store_all(page, &octet, self.key)).map_err(
                |fault| match fault {
                    StorageFault::Protection => Answer::KeyMismatch,
                    StorageFault::Addressing | StorageFault::CheckingBlock => Answer::BadRegionAddress,
                },
            )?;
        }
        Ok(())
    }
}

/// Regions of one address space, none of which overlap.
#[derive(Debug, Clone, Default)]
pub struct Regions {
    by_address: BTreeMap<u64, Region>,
    addresses: BTreeMap<RegionToken, u64>,
}

impl Regions {
    /// Registers `region` under `token`, when `reach` reaches its pages.
    ///
    /// # Errors
    /// Why it is none, or cannot be one beside the others.
    pub fn register(
        &mut self,
        token: RegionToken,
        region: Region,
        reach: impl FnOnce(&Region) -> Result<(), Answer>,
    ) -> Result<(), Answer> {
        region.check()?;
        if self.by_address.len() == REGIONS_MAX {
            return Err(Answer::TooManyRegions);
        }
        let before = self.by_address.range(..region.end()).next_back();
        if before.is_some_and(|(_, other)| other.end() > region.address) {
            return Err(Answer::RegionOverlap);
        }
        reach(&region)?;
        self.by_address.insert(region.address, region);
        self.addresses.insert(token, region.address);
        Ok(())
    }

    /// Takes the region of `token` away.
    ///
    /// # Errors
    /// [`Answer::BadRegionToken`].
    pub fn deregister(&mut self, token: RegionToken) -> Result<(), Answer> {
        let address = self.addresses.remove(&token).ok_or(Answer::BadRegionToken)?;
        self.by_address.remove(&address);
        Ok(())
    }

    /// Returns the region of `token`.
    ///
    /// # Errors
    /// [`Answer::BadRegionToken`].
    pub fn find(&self, token: RegionToken) -> Result<&Region, Answer> {
        let address = self.addresses.get(&token).ok_or(Answer::BadRegionToken)?;
        self.by_address.get(address).ok_or(Answer::BadRegionToken)
    }

    /// Returns the key of the region of `token`, when an area is within it.
    ///
    /// # Errors
    /// The region is not registered, or the area is not within it.
    pub fn key_of_area(&self, token: RegionToken, address: u64, length_bytes: u32) -> Result<u8, Answer> {
        let region = self.find(token)?;
        let end = address.checked_add(u64::from(length_bytes)).ok_or(Answer::OutsideRegion)?;
        let is_within = region.address <= address && end <= region.end();
        if is_within { Ok(region.key) } else { Err(Answer::OutsideRegion) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rig::pages;

    const TOKEN: RegionToken = RegionToken(1);

    const fn region(address: u64, length_bytes: u64) -> Region {
        Region { address, length_bytes, key: 8, is_in_data_space: false }
    }

    #[test]
    fn regions_are_whole_pages_of_storage_that_no_other_has() {
        let mut storage = pages(8, 16);
        let mut regions = Regions::default();
        regions
            .register(TOKEN, region(0x4000, 0x2000), |region| region.reach(&mut storage))
            .expect("a region");
        let page = region(0x1000, 0x1000);
        for (other, expected) in [
            (Region { address: 0x1001, ..page }, Answer::BadRegionAddress),
            (Region { length_bytes: 0, ..page }, Answer::BadRegionLength),
            (Region { length_bytes: 0x1001, ..page }, Answer::BadRegionLength),
            (region(u64::MAX - 0xFFF, 0x2000), Answer::BadRegionLength),
            (region(u64::MAX - 0xFFF, 0x1000), Answer::BadRegionLength),
            (region(0xF000, 0x2000), Answer::BadRegionAddress),
            (Region { key: 7, ..page }, Answer::KeyMismatch),
            (Region { is_in_data_space: true, ..page }, Answer::NoDataSpaces),
            (region(0x4000, 0x2000), Answer::RegionOverlap),
            (region(0x3000, 0x2000), Answer::RegionOverlap),
            (region(0x5000, 0x1000), Answer::RegionOverlap),
            (region(0x3000, 0x9000), Answer::RegionOverlap),
        ] {
            let answer = regions.register(RegionToken(2), other, |region| region.reach(&mut storage));
            assert_eq!(answer, Err(expected), "{other:?}");
        }
        for beside in [region(0x3000, 0x1000), region(0x6000, 0x1000)] {
            regions
                .register(RegionToken(2), beside, |region| region.reach(&mut storage))
                .expect("it overlaps none");
        }
    }

    #[test]
    fn an_area_lies_within_its_region() {
        let mut regions = Regions::default();
        regions
            .register(TOKEN, region(0x4000, 0x2000), |region| region.reach(&mut pages(8, 16)))
            .expect("a region");
        assert_eq!(regions.key_of_area(TOKEN, 0x4000, 0x2000), Ok(8));
        assert_eq!(regions.key_of_area(TOKEN, 0x6000, 0), Ok(8));
        for (address, length) in [(0x3FFF, 1), (0x5FFF, 2), (0x6001, 0), (u64::MAX, 2), (u64::MAX, 0)] {
            assert_eq!(regions.key_of_area(TOKEN, address, length), Err(Answer::OutsideRegion));
        }
        assert_eq!(regions.key_of_area(RegionToken(2), 0x4000, 1), Err(Answer::BadRegionToken));
        regions.deregister(TOKEN).expect("it is registered");
        assert_eq!(regions.deregister(TOKEN), Err(Answer::BadRegionToken));
        assert_eq!(regions.key_of_area(TOKEN, 0x4000, 1), Err(Answer::BadRegionToken));
    }

    #[test]
    fn regions_of_an_address_space_are_bounded() {
        let mut storage = pages(8, REGIONS_MAX + 1);
        let mut regions = Regions::default();
        for at in 0..REGIONS_MAX as u64 {
            let one = region(at * PAGE_BYTES, PAGE_BYTES);
            regions
                .register(RegionToken(at), one, |region| region.reach(&mut storage))
                .expect("there is room");
        }
        let one_more = region(REGIONS_MAX as u64 * PAGE_BYTES, PAGE_BYTES);
        assert_eq!(
            regions.register(TOKEN, one_more, |region| region.reach(&mut storage)),
            Err(Answer::TooManyRegions)
        );
    }
}
