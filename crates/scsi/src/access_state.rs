//! Asymmetric access: states of target port groups (SPC-4, 5.15).

use crate::operation::Traits;
use crate::sense::SenseCode;

/// State of a target port group.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
#[repr(u8)]
pub enum AccessState {
    /// Every command, at full speed.
    #[default]
    ActiveOptimized = 0x0,
    /// Every command.
    ActiveNonOptimized = 0x1,
    /// No command to the medium.
    Standby = 0x2,
    /// No command but those that show the state.
    Unavailable = 0x3,
    /// Between two states.
    Transitioning = 0xF,
}

impl AccessState {
    /// Returns the state of SET TARGET PORT GROUPS, which cannot name a transition.
    pub(crate) const fn of_list_byte(byte: u8) -> Option<Self> {
        Some(match byte & 0x0F {
            0x0 => Self::ActiveOptimized,
            0x1 => Self::ActiveNonOptimized,
            0x2 => Self::Standby,
            0x3 => Self::Unavailable,
            _ => return None,
        })
    }

    /// Returns why the state refuses a command, if it does.
    pub(crate) const fn refusal(self, traits: Traits) -> Option<SenseCode> {
        if traits.contains(Traits::ANY_STATE) {
            return None;
        }
        match self {
            Self::ActiveOptimized | Self::ActiveNonOptimized => None,
            Self::Standby if traits.contains(Traits::STANDBY) => None,
            Self::Standby => Some(SenseCode::PORT_STANDBY),
            Self::Unavailable => Some(SenseCode::PORT_UNAVAILABLE),
            Self::Transitioning => Some(SenseCode::ACCESS_STATE_TRANSITION),
        }
    }
}
