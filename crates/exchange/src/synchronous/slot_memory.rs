//! Memory of a slot, which both ends have.

use halftrack_wire::synchronous::MESSAGE_WORDS;

/// Memory of one slot. What one end has stored before it changes the state, the other one sees after it has loaded or exchanged
/// that state.
pub trait SlotMemory {
    /// Loads the state.
    fn load_state(&self) -> u64;

    /// Stores a state.
    fn store_state(&self, bits: u64);

    /// Stores `to` as the state where it is `from`; true when it was.
    fn exchange_state(&self, from: u64, to: u64) -> bool;

    /// Loads the message that begins at word `first`.
    fn load_message(&self, first: usize) -> [u64; MESSAGE_WORDS];

    /// Stores a message at word `first`.
    fn store_message(&self, first: usize, words: &[u64; MESSAGE_WORDS]);

    /// Loads the first data of the slot, a multiple of 8 octets.
    fn load_data(&self, into: &mut [u8]);

    /// Stores data at the beginning of the slot's, a multiple of 8 octets.
    fn store_data(&self, data: &[u8]);
}
