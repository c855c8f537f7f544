//! Proposal: the client's preferred port and its networks.

use halftrack_base::{Octets, fields};

use super::Variant;
use super::header::{HEADER_BYTES, Header, Kind, TRAILER_BYTES};
use crate::message::{Gid, Mac, MessageError, PeerId};

/// Most IPv6 prefixes of a proposal. The limit is from memory of RFC 7609 and waits to be confirmed.
pub const PREFIXES_MAX: usize = 8;
/// Octets of the area of SMC-D in front of the networks.
const SMC_D_BYTES: usize = 40;
/// Octets of an IPv6 prefix.
const PREFIX_BYTES: usize = 17;
/// Octets in front of the area, without the header.
const FIXED_BYTES: usize = 32;
/// Octets of the networks without IPv6 prefixes.
const NETWORKS_BYTES: usize = 8;
/// First version whose proposals have extensions behind the networks.
const VERSION_WITH_EXTENSIONS: u8 = 2;

/// Subnet of IPv4. All zeros stand for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Ipv4Subnet {
    /// Address with the mask applied.
    pub address: [u8; 4],
    /// Significant bits of the mask.
    pub mask_bits: u8,
}

/// Prefix of IPv6.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Ipv6Prefix {
    /// Address with the prefix applied.
    pub address: [u8; 16],
    /// Significant bits.
    pub prefix_bits: u8,
}

/// Area of SMC-D.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct SmcD {
    /// Global identifier of the device of internal shared memory.
    pub gid: u64,
    /// Channel of the device.
    pub channel: u16,
    /// Offset of the extension of version 2.
    pub extension_offset: u16,
}

/// Proposal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Proposal {
    /// Version, at least 1.
    pub version: u8,
    /// Variants proposed.
    pub variant: Variant,
    /// Client.
    pub peer: PeerId,
    /// Preferred port.
    pub gid: Gid,
    /// Preferred port.
    pub mac: Mac,
    /// Area of SMC-D. A proposal of SMC-R has it empty, since a decoder calls its absence malformed (tshark 4.0).
    pub smc_d: Option<SmcD>,
    /// Network of an IPv4 connection.
    pub subnet: Ipv4Subnet,
    /// Networks of an IPv6 connection, at most [`PREFIXES_MAX`].
    pub prefixes: Vec<Ipv6Prefix>,
}

impl Proposal {
    pub(super) fn encode(&self) -> Vec<u8> {
        let area_bytes = if self.smc_d.is_some() { SMC_D_BYTES } else { 0 };
        let prefixes = &self.prefixes[..self.prefixes.len().min(PREFIXES_MAX)];
        let networks = HEADER_BYTES + FIXED_BYTES + area_bytes;
        let length = networks + NETWORKS_BYTES + PREFIX_BYTES * prefixes.len() + TRAILER_BYTES;
        let mut octets = vec![0; length];
        fields::put(&mut octets, 8, &self.peer.0);
        fields::put(&mut octets, 16, &self.gid.0);
        fields::put(&mut octets, 32, &self.mac.0);
        fields::put(&mut octets, 38, &(area_bytes as u16).to_be_bytes());
        if let Some(area) = self.smc_d {
            fields::put(&mut octets, 40, &area.gid.to_be_bytes());
            fields::put(&mut octets, 48, &area.channel.to_be_bytes());
            fields::put(&mut octets, 50, &area.extension_offset.to_be_bytes());
        }
        fields::put(&mut octets, networks, &self.subnet.address);
        octets[networks + 4] = self.subnet.mask_bits;
        octets[networks + 7] = prefixes.len() as u8;
        for (index, prefix) in prefixes.iter().enumerate() {
            let at = networks + NETWORKS_BYTES + PREFIX_BYTES * index;
            fields::put(&mut octets, at, &prefix.address);
            octets[at + 16] = prefix.prefix_bits;
        }
        let header =
            Header { version: self.version, variant: self.variant, ..Header::of(Kind::Proposal, false) };
        header.put(&mut octets);
        octets
    }

    pub(super) fn decode(header: &Header, body: &[u8]) -> Result<Self, MessageError> {
        let mut rest = Octets::new(body);
        let (peer, gid, mac) = (PeerId(rest.array()?), Gid(rest.array()?), Mac(rest.array()?));
        let area_bytes = usize::from(rest.half()?);
        let smc_d = SmcD::decode(rest.take(area_bytes)?)?;
        let subnet = Ipv4Subnet { address: rest.array()?, mask_bits: rest.byte()? };
        rest.take(2)?;
        let count = rest.byte()?;
        if usize::from(count) > PREFIXES_MAX {
            return Err(MessageError::Prefixes(count));
        }
        let mut prefixes = Vec::with_capacity(usize::from(count));
        for _ in 0..count {
            prefixes.push(Ipv6Prefix { address: rest.array()?, prefix_bits: rest.byte()? });
        }
        if header.version < VERSION_WITH_EXTENSIONS {
            rest.end()?;
        }
        let (version, variant) = (header.version, header.variant);
        Ok(Self { version, variant, peer, gid, mac, smc_d, subnet, prefixes })
    }
}

impl SmcD {
    /// Parses the area; one that is too short for SMC-D is skipped, as its offset allows.
    fn decode(area: &[u8]) -> Result<Option<Self>, MessageError> {
        if area.len() < SMC_D_BYTES {
            return Ok(None);
        }
        let mut rest = Octets::new(area);
        let (gid, channel) = (rest.double()?, rest.half()?);
        Ok(Some(Self { gid, channel, extension_offset: rest.half()? }))
    }
}
