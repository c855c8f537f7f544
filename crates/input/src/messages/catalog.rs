//! Message numbers of hardware in the catalog (898, 934-936, 965, 969, 990, 991).

/// A file in a catalog directory that belongs to no kind of hardware.
pub const NO_KIND: u16 = 898;
/// A card whose firmware the catalog does not have.
pub const UNKNOWN_FIRMWARE: u16 = 934;
/// Shares that are not the whole together.
pub const NOT_A_WHOLE: u16 = 935;
/// A maximum that the numbers beside it do not allow.
pub const TOO_FAST: u16 = 936;
/// A model whose family of processors the catalog does not have.
pub const UNKNOWN_PROCESSOR: u16 = 965;
/// A data rate given to a Fibre Channel speed, which has that of its generation.
pub const RATE_OF_GENERATION: u16 = 969;
/// A Fibre Channel speed of which the catalog has no generation of links.
pub const UNKNOWN_GENERATION: u16 = 990;
/// A control unit between others that the catalog does not have.
pub const UNKNOWN_NEIGHBOUR: u16 = 991;
