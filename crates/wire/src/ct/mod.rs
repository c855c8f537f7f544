//! Common transport: requests to the name server and its answers (FC-GS).
//!
//! ```text
//! revision 1, IN_ID 3 | type 1, subtype 1, options 1, 0 | code 2, size 2 | 0, reason 1, explanation 1, vendor 1 | ...
//! ```

pub mod fc_types;

use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
pub use fc_types::{FcFeatures, FcTypes};
use halftrack_base::Octets;

/// Octets of the preamble.
pub const CT_PREAMBLE_BYTES: usize = 16;
/// Most ports in an answer: a fabric of this product is far smaller, and an answer has to end.
pub const PORTS_MAX: usize = 4096;
/// Most octets of a symbolic name.
pub const SYMBOLIC_NAME_MAX_BYTES: usize = 255;

const REVISION: u8 = 1;
/// GS_Type and GS_Subtype of the name server.
const NAME_SERVER: [u8; 2] = [0xFC, 0x02];
/// Control octet of the last port in an answer.
const LAST: u8 = 0x80;

mod code {
    pub const REJECT: u16 = 0x8001;
    pub const ACCEPT: u16 = 0x8002;
    pub const GET_PORT_NAME: u16 = 0x0112;
    pub const GET_NODE_NAME: u16 = 0x0113;
    pub const GET_PORT_ID: u16 = 0x0121;
    pub const GET_PORT_IDS_BY_TYPE: u16 = 0x0171;
    pub const GET_PORT_NAMES_BY_TYPE: u16 = 0x0172;
    pub const REGISTER_TYPES: u16 = 0x0217;
    pub const REGISTER_SYMBOLIC_PORT_NAME: u16 = 0x0218;
    pub const REGISTER_FEATURES: u16 = 0x021F;
}

/// A request to the name server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameRequest {
    /// GPN_ID: the port name at an address.
    PortName {
        /// Address, 24 bits.
        address: u32,
    },
    /// GNN_ID: the node name at an address.
    NodeName {
        /// Address, 24 bits.
        address: u32,
    },
    /// GID_PN: the address of a port name.
    PortId {
        /// The name.
        port_name: WorldWideName,
    },
    /// GID_FT: the addresses of all ports that do an FC-4 TYPE.
    PortIdsByType {
        /// Domain to which the answer is limited; 0 for all.
        domain: u8,
        /// Area to which the answer is limited; 0 for all.
        area: u8,
        /// The TYPE.
        fc_type: u8,
    },
    /// GPN_FT: the addresses and port names of all ports that do an FC-4 TYPE.
    PortNamesByType {
        /// Domain to which the answer is limited; 0 for all.
        domain: u8,
        /// Area to which the answer is limited; 0 for all.
        area: u8,
        /// The TYPE.
        fc_type: u8,
    },
    /// RFF_ID: the port at an address has these features of a TYPE.
    RegisterFeatures {
        /// Address, 24 bits.
        address: u32,
        /// The features.
        features: FcFeatures,
        /// The TYPE.
        fc_type: u8,
    },
    /// RFT_ID: the port at an address does these TYPEs.
    RegisterTypes {
        /// Address, 24 bits.
        address: u32,
        /// The TYPEs.
        types: FcTypes,
    },
    /// RSPN_ID: the symbolic name of the port at an address.
    RegisterSymbolicPortName {
        /// Address, 24 bits.
        address: u32,
        /// The name; octets beyond 255 are not sent.
        name: Vec<u8>,
    },
}

/// Why the name server rejected a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CtReject {
    /// Reason: the constants of this type.
    pub reason: u8,
    /// Explanation: the constants of this type.
    pub explanation: u8,
    /// Vendor's own code.
    pub vendor: u8,
}

impl CtReject {
    /// Reason: the code of the request is invalid.
    pub const INVALID_COMMAND: u8 = 0x01;
    /// Reason: the request makes no sense.
    pub const LOGICAL_ERROR: u8 = 0x03;
    /// Reason: it cannot be done.
    pub const UNABLE_TO_PERFORM: u8 = 0x09;
    /// Reason: the request is not supported.
    pub const NOT_SUPPORTED: u8 = 0x0B;
    /// Explanation: none.
    pub const NO_EXPLANATION: u8 = 0x00;
    /// Explanation: no such address is registered.
    pub const ADDRESS_NOT_REGISTERED: u8 = 0x01;
    /// Explanation: no such port name is registered.
    pub const PORT_NAME_NOT_REGISTERED: u8 = 0x02;
    /// Explanation: no port does the TYPE.
    pub const TYPES_NOT_REGISTERED: u8 = 0x07;

    /// Returns the request cannot be done, for this reason.
    #[must_use]
    pub const fn unable(explanation: u8) -> Self {
        Self { reason: Self::UNABLE_TO_PERFORM, explanation, vendor: 0 }
    }
}

/// An answer of the name server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameReply {
    /// To GPN_ID and GNN_ID.
    Name(WorldWideName),
    /// To GID_PN: an address, 24 bits.
    PortId(u32),
    /// To GID_FT: addresses, 24 bits each; at least one, and those beyond [`PORTS_MAX`] are not sent.
    PortIds(Vec<u32>),
    /// To GPN_FT: addresses, 24 bits each, and port names; at least one, and those beyond [`PORTS_MAX`] are not sent.
    PortNames(Vec<(u32, WorldWideName)>),
    /// To RFT_ID, RFF_ID and RSPN_ID.
    Accept,
    /// To any.
    Reject(CtReject),
}

/// The fields of a preamble that differ.
struct Preamble {
    code: u16,
    reject: CtReject,
}

impl Preamble {
    fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let [revision, _, _, _, gs_type, gs_subtype, _, _] = octets.array()?;
        if revision != REVISION {
            return Err(ParseError::Field { field: "CT revision", value: u32::from(revision) });
        }
        if [gs_type, gs_subtype] != NAME_SERVER {
            let value = u32::from(gs_type) << 8 | u32::from(gs_subtype);
            return Err(ParseError::Field { field: "CT service", value });
        }
        let (code, _size) = (octets.half()?, octets.half()?);
        let [_, reason, explanation, vendor] = octets.array()?;
        Ok(Self { code, reject: CtReject { reason, explanation, vendor } })
    }

    fn emit(code: u16, reject: CtReject) -> Vec<u8> {
        let mut octets = vec![REVISION, 0, 0, 0, NAME_SERVER[0], NAME_SERVER[1], 0, 0];
        octets.extend_from_slice(&code.to_be_bytes());
        octets.extend_from_slice(&[0, 0, 0, reject.reason, reject.explanation, reject.vendor]);
        octets
    }
}

const NO_REJECT: CtReject = CtReject { reason: 0, explanation: 0, vendor: 0 };

impl NameRequest {
    const fn code(&self) -> u16 {
        match self {
            Self::PortName { .. } => code::GET_PORT_NAME,
            Self::NodeName { .. } => code::GET_NODE_NAME,
            Self::PortId { .. } => code::GET_PORT_ID,
            Self::PortIdsByType { .. } => code::GET_PORT_IDS_BY_TYPE,
            Self::PortNamesByType { .. } => code::GET_PORT_NAMES_BY_TYPE,
            Self::RegisterTypes { .. } => code::REGISTER_TYPES,
            Self::RegisterSymbolicPortName { .. } => code::REGISTER_SYMBOLIC_PORT_NAME,
            Self::RegisterFeatures { .. } => code::REGISTER_FEATURES,
        }
    }

    /// Reads a request. Reserved octets are ignored.
    ///
    /// # Errors
    /// A field "CT command" for an unknown code, to be answered with a rejection; the fault of the octets otherwise.
    pub fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let mut octets = Octets::new(octets);
        let request = match Preamble::parse(&mut octets)?.code {
            code::GET_PORT_NAME => Self::PortName { address: octets.address()? },
            code::GET_NODE_NAME => Self::NodeName { address: octets.address()? },
            code::GET_PORT_ID => Self::PortId { port_name: WorldWideName(octets.double()?) },
            code::GET_PORT_IDS_BY_TYPE => {
                let [_, domain, area, fc_type] = octets.array()?;
                Self::PortIdsByType { domain, area, fc_type }
            }
            code::GET_PORT_NAMES_BY_TYPE => {
                let [_, domain, area, fc_type] = octets.array()?;
                Self::PortNamesByType { domain, area, fc_type }
            }
            code::REGISTER_FEATURES => {
                let address = octets.address()?;
                let [_, _, features, fc_type] = octets.array()?;
                Self::RegisterFeatures { address, features: FcFeatures(features), fc_type }
            }
            code::REGISTER_TYPES => {
                let address = octets.address()?;
                let mut types = FcTypes::default();
                for word in &mut types.0 {
                    *word = octets.word()?;
                }
                Self::RegisterTypes { address, types }
            }
            code::REGISTER_SYMBOLIC_PORT_NAME => {
                let address = octets.address()?;
                let length = octets.byte()?;
                let name = octets.take(usize::from(length))?.to_vec();
                Self::RegisterSymbolicPortName { address, name }
            }
            other => return Err(ParseError::Field { field: "CT command", value: u32::from(other) }),
        };
        octets.end()?;
        Ok(request)
    }

    /// Returns the octets of the request, without FC-2 framing.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let mut octets = Preamble::emit(self.code(), NO_REJECT);
        let address_word = |address: &u32| (address & 0x00FF_FFFF).to_be_bytes();
        match self {
            Self::PortName { address } | Self::NodeName { address } => {
                octets.extend_from_slice(&address_word(address));
            }
            Self::PortId { port_name } => octets.extend_from_slice(&port_name.0.to_be_bytes()),
            Self::PortIdsByType { domain, area, fc_type }
            | Self::PortNamesByType { domain, area, fc_type } => {
                octets.extend_from_slice(&[0, *domain, *area, *fc_type]);
            }
            Self::RegisterFeatures { address, features, fc_type } => {
                octets.extend_from_slice(&address_word(address));
                octets.extend_from_slice(&[0, 0, features.0, *fc_type]);
            }
            Self::RegisterTypes { address, types } => {
                octets.extend_from_slice(&address_word(address));
                types.0.iter().for_each(|word| octets.extend_from_slice(&word.to_be_bytes()));
            }
            Self::RegisterSymbolicPortName { address, name } => {
                let name = &name[..name.len().min(SYMBOLIC_NAME_MAX_BYTES)];
                octets.extend_from_slice(&address_word(address));
                octets.push(name.len() as u8);
                octets.extend_from_slice(name);
            }
        }
        octets
    }
}

impl NameReply {
    /// Reads the answer to `request`. Reserved octets are ignored.
    ///
    /// # Errors
    /// The fault of the octets.
    pub fn parse(request: &NameRequest, octets: &[u8]) -> Result<Self, ParseError> {
        let mut octets = Octets::new(octets);
        let Preamble { code, reject } = Preamble::parse(&mut octets)?;
        match code {
            code::ACCEPT => {}
            code::REJECT => {
                octets.end()?;
                return Ok(Self::Reject(reject));
            }
            other => return Err(ParseError::Field { field: "CT response", value: u32::from(other) }),
        }
        let reply = match request {
            NameRequest::PortName { .. } | NameRequest::NodeName { .. } => {
                Self::Name(WorldWideName(octets.double()?))
            }
            NameRequest::PortId { .. } => Self::PortId(octets.address()?),
            NameRequest::PortIdsByType { .. } => {
                let ids = parse_list(&mut octets, |_| Ok(()))?;
                Self::PortIds(ids.into_iter().map(|(address, ())| address).collect())
            }
            NameRequest::PortNamesByType { .. } => Self::PortNames(parse_list(&mut octets, |octets| {
                let _reserved = octets.word()?;
                Ok(WorldWideName(octets.double()?))
            })?),
            NameRequest::RegisterTypes { .. }
            | NameRequest::RegisterFeatures { .. }
            | NameRequest::RegisterSymbolicPortName { .. } => Self::Accept,
        };
        octets.end()?;
        Ok(reply)
    }

    /// Returns the octets of the answer, without FC-2 framing.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let (code, reject) = match self {
            Self::Reject(reject) => (code::REJECT, *reject),
            _ => (code::ACCEPT, NO_REJECT),
        };
        let mut octets = Preamble::emit(code, reject);
        match self {
            Self::Name(name) => octets.extend_from_slice(&name.0.to_be_bytes()),
            Self::PortId(address) => octets.extend_from_slice(&(address & 0x00FF_FFFF).to_be_bytes()),
            Self::PortIds(addresses) => {
                let sent = addresses.len().min(PORTS_MAX);
                for (index, address) in addresses[..sent].iter().enumerate() {
                    octets.extend_from_slice(&entry_word(*address, index + 1 == sent));
                }
            }
            Self::PortNames(ports) => {
                let sent = ports.len().min(PORTS_MAX);
                for (index, (address, name)) in ports[..sent].iter().enumerate() {
                    octets.extend_from_slice(&entry_word(*address, index + 1 == sent));
                    octets.extend_from_slice(&[0; 4]);
                    octets.extend_from_slice(&name.0.to_be_bytes());
                }
            }
            Self::Accept | Self::Reject(_) => {}
        }
        octets
    }
}

/// Returns the first word of a port in an answer.
fn entry_word(address: u32, is_last: bool) -> [u8; 4] {
    let control = if is_last { LAST } else { 0 };
    (u32::from(control) << 24 | address & 0x00FF_FFFF).to_be_bytes()
}

/// Reads the ports of an answer: their addresses, and the rest of each entry.
fn parse_list<T>(
    octets: &mut Octets<'_>,
    rest: impl Fn(&mut Octets<'_>) -> Result<T, ParseError>,
) -> Result<Vec<(u32, T)>, ParseError> {
    let mut ports = Vec::new();
    while ports.len() < PORTS_MAX {
        let word = octets.word()?;
        ports.push((word & 0x00FF_FFFF, rest(octets)?));
        if (word >> 24) as u8 & LAST != 0 {
            return Ok(ports);
        }
    }
    Err(ParseError::Field { field: "ports in an answer", value: PORTS_MAX as u32 })
}

#[cfg(test)]
mod tests;
