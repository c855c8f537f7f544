//! Captures of halftrack beside decoders that know nothing of it: Debian's tshark, and `decode.py`, which was written from
//! the description of the formats alone and verifies what tshark shows only.
//!
//! Both are looked for in the PATH. Without them these tests say so and hold nothing, unless `HALFTRACK_TSHARK=required`
//! is set, as CI does once they are installed.

mod captured;
mod decoder;
#[cfg(unix)]
mod link;
mod link_services;
#[cfg(unix)]
mod plan;
mod switch_link;
mod tools;
mod tshark;
mod twin;
