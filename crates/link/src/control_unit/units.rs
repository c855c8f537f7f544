//! The devices of a control unit, by image and unit address, and their state between exchanges.

use std::path::{Path, PathBuf};

use halftrack_control_unit::{PathGroupId, PathState};
use halftrack_engine::{Prefetch, SimTime};
use halftrack_exchange::{BusyKind, Opened, Start, Units};
use halftrack_program::Target;
use halftrack_subsystem::{Fence, Host, NodeIdentity, Verdict};
use halftrack_volume::layout::LayoutError;
use halftrack_volume::{CkdVolume, FileMedium, Mode, OpenError, Opening, Tracks, Volume};
use halftrack_wire::{FcFrame, StartNumber, WorldWideName};

use super::look_ahead::located;
use super::shared_volume::{SharedVolume, VolumeHome};
use super::unit_device::{UnitDevice, UnitHome};

/// Channel path, as a device identifies it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PathKey {
    /// Which port of the control unit.
    pub port: u16,
    /// Port name of the channel.
    pub host: WorldWideName,
    /// Channel image.
    pub channel_image: u8,
}

/// Holder of a reservation: a path group, or a path that is in none. It lasts until it is released, by any host with
/// Unconditional Reserve, though every path of the group be lost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Holder {
    Group(PathGroupId),
    Path(PathKey),
}

#[derive(Debug)]
struct VolumeSlot {
    file: PathBuf,
    home: VolumeHome,
    /// Place of its base device.
    base: usize,
    reservation: Option<Holder>,
    /// Failure that was reported last: a volume that is fenced has the same at every I/O.
    told: Option<String>,
}

#[derive(Debug)]
struct UnitSlot {
    device: UnitHome,
    /// The start whose exchange has the device, and its path.
    user: Option<(PathKey, StartNumber)>,
    /// Which starts are the newest.
    fence: Fence<PathKey>,
    volume: usize,
    /// The path whose state the device has.
    path: PathKey,
    /// The states of the others.
    others: Vec<(PathKey, PathState)>,
}

/// A volume and the unit addresses at which it is found.
#[derive(Debug, Clone)]
pub struct UnitVolume {
    /// Control-unit image.
    pub image: u8,
    /// Unit address of the base device.
    pub unit_address: u8,
    /// Unit addresses of its aliases.
    pub aliases: Vec<u8>,
    /// First file of the image.
    pub file: PathBuf,
    /// Durability of writes.
    pub mode: Mode,
}

/// Why a volume cannot be served.
#[derive(Debug, thiserror::Error)]
pub enum UnitError {
    /// It cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It has fixed blocks.
    #[error("{}: a volume of fixed blocks; a FICON control unit serves count-key-data volumes", .0.display())]
    FixedBlocks(PathBuf),
}

/// The devices of a control unit.
#[derive(Debug)]
pub struct UnitTable {
    volumes: Vec<VolumeSlot>,
    slots: Vec<UnitSlot>,
    /// One more than the place among the slots, by image and unit address.
    places: Vec<Option<Box<[u16; 256]>>>,
    /// Volumes that gather writes.
    gathering: Vec<usize>,
    discards_journals: bool,
    ending: bool,
    /// Ports with exchanges whose devices were withdrawn.
    withdrawn: Vec<u16>,
    /// Every start is admitted, as by a control unit without a fence: what the checker is tested with.
    #[cfg(test)]
    is_open: bool,
}

/// A channel that is logged in at a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct HostPort {
    /// Address.
    pub address: u32,
    /// Port name.
    pub name: WorldWideName,
    /// Its node, when that has identified itself.
    pub node: Option<NodeIdentity>,
}

impl Default for UnitTable {
    /// Creates a table without devices.
    fn default() -> Self {
        Self {
            volumes: Vec::new(),
            slots: Vec::new(),
            places: vec![None; 256],
            gathering: Vec::new(),
            discards_journals: false,
            ending: false,
            withdrawn: Vec::new(),
            #[cfg(test)]
            is_open: false,
        }
    }
}

impl UnitTable {
    /// Opens volumes from now on as their images are; the contents of journals beside them are lost.
    pub fn discard_journals(&mut self) {
        self.discards_journals = true;
    }

    /// Opens a volume and adds its devices, whose addresses are free.
    ///
    /// # Errors
    /// Why it cannot be served; the others are as they were.
    pub fn open_volume(&mut self, volume: &UnitVolume) -> Result<(), UnitError> {
        let opening = Opening { mode: volume.mode, discards_journal: self.discards_journals };
        match Volume::open(&volume.file, opening)? {
            Volume::Ckd(tracks) => self.add(volume, tracks),
            Volume::Fba(_) => return Err(UnitError::FixedBlocks(volume.file.clone())),
        }
        Ok(())
    }

    fn add(&mut self, volume: &UnitVolume, tracks: CkdVolume<FileMedium>) {
        let geometry = *tracks.geometry();
        let home = VolumeHome::new(tracks);
        let base = self.slots.len();
        let places = self.places[usize::from(volume.image)].get_or_insert_with(|| Box::new([0; 256]));
        for address in std::iter::once(&volume.unit_address).chain(&volume.aliases) {
            let place = self.slots.len();
            // 256 images of 256 addresses, less the one place that means none.
            places[usize::from(*address)] = u16::try_from(place + 1).unwrap_or(0);
            self.slots.push(UnitSlot {
                device: UnitHome::new(SharedVolume::new(home.clone(), geometry)),
                user: None,
                fence: Fence::default(),
                volume: self.volumes.len(),
                path: PathKey::default(),
                others: Vec::new(),
            });
        }
        if volume.mode == Mode::WriteBack {
            self.gathering.push(self.volumes.len());
        }
        self.volumes.push(VolumeSlot {
            file: volume.file.clone(),
            home,
            base,
            reservation: None,
            told: None,
        });
    }

    /// Fences late starts off, or admits every start.
    #[cfg(test)]
    pub(crate) fn set_fenced(&mut self, fenced: bool) {
        self.is_open = !fenced;
    }

    /// Returns the images that have devices.
    pub fn images(&self) -> impl Iterator<Item = u8> {
        let images = self.places.iter().enumerate().filter(|(_, places)| places.is_some());
        images.map(|(image, _)| image as u8)
    }

    /// Returns the volumes and devices, aliases counted.
    pub fn counts(&self) -> (usize, usize) {
        (self.volumes.len(), self.slots.len())
    }

    /// Answers busy to new exchanges from now on: the control unit is about to end.
    pub fn begin_ending(&mut self) {
        self.ending = true;
    }

    /// Returns the devices as exchanges of a port see them. `hosts` are the channels that are logged in.
    pub fn of_port<'a>(&'a mut self, port: u16, hosts: &'a [HostPort]) -> PortUnits<'a> {
        PortUnits { table: self, port, hosts }
    }

    /// Drops the state of a logical path that is gone or begins anew: sense and membership of a path group
    /// (system reset). A reservation of the group stays.
    pub fn forget_path(&mut self, now: SimTime, path: PathKey) {
        for slot in &mut self.slots {
            if slot.path == path {
                slot.device.with_unit(|unit| unit.swap_path(&mut PathState::default()));
            }
            slot.others.retain(|(key, _)| *key != path);
            slot.fence.path_gone(now, path);
        }
    }

    /// Returns whether a port has exchanges whose devices were withdrawn since the last call.
    #[inline]
    pub fn take_withdrawn(&mut self, port: u16) -> bool {
        let before = self.withdrawn.len();
        if before > 0 {
            self.withdrawn.retain(|known| *known != port);
        }
        before != self.withdrawn.len()
    }

    /// Makes every volume safe in its files and gives them up.
    ///
    /// # Errors
    /// The volumes whose files failed; the others are closed all the same.
    pub fn close(self) -> Result<(), Vec<(PathBuf, LayoutError)>> {
        let mut failed = Vec::new();
        for volume in self.volumes {
            if let Some(tracks) = volume.home.take()
                && let Err(error) = tracks.close()
            {
                failed.push((volume.file, error));
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    /// Makes safe what volumes in write-back mode have gathered for too long; to be called often, with the time.
    /// Returns when it is to be called at the latest, if something waits. A volume that fails is fenced: its next I/O
    /// ends with unit check, and [`UnitTable::take_troubles`] has the reason.
    pub fn flush_due(&mut self, now: SimTime) -> Option<SimTime> {
        let mut earliest = None::<SimTime>;
        for volume in self.gathering.iter().filter_map(|number| self.volumes.get(*number)) {
            let Some(mut tracks) = volume.home.take() else { continue };
            let due = tracks.flush_due(now).unwrap_or(None);
            earliest = earliest.into_iter().chain(due).min();
            volume.home.set(Some(tracks));
        }
        earliest
    }

    /// Reports failures of the files under volumes since the last call, which no status of a command can carry. Of a
    /// volume that goes on to fail for the same reason it is reported once.
    pub fn take_troubles(&mut self, mut notify: impl FnMut(&Path, LayoutError)) {
        for volume in &mut self.volumes {
            let Some(mut tracks) = volume.home.take() else { continue };
            if let Some(trouble) = tracks.take_trouble() {
                let words = trouble.to_string();
                if volume.told.as_ref() != Some(&words) {
                    volume.told = Some(words);
                    notify(&volume.file, trouble);
                }
            }
            volume.home.set(Some(tracks));
        }
    }

    #[inline]
    fn place(&self, image: u8, address: u8) -> Option<usize> {
        let places = self.places.get(usize::from(image))?.as_deref()?;
        usize::from(places[usize::from(address)]).checked_sub(1)
    }

    /// Returns a device will read a record soon.
    #[inline]
    fn prefetch(&self, image: u8, address: u8, target: &Target) -> Option<Prefetch> {
        let slot = self.slots.get(self.place(image, address)?)?;
        let home = &self.volumes.get(slot.volume)?.home;
        let volume = home.take()?;
        let prefetch = volume.prefetch(target.seek, target.record);
        home.set(Some(volume));
        Some(prefetch)
    }

    fn open(&mut self, start: &Start, path: PathKey, node: Option<NodeIdentity>) -> Opened<UnitDevice> {
        let Some(place) = self.place(start.control_unit_image, start.device) else {
            return Opened::AddressException;
        };
        if self.ending {
            return Opened::Busy(BusyKind::ControlUnit);
        }
        let host = match (self.group_of(place, path), node) {
            (Some(group), _) => Host::Group(group),
            (None, Some(node)) => Host::Node(node, start.channel_image),
            (None, None) => Host::Path(path),
        };
        let slot = &mut self.slots[place];
        let verdict = slot.fence.admit(start.now, host, path, start.number);
        #[cfg(test)]
        let verdict = if self.is_open { Verdict::Admit } else { verdict };
        match verdict {
            Verdict::Late => return Opened::Late,
            Verdict::Active => return Opened::Active,
            Verdict::Supersede(older) => {
                if slot.user.is_some_and(|(path, _)| path == older) {
                    slot.device.withdraw();
                    self.withdrawn.push(older.port);
                    self.free(place);
                }
            }
            Verdict::Admit => {}
        }
        let slot = &mut self.slots[place];
        if slot.user.is_some() {
            slot.fence.close(path, start.number);
            return Opened::Busy(BusyKind::Device);
        }
        slot.user = Some((path, start.number));
        let device = slot.device.lend(place);
        if slot.path != path {
            change_path(&mut slot.path, &mut slot.others, path, &slot.device);
        }
        let reservation = self.volumes[slot.volume].reservation;
        let own = reservation.is_some_and(|holder| holder.is(path, slot.device.group()));
        slot.device.with_unit(|unit| unit.set_reserved(own));
        slot.device.set_foreign(reservation.is_some() && !own);
        Opened::Device(device)
    }

    /// Returns the group of a path at a device; that of an alias is its base's.
    fn group_of(&self, place: usize, path: PathKey) -> Option<PathGroupId> {
        let base = &self.slots[self.volumes[self.slots[place].volume].base];
        if base.path == path {
            return base.device.group();
        }
        base.others.iter().find(|(key, _)| *key == path).and_then(|(_, state)| state.group())
    }

    fn close_device(&mut self, device: &UnitDevice) {
        let place = device.place();
        if self.slots.get(place).is_some_and(|slot| slot.device.has_lent(device)) {
            self.free(place);
        }
    }

    /// Frees the device; the reservations that its last user made hold.
    fn free(&mut self, place: usize) {
        let slot = &mut self.slots[place];
        let Some((path, number)) = slot.user.take() else { return };
        slot.fence.close(path, number);
        let reservation = &mut self.volumes[slot.volume].reservation;
        if slot.device.with_unit(|unit| unit.is_reserved()).unwrap_or_default() {
            let group = slot.device.group();
            let keeps = reservation.is_some_and(|holder| holder.is(slot.path, group));
            if !keeps {
                *reservation = Some(group.map_or(Holder::Path(slot.path), Holder::Group));
            }
        } else if !slot.device.is_foreign() {
            *reservation = None;
        }
    }
}

impl Holder {
    fn is(&self, path: PathKey, group: Option<PathGroupId>) -> bool {
        match self {
            Self::Group(holder) => group.as_ref() == Some(holder),
            Self::Path(holder) => *holder == path,
        }
    }
}

/// Gives the device the state of another path.
fn change_path(
    current: &mut PathKey,
    others: &mut Vec<(PathKey, PathState)>,
    path: PathKey,
    device: &UnitHome,
) {
    let found = others.iter().position(|(key, _)| *key == path);
    let mut state = found.map_or_else(PathState::default, |at| others.swap_remove(at).1);
    device.with_unit(|unit| unit.swap_path(&mut state));
    if state != PathState::default() {
        others.push((*current, state));
    }
    *current = path;
}

/// The devices of a control unit as exchanges of one of its ports see them.
#[derive(Debug)]
pub struct PortUnits<'a> {
    table: &'a mut UnitTable,
    port: u16,
    hosts: &'a [HostPort],
}

impl PortUnits<'_> {
    /// Returns the data that a frame will read whose turn is later.
    #[inline]
    pub fn look_ahead(&self, frame: &FcFrame<'_>) -> Prefetch {
        let prefetch = located(frame).and_then(|(address, target)| {
            self.table.prefetch(address.control_unit_image, address.device, &target)
        });
        prefetch.unwrap_or_default()
    }
}

impl Units for PortUnits<'_> {
    type Device = UnitDevice;

    #[inline]
    fn open(&mut self, start: &Start) -> Opened<UnitDevice> {
        let host = self.hosts.iter().find(|host| host.address == start.peer);
        let (name, node) = host.map_or(Default::default(), |host| (host.name, host.node));
        let path = PathKey { port: self.port, host: name, channel_image: start.channel_image };
        self.table.open(start, path, node)
    }

    #[inline]
    fn close(&mut self, device: UnitDevice) {
        self.table.close_device(&device);
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use halftrack_exchange::device::{Device as _, DeviceCommand};
    use halftrack_program::command::{
        DEVICE_RELEASE, DEVICE_RESERVE, NO_OPERATION, SENSE_PATH_GROUP_ID, SET_PATH_GROUP_ID,
        UNCONDITIONAL_RESERVE,
    };
    use halftrack_program::{ChainEnd, Geometry};
    use halftrack_volume::{NewFormat, VolumeDevice, create};
    use halftrack_wire::IuData;
    use tempfile::TempDir;

    use super::*;

    const HOSTS: [HostPort; 2] = [host(1, 0xA1), host(2, 0xA2)];

    const fn host(address: u32, name: u64) -> HostPort {
        HostPort { address, name: WorldWideName(name), node: None }
    }

    /// Returns a start with a number of its own.
    fn start(control_unit_image: u8, device: u8, peer: u32) -> Start {
        thread_local!(static NUMBER: Cell<u32> = const { Cell::new(0) });
        let number = StartNumber::new(NUMBER.replace(NUMBER.get() + 1));
        Start { peer, channel_image: 0, control_unit_image, device, number, now: SimTime::ZERO }
    }

    /// Returns a volume at 10, with an alias at 80.
    fn table() -> (TempDir, UnitTable) {
        table_of(Mode::Sync)
    }

    fn table_of(mode: Mode) -> (TempDir, UnitTable) {
        let directory = tempfile::tempdir().unwrap();
        let device = VolumeDevice::Ckd(Geometry::with_cylinders(1).unwrap());
        let volume = volume_in(directory.path(), mode);
        create(&volume.file, device, NewFormat::Plain, None).unwrap();
        let mut table = UnitTable::default();
        table.open_volume(&volume).unwrap();
        (directory, table)
    }

    fn volume_in(directory: &Path, mode: Mode) -> UnitVolume {
        let file = directory.join("work01.ckd");
        UnitVolume { image: 1, unit_address: 0x10, aliases: vec![0x80], file, mode }
    }

    /// Executes a command from host `peer` at an address; its status and what it read.
    fn execute(
        table: &mut UnitTable,
        address: u8,
        peer: u32,
        command: u8,
        parameters: &[u8],
    ) -> (u8, Vec<u8>) {
        let mut units = table.of_port(0, &HOSTS);
        let Opened::Device(mut device) = units.open(&start(1, address, peer)) else { panic!("no device") };
        let data = &IuData::None;
        let ending = device.execute(&DeviceCommand { command, count: 32, parameters, data });
        assert_eq!(device.end_chain(ChainEnd::Unchained), None);
        units.close(device);
        let read = match ending.data {
            IuData::Bytes(octets) => octets,
            _ => Vec::new(),
        };
        (ending.device_status, read)
    }

    /// Opens the base over a port for host 1, in a group or not.
    fn open(table: &mut UnitTable, port: u16, number: u32) -> Opened<UnitDevice> {
        let start = Start { number: StartNumber::new(number), ..start(1, 0x10, 1) };
        table.of_port(port, &HOSTS).open(&start)
    }

    fn group_over(table: &mut UnitTable, port: u16, number: u32) {
        let Opened::Device(mut device) = open(table, port, number) else { panic!("no device") };
        let parameters: Vec<u8> = std::iter::once(0x80).chain([7; 11]).collect();
        let data = &IuData::None;
        device.execute(&DeviceCommand {
            command: SET_PATH_GROUP_ID,
            count: 12,
            parameters: &parameters,
            data,
        });
        table.of_port(port, &HOSTS).close(device);
    }

    /// The table is that of the box: a start over one port ends that over another.
    #[test]
    fn a_newer_start_over_another_port_takes_the_device_and_an_older_one_is_late() {
        let (_directory, mut table) = table();
        group_over(&mut table, 0, 1);
        group_over(&mut table, 1, 2);
        let Opened::Device(mut older) = open(&mut table, 0, 3) else { panic!("no device") };
        assert!(matches!(open(&mut table, 0, 4), Opened::Active), "over the same path it is refused");
        let Opened::Device(mut newer) = open(&mut table, 1, 5) else { panic!("the older one keeps it") };
        assert!(older.is_withdrawn() && !newer.is_withdrawn());
        assert!(table.take_withdrawn(0) && !table.take_withdrawn(0) && !table.take_withdrawn(1));
        let no_operation =
            DeviceCommand { command: NO_OPERATION, count: 1, parameters: &[], data: &IuData::None };
        assert_eq!(older.execute(&no_operation).device_status, BUSY, "nothing is executed for it any more");
        assert_eq!(newer.execute(&no_operation).device_status, NORMAL);
        table.of_port(0, &HOSTS).close(older);
        assert!(matches!(open(&mut table, 0, 4), Opened::Late));
        assert!(matches!(open(&mut table, 0, 5), Opened::Late), "a copy of the newest");
        assert!(!newer.is_withdrawn(), "what came late has changed nothing");
        table.of_port(1, &HOSTS).close(newer);
        assert!(matches!(open(&mut table, 0, 6), Opened::Device(_)));
    }

    const NORMAL: u8 = 0x0C;
    const BUSY: u8 = 0x10;

    #[test]
    fn what_is_not_there_is_an_address_exception_and_what_is_in_use_is_busy() {
        let (_directory, mut table) = table();
        let mut units = table.of_port(0, &HOSTS);
        assert!(matches!(units.open(&start(0, 0x10, 1)), Opened::AddressException));
        assert!(matches!(units.open(&start(1, 0x11, 1)), Opened::AddressException));
        let Opened::Device(base) = units.open(&start(1, 0x10, 1)) else { panic!("no device") };
        assert!(matches!(units.open(&start(1, 0x10, 2)), Opened::Busy(BusyKind::Device)));
        let Opened::Device(alias) = units.open(&start(1, 0x80, 2)) else {
            panic!("an alias goes beside its base")
        };
        units.close(alias);
        units.close(base);
        assert!(matches!(units.open(&start(1, 0x10, 2)), Opened::Device(_)));
        table.begin_ending();
        let units = &mut table.of_port(0, &HOSTS);
        assert!(matches!(units.open(&start(1, 0x80, 2)), Opened::Busy(BusyKind::ControlUnit)));
    }

    #[test]
    fn a_reservation_keeps_others_out_until_it_is_released_or_taken_away() {
        let (_directory, mut table) = table();
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
        assert_eq!(
            execute(&mut table, 0x80, 2, NO_OPERATION, &[]).0,
            BUSY,
            "the alias is of the same volume"
        );
        assert_eq!(execute(&mut table, 0x80, 1, NO_OPERATION, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RELEASE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, DEVICE_RESERVE, &[]).0, NORMAL);
        table.forget_path(SimTime::ZERO, PathKey { port: 0, host: HOSTS[1].name, channel_image: 0 });
        assert_eq!(execute(&mut table, 0x10, 1, NO_OPERATION, &[]).0, BUSY, "it outlives its path");
        assert_eq!(execute(&mut table, 0x10, 1, UNCONDITIONAL_RESERVE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
    }

    #[test]
    fn a_path_group_shares_its_reservation_and_every_path_knows_its_own_state() {
        let (_directory, mut table) = table();
        let group: Vec<u8> = std::iter::once(0x80).chain([7; 11]).collect();
        assert_eq!(execute(&mut table, 0x10, 1, SET_PATH_GROUP_ID, &group).0, NORMAL);
        assert_eq!(
            execute(&mut table, 0x10, 2, SENSE_PATH_GROUP_ID, &[]).1[0],
            0x00,
            "path 2 is in no group"
        );
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, NO_OPERATION, &[]).0, BUSY);
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RELEASE, &[]).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 2, SET_PATH_GROUP_ID, &group).0, NORMAL);
        assert_eq!(execute(&mut table, 0x10, 1, DEVICE_RESERVE, &[]).0, NORMAL);
        assert_eq!(
            execute(&mut table, 0x10, 2, SENSE_PATH_GROUP_ID, &[]).1[0],
            0xF8,
            "grouped, reserved, multipath"
        );
    }

    /// Returns a chain of host 1 that formats track 1 with one record; its status.
    fn format(table: &mut UnitTable) -> u8 {
        const DEFINE_EXTENT: u8 = 0x63;
        const LOCATE_RECORD: u8 = 0x47;
        const WRITE_COUNT_KEY_AND_DATA: u8 = 0x1D;
        let mut units = table.of_port(0, &HOSTS);
        let Opened::Device(mut device) = units.open(&start(1, 0x10, 1)) else { panic!("no device") };
        // Any write; extended CKD.
        let extent = [0, 0xC0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 14];
        let locate = [0x03, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 0];
        let data = IuData::Bytes([&[0, 0, 0, 1, 1, 0, 0, 4][..], b"DATA"].concat());
        let none = IuData::None;
        let mut status = 0;
        for (command, parameters, data) in [
            (DEFINE_EXTENT, &extent[..], &none),
            (LOCATE_RECORD, &locate[..], &none),
            (WRITE_COUNT_KEY_AND_DATA, &[], &data),
        ] {
            let count = if parameters.is_empty() { 12 } else { 16 };
            status = device.execute(&DeviceCommand { command, count, parameters, data }).device_status;
            if status != NORMAL {
                break;
            }
        }
        let end = if status == NORMAL { ChainEnd::Unchained } else { ChainEnd::Broken };
        if let Some(ending) = device.end_chain(end) {
            status = ending.device_status;
        }
        units.close(device);
        status
    }

    fn at_ms(ms: u64) -> SimTime {
        SimTime::ZERO + halftrack_engine::SimDuration::from_ms(ms)
    }

    #[test]
    fn what_a_volume_gathered_is_in_its_file_though_no_io_comes() {
        let (directory, mut table) = table_of(Mode::WriteBack);
        let file = directory.path().join("work01.ckd");
        let before = std::fs::read(&file).unwrap();
        assert_eq!(table.flush_due(at_ms(5)), None, "nothing waits");
        assert_eq!(format(&mut table), NORMAL);
        assert!(std::fs::read(&file).unwrap() == before);
        let due = table.flush_due(at_ms(10)).unwrap();
        assert!(due > at_ms(10) && due <= at_ms(1010), "{due:?}");
        assert_eq!(table.flush_due(due), None);
        assert!(std::fs::read(&file).unwrap() != before, "it is there while the control unit idles");
        table.take_troubles(|_, trouble| panic!("{trouble}"));
    }

    #[test]
    fn a_full_disk_ends_the_next_io_with_unit_check_and_is_told_once() {
        let (directory, table) = table_of(Mode::WriteBack);
        let journal = directory.path().join("work01.ckd.journal");
        assert!(table.close().is_ok());
        std::os::unix::fs::symlink("/dev/full", &journal).unwrap();
        let mut table = UnitTable::default();
        table.open_volume(&volume_in(directory.path(), Mode::WriteBack)).unwrap();
        assert_eq!(format(&mut table), NORMAL, "it is gathered");
        let due = table.flush_due(at_ms(0)).unwrap();
        assert_eq!(table.flush_due(due), None);
        let mut told = Vec::new();
        for _ in 0..3 {
            assert_eq!(format(&mut table) & 0x02, 0x02, "unit check");
            table.take_troubles(|_, trouble| told.push(trouble.to_string()));
        }
        assert!(told.iter().all(|words| words.contains("No space left on device")), "{told:?}");
        assert!((1..=2).contains(&told.len()), "{told:?}");
        let failed = table.close().unwrap_err();
        assert!(failed[0].1.to_string().contains("No space left on device"));
    }

    #[test]
    fn a_volume_of_fixed_blocks_is_refused_and_one_in_use_too() {
        let (directory, mut table) = table();
        let file = directory.path().join("blocks.fba");
        create(&file, VolumeDevice::Fba { blocks: 64 }, NewFormat::Plain, None).unwrap();
        let mut volume =
            UnitVolume { image: 1, unit_address: 0, aliases: Vec::new(), file, mode: Mode::Sync };
        assert!(matches!(table.open_volume(&volume), Err(UnitError::FixedBlocks(_))));
        volume.file = directory.path().join("work01.ckd");
        assert!(matches!(table.open_volume(&volume), Err(UnitError::Open(OpenError::InUse { .. }))));
        assert_eq!(table.counts(), (1, 2));
        assert_eq!(table.images().collect::<Vec<_>>(), [1]);
        assert!(table.close().is_ok());
    }
}
