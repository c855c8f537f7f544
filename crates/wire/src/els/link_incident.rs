//! LIRR and RLIR: registration for link incidents, and the incident of a link (FC-LS).

use crate::choices::{LINK_INCIDENT_FORMAT, LINK_INCIDENT_TIME_FORMAT};
use crate::error::ParseError;
use crate::world_wide_name::WorldWideName;
use halftrack_base::Octets;

/// Octets of the common link-incident record data and of the descriptor behind them.
const RECORD_BYTES: u8 = 64;
const DESCRIPTOR_BYTES: u8 = 4;

/// Records that a port wants to have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum IncidentReceiver {
    /// None any more.
    Withdrawn,
    /// Records that it is chosen for, of all ports that registered so.
    Conditional,
    /// Every record.
    Unconditional,
}

/// LIRR: registration for link incidents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct IncidentRegistration {
    /// Records wanted.
    pub receiver: IncidentReceiver,
    /// Format of records wanted: a TYPE, or 0 for the common format.
    pub format: u8,
}

impl IncidentRegistration {
    const CONDITIONAL: u8 = 1;
    const UNCONDITIONAL: u8 = 2;
    const CLEAR: u8 = 0xFF;

    pub(super) fn parse(octets: &mut Octets<'_>) -> Result<Self, ParseError> {
        let [function, format, ..] = octets.array::<4>()?;
        let receiver = match function {
            Self::CONDITIONAL => IncidentReceiver::Conditional,
            Self::UNCONDITIONAL => IncidentReceiver::Unconditional,
            Self::CLEAR => IncidentReceiver::Withdrawn,
            other => {
                return Err(ParseError::Field { field: "registration function", value: u32::from(other) });
            }
        };
        Ok(Self { receiver, format })
    }

    pub(super) fn emit(self, into: &mut Vec<u8>) {
        let function = match self.receiver {
            IncidentReceiver::Conditional => Self::CONDITIONAL,
            IncidentReceiver::Unconditional => Self::UNCONDITIONAL,
            IncidentReceiver::Withdrawn => Self::CLEAR,
        };
        into.extend_from_slice(&[function, self.format, 0, 0]);
    }
}

/// Bits of the qualifier of an incident (recovery reference section 4.1).
pub mod qualifier {
    /// A switch reports.
    pub const SWITCH: u8 = 0x20;
    /// The port that reports is an E_Port.
    pub const EXPANSION_PORT: u8 = 0x10;
    /// Severity: the link is not operational. Without this bit and the next the record is information.
    pub const NOT_OPERATIONAL: u8 = 0x08;
    /// Severity: the link is degraded.
    pub const DEGRADED: u8 = 0x04;
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

    /// Returns the words for the operator.
    #[must_use]
    pub const fn words(self) -> &'static str {
        match self {
            Self::Implicit => "implicit incident",
            Self::BitErrorRate => "bit-error rate",
            Self::LossOfSignal => "loss of signal",
            Self::NotOperational => "not operational",
            Self::SequenceTimeout => "primitive sequence time-out",
            Self::InvalidSequence => "invalid primitive sequence",
            Self::Other(_) => "other",
        }
    }

    /// Returns the severity that the incident has in a qualifier: a link with bit errors works on.
    #[must_use]
    pub const fn severity(self) -> u8 {
        match self {
            Self::BitErrorRate => qualifier::DEGRADED,
            Self::Implicit | Self::Other(_) => 0,
            _ => qualifier::NOT_OPERATIONAL,
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
    /// Qualifier: the constants of [`qualifier`].
    pub qualifier: u8,
    /// Kind of incident.
    pub code: IncidentCode,
}

impl LinkIncident {
    /// Kind of a port that reports: N_Port.
    pub const N_PORT: u8 = 0x01;
    /// Kind of a port that reports: F_Port.
    pub const F_PORT: u8 = 0x81;
    /// Kind of a port that reports: E_Port.
    pub const E_PORT: u8 = 0x82;

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
