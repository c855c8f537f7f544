//! Plain values that every other crate may use: octets read big-endian, fields of checked structures, bits with names,
//! EBCDIC.
#![forbid(unsafe_code)]

mod bit_set;
mod byte_rate;
mod code_page;
mod decision;
pub mod fields;
mod octets;
mod shared_octets;
mod time;

pub use byte_rate::ByteRate;
pub use code_page::{CodePage, LineEnd};
pub use decision::Decision;
pub use octets::{LengthError, Octets};
pub use shared_octets::SharedOctets;
pub use time::{Span, Time, for_bytes};
