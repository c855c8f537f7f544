//! The devices of a control unit, by image and unit address, and their state between exchanges.

mod commits;
mod holder;
mod port_units;
mod synchronous;

use std::fmt::Display;
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::sync::Arc;

use halftrack_base::{Decision, Time};
use halftrack_control_unit::{PathGroupId, PathState, UnitCheck};
use halftrack_engine::Prefetch;
use halftrack_exchange::{BusyKind, Opened, Start};
use halftrack_program::Target;
use halftrack_subsystem::{Fence, Host, NodeIdentity, Verdict};
use halftrack_volume::{Blocks, Disk, Mode, OpenError, Opening, Tracks, Volume};
use halftrack_wire::{StartNumber, WorldWideName};

use super::barriers::Barriers;
use super::luns::{LunTable, PortLuns};
use super::served_volume::ServedVolume;
use super::shared_volume::{Shape, SharedVolume, VolumeHome};
use super::unit_device::{UnitDevice, UnitHome};

use holder::Holder;

pub use port_units::PortUnits;

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
}

/// The devices of a control unit.
#[derive(Debug)]
pub struct UnitTable {
    volumes: Vec<VolumeSlot>,
    slots: Vec<UnitSlot>,
    /// One more than the place among the slots, by image and unit address.
    places: Vec<Option<Box<[u16; 256]>>>,
    /// Barriers of volumes whose chains become safe in groups.
    barriers: Barriers,
    /// Volumes that gather writes.
    gathering: Vec<usize>,
    discards_journals: bool,
    ending: bool,
    /// Ports with exchanges whose devices were withdrawn.
    withdrawn: Vec<u16>,
    /// When the devices have changed their state.
    changes_until: Time,
    /// Every start is admitted, as by a control unit without a fence: what the checker is tested with.
    is_open: bool,
    /// Logical units of FCP.
    luns: LunTable,
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
            barriers: Barriers::default(),
            gathering: Vec::new(),
            discards_journals: false,
            ending: false,
            withdrawn: Vec::new(),
            changes_until: Time::ZERO,
            is_open: false,
            luns: LunTable::default(),
        }
    }
}

impl UnitTable {
    /// Adds the logical units of FCP.
    pub fn set_luns(&mut self, luns: LunTable) {
        self.luns = luns;
    }

    /// Returns the logical units of FCP.
    #[inline]
    pub fn luns(&self) -> &LunTable {
        &self.luns
    }

    /// Returns the logical units as the exchanges of a port have them.
    #[inline]
    pub fn luns_of_port(&mut self, port: u16) -> PortLuns<'_> {
        PortLuns::new(&mut self.luns, port)
    }

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
            Volume::Ckd(tracks) => {
                let shape = Shape::Tracks(*tracks.geometry());
                self.add(volume, shape, ServedVolume::Ckd(tracks));
            }
            Volume::Fba(blocks) => {
                let shape = Shape::Blocks(blocks.blocks());
                self.add(volume, shape, ServedVolume::Fba(blocks));
            }
        }
        Ok(())
    }

    fn add(&mut self, volume: &UnitVolume, shape: Shape, mut served: ServedVolume) {
        served.gather_chains();
        self.barriers.add_volume();
        let home = VolumeHome::new(served, self.volumes.len(), Rc::clone(self.barriers.board()));
        let base = self.slots.len();
        let places = self.places[usize::from(volume.image)].get_or_insert_with(|| Box::new([0; 256]));
        for address in std::iter::once(&volume.unit_address).chain(&volume.aliases) {
            let place = self.slots.len();
            // 256 images of 256 addresses, less the one place that means none.
            places[usize::from(*address)] = u16::try_from(place + 1).unwrap_or(0);
            self.slots.push(UnitSlot {
                device: UnitHome::new(SharedVolume::new(home.clone()), shape),
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

    /// Puts the files of all volumes on a disk that admits each change.
    pub fn set_disk(&mut self, disk: &Arc<dyn Disk>) {
        for volume in &mut self.volumes {
            let Some(mut served) = volume.home.take() else { continue };
            served.set_disk(disk);
            volume.home.set(Some(served));
        }
        self.luns.set_disk(disk);
    }

    /// Fences late starts off, or admits every start.
    pub fn set_fenced(&mut self, fenced: bool) {
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

    /// Returns the devices that exchanges have.
    pub fn claimed(&self) -> usize {
        self.slots.iter().filter(|slot| slot.user.is_some()).count()
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
    pub fn forget_path(&mut self, now: Time, path: PathKey) {
        for slot in &mut self.slots {
            if slot.path == path {
                slot.device.with_unit(|unit| unit.swap_path(&mut PathState::default()));
            }
            slot.others.retain(|(key, _)| *key != path);
            slot.fence.path_gone(now, path);
        }
    }

    /// Resets the devices of an image for a logical path that is established. The first start to each over the path is
    /// answered with a resetting event.
    pub fn reset_path(&mut self, now: Time, path: PathKey, image: u8) {
        self.forget_path(now, path);
        let Some(places) = self.places.get(usize::from(image)).and_then(Option::as_deref) else { return };
        for place in places.iter().filter_map(|place| usize::from(*place).checked_sub(1)) {
            let slot = &mut self.slots[place];
            if slot.path == path {
                slot.device.with_unit(|unit| unit.swap_path(&mut PathState::after_reset()));
            } else {
                slot.others.push((path, PathState::after_reset()));
            }
        }
    }

    /// Answers starts with a pending state change until then, as a control unit that is not ready yet.
    pub fn change_state(&mut self, until: Time) {
        self.changes_until = until;
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
    pub fn close(mut self) -> Result<(), Vec<(PathBuf, String)>> {
        self.barriers.finish(home_in(&self.volumes));
        let mut failed = self.luns.close();
        for volume in self.volumes {
            if let Some(tracks) = volume.home.take()
                && let Err(error) = tracks.close()
            {
                failed.push((volume.file, error.to_string()));
            }
        }
        if failed.is_empty() { Ok(()) } else { Err(failed) }
    }

    /// Makes safe what volumes in write-back mode have gathered for too long; to be called often, with the time.
    /// Returns when it is to be called at the latest, if something waits. A volume that fails is fenced: its next I/O
    /// ends with unit check, and [`UnitTable::take_troubles`] has the reason.
    pub fn flush_due(&mut self, now: Time) -> Option<Time> {
        let mut earliest = self.luns.flush_due(now);
        for volume in self.gathering.iter().filter_map(|number| self.volumes.get(*number)) {
            let Some(mut tracks) = volume.home.take() else { continue };
            let due = tracks.flush_due(now);
            earliest = earliest.into_iter().chain(due).min();
            volume.home.set(Some(tracks));
        }
        earliest
    }

    /// Reports failures of the files under volumes since the last call, which no status of a command can carry. Of a
    /// volume that goes on to fail for the same reason it is reported once.
    pub fn take_troubles(&mut self, mut notify: impl FnMut(&Path, &dyn Display)) {
        self.luns.take_troubles(&mut notify);
        for volume in &mut self.volumes {
            let Some(mut tracks) = volume.home.take() else { continue };
            if let Some(trouble) = tracks.take_failure() {
                let words = trouble.to_string();
                if volume.told.as_ref() != Some(&words) {
                    volume.told = Some(words);
                    notify(&volume.file, &trouble);
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

    /// Returns the prefetch of a record that a device will read soon.
    #[inline]
    fn prefetch(&self, image: u8, address: u8, target: &Target) -> Option<Prefetch> {
        let slot = self.slots.get(self.place(image, address)?)?;
        let home = &self.volumes.get(slot.volume)?.home;
        let volume = home.take()?;
        let prefetch = volume.tracks().map(|tracks| tracks.prefetch(target.seek, target.record));
        home.set(Some(volume));
        prefetch
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
        let verdict = if self.is_open { Verdict::Admit } else { verdict };
        match verdict {
            Verdict::Late => {
                Decision::StartLate.count();
                return Opened::Late;
            }
            Verdict::Active => {
                Decision::StartActive.count();
                return Opened::Active;
            }
            Verdict::Supersede(older) => {
                Decision::StartSupersedes.count();
                if slot.user.is_some_and(|(path, _)| path == older) {
                    self.withdraw(place, older);
                }
            }
            Verdict::Admit => self.withdraw_of_group(place, host, start.number),
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
        let changes = start.now < self.changes_until;
        slot.device.with_unit(|unit| {
            unit.set_reserved(own);
            if changes {
                unit.present(UnitCheck::StateChangePending);
            }
        });
        slot.device.set_foreign(reservation.is_some() && !own);
        Opened::Device(device)
    }

    /// Takes a device from the exchange over another path that has it.
    fn withdraw(&mut self, place: usize, user: PathKey) {
        Decision::DeviceWithdrawn.count();
        self.slots[place].device.withdraw();
        self.withdrawn.push(user.port);
        self.free(place);
    }

    /// Takes a device from an older start of the path group over a path that joined the group by this very start. The
    /// fence compares the two no more, because they began as different hosts.
    fn withdraw_of_group(&mut self, place: usize, host: Host<PathKey>, number: StartNumber) {
        let Some((user, older)) = self.slots[place].user else { return };
        let user_host = self.group_of(place, user).map(Host::Group);
        if user_host == Some(host) && number.is_newer_than(older) {
            self.withdraw(place, user);
        }
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

/// Returns where a volume is, by its number.
fn home_in<'a>(volumes: &'a [VolumeSlot]) -> impl Fn(usize) -> Option<&'a VolumeHome> {
    |number| volumes.get(number).map(|volume| &volume.home)
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

#[cfg(test)]
mod tests;
