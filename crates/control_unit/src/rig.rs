//! Common parts of the tests of several modules: tracks in memory, ports, and parameters of positioning commands.

use std::collections::BTreeMap;

use halftrack_program::command::PREFIX;
use halftrack_program::{
    DataPort, DefineExtent, Device, DeviceEnd, DomainOperation, ExtendedAttributes, ExtendedAuxiliary,
    ExtendedOperation, FileMask, Geometry, GlobalAttributes, LocateOperation, LocateRecordExtended, Model,
    NO_SECTOR, Octets, Orientation, Prefix, PrefixAuxiliary, PrefixValidity, Target, TrackAddress,
};
use halftrack_volume::{CountArea, HOME_ADDRESS_BYTES, Track, TrackFault, Tracks};

use crate::eckd_device::EckdDevice;
use crate::sense::{Message, Sense, UnitCheck};

/// A track of a volume in memory.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct MemoryTrack {
    home_address: [u8; HOME_ADDRESS_BYTES],
    /// Count, key and data of each record, record zero first.
    records: Vec<Vec<u8>>,
}

impl MemoryTrack {
    /// Creates a track with a record zero, and records numbered from 1 of these keys and data.
    pub(crate) fn of(address: TrackAddress, records: &[(&[u8], &[u8])]) -> Self {
        let [c0, c1, h0, h1] = address.to_cchh();
        let zero: (&[u8], &[u8]) = (&[], &[0; 8]);
        let record = |(place, (key, data)): (usize, &(&[u8], &[u8]))| {
            let (key_bytes, data_bytes) = (key.len() as u8, data.len() as u16);
            let count = CountArea { cchh: address.to_cchh(), record: place as u8, key_bytes, data_bytes };
            [&count.to_bytes()[..], key, data].concat()
        };
        let records = [zero].iter().chain(records).enumerate().map(record).collect();
        Self { home_address: [0, c0, c1, h0, h1], records }
    }

    fn lengths(&self, place: u8) -> Option<(usize, usize)> {
        let count = self.count(place)?;
        Some((usize::from(count.key_bytes), usize::from(count.data_bytes)))
    }
}

impl Track for &MemoryTrack {
    fn home_address(&self) -> [u8; HOME_ADDRESS_BYTES] {
        self.home_address
    }

    fn records(&self) -> u8 {
        self.records.len() as u8
    }

    fn count(&self, place: u8) -> Option<CountArea> {
        MemoryTrack::count(self, place)
    }

    fn key(&self, place: u8) -> Octets<'_> {
        match self.lengths(place) {
            Some((key, _)) => Octets::Bytes(&self.records[usize::from(place)][8..8 + key]),
            None => Octets::NONE,
        }
    }

    fn data(&self, place: u8) -> Octets<'_> {
        match self.lengths(place) {
            Some((key, _)) => Octets::Bytes(&self.records[usize::from(place)][8 + key..]),
            None => Octets::NONE,
        }
    }

    fn record(&self, place: u8) -> Octets<'_> {
        self.records.get(usize::from(place)).map_or(Octets::NONE, |record| Octets::Bytes(record))
    }
}

impl MemoryTrack {
    fn count(&self, place: u8) -> Option<CountArea> {
        let record = self.records.get(usize::from(place))?;
        Some(CountArea::from_bytes(*record.first_chunk().unwrap()))
    }
}

/// A 3390-3 in memory. Tracks that were not formatted have twelve keyless records of 4 KiB, each full of its
/// number.
#[derive(Debug, Clone)]
pub(crate) struct MemoryTracks {
    geometry: Geometry,
    tracks: BTreeMap<TrackAddress, MemoryTrack>,
    write_inhibited: bool,
    pub(crate) fault: Option<(TrackAddress, TrackFault)>,
    pub(crate) commit_fails: bool,
    pub(crate) commits: u32,
}

impl MemoryTracks {
    pub(crate) fn of_4k() -> Self {
        Self {
            geometry: Geometry::of(Model::Model3),
            tracks: BTreeMap::new(),
            write_inhibited: false,
            fault: None,
            commit_fails: false,
            commits: 0,
        }
    }

    /// Makes the device refuse writes.
    pub(crate) fn write_inhibited(mut self) -> Self {
        self.write_inhibited = true;
        self
    }

    /// Lays out one track with these records; see [`MemoryTrack::of`].
    pub(crate) fn with_records(mut self, cylinder: u32, head: u8, records: &[(&[u8], &[u8])]) -> Self {
        let address = track(cylinder, head);
        self.tracks.insert(address, MemoryTrack::of(address, records));
        self
    }

    /// Lays out one track with keys and data of these lengths.
    pub(crate) fn with(self, cylinder: u32, head: u8, lengths: &[(u8, u16)]) -> Self {
        let octets: Vec<_> =
            lengths.iter().map(|&(key, data)| (vec![0xEE; key.into()], vec![0xDD; data.into()])).collect();
        let records: Vec<_> = octets.iter().map(|(key, data)| (&key[..], &data[..])).collect();
        self.with_records(cylinder, head, &records)
    }

    /// Puts other octets into the count area of a record.
    pub(crate) fn with_count(mut self, at: TrackAddress, place: u8, count: CountArea) -> Self {
        self.at(at).records[usize::from(place)][..8].copy_from_slice(&count.to_bytes());
        self
    }

    fn at(&mut self, address: TrackAddress) -> &mut MemoryTrack {
        self.tracks.entry(address).or_insert_with(|| {
            let data: Vec<_> = (1..=12_u8).map(|record| [record; 4096]).collect();
            let records: Vec<_> = data.iter().map(|data| (&[][..], &data[..])).collect();
            MemoryTrack::of(address, &records)
        })
    }

    /// Returns the count, key and data of each record of a track.
    pub(crate) fn records(&mut self, address: TrackAddress) -> &[Vec<u8>] {
        &self.at(address).records
    }

    fn check(&self, address: TrackAddress) -> Result<(), TrackFault> {
        match self.fault {
            Some((at, fault)) if at == address => Err(fault),
            _ if self.geometry.contains(address) => Ok(()),
            _ => Err(TrackFault::NoTrack),
        }
    }

    fn overwrite(
        &mut self,
        address: TrackAddress,
        place: u8,
        from: usize,
        octets: Octets<'_>,
    ) -> Result<(), TrackFault> {
        self.check(address)?;
        let record = self.at(address).records.get_mut(usize::from(place)).ok_or(TrackFault::Unreadable)?;
        let area = record.get_mut(from..).ok_or(TrackFault::TooLong)?;
        let bytes = octets.bytes().unwrap_or_default();
        area.get_mut(..bytes.len()).ok_or(TrackFault::TooLong)?.copy_from_slice(bytes);
        Ok(())
    }
}

impl Tracks for MemoryTracks {
    type Track<'a> = &'a MemoryTrack;

    fn geometry(&self) -> &Geometry {
        &self.geometry
    }

    fn write_inhibited(&self) -> bool {
        self.write_inhibited
    }

    fn track(&mut self, address: TrackAddress) -> Result<&MemoryTrack, TrackFault> {
        self.check(address)?;
        Ok(self.at(address))
    }

    fn write_key(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let (key, _) = self.at(address).lengths(place).ok_or(TrackFault::Unreadable)?;
        if octets.len() as usize != key {
            return Err(TrackFault::TooLong);
        }
        self.overwrite(address, place, 8, octets)
    }

    fn write_data(&mut self, address: TrackAddress, place: u8, octets: Octets<'_>) -> Result<(), TrackFault> {
        let (key, data) = self.at(address).lengths(place).ok_or(TrackFault::Unreadable)?;
        let mut padded = octets.bytes().unwrap_or_default().to_vec();
        if padded.len() > data {
            return Err(TrackFault::TooLong);
        }
        padded.resize(data, 0);
        self.overwrite(address, place, 8 + key, Octets::Bytes(&padded))
    }

    fn format_record(
        &mut self,
        address: TrackAddress,
        place: u8,
        count: CountArea,
        key_and_data: Octets<'_>,
    ) -> Result<(), TrackFault> {
        self.check(address)?;
        let capacity = u32::from(self.geometry.records_per_track(4096, 0)) * 4096;
        let track = self.at(address);
        if usize::from(place) > track.records.len() {
            return Err(TrackFault::Unreadable);
        }
        track.records.truncate(place.into());
        let used: usize = track.records.iter().map(|record| record.len() - 8).sum();
        if used as u32 + count.area_bytes() > capacity {
            return Err(TrackFault::TooLong);
        }
        let mut record = [&count.to_bytes(), key_and_data.bytes().unwrap_or_default()].concat();
        record.resize(8 + count.area_bytes() as usize, 0);
        track.records.push(record);
        Ok(())
    }

    fn erase(&mut self, address: TrackAddress, place: u8) -> Result<(), TrackFault> {
        self.check(address)?;
        self.at(address).records.truncate(place.into());
        Ok(())
    }

    fn write_home_address(
        &mut self,
        address: TrackAddress,
        home_address: [u8; HOME_ADDRESS_BYTES],
    ) -> Result<(), TrackFault> {
        self.check(address)?;
        self.at(address).home_address = home_address;
        Ok(())
    }

    fn commit(&mut self) -> Result<(), TrackFault> {
        self.commits += 1;
        if self.commit_fails { Err(TrackFault::Medium) } else { Ok(()) }
    }
}

/// The channel's side of one command or operation.
#[derive(Debug, Default)]
pub(crate) struct Port {
    sends: Vec<u8>,
    counts: Option<u32>,
    at: usize,
    run: usize,
    room: usize,
    /// Octets received.
    pub(crate) taken: Vec<u8>,
}

impl Port {
    /// Sends these octets.
    pub(crate) fn sending(octets: &[u8]) -> Self {
        Self { sends: octets.to_vec(), run: usize::MAX, ..Self::default() }
    }

    /// Sends this many octets that are not kept.
    pub(crate) fn counting(octets: u32) -> Self {
        Self { counts: Some(octets), run: usize::MAX, ..Self::default() }
    }

    /// Takes this many octets.
    pub(crate) fn taking(room: usize) -> Self {
        Self { room, ..Self::default() }
    }

    /// Returns the same in runs of at most `octets`.
    pub(crate) fn in_runs_of(self, octets: usize) -> Self {
        Self { run: octets, ..self }
    }
}

impl DataPort for Port {
    fn give(&mut self, octets: Octets<'_>) -> u32 {
        let octets = octets.first((self.room - self.taken.len()) as u32);
        match octets {
            Octets::Bytes(bytes) => self.taken.extend_from_slice(bytes),
            Octets::Count(count) => self.taken.resize(self.taken.len() + count as usize, 0),
        }
        octets.len()
    }

    fn take(&mut self, limit: u32) -> Octets<'_> {
        if let Some(left) = &mut self.counts {
            let run = limit.min(*left).min(self.run.min(u32::MAX as usize) as u32);
            *left -= run;
            return Octets::Count(run);
        }
        let from = self.at;
        self.at = self.sends.len().min(from + (limit as usize).min(self.run));
        Octets::Bytes(&self.sends[from..self.at])
    }
}

/// A device on tracks in memory.
pub(crate) type Unit = EckdDevice<MemoryTracks>;

impl Unit {
    /// Reads at most `count` octets; how it ended, and what came.
    pub(crate) fn read(&mut self, command: u8, count: usize) -> (DeviceEnd, Vec<u8>) {
        let mut port = Port::taking(count);
        (self.execute(command, &mut port), port.taken)
    }

    /// Returns a read as far as the device goes.
    pub(crate) fn run(&mut self, command: u8) -> DeviceEnd {
        self.read(command, 65_535).0
    }

    /// Returns what a read that ends normally brings.
    pub(crate) fn bytes(&mut self, command: u8) -> Vec<u8> {
        let (end, bytes) = self.read(command, 65_535);
        assert_eq!(end.status.0, 0x0C, "{command:#04x}: {end:?}");
        bytes
    }

    /// Sends octets, in runs of some of them.
    pub(crate) fn send(&mut self, command: u8, octets: &[u8]) -> DeviceEnd {
        self.execute(command, &mut Port::sending(octets).in_runs_of(1000))
    }

    /// Executes a command with its parameters that ends normally.
    pub(crate) fn does(&mut self, command: u8, octets: &[u8]) {
        let end = self.send(command, octets);
        assert_eq!(end.status.0, 0x0C, "{command:#04x}: {end:?}");
    }
}

pub(crate) fn track(cylinder: u32, head: u8) -> TrackAddress {
    TrackAddress::new(cylinder, head).unwrap()
}

/// Returns the octets of a seek to a track.
pub(crate) fn seek_to(cylinder: u32, head: u8) -> Vec<u8> {
    [&[0, 0], &track(cylinder, head).to_cchh()[..]].concat()
}

/// Returns the CCHHR.
pub(crate) fn id(cylinder: u32, head: u8, record: u8) -> Vec<u8> {
    [&track(cylinder, head).to_cchh()[..], &[record]].concat()
}

/// Returns an extent over cylinders 100 to 101, reads only or updates too.
pub(crate) fn extent(mask: FileMask) -> DefineExtent {
    DefineExtent {
        mask,
        attributes: GlobalAttributes::ECKD,
        block_size_bytes: 4096,
        fast_write_id: 0,
        extended_attributes: ExtendedAttributes::REGULAR_DATA_FORMAT,
        begin: track(100, 0),
        end: track(101, 14),
        extension: None,
    }
}

pub(crate) fn read_extent() -> DefineExtent {
    extent(FileMask::INHIBIT_WRITES)
}

/// Returns a domain of `count` units from record `record` of track 100, `head`.
pub(crate) fn locate(operation: DomainOperation, head: u8, record: u8, count: u8) -> LocateRecordExtended {
    LocateRecordExtended {
        orientation: Orientation::Count,
        operation,
        auxiliary: ExtendedAuxiliary(0),
        imbedded_command: 0,
        count,
        target: Target { seek: track(100, head), search: track(100, head), record, sector: NO_SECTOR },
        transfer_length_bytes: 0,
        imbedded_count: 0,
        extended_parameters: Vec::new(),
    }
}

pub(crate) const READ_DATA_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::ReadData);
pub(crate) const READ_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::Read);
pub(crate) const READ_TRACKS_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::ReadTracks);
pub(crate) const WRITE_DATA_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::WriteData);
pub(crate) const FORMAT_DOMAIN: DomainOperation = DomainOperation::Basic(LocateOperation::FormatWrite);
pub(crate) const WRITE_TRACK_DATA_DOMAIN: DomainOperation =
    DomainOperation::Extended(ExtendedOperation::WriteTrackData);

pub(crate) fn prefix(define_extent: DefineExtent, locate_record: LocateRecordExtended) -> Vec<u8> {
    Prefix {
        validity: PrefixValidity::DEFINE_EXTENT,
        base_address: 0,
        auxiliary: PrefixAuxiliary(0),
        base_lcu: 0,
        define_extent: Some(define_extent),
        locate_record: Some(locate_record),
    }
    .emit()
}

/// Returns a transfer length for each record of a domain.
pub(crate) fn of_length(bytes: u16, locate: LocateRecordExtended) -> LocateRecordExtended {
    LocateRecordExtended {
        auxiliary: locate.auxiliary | ExtendedAuxiliary::TRANSFER_LENGTH_VALID,
        transfer_length_bytes: bytes,
        ..locate
    }
}

/// Returns a device after a Prefix that was accepted.
pub(crate) fn positioned(
    tracks: &MemoryTracks,
    define_extent: DefineExtent,
    locate_record: LocateRecordExtended,
) -> Unit {
    let mut unit = Unit::new(tracks.clone());
    unit.does(PREFIX, &prefix(define_extent, locate_record));
    unit
}

/// Returns a device after a seek and nothing else.
pub(crate) fn sought(tracks: &MemoryTracks, cylinder: u32, head: u8) -> Unit {
    let mut unit = Unit::new(tracks.clone());
    unit.does(halftrack_program::command::SEEK, &seek_to(cylinder, head));
    unit
}

/// Returns why a command was refused; panics when it was not.
pub(crate) fn reason(end: DeviceEnd) -> UnitCheck {
    assert_eq!(end.status.0, 0x0E, "not refused: {end:?}");
    reason_of(end.sense)
}

/// Returns the unit check in `sense`.
pub(crate) fn reason_of(sense: Option<[u8; 32]>) -> UnitCheck {
    let sense = sense.expect("a unit check has sense");
    let messages = [
        Message::InvalidCommand,
        Message::InvalidSequence,
        Message::CountTooSmall,
        Message::InvalidParameter,
        Message::NotPermitted,
    ];
    let others = [
        UnitCheck::IncompleteDomain,
        UnitCheck::FileProtected,
        UnitCheck::NoRecordFound,
        UnitCheck::EndOfCylinder,
        UnitCheck::WriteInhibited,
        UnitCheck::InvalidTrackFormat,
        UnitCheck::DataCheck,
        UnitCheck::EquipmentCheck,
    ];
    let told = |reason: &UnitCheck| {
        let of = Sense::of_blocks(*reason);
        let of = of.bytes();
        (of[0], of[1], of[7]) == (sense[0], sense[1] & !crate::sense::IMPRECISE_ENDING, sense[7])
    };
    messages.map(UnitCheck::CommandReject).into_iter().chain(others).find(told).expect("a known reason")
}
