//! Reads over a working link.

pub mod bare_loop;
