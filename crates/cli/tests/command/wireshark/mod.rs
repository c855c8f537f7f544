//! Captures of halftrack beside independent decoders: Debian's tshark, and `decode.py`, which was written from the
//! description of the formats alone and verifies what tshark shows only.
//!
//! Both are searched for in the PATH. Without them these tests report that and check nothing, unless
//! `HALFTRACK_TSHARK=required` is set, as CI does once they are installed.

mod captured;
mod decoder;
#[cfg(unix)]
mod fcp;
#[cfg(unix)]
mod islink;
#[cfg(unix)]
mod link;
mod link_services;
#[cfg(unix)]
mod plan;
mod smc;
mod switch_link;
mod tools;
pub mod tshark;
mod twin;
