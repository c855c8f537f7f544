//! Progress and result of a system's part in a link.

use halftrack_base::Span;
use halftrack_isfc::{DeviceReport, SystemName};

use super::conversation::ConversationReport;

/// How far a service has come.
#[derive(Debug, Clone, Default)]
pub struct ServiceProgress {
    /// Octets that the partner has.
    pub sent_bytes: u64,
    /// Octets that have come.
    pub received_bytes: u64,
    /// Octets of all streams, as far as that is certain.
    pub all_bytes: u64,
    /// Time since the link came up.
    pub elapsed: Span,
    /// Channels that are online.
    pub channels: usize,
}

/// Result of a service.
#[derive(Debug, Clone, Default)]
pub struct ServiceReport {
    /// Partner.
    pub node: Option<SystemName>,
    /// Streams that were sent, and octets of each that the partner took.
    pub sent: Vec<(u32, u64)>,
    /// Streams that were received, and octets of each.
    pub received: Vec<(u32, u64)>,
    /// Streams that are conversations, and the report of each.
    pub conversations: Vec<(u32, ConversationReport)>,
    /// From the first block to the last.
    pub elapsed: Span,
    /// Times that a channel was lost.
    pub channel_losses: u32,
    /// Devices of the link.
    pub devices: Vec<DeviceReport>,
    /// Somebody wished that it end early.
    pub is_interrupted: bool,
}
