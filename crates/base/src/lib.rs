//! Plain values that every other crate may use: octets read big-endian, fields of checked structures, bits with names,
//! EBCDIC.
#![forbid(unsafe_code)]

mod bit_set;
mod code_page;
pub mod fields;
mod octets;

pub use code_page::{CodePage, LineEnd};
pub use octets::{LengthError, Octets};
