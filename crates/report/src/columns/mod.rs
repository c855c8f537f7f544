//! The tables of figures, one for each kind of record.
//!
//! A figure is one entry in one of these files: it is then in the RMF listing and its JSON where it has a place there, among
//! the quantities, in `halftrack quantities`, on the page and in the tables of the summary. Figures stand in the order of the
//! listing.

pub(crate) mod caches;
pub(crate) mod channels;
pub(crate) mod compression;
pub(crate) mod compression_functions;
pub(crate) mod conversations;
pub(crate) mod devices;
pub(crate) mod eadm;
pub(crate) mod iops;
pub(crate) mod islink_work;
pub(crate) mod islinks;
pub(crate) mod lcus;
pub(crate) mod links;
pub(crate) mod paths;
pub(crate) mod pools;
pub(crate) mod programs;
pub(crate) mod stations;
pub(crate) mod streams;
pub(crate) mod synchronous;
pub(crate) mod synchronous_links;
pub(crate) mod whole_run;

#[cfg(test)]
mod layout;

use crate::table::Quantities;

/// Every table.
pub(crate) static TABLES: [&dyn Quantities; 20] = [
    &streams::TABLE,
    &channels::TABLE,
    &devices::TABLE,
    &synchronous::TABLE,
    &iops::TABLE,
    &paths::TABLE,
    &lcus::TABLE,
    &programs::TABLE,
    &caches::TABLE,
    &links::TABLE,
    &synchronous_links::TABLE,
    &islinks::TABLE,
    &islink_work::TABLE,
    &compression_functions::TABLE,
    &compression::TABLE,
    &conversations::TABLE,
    &eadm::TABLE,
    &stations::TABLE,
    &pools::TABLE,
    &whole_run::TABLE,
];
