//! Devices on which a side of a logical link writes, and their order.
//!
//! The rule is that of z/VM (CP Planning and Administration, logical links of ISFC). Devices are sorted by their numbers. With 1
//! device both sides write on it; with 2 to 8 each side writes on all but one, with 9 to 16 on all but two. The side whose
//! system name is lower takes them from the low end upward, the other one from the high end downward. So devices on which a
//! side does not write are exclusive to its partner (unidirectional), and sides meet only when both have much to write.

use crate::system_name::SystemName;

/// Most devices of a logical link (z/VM: CP Commands and Utilities Reference, ACTIVATE ISLINK).
pub const MAX_DEVICES: usize = 16;

/// Devices up to which one of them, and above which two are exclusive to a side.
const ONE_EXCLUSIVE_DEVICES_MAX: usize = 8;

/// Role of a side in its link, by the order of the names of both systems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// The lower name: writes from the low end upward.
    Low,
    /// The higher name: writes from the high end downward.
    High,
}

impl Role {
    /// Returns the role of `own` against `partner`; none when both have one name.
    pub fn of(own: SystemName, partner: SystemName) -> Option<Self> {
        match own.cmp(&partner) {
            std::cmp::Ordering::Less => Some(Self::Low),
            std::cmp::Ordering::Equal => None,
            std::cmp::Ordering::Greater => Some(Self::High),
        }
    }

    /// Returns the role of the partner.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Low => Self::High,
            Self::High => Self::Low,
        }
    }
}

/// Returns on how many of `devices` devices each side writes.
pub const fn write_devices(devices: usize) -> usize {
    match devices {
        0 | 1 => devices,
        2..=ONE_EXCLUSIVE_DEVICES_MAX => devices - 1,
        _ => devices - 2,
    }
}

/// Devices on which a side writes, as indices into the devices sorted by number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Designation {
    role: Role,
    devices: usize,
}

impl Designation {
    /// Makes the designation of the side with this role in a link of this many devices.
    ///
    /// # Panics
    /// When there are more than [`MAX_DEVICES`].
    pub const fn new(role: Role, devices: usize) -> Self {
        assert!(devices <= MAX_DEVICES, "a logical link has at most 16 devices");
        Self { role, devices }
    }

    /// Returns how many devices the link has.
    pub const fn devices(self) -> usize {
        self.devices
    }

    /// Returns the role of the side.
    pub const fn role(self) -> Role {
        self.role
    }

    /// Returns the devices on which the side writes, the preferred one first.
    pub fn order(self) -> impl Iterator<Item = usize> + Clone {
        let last = self.devices.saturating_sub(1);
        (0..write_devices(self.devices)).map(move |at| match self.role {
            Role::Low => at,
            Role::High => last - at,
        })
    }

    /// Returns whether the side writes on a device.
    pub const fn is_written(self, device: usize) -> bool {
        if device >= self.devices {
            return false;
        }
        let from_own_end = match self.role {
            Role::Low => device,
            Role::High => self.devices - 1 - device,
        };
        from_own_end < write_devices(self.devices)
    }

    /// Returns whether only one of both sides writes on a device.
    pub const fn is_unidirectional(self, device: usize) -> bool {
        let partner = Self { role: self.role.other(), devices: self.devices };
        self.is_written(device) != partner.is_written(device)
    }

    /// Returns the device for the next block: the first in order that is not taken. None is free: the block is queued.
    ///
    /// A device is taken while a write is in progress on it, and from the sight of the partner's write until that is read.
    pub fn choice(self, mut is_taken: impl FnMut(usize) -> bool) -> Option<usize> {
        self.order().find(|device| !is_taken(*device))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(role: Role, devices: usize) -> Vec<usize> {
        Designation::new(role, devices).order().collect()
    }

    #[test]
    fn the_example_of_sixteen_devices_is_met() {
        // D000 to D00F: the low name writes on D000 to D00D, the high name on D00F to D002.
        assert_eq!(order(Role::Low, 16), (0..=13).collect::<Vec<_>>());
        assert_eq!(order(Role::High, 16), (2..=15).rev().collect::<Vec<_>>());
        let low = Designation::new(Role::Low, 16);
        let unidirectional: Vec<_> = (0..16).filter(|device| low.is_unidirectional(*device)).collect();
        assert_eq!(unidirectional, [0, 1, 14, 15]);
    }

    #[test]
    fn each_count_of_devices_has_its_exclusive_ones() {
        for devices in 1..=MAX_DEVICES {
            let exclusive = match devices {
                1 => 0,
                2..=8 => 1,
                _ => 2,
            };
            for role in [Role::Low, Role::High] {
                let own = Designation::new(role, devices);
                assert_eq!(own.order().count(), devices - exclusive);
                for device in 0..MAX_DEVICES {
                    assert_eq!(own.is_written(device), own.order().any(|one| one == device));
                }
                assert_eq!((0..devices).filter(|at| own.is_unidirectional(*at)).count(), 2 * exclusive);
            }
        }
        assert_eq!(order(Role::Low, 0), [0; 0]);
        assert_eq!((order(Role::Low, 2), order(Role::High, 2)), (vec![0], vec![1]));
    }

    #[test]
    fn the_lower_name_is_the_low_one() {
        let (a, b): (SystemName, SystemName) = ("VMZ".parse().unwrap(), "VM1".parse().unwrap());
        assert_eq!(
            (Role::of(a, b), Role::of(b, a), Role::of(a, a)),
            (Some(Role::Low), Some(Role::High), None)
        );
    }

    #[test]
    fn the_first_free_device_in_order_is_chosen() {
        let high = Designation::new(Role::High, 4);
        assert_eq!(high.choice(|_| false), Some(3));
        assert_eq!(high.choice(|device| device >= 2), Some(1));
        assert_eq!(high.choice(|device| device >= 1), None, "device 0 is the partner's");
    }
}
