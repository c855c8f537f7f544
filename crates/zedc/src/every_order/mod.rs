//! Every order in which requests, slices, losses of cards, updates, deregistrations and collections may follow each other.
//!
//! Each request must end once, with an answer that the events allow, and with the right data. Mistakes that are planted in
//! the handling of an event are found.

mod arbitrary;
mod handling;
mod ledger;
mod mistakes;
mod visit;

use handling::{Handling, Right};
use ledger::Ledger;
use visit::{Step, visit};
