//! Records of the name server: every port of the fabric in the view of this switch.

use std::collections::BTreeMap;

use halftrack_wire::WorldWideName;
use halftrack_wire::ct::FcTypes;

use super::zoning::{Membership, Zoning};
use crate::address;

/// Most records, of all domains together: four full directors with three virtual ports at each port.
pub const RECORDS_MAX: usize = 4096;

/// Record of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortRecord {
    /// Address.
    pub address: u32,
    /// Port name.
    pub name: WorldWideName,
    /// Node name.
    pub node: WorldWideName,
}

/// The records, by address.
#[derive(Debug, Default)]
pub(crate) struct Directory {
    zoning: Zoning,
    records: BTreeMap<u32, Entry>,
}

#[derive(Debug)]
struct Entry {
    record: PortRecord,
    zones: Membership,
    /// FC-4 types that the port has registered, itself or at another switch.
    types: Option<FcTypes>,
}

impl Directory {
    pub(crate) fn new(zoning: Zoning) -> Self {
        Self { zoning, records: BTreeMap::new() }
    }

    /// Enters a port in place of what its address was before. False when there is no room, or when the name has another
    /// address already: two ports of one name would take each other's frames.
    pub(crate) fn enter(&mut self, record: PortRecord) -> bool {
        let known = self.records.contains_key(&record.address);
        let elsewhere = self.by_name(record.name).is_some_and(|other| other.address != record.address);
        if elsewhere || (!known && self.records.len() >= RECORDS_MAX) {
            return false;
        }
        let zones = self.zones_of(&record);
        self.records.insert(record.address, Entry { record, zones, types: None });
        true
    }

    /// Strikes a port out.
    pub(crate) fn strike(&mut self, port_address: u32) -> Option<PortRecord> {
        self.records.remove(&port_address).map(|entry| entry.record)
    }

    /// Strikes out every port of a domain.
    pub(crate) fn strike_domain(&mut self, domain: u8) -> Vec<PortRecord> {
        let gone = |address: &u32| address::domain(*address) == domain;
        self.records.extract_if(.., |address, _| gone(address)).map(|(_, entry)| entry.record).collect()
    }

    /// Returns the port with this address.
    pub(crate) fn by_address(&self, port_address: u32) -> Option<&PortRecord> {
        self.records.get(&port_address).map(|entry| &entry.record)
    }

    /// Returns the port with this name.
    pub(crate) fn by_name(&self, name: WorldWideName) -> Option<&PortRecord> {
        self.records().find(|record| record.name == name)
    }

    /// Returns the ports of a domain.
    pub(crate) fn of_domain(&self, domain: u8) -> impl Iterator<Item = &PortRecord> {
        self.records().filter(move |record| address::domain(record.address) == domain)
    }

    /// Returns all ports.
    pub(crate) fn records(&self) -> impl Iterator<Item = &PortRecord> {
        self.records.values().map(|entry| &entry.record)
    }

    /// Returns the zones of a port, whether it is known or not.
    pub(crate) fn zones_of(&self, record: &PortRecord) -> Membership {
        self.zoning.membership(record.name, record.address)
    }

    /// Notes what a port does.
    pub(crate) fn register(&mut self, port_address: u32, types: FcTypes) {
        if let Some(entry) = self.records.get_mut(&port_address) {
            entry.types = Some(types);
        }
    }

    /// Returns whether a port supports an FC-4 TYPE; one without a registration might.
    pub(crate) fn does(&self, port_address: u32, fc_type: u8) -> bool {
        let entry = self.records.get(&port_address);
        entry.is_some_and(|entry| entry.types.is_none_or(|types| types.has(fc_type)))
    }

    /// Returns the zones of the port with this address.
    #[inline]
    pub(crate) fn membership(&self, port_address: u32) -> Option<&Membership> {
        self.records.get(&port_address).map(|entry| &entry.zones)
    }

    /// Returns whether both addresses are known and in a common zone.
    pub(crate) fn meet(&self, one: u32, other: u32) -> bool {
        let other = self.membership(other);
        self.membership(one).zip(other).is_some_and(|(one, other)| one.meets(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(address: u32, name: u64) -> PortRecord {
        PortRecord { address, name: WorldWideName(name), node: WorldWideName(0) }
    }

    #[test]
    fn a_name_has_one_address() {
        let mut directory = Directory::default();
        assert!(directory.enter(record(0x61_0100, 1)));
        assert!(directory.enter(record(0x61_0100, 1)), "the same port logs in again");
        assert!(!directory.enter(record(0x61_0200, 1)));
        assert!(directory.enter(record(0x61_0100, 2)), "another port is plugged in there");
        assert!(directory.enter(record(0x61_0200, 1)));
        assert_eq!(directory.by_name(WorldWideName(1)).map(|found| found.address), Some(0x61_0200));
        assert!(directory.meet(0x61_0100, 0x61_0200) && !directory.meet(0x61_0100, 0x61_0300));
    }

    #[test]
    fn a_domain_goes_as_a_whole() {
        let mut directory = Directory::default();
        for (name, address) in [0x61_0100, 0x62_0100, 0x62_0200].into_iter().enumerate() {
            assert!(directory.enter(record(address, name as u64)));
        }
        let gone: Vec<_> = directory.strike_domain(0x62).into_iter().map(|gone| gone.address).collect();
        assert_eq!(gone, [0x62_0100, 0x62_0200]);
        assert_eq!((directory.of_domain(0x61).count(), directory.of_domain(0x62).count()), (1, 0));
    }

    #[test]
    fn there_is_room_for_so_many() {
        let mut directory = Directory::default();
        for index in 0..RECORDS_MAX as u32 {
            assert!(directory.enter(record(index, u64::from(index))));
        }
        assert!(!directory.enter(record(0xFF_0000, u64::MAX)));
    }
}
