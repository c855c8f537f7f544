//! Message numbers of everything that is wrong within one TOML file of a catalog, plant or workload (850-889).

/// A file or directory cannot be read.
pub const UNREADABLE: u16 = 850;
/// The text is not TOML.
pub const NOT_TOML: u16 = 851;
/// A key that means nothing here.
pub const UNKNOWN_KEY: u16 = 852;
/// A key that must be there is not.
pub const MISSING_KEY: u16 = 853;
/// A value of the wrong kind, or outside its range.
pub const UNEXPECTED_VALUE: u16 = 854;
/// The same thing is named twice.
pub const NAMED_TWICE: u16 = 855;
/// Keys that exclude each other, or none of several of which one is needed.
pub const CHOOSE_ONE: u16 = 856;
/// A number does not say where it is from.
pub const NO_ORIGIN: u16 = 857;
/// A file in a catalog directory that belongs to no kind of hardware.
pub const NO_KIND: u16 = 858;
