//! Sockets between partitions, over TCP or SMC-R.

use serde::{Deserialize, Serialize};

/// One conversation: connections that do the same between two partitions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ConversationInterval {
    /// Name in the workload.
    pub name: String,
    /// Partition of the client.
    pub client: String,
    /// Partition of the server.
    pub server: String,
    /// Path: `tcp` or `smc-r`.
    pub path: String,
    /// Reason for TCP in place of SMC-R.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fallback: Option<String>,
    /// PNETID of the network.
    pub network: String,
    /// Connections that stand at the end of the interval.
    pub connections: u64,
    /// Connections of SMC-R that go over TCP, because no function was there when they were made.
    #[serde(default)]
    pub fallen_back: u64,
    /// Exchanges, or transfers of a stream, that began.
    pub started: u64,
    /// Exchanges that ended.
    pub exchanges: u64,
    /// Exchanges whose connection was lost.
    pub broken: u64,
    /// Sum of the times of those that ended, ps.
    pub latency_ps: u64,
    /// Longest of these times, ps.
    pub latency_max_ps: u64,
    /// Octets of theirs, both ways.
    pub bytes: u64,
    /// Time of processors of the client, ps.
    pub client_ps: u64,
    /// Time of processors of the server, ps.
    pub server_ps: u64,
    /// Moves of connections to other functions.
    pub moves: u64,
    /// Octets that went again after a move.
    pub resent_bytes: u64,
}
