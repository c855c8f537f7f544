//! Decks in the forms of other programs: JSON, CSV, cards laid out anew, the profile of TCP/IP, the SYSTEM CONFIG of z/VM.

pub(crate) mod csv;
pub(crate) mod iocp;
#[cfg(feature = "json")]
pub mod json;
pub(crate) mod system_config;
pub(crate) mod tcpip_profile;
