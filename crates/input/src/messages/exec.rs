//! Message numbers of program texts (800-829).

/// A character that no statement may hold.
pub const CHARACTER: u16 = 800;
/// Something else was expected.
pub const EXPECTED: u16 = 801;
/// A word that means nothing here.
pub const WORD: u16 = 802;
/// A number that does not fit its field.
pub const NUMBER: u16 = 803;
/// A constant that is not well-formed.
pub const CONSTANT: u16 = 804;
/// A label twice, or one that nothing defines.
pub const LABEL: u16 = 805;
/// A statement where it cannot stand.
pub const PLACE: u16 = 806;
/// A parenthesis without its partner.
pub const PARENTHESIS: u16 = 807;
/// What does not fit into storage, or lies over something else.
pub const STORAGE: u16 = 808;
/// A file of data that cannot be read.
pub const FILE: u16 = 809;
/// Parameters for a command that has none.
pub const PARAMETERS: u16 = 810;
/// A count that cannot be told or that its field cannot hold.
pub const COUNT: u16 = 811;
/// An operation-request block that start subchannel cannot be given.
pub const ORB: u16 = 812;
/// A run that was not as the text expects.
pub const EXPECTATION: u16 = 820;
