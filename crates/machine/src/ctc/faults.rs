//! Faults of devices and streams that tests inject behind the model's back.

use super::Adapters;

impl Adapters {
    /// Counts an ending of a start that has ended already.
    pub(crate) fn end_twice(&mut self) {
        self.adapters[0].count_ending();
    }

    /// Counts so many octets of the first flow as delivered that were not sent.
    pub(crate) fn deliver_unsent(&mut self, bytes: u64) {
        self.systems[0][1].flows.count_received(bytes);
    }
}
