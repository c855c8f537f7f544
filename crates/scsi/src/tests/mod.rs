//! Tests of the whole target.

mod any_command;
mod any_interleaving;
mod asymmetric_access;
mod identification;
mod log;
mod mode;
mod reads_and_writes;
mod reservations;
mod residuals;
mod stored_reservations;
mod supported_operations;
mod task_sets;
mod thin;
mod units;
mod volumes;
