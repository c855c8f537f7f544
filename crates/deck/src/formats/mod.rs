//! Decks in the forms of other programs: JSON, CSV, cards laid out anew, the profile of TCP/IP.

pub(crate) mod csv;
pub(crate) mod iocp;
#[cfg(feature = "json")]
pub mod json;
pub(crate) mod tcpip_profile;
