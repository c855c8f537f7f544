//! From statements to storage: what lies where, and what its octets are.

pub(crate) mod assembler;
pub(crate) mod commands;
pub(crate) mod fragment;
pub(crate) mod indirect;
pub(crate) mod placement;
pub(crate) mod program;
pub(crate) mod steps;
pub(crate) mod transport;
