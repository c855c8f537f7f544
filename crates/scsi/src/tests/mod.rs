//! Tests of the whole target.

mod any_command;
mod identification;
mod mode;
mod reads_and_writes;
mod reservations;
mod residuals;
mod task_sets;
mod thin;
mod units;
