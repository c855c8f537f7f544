//! Circumstances of a TCP connection that allow SMC-R or do not.

use crate::message::clc::{Diagnosis, Proposal};

/// Network of the own interface of the connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Network {
    /// IPv4.
    Ipv4 {
        /// Address of the interface.
        address: [u8; 4],
        /// Significant bits of its mask.
        mask_bits: u8,
    },
    /// IPv6.
    Ipv6 {
        /// Address of the interface.
        address: [u8; 16],
    },
}

/// Device of the connection's network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DeviceChoice {
    /// A function is there.
    Function,
    /// No function has the PNETID of the interface.
    NoPnetId,
    /// Every function is taken.
    Exhausted,
    /// The function cannot use the VLAN of the interface.
    NoVlan,
}

/// Circumstances of a connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Circumstances {
    /// Both SYN and SYN-ACK had the option, or a registry of the host has the very socket of the peer.
    pub has_option: bool,
    /// The connection has IPsec.
    pub has_ipsec: bool,
    /// The connection uses TCP fast open.
    pub has_fast_open: bool,
    /// Device.
    pub device: DeviceChoice,
    /// Network.
    pub network: Network,
}

impl Circumstances {
    /// Returns the obstacle to SMC-R that this end can find alone. The codes for PNETID and exhaustion are our choice.
    pub const fn obstacle(&self) -> Option<Diagnosis> {
        if !self.has_option {
            return Some(Diagnosis::PEER_NO_SMC);
        }
        if self.has_ipsec {
            return Some(Diagnosis::IPSEC);
        }
        if self.has_fast_open {
            return Some(Diagnosis::FAST_OPEN);
        }
        match self.device {
            DeviceChoice::Function => None,
            DeviceChoice::NoPnetId => Some(Diagnosis::NO_DEVICE),
            DeviceChoice::Exhausted => Some(Diagnosis::NO_SMC_R_DEVICE),
            DeviceChoice::NoVlan => Some(Diagnosis::VLAN),
        }
    }

    /// Returns whether the client's networks have the own one.
    pub fn is_same_network(&self, proposal: &Proposal) -> bool {
        match self.network {
            Network::Ipv4 { address, mask_bits } => {
                let subnet = &proposal.subnet;
                subnet.mask_bits == mask_bits && is_below(&address, &subnet.address, mask_bits)
            }
            Network::Ipv6 { address } => {
                proposal.prefixes.iter().any(|prefix| is_below(&address, &prefix.address, prefix.prefix_bits))
            }
        }
    }
}

/// Returns whether the first bits of two addresses are equal; more bits than an address has never are.
fn is_below(address: &[u8], prefix: &[u8], bits: u8) -> bool {
    let bits = usize::from(bits);
    if bits > 8 * address.len() {
        return false;
    }
    let (octets, rest) = (bits / 8, bits % 8);
    let is_equal = address[..octets] == prefix[..octets];
    is_equal && (rest == 0 || (address[octets] ^ prefix[octets]) >> (8 - rest) == 0)
}
