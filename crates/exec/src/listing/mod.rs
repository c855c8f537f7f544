//! Programs and runs as text for people.

pub(crate) mod assembly_listing;
pub(crate) mod dump;
pub(crate) mod run_listing;
