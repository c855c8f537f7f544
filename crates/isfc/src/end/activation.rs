//! Devices that come into a link, are lost and go.

use halftrack_base::Time;

use super::End;
use crate::designation::MAX_DEVICES;
use crate::device::{Device, Program, Writing};
use crate::device_number::DeviceNumber;
use crate::order::{ActivationError, Notice, Refusal};
use crate::system_name::SystemName;

impl End {
    /// Takes a device into the link, to the node given if one is. It has no path until [`End::operational`].
    ///
    /// # Errors
    /// The link has 16 devices or this one, or leads to another node.
    pub fn activate(
        &mut self,
        device: DeviceNumber,
        node: Option<SystemName>,
    ) -> Result<(), ActivationError> {
        if let Some(given) = node {
            if given == self.settings.system {
                return Err(ActivationError::OwnName(given));
            }
            if let Some(expected) = self.node().filter(|expected| *expected != given) {
                return Err(ActivationError::WrongNode { expected, given });
            }
        }
        let Err(place) = self.devices.binary_search_by_key(&device, |one| one.number) else {
            return Err(ActivationError::Duplicate(device));
        };
        if self.devices.len() >= MAX_DEVICES {
            return Err(ActivationError::TooMany);
        }
        self.settings.node = self.settings.node.or(node);
        self.devices.insert(place, Device::new(device));
        Ok(())
    }

    /// Takes a device out of the link. The caller resets its side. Returns whether it was in the link.
    pub fn deactivate(&mut self, device: DeviceNumber) -> bool {
        let Some(at) = self.index(device) else { return false };
        self.withdraw(at);
        self.gone += self.devices.remove(at).counters;
        true
    }

    /// Takes it that the path of a device is there and its own side was reset.
    pub fn operational(&mut self, device: DeviceNumber) {
        let Some(at) = self.index(device) else { return };
        self.withdraw(at);
        let device = &mut self.devices[at];
        (device.is_operational, device.is_refused) = (true, false);
    }

    /// Takes it that the path of a device is lost and its own side was reset: no program of it ends any more.
    pub fn lost(&mut self, device: DeviceNumber) {
        let Some(at) = self.index(device) else { return };
        self.withdraw(at);
        self.devices[at].is_operational = false;
    }

    /// Takes attention of a device: the partner waits there.
    pub fn attention(&mut self, device: DeviceNumber) {
        let Some(at) = self.index(device) else { return };
        let device = &mut self.devices[at];
        (device.has_inbound, device.not_ready) = (true, None);
    }

    /// Takes everything back that a device has, before or after a reset of its own side. Blocks that it has taken from the partner
    /// and not brought here may be lost, which is reported.
    fn withdraw(&mut self, at: usize) {
        let device = &self.devices[at];
        if let Some(Program::Write(writing)) = device.program {
            self.take_back(at, writing);
        }
        if self.devices[at].is_operational {
            self.losses.insert(self.devices[at].number);
        }
        self.close(at);
        self.devices[at].reset();
    }

    /// Puts the block of a Write that did not end normally to the head of the queue, and counts it as to be sent again.
    pub(super) fn take_back(&mut self, at: usize, writing: Writing) {
        match writing {
            Writing::Hello => self.devices[at].owes_hello = true,
            Writing::Numbered(sequence, ..) => {
                if self.outbound.put_back(sequence) {
                    self.devices[at].counters.write.resends += 1;
                }
            }
            Writing::Filler | Writing::Obsolete => {}
        }
    }

    /// Ends the activity of a device until the partner's hello comes again.
    pub(super) fn close(&mut self, at: usize) {
        let was_active = std::mem::take(&mut self.devices[at].is_active);
        self.devices[at].has_hello = false;
        if !was_active {
            return;
        }
        self.notify(Notice::DeviceLost(self.devices[at].number));
        if let Some(partner) = self.partner.filter(|_| !self.is_up()) {
            self.notify(Notice::LinkDown { node: partner.system });
        }
    }

    /// Makes a device active when both hellos have crossed.
    pub(super) fn open(&mut self, at: usize) {
        let device = &self.devices[at];
        if device.is_active || !device.has_hello || device.owes_hello {
            return;
        }
        let Some(partner) = self.partner else { return };
        let was_up = self.is_up();
        self.devices[at].is_active = true;
        self.notify(Notice::DeviceActivated(self.devices[at].number));
        if !was_up {
            self.notify(Notice::LinkUp { node: partner.system });
        }
    }

    /// Takes a device out of use until its path comes anew, and has its own side reset.
    pub(super) fn refuse(&mut self, at: usize, reason: Refusal) {
        self.withdraw(at);
        let device = &mut self.devices[at];
        (device.is_refused, device.must_reset) = (true, true);
        let device = device.number;
        self.notify(Notice::Refused { device, reason });
    }

    /// Takes it that the partner is not ready on a device.
    pub(super) fn partner_lost(&mut self, at: usize, now: Time) {
        self.close(at);
        let device = &mut self.devices[at];
        device.not_ready = Some(now);
        device.owes_hello = true;
        (device.has_inbound, device.partner_reads) = (false, false);
    }
}
