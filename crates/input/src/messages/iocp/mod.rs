//! Rules of IOCP, by what they are about. Source: reference, IOCP, section 4. The number is that of the IBM message of the
//! same meaning (`ICPnnnI`); the words are ours. Most stand as literals where the rule is checked.

pub(crate) mod channels;
pub(crate) mod control_units;
pub(crate) mod devices;
pub(crate) mod functions;
pub(crate) mod partitions;
pub(crate) mod syntax;

pub use channels::{COUPLING_KEYWORD_NOT_FOR_TYPE, KEYWORD_NOT_FOR_TYPE, SWITCH_NOT_FOR_TYPE};
pub use syntax::{
    BLANK_EXPECTED, CHARACTER, CLOSING_EXPECTED, COMMA_EXPECTED, OPENING_EXPECTED, SYSTEM_OVERRIDDEN,
    VALUE_EXPECTED,
};
