//! Conditions of a device that the program waits for, or answers by the same start again (recovery reference 2.3).

use halftrack_program::SENSE_BYTES;

use crate::sense::{RESET_NOTIFICATION, SHORT_FORMAT, STATE_CHANGE_ACTION};

/// Condition that a unit check reports, in which nothing of the chain was executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DeviceCondition {
    /// The device was reset for the path.
    ResettingEvent,
    /// The device changes its state.
    StateChangePending,
}

impl DeviceCondition {
    /// Returns the condition in the sense of a unit check, if there is one.
    #[must_use]
    pub const fn of_sense(sense: &[u8; SENSE_BYTES]) -> Option<Self> {
        match (sense[0], sense[1], sense[7]) {
            (0, 0, RESET_NOTIFICATION) => Some(Self::ResettingEvent),
            (0, 0, 0) if sense[27] & SHORT_FORMAT == 0 && sense[25] == STATE_CHANGE_ACTION => {
                Some(Self::StateChangePending)
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use halftrack_program::{Geometry, Model, TrackAddress};

    use super::*;
    use crate::sense::{Message, Sense, UnitCheck};

    #[test]
    fn the_sense_of_a_condition_names_it_and_others_none() {
        let of = |reason| {
            let sense = Sense::new(reason, TrackAddress::default(), &Geometry::of(Model::Model3));
            DeviceCondition::of_sense(sense.bytes())
        };
        assert_eq!(of(UnitCheck::ResettingEvent), Some(DeviceCondition::ResettingEvent));
        assert_eq!(of(UnitCheck::StateChangePending), Some(DeviceCondition::StateChangePending));
        for other in [UnitCheck::CommandReject(Message::InvalidCommand), UnitCheck::EquipmentCheck] {
            assert_eq!(of(other), None);
        }
        assert_eq!(DeviceCondition::of_sense(&[0; SENSE_BYTES]), None);
    }

    #[test]
    fn a_device_with_blocks_reports_the_same_conditions() {
        let of = |reason| DeviceCondition::of_sense(Sense::of_blocks(reason).bytes());
        assert_eq!(of(UnitCheck::ResettingEvent), Some(DeviceCondition::ResettingEvent));
        assert_eq!(of(UnitCheck::StateChangePending), Some(DeviceCondition::StateChangePending));
        assert_eq!(of(UnitCheck::EquipmentCheck), None);
    }
}
