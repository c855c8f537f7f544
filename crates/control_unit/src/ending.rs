//! How a command ends.

use halftrack_program::DeviceStatus;

use crate::sense::Sense;

/// How a command ends, channel end and device end together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ending {
    /// Channel end and device end: the chain goes on.
    Normal,
    /// With unit check: sense tell why.
    UnitCheck(Sense),
    /// With unit exception: an end-of-file record.
    UnitException,
}

impl Ending {
    /// The device status.
    pub const fn device_status(&self) -> DeviceStatus {
        match self {
            Self::Normal => DeviceStatus::NORMAL_END,
            Self::UnitCheck(_) => DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_CHECK),
            Self::UnitException => DeviceStatus::NORMAL_END.with(DeviceStatus::UNIT_EXCEPTION),
        }
    }

    /// Sense, when there are any.
    pub const fn sense(&self) -> Option<&Sense> {
        match self {
            Self::UnitCheck(sense) => Some(sense),
            Self::Normal | Self::UnitException => None,
        }
    }

    /// Whether the command ended normally.
    pub const fn is_normal(&self) -> bool {
        matches!(self, Self::Normal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sense::UnitCheck;
    use halftrack_program::{Geometry, Model, TrackAddress};

    #[test]
    fn endings_have_their_device_status() {
        let geometry = Geometry::of(Model::Model3);
        let sense = Sense::new(UnitCheck::FileProtected, TrackAddress::default(), &geometry);
        assert_eq!(Ending::Normal.device_status().0, 0x0C);
        assert_eq!(Ending::UnitCheck(sense).device_status().0, 0x0E);
        assert_eq!(Ending::UnitException.device_status().0, 0x0D);
        assert_eq!(Ending::UnitCheck(sense).sense(), Some(&sense));
        assert_eq!(Ending::UnitException.sense(), None);
    }
}
