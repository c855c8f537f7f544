//! LIRR and RLIR: registration for link incidents, and the incident of a link (FC-LS).

use crate::choices::{LINK_INCIDENT_FORMAT, LINK_INCIDENT_TIME_FORMAT};
use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
use halftrack_base::Octets;

/// Octets of the common link-incident record data and of the descriptor behind them.
const RECORD_BYTES: u8 = 64;
const DESCRIPTOR_BYTES: u8 = 4;

/// LIRR: register for link incidents, or withdraw.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IncidentRegistration {
    /// True to register, false to withdraw.
    pub register: bool,
    /// Format of records wanted: a TYPE, or 0 for the common format.
    pub format: u8,
}

impl IncidentRegistration {
    const SET: u8 = 1;
    const CLEAR: u8 = 0xFF;

    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let [function, format, ..] = octets.array::<4>()?;
        match function {
            Self::SET => Ok(Self { register: true, format }),
            Self::CLEAR => Ok(Self { register: false, format }),
            other => Err(ParseError::Field { field: "registration function", value: u32::from(other) }),
        }
    }

    pub(super) fn emit(self, into: &mut Vec<u8>) {
        into.extend_from_slice(&[if self.register { Self::SET } else { Self::CLEAR }, self.format, 0, 0]);
    }
}

/// One end of a link with an incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct IncidentPort {
    /// Name of the port.
    pub port_name: WorldWideName,
    /// Name of its node.
    pub node_name: WorldWideName,
}

/// Kind of incident.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum IncidentCode {
    /// The incident is reported as over or implicit only.
    Implicit,
    /// Too many bit errors.
    BitErrorRate,
    /// Loss of signal or synchronization.
    LossOfSignal,
    /// A not-operational sequence was received.
    NotOperational,
    /// A primitive sequence timed out.
    SequenceTimeout,
    /// The sequence received was invalid for the state of the link.
    InvalidSequence,
    /// A code without a name here.
    Other(u8),
}

impl IncidentCode {
    /// Returns the code.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Implicit => 1,
            Self::BitErrorRate => 2,
            Self::LossOfSignal => 3,
            Self::NotOperational => 4,
            Self::SequenceTimeout => 5,
            Self::InvalidSequence => 6,
            Self::Other(code) => code,
        }
    }

    /// Returns the incident with this code.
    #[must_use]
    pub const fn from_code(code: u8) -> Self {
        match code {
            1 => Self::Implicit,
            2 => Self::BitErrorRate,
            3 => Self::LossOfSignal,
            4 => Self::NotOperational,
            5 => Self::SequenceTimeout,
            6 => Self::InvalidSequence,
            other => Self::Other(other),
        }
    }
}

/// RLIR: a link-incident record.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct LinkIncident {
    /// The port that reports.
    pub incident: IncidentPort,
    /// Kind of the port that reports: 1 N_Port, 0x81 F_Port, 0x82 E_Port.
    pub port_type: u8,
    /// Address of the port that reports, 24 bits.
    pub address: u32,
    /// The port at the other end of the link.
    pub connected: IncidentPort,
    /// Name of the fabric.
    pub fabric_name: WorldWideName,
    /// Physical number of the port that reports.
    pub physical_port: u32,
    /// Number of the incident.
    pub transaction: u32,
    /// When: seconds and nanoseconds of the reporter's clock.
    pub at: (u32, u32),
    /// Qualifier: 0x80 switch, 0x40 expansion port, 0x20 ISL, 0x10 subassembly code.
    pub qualifier: u8,
    /// Kind of incident.
    pub code: IncidentCode,
}

impl LinkIncident {
    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let lengths: [u8; 4] = octets.array()?;
        if lengths != [LINK_INCIDENT_FORMAT, RECORD_BYTES, DESCRIPTOR_BYTES, 0] {
            let value = u32::from_be_bytes(lengths);
            return Err(ParseError::Field { field: "format of the link-incident record", value });
        }
        let port = |octets: &mut Octets<'_>| -> Result<IncidentPort, ParseError> {
            let port_name = WorldWideName(octets.double()?);
            Ok(IncidentPort { port_name, node_name: WorldWideName(octets.double()?) })
        };
        let incident = port(octets)?;
        let type_and_address = octets.word()?;
        let connected = port(octets)?;
        let fabric_name = WorldWideName(octets.double()?);
        let (physical_port, transaction, _) = (octets.word()?, octets.word()?, octets.word()?);
        let at = (octets.word()?, octets.word()?);
        let [qualifier, code, ..] = octets.array::<4>()?;
        Ok(Self {
            incident,
            port_type: (type_and_address >> 24) as u8,
            address: type_and_address & 0x00FF_FFFF,
            connected,
            fabric_name,
            physical_port,
            transaction,
            at,
            qualifier,
            code: IncidentCode::from_code(code),
        })
    }

    pub(super) fn emit(&self, into: &mut Vec<u8>) {
        into.extend_from_slice(&[LINK_INCIDENT_FORMAT, RECORD_BYTES, DESCRIPTOR_BYTES, 0]);
        into.extend_from_slice(&self.incident.port_name.0.to_be_bytes());
        into.extend_from_slice(&self.incident.node_name.0.to_be_bytes());
        let type_and_address = u32::from(self.port_type) << 24 | self.address & 0x00FF_FFFF;
        into.extend_from_slice(&type_and_address.to_be_bytes());
        for name in [self.connected.port_name, self.connected.node_name, self.fabric_name] {
            into.extend_from_slice(&name.0.to_be_bytes());
        }
        let time_format = u32::from(LINK_INCIDENT_TIME_FORMAT);
        for word in [self.physical_port, self.transaction, time_format, self.at.0, self.at.1] {
            into.extend_from_slice(&word.to_be_bytes());
        }
        into.extend_from_slice(&[self.qualifier, self.code.code(), 0, 0]);
    }
}
