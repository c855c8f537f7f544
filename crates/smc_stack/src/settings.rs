//! Settings of an end.

use core::net::{IpAddr, Ipv6Addr};

use halftrack_roce::packet::Path;
use halftrack_smc::buffer::ElementSize;
use halftrack_smc::link_group::{PORTS_MAX, Port, Role};
use halftrack_smc::message::{Gid, Mac, Mtu, PeerId};

/// Settings of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortSettings {
    /// MAC address.
    pub mac: Mac,
    /// Address, of which the global identifier is made.
    pub address: IpAddr,
    /// UDP port that packets leave from.
    pub source_port: u16,
    /// Largest packet.
    pub mtu: Mtu,
}

/// Settings of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Settings {
    /// Role.
    pub role: Role,
    /// Name of the stack.
    pub peer: PeerId,
    /// Ports that can have links.
    pub ports: [Option<PortSettings>; PORTS_MAX],
    /// Size of the elements.
    pub size: ElementSize,
    /// Elements of each buffer.
    pub elements: u8,
    /// Number from which names, keys and first packet numbers are made.
    pub seed: u32,
}

impl PortSettings {
    /// Returns the port as messages name it.
    pub fn port(&self) -> Port {
        Port { mac: self.mac, gid: gid_of(self.address) }
    }

    /// Returns the path of packets from this port.
    pub(crate) fn path_to(&self, peer: IpAddr) -> Option<Path> {
        path(self.address, peer, self.source_port)
    }

    /// Returns the path of packets to this port.
    pub(crate) fn path_from(&self, peer: IpAddr, source_port: u16) -> Option<Path> {
        path(peer, self.address, source_port)
    }
}

fn path(source: IpAddr, destination: IpAddr, source_port: u16) -> Option<Path> {
    match (source, destination) {
        (IpAddr::V4(source), IpAddr::V4(destination)) => Some(Path::v4(source, destination, source_port)),
        (IpAddr::V6(source), IpAddr::V6(destination)) => Some(Path::v6(source, destination, source_port)),
        _ => None,
    }
}

/// Returns the global identifier of an address, as RoCE version 2 has it.
fn gid_of(address: IpAddr) -> Gid {
    let address = match address {
        IpAddr::V4(address) => address.to_ipv6_mapped(),
        IpAddr::V6(address) => address,
    };
    Gid(address.octets())
}

/// Returns the address of a global identifier.
pub(crate) fn address_of(gid: Gid) -> IpAddr {
    let address = Ipv6Addr::from(gid.0);
    address.to_ipv4_mapped().map_or(IpAddr::V6(address), IpAddr::V4)
}
