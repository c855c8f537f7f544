//! The laws that hold in every run, and the independent counts that they are checked by.
//!
//! Components report to them; no component reads them, so that nothing in a run depends on a law. When they are applied is
//! for [`crate::run`].

pub(crate) mod census;
pub(crate) mod compression;
pub(crate) mod conversation;
pub(crate) mod law;
pub(crate) mod ledger;
pub(crate) mod synchronous;
pub(crate) mod traffic;
