//! Message numbers of everything that is wrong within one TOML file (890-897).

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
