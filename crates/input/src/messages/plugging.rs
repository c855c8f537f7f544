//! Message numbers about hardware files, configuration reports, and decks on hardware (809, 820, 835, 836, 842, 846-849).

/// A PCHID of a deck that is in no slot of the hardware.
pub const NO_SUCH_PCHID: u16 = 835;
/// A row of an AO Data table that cannot be read, or a report without one.
pub const ROW: u16 = 846;
/// A drawer that is not defined, or a slot that it does not have.
pub const SLOT: u16 = 847;
/// A card whose PCHIDs are not known, or not those of its slot.
pub const PCHIDS: u16 = 848;
/// Two cards in one slot, or on one PCHID.
pub const TAKEN: u16 = 849;
/// A PCHID on a card that does not serve the type.
pub const OTHER_FEATURE: u16 = 836;
/// A port that the adapter of a function does not have.
pub const NO_SUCH_PORT: u16 = 842;
/// A function whose identifier is odd in an even resource group, or the other way round.
pub const PARITY: u16 = 820;
/// Functions for one purpose in one resource group.
pub const ONE_RESOURCE_GROUP: u16 = 809;
