//! LS_ACC of RNID: names of the sender and its node descriptor (reference section 5).
//!
//! ```text
//! format 1, length of names 1, 0, length of the rest 1 | port name 8, node name 8 | node descriptor 32, zeros 20
//! ```

use crate::choices::{NODE_IDENTIFICATION_BYTES, NODE_IDENTIFICATION_FORMAT, TAKES_PROCESS_LOGIN};
use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
use halftrack_base::Octets;

/// Octets of a node descriptor.
pub const NODE_DESCRIPTOR_BYTES: usize = 32;

const NAMES_BYTES: u8 = 16;
/// Octets of the format-specific data behind the node descriptor.
const REST_BYTES: usize = NODE_IDENTIFICATION_BYTES as usize - NODE_DESCRIPTOR_BYTES;

/// Node descriptor: which machine, and which interface of it. Texts are EBCDIC.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NodeDescriptor {
    /// Flags: 0x00 for a valid descriptor, 0x20 or 0x40 for one that is not valid or not current.
    pub flags: u8,
    /// Three octets of parameters: class of the node in the first, interface id in the last two.
    pub parameters: [u8; 3],
    /// Type number, 6 characters, leading zeros.
    pub node_type: [u8; 6],
    /// Model, 3 characters.
    pub model: [u8; 3],
    /// Manufacturer, 3 characters.
    pub manufacturer: [u8; 3],
    /// Plant of manufacture, 2 characters.
    pub plant: [u8; 2],
    /// Sequence number, 12 characters.
    pub sequence: [u8; 12],
    /// Tag: distinguishes interfaces of the node.
    pub tag: u16,
}

impl NodeDescriptor {
    /// Returns the interface id: the last two octets of the parameters.
    #[must_use]
    pub const fn interface_id(&self) -> u16 {
        u16::from_be_bytes([self.parameters[1], self.parameters[2]])
    }

    /// Returns the 32 octets.
    #[must_use]
    pub fn emit(&self) -> [u8; NODE_DESCRIPTOR_BYTES] {
        let mut octets = [0; NODE_DESCRIPTOR_BYTES];
        let fields: [(usize, &[u8]); 8] = [
            (0, &[self.flags]),
            (1, &self.parameters),
            (4, &self.node_type),
            (10, &self.model),
            (13, &self.manufacturer),
            (16, &self.plant),
            (18, &self.sequence),
            (30, &self.tag.to_be_bytes()),
        ];
        for (at, field) in fields {
            octets[at..at + field.len()].copy_from_slice(field);
        }
        octets
    }

    fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        Ok(Self {
            flags: octets.byte()?,
            parameters: octets.array()?,
            node_type: octets.array()?,
            model: octets.array()?,
            manufacturer: octets.array()?,
            plant: octets.array()?,
            sequence: octets.array()?,
            tag: octets.half()?,
        })
    }
}

/// Identity of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct NodeIdentification {
    /// Name of the port.
    pub port_name: WorldWideName,
    /// Name of the node.
    pub node_name: WorldWideName,
    /// Its node descriptor.
    pub descriptor: NodeDescriptor,
    /// The control unit takes a PRLI (or the channel wants one); without it command mode only. Where the bit stands is
    /// a choice.
    pub takes_process_login: bool,
}

impl NodeIdentification {
    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let [format, names, _, specific] = octets.array()?;
        let field = |field, value| Err(ParseError::Field { field, value: u32::from(value) });
        if format != NODE_IDENTIFICATION_FORMAT {
            return field("node identification format", format);
        }
        if names != NAMES_BYTES {
            return field("length of names", names);
        }
        if specific != NODE_IDENTIFICATION_BYTES {
            return field("length of node identification", specific);
        }
        let (port_name, node_name) = (octets.double()?, octets.double()?);
        let descriptor = NodeDescriptor::parse(octets)?;
        let rest: [u8; REST_BYTES] = octets.array()?;
        Ok(Self {
            port_name: WorldWideName(port_name),
            node_name: WorldWideName(node_name),
            descriptor,
            takes_process_login: rest[REST_BYTES - 1] & TAKES_PROCESS_LOGIN != 0,
        })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&[NODE_IDENTIFICATION_FORMAT, NAMES_BYTES, 0, NODE_IDENTIFICATION_BYTES]);
        into.extend_from_slice(&self.port_name.0.to_be_bytes());
        into.extend_from_slice(&self.node_name.0.to_be_bytes());
        into.extend_from_slice(&self.descriptor.emit());
        let mut rest = [0; REST_BYTES];
        rest[REST_BYTES - 1] = if self.takes_process_login { TAKES_PROCESS_LOGIN } else { 0 };
        into.extend_from_slice(&rest);
    }
}
