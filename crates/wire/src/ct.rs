//! Common transport: requests to the name server and its answers (FC-GS).
//!
//! ```text
//! revision 1, IN_ID 3 | type 1, subtype 1, options 1, 0 | code 2, size 2 | 0, reason 1, explanation 1, vendor 1 | ...
//! ```

use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
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
    pub const REGISTER_TYPES: u16 = 0x0217;
    pub const REGISTER_SYMBOLIC_PORT_NAME: u16 = 0x0218;
}

/// Which FC-4 TYPEs a port does: 256 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct FcTypes(pub [u32; 8]);

impl FcTypes {
    /// Returns the same with `fc_type` on.
    #[must_use]
    pub const fn with(mut self, fc_type: u8) -> Self {
        self.0[(fc_type >> 5) as usize] |= 1 << (fc_type & 31);
        self
    }

    /// Returns true when `fc_type` is on.
    #[must_use]
    pub const fn has(&self, fc_type: u8) -> bool {
        self.0[(fc_type >> 5) as usize] >> (fc_type & 31) & 1 == 1
    }
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
    /// To RFT_ID and RSPN_ID.
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
            Self::RegisterTypes { .. } => code::REGISTER_TYPES,
            Self::RegisterSymbolicPortName { .. } => code::REGISTER_SYMBOLIC_PORT_NAME,
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
            Self::PortIdsByType { domain, area, fc_type } => {
                octets.extend_from_slice(&[0, *domain, *area, *fc_type]);
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
            NameRequest::PortIdsByType { .. } => Self::PortIds(parse_port_ids(&mut octets)?),
            NameRequest::RegisterTypes { .. } | NameRequest::RegisterSymbolicPortName { .. } => Self::Accept,
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
                    let control = if index + 1 == sent { LAST } else { 0 };
                    octets
                        .extend_from_slice(&(u32::from(control) << 24 | address & 0x00FF_FFFF).to_be_bytes());
                }
            }
            Self::Accept | Self::Reject(_) => {}
        }
        octets
    }
}

fn parse_port_ids(octets: &mut Octets<'_>) -> Result<Vec<u32>, ParseError> {
    let mut addresses = Vec::new();
    while addresses.len() < PORTS_MAX {
        let word = octets.word()?;
        addresses.push(word & 0x00FF_FFFF);
        if (word >> 24) as u8 & LAST != 0 {
            return Ok(addresses);
        }
    }
    Err(ParseError::Field { field: "ports in an answer", value: PORTS_MAX as u32 })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::fc_header::fc_type;

    fn pairs() -> Vec<(NameRequest, NameReply)> {
        let address = 0x01_0200;
        let name = WorldWideName(0x5005_0763_0000_0030);
        let types = FcTypes::default().with(fc_type::SB_CHANNEL).with(fc_type::FCP);
        let symbolic = NameRequest::RegisterSymbolicPortName { address, name: b"CHPID 50".to_vec() };
        let by_type = NameRequest::PortIdsByType { domain: 0, area: 0, fc_type: fc_type::SB_CONTROL_UNIT };
        vec![
            (NameRequest::PortName { address }, NameReply::Name(name)),
            (NameRequest::NodeName { address }, NameReply::Name(name)),
            (NameRequest::PortId { port_name: name }, NameReply::PortId(address)),
            (by_type, NameReply::PortIds(vec![0x01_0200, 0x02_0300])),
            (NameRequest::RegisterTypes { address, types }, NameReply::Accept),
            (symbolic, NameReply::Reject(CtReject::unable(CtReject::ADDRESS_NOT_REGISTERED))),
        ]
    }

    #[test]
    fn requests_and_answers_round_trip() {
        for (request, reply) in pairs() {
            let (asked, answered) = (request.emit(), reply.emit());
            assert_eq!(NameRequest::parse(&asked), Ok(request.clone()));
            assert_eq!(NameReply::parse(&request, &answered), Ok(reply));
            for length in 0..asked.len() {
                assert!(NameRequest::parse(&asked[..length]).is_err());
            }
            for length in 0..answered.len() {
                assert!(NameReply::parse(&request, &answered[..length]).is_err());
            }
        }
    }

    #[test]
    fn types_are_bits_of_their_words() {
        let types = FcTypes::default().with(fc_type::FCP).with(fc_type::SB_CHANNEL);
        assert_eq!(types.0[0], 0x0800_0100);
        assert!(types.has(fc_type::FCP) && !types.has(fc_type::SB_CONTROL_UNIT));
        let octets = NameRequest::RegisterTypes { address: 1, types }.emit();
        assert_eq!((&octets[..10], octets.len()), (&[1, 0, 0, 0, 0xFC, 2, 0, 0, 2, 0x17][..], 52));
    }

    #[test]
    fn what_is_not_for_the_name_server_is_refused() {
        let sound = NameRequest::PortName { address: 1 }.emit();
        let field = |at: usize, value: u8| {
            let mut octets = sound.clone();
            octets[at] = value;
            match NameRequest::parse(&octets) {
                Err(ParseError::Field { field, .. }) => field,
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(
            [(0, 2), (4, 0xFA), (9, 0xEE)].map(|(at, value)| field(at, value)),
            ["CT revision", "CT service", "CT command"]
        );
    }

    #[test]
    fn a_list_that_does_not_end_is_refused() {
        let request = NameRequest::PortIdsByType { domain: 0, area: 0, fc_type: 8 };
        let mut octets = NameReply::Accept.emit();
        octets.resize(CT_PREAMBLE_BYTES + 4 * (PORTS_MAX + 1), 0);
        assert_eq!(
            NameReply::parse(&request, &octets),
            Err(ParseError::Field { field: "ports in an answer", value: 4096 })
        );
    }

    proptest! {
        #[test]
        fn any_octets_parse_or_fail_and_reparse(which in 0_usize..6, octets in prop::collection::vec(any::<u8>(), 0..64)) {
            let (request, _) = pairs().swap_remove(which);
            let mut asked = request.emit()[..CT_PREAMBLE_BYTES].to_vec();
            asked.extend_from_slice(&octets);
            if let Ok(parsed) = NameRequest::parse(&asked) {
                prop_assert_eq!(NameRequest::parse(&parsed.emit()), Ok(parsed));
            }
            let mut answered = NameReply::Accept.emit();
            answered.extend_from_slice(&octets);
            if let Ok(parsed) = NameReply::parse(&request, &answered) {
                prop_assert_eq!(NameReply::parse(&request, &parsed.emit()), Ok(parsed));
            }
            let _ = NameRequest::parse(&octets);
        }
    }
}
