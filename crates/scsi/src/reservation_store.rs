//! Storage in which persistent reservations of a unit outlive a loss of power: the trait that its owner implements.

use crate::logical_blocks::BlockFault;
use crate::reservations::SavedReservations;

/// Stable storage for the persistent reservations of one unit.
pub trait ReservationStore: std::fmt::Debug + Send {
    /// Replaces the state that is stored, or erases it; returns when that is on stable storage.
    ///
    /// # Errors
    /// Any fault; what is stored is then the old state or the new one.
    fn store(&mut self, state: Option<&SavedReservations>) -> Result<(), BlockFault>;
}
