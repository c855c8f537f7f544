//! Counts of a queue pair.

/// Counts of what a queue pair did.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Counts {
    /// Packets of requests that were sent, those sent again included.
    pub requests: u64,
    /// Packets of requests that were sent again.
    pub repeated: u64,
    /// Acknowledgements that were sent, negative ones included.
    pub responses: u64,
    /// Packets of requests that were taken.
    pub taken: u64,
    /// Packets of requests that had been taken before.
    pub duplicates: u64,
    /// Packets of requests that came before one that is missing.
    pub out_of_sequence: u64,
    /// Packets for which no receive was posted.
    pub not_ready: u64,
    /// Time-outs without an acknowledgement.
    pub timeouts: u64,
    /// Negative acknowledgements for a missing packet.
    pub sequence_naks: u64,
    /// Negative acknowledgements for a missing receive.
    pub rnr_naks: u64,
    /// Packets for another queue pair or partition, or in the error state.
    pub ignored: u64,
}
