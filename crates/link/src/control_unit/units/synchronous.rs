//! Synchronous I/O on the devices: admitted as an ordinary start to the base would be, and done at once or not at all.

use halftrack_base::Time;
use halftrack_control_unit::{PathGroupId, RecordFault};
use halftrack_program::{RecordAddress, TrackAddress};
use halftrack_volume::TrackFault;
use halftrack_wire::synchronous::{RemoteReject, SynchronousRequest};

use super::{Holder, UnitSlot, UnitTable};

impl UnitTable {
    /// Reads the record that a host with this path group requests, and gives its data to `give`.
    ///
    /// # Errors
    /// Why it was not read; what was given then is void.
    #[inline]
    pub fn read_at_once<R>(
        &mut self,
        now: Time,
        group: &PathGroupId,
        request: &SynchronousRequest,
        give: impl FnOnce(&[u8]) -> R,
    ) -> Result<R, RemoteReject> {
        let slot = self.admit_at_once(now, group, request)?;
        let record = record_of(request);
        let done = slot.device.at_once(|device| device.read_at_once(&record, request.data_bytes, give));
        match done {
            None => Err(RemoteReject::NotCapable),
            Some((Err(fault), _)) => Err(reject_of(fault)),
            // A chain whose data are not on the disk yet has not ended.
            Some((Ok(_), false)) => Err(RemoteReject::TrackBusy),
            Some((Ok(result), true)) => Ok(result),
        }
    }

    /// Writes `data` over the record that a host with this path group requests.
    ///
    /// # Errors
    /// Why it was not written.
    #[inline]
    pub fn write_at_once(
        &mut self,
        now: Time,
        group: &PathGroupId,
        request: &SynchronousRequest,
        data: &[u8],
    ) -> Result<(), RemoteReject> {
        let slot = self.admit_at_once(now, group, request)?;
        let record = record_of(request);
        match slot.device.at_once(|device| device.write_at_once(&record, data)) {
            None => Err(RemoteReject::NotCapable),
            Some((result, _)) => result.map_err(reject_of),
        }
    }

    /// Returns the base device of a request that may be done now.
    #[inline]
    fn admit_at_once(
        &self,
        now: Time,
        group: &PathGroupId,
        request: &SynchronousRequest,
    ) -> Result<&UnitSlot, RemoteReject> {
        let place = self.place(request.image, request.unit).ok_or(RemoteReject::NotCapable)?;
        let number = self.slots[place].volume;
        let volume = &self.volumes[number];
        if volume.base != place {
            return Err(RemoteReject::NotCapable);
        }
        if self.ending || now < self.changes_until {
            return Err(RemoteReject::NotReady);
        }
        if volume.reservation.is_some_and(|holder| holder != Holder::Group(*group)) {
            return Err(RemoteReject::Reserved);
        }
        let slot = &self.slots[place];
        if !slot.has_group(group) {
            return Err(RemoteReject::NoPathGroup);
        }
        let end = self.volumes.get(number + 1).map_or(self.slots.len(), |next| next.base);
        let track = TrackAddress::new(request.cylinder, request.head).unwrap_or_default();
        for other in self.slots[place..end].iter().filter(|slot| slot.user.is_some()) {
            other.lets_at_once(group, track, request.writes())?;
        }
        Ok(slot)
    }
}

impl UnitSlot {
    /// Returns whether some path to the device is in the path group.
    fn has_group(&self, group: &PathGroupId) -> bool {
        let mut others = self.others.iter().map(|(_, state)| state.group());
        self.device.group().as_ref() == Some(group) || others.any(|other| other.as_ref() == Some(group))
    }

    /// Fails when the exchange that has the device keeps others away from a track.
    fn lets_at_once(
        &self,
        group: &PathGroupId,
        track: TrackAddress,
        writes: bool,
    ) -> Result<(), RemoteReject> {
        let state = self.device.with_unit(|unit| {
            let conflicts = unit.tracks_device().is_some_and(|device| device.conflicts_with(track, writes));
            (unit.is_reserved() && unit.group().as_ref() != Some(group), conflicts)
        });
        match state {
            Some((true, _)) => Err(RemoteReject::Reserved),
            Some((false, false)) => Ok(()),
            Some((false, true)) | None => Err(RemoteReject::ExtentConflict),
        }
    }
}

fn record_of(request: &SynchronousRequest) -> RecordAddress {
    RecordAddress { cylinder: request.cylinder, head: request.head, record: request.record }
}

fn reject_of(fault: RecordFault) -> RemoteReject {
    match fault {
        RecordFault::NotInMemory => RemoteReject::CacheMiss,
        RecordFault::NotStored => RemoteReject::NotStored,
        RecordFault::NotFound => RemoteReject::RecordNotFound,
        RecordFault::Track(TrackFault::WriteInhibited) => RemoteReject::WriteInhibited,
        RecordFault::Track(TrackFault::Medium) => RemoteReject::Fenced,
        RecordFault::Track(_) => RemoteReject::RecordNotFound,
    }
}
