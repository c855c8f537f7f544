//! Unit types with a meaning.
//!
//! Unit types are free text for the channel subsystem (trap 7): nothing here is a rule of IOCP, and no unit type is
//! ever an error.

use crate::model::Deck;

/// Unit types that HCD gives to alias exposures of parallel access volumes. The channel subsystem does not
/// distinguish bases and aliases (trap 10); only the writer's unit type does.
const ALIAS_UNITS: [&str; 2] = ["3380A", "3390A"];

/// Unit types of channel-to-channel control units: FICON (reference, IOCP, section 4.7) and, as domain
/// knowledge, ESCON.
const CHANNEL_TO_CHANNEL_UNITS: [&str; 3] = ["FCTC", "SCTC", "BCTC"];

impl Deck {
    /// Returns true when the unit type is that of an alias exposure; 3390B and 3390 are bases.
    pub fn is_alias_unit(unit: &str) -> bool {
        ALIAS_UNITS.contains(&unit)
    }

    /// Returns true when the unit type is that of one end of a channel-to-channel connection.
    pub fn is_channel_to_channel_unit(unit: &str) -> bool {
        is_channel_to_channel(unit)
    }
}

/// Returns true when the unit type is that of one end of a channel-to-channel connection.
pub(crate) fn is_channel_to_channel(unit: &str) -> bool {
    CHANNEL_TO_CHANNEL_UNITS.contains(&unit)
}

/// Returns true when the unit type is that of one end of a connection between FICON channels.
pub(crate) fn is_ficon_to_ficon(unit: &str) -> bool {
    unit == "FCTC"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_are_named_by_their_unit_type() {
        assert!(Deck::is_alias_unit("3390A"));
        assert!(!Deck::is_alias_unit("3390B"));
        assert!(!Deck::is_alias_unit("3390"));
        assert!(is_channel_to_channel("FCTC"));
    }
}
