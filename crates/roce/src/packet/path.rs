//! Headers of IP and UDP below a packet, as far as the invariant CRC covers them.

use core::net::{Ipv4Addr, Ipv6Addr};

/// UDP port to which packets of RoCE version 2 are sent.
pub const ROCE_PORT: u16 = 4791;

/// Protocol number of UDP.
const UDP: u8 = 17;
/// Octets of the header of UDP.
const UDP_BYTES: u16 = 8;
/// Octets of the header of IPv4 without options, which RoCE requires.
const IPV4_BYTES: u16 = 20;

/// Addresses between which packets travel, in the direction of the packet.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Network {
    /// IPv4, header without options.
    V4 {
        /// Address of the sender.
        source: Ipv4Addr,
        /// Address of the receiver.
        destination: Ipv4Addr,
        /// Identification of the datagram: zero from a socket of Linux that is not connected and has `IP_PMTUDISC_DO`.
        identification: u16,
        /// The header forbids fragments (DF).
        is_fragment_forbidden: bool,
    },
    /// IPv6, without extension headers.
    V6 {
        /// Address of the sender.
        source: Ipv6Addr,
        /// Address of the receiver.
        destination: Ipv6Addr,
    },
}

/// Way of packets from one port to another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Path {
    /// Addresses.
    pub network: Network,
    /// UDP port of the sender.
    pub source_port: u16,
}

/// Headers with ones in all fields that may change on the way.
pub(super) struct MaskedHeaders {
    octets: [u8; 56],
    bytes: usize,
}

impl Path {
    /// Makes a path of IPv4 with identification 0 and DF: a receiver behind a socket cannot find out another.
    ///
    /// Linux sends so from a socket that is not connected and whose `IP_MTU_DISCOVER` is `IP_PMTUDISC_DO`.
    pub const fn v4(source: Ipv4Addr, destination: Ipv4Addr, source_port: u16) -> Self {
        let network = Network::V4 { source, destination, identification: 0, is_fragment_forbidden: true };
        Self { network, source_port }
    }

    /// Makes a path of IPv6.
    pub const fn v6(source: Ipv6Addr, destination: Ipv6Addr, source_port: u16) -> Self {
        Self { network: Network::V6 { source, destination }, source_port }
    }

    /// Returns the headers over a packet of so many octets, the CRC included.
    ///
    /// Eight octets of ones stand for a local route header; then the header of IP with ones in type of service, time to
    /// live and checksum (IPv6: traffic class, flow label, hop limit), and that of UDP with ones in the checksum.
    pub(super) fn masked(&self, packet_bytes: u16) -> MaskedHeaders {
        let mut headers = MaskedHeaders { octets: [0xFF; 56], bytes: 8 };
        let udp_bytes = UDP_BYTES + packet_bytes;
        match self.network {
            Network::V4 { source, destination, identification, is_fragment_forbidden } => {
                headers.put(&[0x45, 0xFF]);
                headers.put(&(IPV4_BYTES + udp_bytes).to_be_bytes());
                headers.put(&identification.to_be_bytes());
                headers.put(&[u8::from(is_fragment_forbidden) << 6, 0, 0xFF, UDP, 0xFF, 0xFF]);
                headers.put(&source.octets());
                headers.put(&destination.octets());
            }
            Network::V6 { source, destination } => {
                headers.put(&[0x6F, 0xFF, 0xFF, 0xFF]);
                headers.put(&udp_bytes.to_be_bytes());
                headers.put(&[UDP, 0xFF]);
                headers.put(&source.octets());
                headers.put(&destination.octets());
            }
        }
        headers.put(&self.source_port.to_be_bytes());
        headers.put(&ROCE_PORT.to_be_bytes());
        headers.put(&udp_bytes.to_be_bytes());
        headers.put(&[0xFF, 0xFF]);
        headers
    }
}

impl MaskedHeaders {
    fn put(&mut self, field: &[u8]) {
        self.octets[self.bytes..self.bytes + field.len()].copy_from_slice(field);
        self.bytes += field.len();
    }

    pub(super) fn octets(&self) -> &[u8] {
        &self.octets[..self.bytes]
    }
}
