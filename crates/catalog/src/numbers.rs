//! Message numbers of everything that is wrong within one TOML file of a catalog, plant or workload (890-899, 934-936, 965, 969, 990, 991).

/// A file or directory cannot be read.
pub const UNREADABLE: u16 = 890;
/// The text is not TOML.
pub const NOT_TOML: u16 = 891;
/// A key that means nothing here.
pub const UNKNOWN_KEY: u16 = 892;
/// A key that must be there is not.
pub const MISSING_KEY: u16 = 893;
/// A value of the wrong kind, or outside its range.
pub const UNEXPECTED_VALUE: u16 = 894;
/// The same thing is named twice.
pub const NAMED_TWICE: u16 = 895;
/// Keys that exclude each other, or none of several of which one is needed.
pub const CHOOSE_ONE: u16 = 896;
/// A number does not say where it is from.
pub const NO_ORIGIN: u16 = 897;
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
