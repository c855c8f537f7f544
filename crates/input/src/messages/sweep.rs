//! Message numbers of keys, changes and sweeps (950-959).

/// The text is no key: no file, an empty part, an open quotation mark.
pub const NOT_A_KEY: u16 = 950;
/// A key that names nothing in its file.
pub const NAMES_NOTHING: u16 = 951;
/// A key that names several things.
pub const NAMES_SEVERAL: u16 = 952;
/// A value that cannot stand where the key leads.
pub const DOES_NOT_SUIT: u16 = 953;
/// A statement of the deck that cannot be changed because it is not well-formed.
pub const NOT_CHANGEABLE: u16 = 954;
/// A set of values that cannot be read: no key, an empty value, a range without end.
pub const NOT_A_SET: u16 = 955;
/// The same key in two sets.
pub const SET_TWICE: u16 = 956;
/// More points than a sweep may have.
pub const TOO_MANY_POINTS: u16 = 957;
/// Sets that change in step with unlike numbers of values.
pub const OUT_OF_STEP: u16 = 958;
/// Several values for a key of a run, which has one.
pub const SEVERAL_VALUES: u16 = 959;
