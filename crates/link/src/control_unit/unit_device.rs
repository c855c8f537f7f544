//! A base or alias device as an exchange uses it.
//!
//! The device itself stays with the control unit. An exchange has a lease of it, which ends when the exchange gives it
//! back, or when it is withdrawn for a newer start of the subchannel: from then on the exchange can do nothing with it.

use std::cell::Cell;
use std::fmt;
use std::rc::Rc;

use halftrack_control_unit::{EckdDevice, PathGroupId};
use halftrack_exchange::device::{Device, DeviceCommand, DeviceEnding, DeviceOperation, OperationEnding};
use halftrack_exchange::{BusyKind, Wait};
use halftrack_program::ChainEnd;
use halftrack_program::command::UNCONDITIONAL_RESERVE;
use halftrack_wire::IuData;

use super::attached_unit::AttachedUnit;
use super::shared_tracks::SharedTracks;
use super::shared_volume::{GroupWait, Shape, SharedVolume};

/// A device, and which lease of it holds.
struct Shared {
    /// Always there but while something is done to it.
    inner: Cell<Option<Box<Inner>>>,
    lease: Cell<u64>,
    /// The chain that has ended waits until what it wrote or read is safe.
    wait: Cell<Option<GroupWait>>,
}

struct Inner {
    device: AttachedUnit,
    /// Another host has the device reserved: all it does is to let itself be taken away.
    foreign: bool,
}

impl Inner {
    /// Does something to the device while it has its volume.
    #[inline]
    fn with_volume<R>(&mut self, act: impl FnOnce(&mut AttachedUnit) -> R) -> R {
        self.device.volume_mut().fetch();
        let result = act(&mut self.device);
        self.device.volume_mut().put_back();
        result
    }

    /// Ends a chain with `act`. Returns the wait of the chain too.
    #[inline]
    fn end_chain<R>(&mut self, act: impl FnOnce(&mut AttachedUnit) -> R) -> (R, Option<GroupWait>) {
        self.device.volume_mut().fetch();
        let result = act(&mut self.device);
        (result, self.device.volume_mut().end_chain())
    }
}

/// A device as the control unit has it.
pub struct UnitHome(Rc<Shared>);

impl fmt::Debug for UnitHome {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("UnitHome")
    }
}

impl UnitHome {
    /// Creates a device on `volume` that nobody uses.
    pub fn new(volume: SharedVolume, shape: Shape) -> Self {
        let inner = Inner { device: AttachedUnit::new(volume, shape), foreign: false };
        Self(Rc::new(Shared {
            inner: Cell::new(Some(Box::new(inner))),
            lease: Cell::new(0),
            wait: Cell::new(None),
        }))
    }

    /// Returns a lease of the device, which is the control unit's device at `place`. Earlier ones hold no more.
    pub fn lend(&self, place: usize) -> UnitDevice {
        self.end_lease();
        self.0.wait.set(None);
        UnitDevice { place, lease: self.0.lease.get(), shared: Rc::clone(&self.0) }
    }

    /// Withdraws the device from the exchange that has it. What its chain has written becomes safe with the next group.
    pub fn withdraw(&self) {
        self.with(|inner| inner.end_chain(Device::reset));
        self.end_lease();
    }

    /// Returns whether `device` is the lease that holds.
    pub fn has_lent(&self, device: &UnitDevice) -> bool {
        !device.is_withdrawn()
    }

    fn end_lease(&self) {
        self.0.lease.set(self.0.lease.get() + 1);
    }

    fn with<R>(&self, act: impl FnOnce(&mut Inner) -> R) -> Option<R> {
        with(&self.0, act)
    }

    /// Does something to the device that is no command.
    pub fn with_unit<R>(&self, act: impl FnOnce(&mut AttachedUnit) -> R) -> Option<R> {
        self.with(|inner| act(&mut inner.device))
    }

    /// Does something at once to the tracks of the device, whatever chain runs on it. Returns the result too when all that was
    /// read or written is safe; nothing of a device with blocks.
    #[inline]
    pub fn at_once<R>(&self, act: impl FnOnce(&mut EckdDevice<SharedTracks>) -> R) -> Option<(R, bool)> {
        let done = self.with(|inner| {
            inner.device.volume_mut().fetch();
            let result = inner.device.tracks_device().map(act);
            let is_safe = inner.device.volume_mut().end_at_once();
            result.map(|result| (result, is_safe))
        });
        done.flatten()
    }

    /// Returns the path group of the path whose state the device has.
    pub fn group(&self) -> Option<PathGroupId> {
        self.with_unit(|unit| unit.group()).flatten()
    }

    /// Returns whether another host has the device reserved.
    pub fn is_foreign(&self) -> bool {
        self.with(|inner| inner.foreign).unwrap_or_default()
    }

    /// Sets whether another host has the device reserved.
    pub fn set_foreign(&self, foreign: bool) {
        self.with(|inner| inner.foreign = foreign);
    }
}

#[inline]
fn with<R>(shared: &Shared, act: impl FnOnce(&mut Inner) -> R) -> Option<R> {
    let mut inner = shared.inner.take()?;
    let result = act(&mut inner);
    shared.inner.set(Some(inner));
    Some(result)
}

/// A device while an exchange has it.
pub struct UnitDevice {
    /// Which of the control unit's devices it is.
    place: usize,
    lease: u64,
    shared: Rc<Shared>,
}

impl fmt::Debug for UnitDevice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("UnitDevice").field("place", &self.place).field("lease", &self.lease).finish()
    }
}

impl UnitDevice {
    pub(super) fn place(&self) -> usize {
        self.place
    }

    /// Does something to the device, if it was not withdrawn.
    #[inline]
    fn with<R>(&self, act: impl FnOnce(&mut Inner) -> R) -> Option<R> {
        if self.is_withdrawn() { None } else { with(&self.shared, act) }
    }
}

/// Returns what a command comes to that is not executed.
fn not_executed() -> DeviceEnding {
    DeviceEnding {
        device_status: BusyKind::Device.device_status(),
        moved_bytes: 0,
        device_bytes: 0,
        data: IuData::None,
        retry: false,
        sense: None,
    }
}

/// Returns what an operation comes to that is not executed.
fn operation_not_executed() -> OperationEnding {
    OperationEnding {
        device_status: BusyKind::Device.device_status(),
        data: IuData::None,
        residual: 0,
        dcw_offset: None,
        program_check: None,
        sense: None,
    }
}

impl Device for UnitDevice {
    fn execute(&mut self, command: &DeviceCommand<'_>) -> DeviceEnding {
        let ending = self.with(|inner| {
            if inner.foreign && command.command != UNCONDITIONAL_RESERVE {
                return not_executed();
            }
            inner.foreign = false;
            inner.with_volume(|device| device.execute(command))
        });
        ending.unwrap_or_else(not_executed)
    }

    fn end_chain(&mut self, end: ChainEnd) -> Option<DeviceEnding> {
        let (ending, wait) = self.with(|inner| inner.end_chain(|device| device.end_chain(end)))?;
        self.shared.wait.set(wait);
        ending
    }

    fn execute_operation(&mut self, operation: &DeviceOperation<'_>) -> OperationEnding {
        let ending = self.with(|inner| {
            if inner.foreign {
                return (operation_not_executed(), None);
            }
            inner.end_chain(|device| device.execute_operation(operation))
        });
        let (ending, wait) = ending.unwrap_or_else(|| (operation_not_executed(), None));
        self.shared.wait.set(wait);
        ending
    }

    fn lend(&mut self, buffer: &mut Vec<u8>) {
        self.with(|inner| inner.device.lend(buffer));
    }

    fn reset(&mut self) {
        self.with(|inner| inner.end_chain(Device::reset));
        self.shared.wait.set(None);
    }

    #[inline]
    fn is_withdrawn(&self) -> bool {
        self.shared.lease.get() != self.lease
    }
    #[inline]
    fn wait(&self) -> Option<u64> {
        if self.is_withdrawn() { None } else { self.shared.wait.get().map(|wait| wait.order) }
    }

    fn poll_wait(&mut self) -> Wait {
        let Some(wait) = self.shared.wait.get() else { return Wait::Safe };
        let state = self.with(|inner| {
            match inner.with_volume(|device| device.volume_mut().is_group_safe(wait.group)) {
                None => Wait::Pending,
                Some(true) => Wait::Safe,
                Some(false) => Wait::Failed(inner.device.fail_chain()),
            }
        });
        let state = state.unwrap_or(Wait::Pending);
        if state != Wait::Pending {
            self.shared.wait.set(None);
        }
        state
    }
}
