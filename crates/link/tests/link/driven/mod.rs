//! A channel with its I/O driver against a control unit with volumes, each with a thread of its own.

mod combined;
mod conditions;
mod data;
mod fcp;
mod fenced;
mod fixed_blocks;
mod group_commit;
mod paths;
mod refusals;
mod site;
mod switched;
