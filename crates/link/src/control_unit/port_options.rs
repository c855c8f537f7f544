//! Options of a host-adapter port.

use halftrack_exchange::fcp::FcpTimers;
use halftrack_wire::WorldWideName;
use halftrack_wire::els::NodeDescriptor;

/// Options of a port.
#[derive(Debug, Clone)]
pub struct PortOptions {
    /// Interface id, four hexadecimal digits.
    pub id: String,
    /// Port name.
    pub port_name: WorldWideName,
    /// Node name.
    pub node_name: WorldWideName,
    /// Node-identification data for the answer to RNID.
    pub node: NodeDescriptor,
    /// Receive buffers, frames.
    pub credits: u16,
    /// Exchanges open at once.
    pub open_exchanges: u16,
    /// Ports of channels that may log in; `None` for all.
    pub hosts: Option<Vec<WorldWideName>>,
    /// IU-pacing value that command responses grant.
    pub iu_pacing: u8,
    /// Octets of a transport-mode write that may follow the command at once; 0 for none.
    pub first_transfer_bytes: u32,
    /// Time-outs of a port of FCP; none: the port is of FICON.
    pub fcp: Option<FcpTimers>,
}
