//! Sockets between partitions in a run.

use halftrack_smcr_twin::NetworkPlan;
use halftrack_zedc::ResourceGroup;

/// Path of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SocketPath {
    /// TCP over an OSD.
    Tcp,
    /// SMC-R over RoCE functions.
    SmcR,
}

/// Paths with their names in files.
pub const PATHS: [(&str, SocketPath); 2] = [("tcp", SocketPath::Tcp), ("smc-r", SocketPath::SmcR)];

impl SocketPath {
    /// Returns the name in files and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Tcp => "tcp",
            Self::SmcR => "smc-r",
        }
    }
}

/// Conversations, their hosts and ports, and the RoCE functions of the machines.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Conversations {
    /// Network, whose indices are those of the lists below.
    pub plan: NetworkPlan,
    /// Index of the partition of each host.
    pub hosts: Vec<u32>,
    /// Name of each port: `RoCE port 110.D1`, `OSD D0`.
    pub ports: Vec<String>,
    /// RoCE functions on plugged cards, of every partition.
    pub functions: Vec<RoceFunction>,
    /// Conversations.
    pub each: Vec<Conversation>,
}

/// RoCE function on a plugged card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoceFunction {
    /// Index of its machine.
    pub cpc: u8,
    /// Its identifier (PFID).
    pub pfid: u16,
    /// Physical channel of its card.
    pub pchid: u16,
    /// Resource group of its card.
    pub group: ResourceGroup,
}

/// Conversation between two partitions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Conversation {
    /// Name, unique in the workload.
    pub name: String,
    /// Partitions of client and server.
    pub lpars: [u32; 2],
    /// Path that its connections take where its functions are there.
    pub path: SocketPath,
    /// Reason for TCP in place of SMC-R; `None` where they take the path that they want.
    pub fallback: Option<String>,
    /// PNETID of its network.
    pub network: String,
}
