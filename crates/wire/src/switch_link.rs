//! Switch link services: the services between two switches over an inter-switch link (FC-SW, TYPE 22).
//!
//! Only those that bring up a link, spread its state and notify of ports. The layouts are those of FC-SW as far as it is public;
//! reserved octets are zero and ignored.

use crate::error::ParseError;
use crate::link_state::LinkStateRecord;
use crate::world_wide_name::WorldWideName;
use halftrack_base::Octets;

/// TYPE of switch link services.
pub const SWITCH_LINK_SERVICE: u8 = 0x22;
/// Most device entries in one notification, so that it fits one frame.
pub const DEVICE_ENTRIES_MAX: usize = 100;

const REJECT: u8 = 0x01;
const ACCEPT: u8 = 0x02;
const LINK_PARAMETERS: u8 = 0x10;
const FABRIC_PARAMETERS: u8 = 0x11;
const LINK_STATE_UPDATE: u8 = 0x15;
const STATE_CHANGE: u8 = 0x1B;
const FSPF_VERSION: u8 = 2;
/// Affected port of a state change: the format of its address is that of a whole domain.
const FORMAT_OF_DOMAIN: u32 = 2 << 24;
const REVISION: u8 = 2;
const CLASS_VALID: u16 = 0x8000;
const FLOW_CONTROL_BY_R_RDY: u16 = 2;
const FLOW_CONTROL_BYTES: u16 = 20;
const DOMAIN_RECORD: u8 = 1;
const DOMAIN_RECORD_BYTES: u8 = 16;
const DETECTED_BY_FABRIC: u32 = 1;
const ONLINE: u8 = 1;
const OFFLINE: u8 = 2;

/// ELP, exchange link parameters: how frames pass over the link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LinkParameters {
    /// R_A_TOV, milliseconds.
    pub resource_allocation_timeout_ms: u32,
    /// E_D_TOV, milliseconds.
    pub error_detect_timeout_ms: u32,
    /// Name of the E_Port.
    pub port_name: WorldWideName,
    /// Name of the switch.
    pub switch_name: WorldWideName,
    /// Most payload octets of a frame.
    pub frame_payload_bytes: u16,
    /// Receive buffers: the other end's credit.
    pub credit: u32,
}

/// EFP, exchange fabric parameters: which domain the switch is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FabricParameters {
    /// Name of the switch.
    pub switch_name: WorldWideName,
    /// Its domain.
    pub domain: u8,
}

/// A port that came or went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct DeviceEntry {
    /// Whether it came.
    pub online: bool,
    /// Address.
    pub address: u32,
    /// Port name.
    pub port_name: WorldWideName,
    /// Node name.
    pub node_name: WorldWideName,
}

/// SW_RJT: a refusal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SwitchReject {
    /// Reason code.
    pub reason: u8,
    /// Explanation code.
    pub explanation: u8,
}

impl SwitchReject {
    /// Reason: not supported.
    pub const UNSUPPORTED: Self = Self { reason: 0x0B, explanation: 0 };
    /// Reason: logical error.
    pub const LOGICAL_ERROR: Self = Self { reason: 0x03, explanation: 0 };
    /// Reason: unable to perform; explanation: the domain is taken.
    pub const DOMAIN_TAKEN: Self = Self { reason: 0x09, explanation: 0x08 };
}

/// A request or, by `accept` in [`SwitchLinkService::emit`], the answer of the same form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchLinkService {
    /// ELP.
    LinkParameters(LinkParameters),
    /// EFP.
    FabricParameters(FabricParameters),
    /// LSU: link state records, at most as many as have
    /// [`LINK_STATES_BYTES_MAX`](crate::link_state::LINK_STATES_BYTES_MAX) octets. FC-SW answers with LSA; our choice is
    /// SW_ACC, as for all others.
    LinkState(Vec<LinkStateRecord>),
    /// RSCN between switches, at most [`DEVICE_ENTRIES_MAX`] entries.
    StateChange(Vec<DeviceEntry>),
    /// Mark behind the last frame of an old route to this domain: an RSCN of the domain without entries; our choice.
    Mark(u8),
}

/// The answer to a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SwitchAnswer {
    /// SW_ACC of an ELP.
    LinkParameters(LinkParameters),
    /// SW_ACC of an EFP.
    FabricParameters(FabricParameters),
    /// SW_ACC of link state records, of a state change or of a mark.
    Noted,
    /// SW_RJT.
    Reject(SwitchReject),
}

impl SwitchLinkService {
    /// Reads a request.
    ///
    /// # Errors
    /// An unknown command; too few or too many octets; a count of entries that is not that of the entries.
    pub fn parse(payload: &[u8]) -> Result<Self, ParseError> {
        let mut octets = Octets::new(payload);
        Ok(match octets.byte()? {
            LINK_PARAMETERS => Self::LinkParameters(LinkParameters::parse(octets)?),
            FABRIC_PARAMETERS => Self::FabricParameters(FabricParameters::parse(octets)?),
            LINK_STATE_UPDATE => Self::LinkState(parse_records(octets)?),
            STATE_CHANGE => parse_change(octets)?,
            command => return Err(ParseError::Field { field: "switch command", value: u32::from(command) }),
        })
    }

    /// Appends the request.
    pub fn emit(&self, into: &mut Vec<u8>) {
        match self {
            Self::LinkParameters(parameters) => parameters.emit(LINK_PARAMETERS, into),
            Self::FabricParameters(parameters) => parameters.emit(FABRIC_PARAMETERS, into),
            Self::LinkState(records) => emit_records(records, into),
            Self::StateChange(entries) => {
                // The affected port: the event has no details, and the address is that of one port.
                let affected = entries.first().map_or(0, |entry| entry.address & 0x00FF_FFFF);
                emit_entries(affected, entries, into);
            }
            Self::Mark(domain) => emit_entries(FORMAT_OF_DOMAIN | u32::from(*domain) << 16, &[], into),
        }
    }
}

impl SwitchAnswer {
    /// Reads the answer to `request`.
    ///
    /// # Errors
    /// Neither SW_ACC nor SW_RJT; too few or too many octets.
    pub fn parse(request: &SwitchLinkService, payload: &[u8]) -> Result<Self, ParseError> {
        let mut octets = Octets::new(payload);
        match (octets.byte()?, request) {
            (REJECT, _) => {
                octets.take(4)?;
                let reject = SwitchReject { reason: octets.byte()?, explanation: octets.byte()? };
                octets.take(1)?;
                octets.end()?;
                Ok(Self::Reject(reject))
            }
            (ACCEPT, SwitchLinkService::LinkParameters(_)) => {
                LinkParameters::parse(octets).map(Self::LinkParameters)
            }
            (ACCEPT, SwitchLinkService::FabricParameters(_)) => {
                FabricParameters::parse(octets).map(Self::FabricParameters)
            }
            (
                ACCEPT,
                SwitchLinkService::LinkState(_)
                | SwitchLinkService::StateChange(_)
                | SwitchLinkService::Mark(_),
            ) => {
                octets.take(3)?;
                octets.end()?;
                Ok(Self::Noted)
            }
            (command, _) => Err(ParseError::Field { field: "switch answer", value: u32::from(command) }),
        }
    }

    /// Appends the answer.
    pub fn emit(&self, into: &mut Vec<u8>) {
        match self {
            Self::LinkParameters(parameters) => parameters.emit(ACCEPT, into),
            Self::FabricParameters(parameters) => parameters.emit(ACCEPT, into),
            Self::Noted => into.extend_from_slice(&[ACCEPT, 0, 0, 0]),
            Self::Reject(SwitchReject { reason, explanation }) => {
                into.extend_from_slice(&[REJECT, 0, 0, 0, 0, *reason, *explanation, 0]);
            }
        }
    }
}

impl LinkParameters {
    /// Reads what follows the command octet.
    fn parse(mut octets: Octets<'_>) -> Result<Self, ParseError> {
        octets.take(3 + 4 + 4)?;
        let mut parameters = Self {
            resource_allocation_timeout_ms: octets.word()?,
            error_detect_timeout_ms: octets.word()?,
            port_name: WorldWideName(octets.double()?),
            switch_name: WorldWideName(octets.double()?),
            ..Self::default()
        };
        octets.take(16 + 4 + 4)?;
        let class_3 = octets.half()?;
        if class_3 & CLASS_VALID == 0 {
            return Err(ParseError::Field { field: "class 3", value: u32::from(class_3) });
        }
        parameters.frame_payload_bytes = octets.half()?;
        octets.take(20)?;
        let (mode, length) = (octets.half()?, octets.half()?);
        if (mode, length) != (FLOW_CONTROL_BY_R_RDY, FLOW_CONTROL_BYTES) {
            return Err(ParseError::Field { field: "flow control mode", value: u32::from(mode) });
        }
        parameters.credit = octets.word()?;
        octets.take(16)?;
        octets.end()?;
        Ok(parameters)
    }

    fn emit(&self, command: u8, into: &mut Vec<u8>) {
        // A reserved word stands before the revision: so Wireshark's dissector has it.
        into.extend_from_slice(&[command, 0, 0, 0, 0, 0, 0, 0, REVISION, 0, 0, 0]);
        into.extend_from_slice(&self.resource_allocation_timeout_ms.to_be_bytes());
        into.extend_from_slice(&self.error_detect_timeout_ms.to_be_bytes());
        into.extend_from_slice(&self.port_name.0.to_be_bytes());
        into.extend_from_slice(&self.switch_name.0.to_be_bytes());
        into.extend_from_slice(&[0; 16 + 4 + 4]);
        into.extend_from_slice(&CLASS_VALID.to_be_bytes());
        into.extend_from_slice(&self.frame_payload_bytes.to_be_bytes());
        into.extend_from_slice(&[0; 20]);
        into.extend_from_slice(&FLOW_CONTROL_BY_R_RDY.to_be_bytes());
        into.extend_from_slice(&FLOW_CONTROL_BYTES.to_be_bytes());
        into.extend_from_slice(&self.credit.to_be_bytes());
        into.extend_from_slice(&[0; 16]);
    }
}

impl FabricParameters {
    /// Reads what follows the command octet. Of several domain records only the first counts: the sender's own.
    fn parse(mut octets: Octets<'_>) -> Result<Self, ParseError> {
        octets.take(3 + 4)?;
        let switch_name = WorldWideName(octets.double()?);
        let kind = octets.byte()?;
        if kind != DOMAIN_RECORD {
            return Err(ParseError::Field { field: "fabric record", value: u32::from(kind) });
        }
        let domain = octets.byte()?;
        octets.take(6 + 8)?;
        Ok(Self { switch_name, domain })
    }

    fn emit(&self, command: u8, into: &mut Vec<u8>) {
        let length = 16 + u16::from(DOMAIN_RECORD_BYTES);
        into.extend_from_slice(&[command, DOMAIN_RECORD_BYTES]);
        into.extend_from_slice(&length.to_be_bytes());
        into.extend_from_slice(&[0; 4]);
        into.extend_from_slice(&self.switch_name.0.to_be_bytes());
        into.extend_from_slice(&[DOMAIN_RECORD, self.domain, 0, 0, 0, 0, 0, 0]);
        into.extend_from_slice(&self.switch_name.0.to_be_bytes());
    }
}

fn parse_records(mut octets: Octets<'_>) -> Result<Vec<LinkStateRecord>, ParseError> {
    octets.take(3 + 16 + 4)?;
    let count = octets.word()?;
    let mut records = Vec::new();
    for _ in 0..count {
        records.push(LinkStateRecord::parse(&mut octets)?);
    }
    octets.end()?;
    Ok(records)
}

fn emit_records(records: &[LinkStateRecord], into: &mut Vec<u8>) {
    let own = records.first().map_or(0, |record| record.domain);
    into.extend_from_slice(&[LINK_STATE_UPDATE, 0, 0, 0, FSPF_VERSION, 0, 0, 0]);
    into.extend_from_slice(&u32::from(own).to_be_bytes());
    into.extend_from_slice(&[0; 8 + 4]);
    into.extend_from_slice(&(records.len() as u32).to_be_bytes());
    records.iter().for_each(|record| record.emit(into));
}

/// Reads an RSCN: entries, or none and the domain of a mark.
fn parse_change(mut octets: Octets<'_>) -> Result<SwitchLinkService, ParseError> {
    octets.take(3)?;
    let affected = octets.word()?;
    let entries = parse_entries(octets)?;
    let is_mark = entries.is_empty() && affected & 0x0F00_0000 == FORMAT_OF_DOMAIN;
    let mark = SwitchLinkService::Mark((affected >> 16) as u8);
    Ok(if is_mark { mark } else { SwitchLinkService::StateChange(entries) })
}

fn parse_entries(mut octets: Octets<'_>) -> Result<Vec<DeviceEntry>, ParseError> {
    octets.take(4)?;
    let count = octets.word()?;
    if count as usize > DEVICE_ENTRIES_MAX {
        return Err(ParseError::Field { field: "device entries", value: count });
    }
    let mut entries = Vec::with_capacity(count as usize);
    for _ in 0..count {
        let state = octets.word()?;
        entries.push(DeviceEntry {
            online: state >> 24 == u32::from(ONLINE),
            address: state & 0x00FF_FFFF,
            port_name: WorldWideName(octets.double()?),
            node_name: WorldWideName(octets.double()?),
        });
    }
    octets.end()?;
    Ok(entries)
}

fn emit_entries(affected: u32, entries: &[DeviceEntry], into: &mut Vec<u8>) {
    let entries = &entries[..entries.len().min(DEVICE_ENTRIES_MAX)];
    let state = |entry: &DeviceEntry| {
        let state = if entry.online { ONLINE } else { OFFLINE };
        u32::from(state) << 24 | entry.address & 0x00FF_FFFF
    };
    into.extend_from_slice(&[STATE_CHANGE, 0, 0, 0]);
    into.extend_from_slice(&affected.to_be_bytes());
    into.extend_from_slice(&DETECTED_BY_FABRIC.to_be_bytes());
    into.extend_from_slice(&(entries.len() as u32).to_be_bytes());
    for entry in entries {
        into.extend_from_slice(&state(entry).to_be_bytes());
        into.extend_from_slice(&entry.port_name.0.to_be_bytes());
        into.extend_from_slice(&entry.node_name.0.to_be_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::link_state::StateLink;
    use proptest::prelude::*;

    fn link_parameters() -> LinkParameters {
        LinkParameters {
            resource_allocation_timeout_ms: 10_000,
            error_detect_timeout_ms: 2_000,
            port_name: WorldWideName(0x2001_0005_0000_0061),
            switch_name: WorldWideName(0x1000_0005_0000_0061),
            frame_payload_bytes: 2112,
            credit: 90,
        }
    }

    fn emitted(emit: impl Fn(&mut Vec<u8>)) -> Vec<u8> {
        let mut octets = Vec::new();
        emit(&mut octets);
        octets
    }

    #[test]
    fn requests_and_answers_have_one_form() {
        let domain = FabricParameters { switch_name: WorldWideName(7), domain: 0x61 };
        let entry = DeviceEntry { online: true, address: 0x61_0100, ..DeviceEntry::default() };
        let gone = DeviceEntry { online: false, port_name: WorldWideName(9), ..entry };
        let links = [0xE0, 0xE1].map(|area| StateLink { domain: 0x62, area }).to_vec();
        let record = LinkStateRecord { domain: 0x61, switch_name: WorldWideName(7), incarnation: 4, links };
        let pairs = [
            (
                SwitchLinkService::LinkParameters(link_parameters()),
                SwitchAnswer::LinkParameters(link_parameters()),
                108,
            ),
            (SwitchLinkService::FabricParameters(domain), SwitchAnswer::FabricParameters(domain), 32),
            (SwitchLinkService::StateChange(vec![entry, gone]), SwitchAnswer::Noted, 56),
            (SwitchLinkService::Mark(0x63), SwitchAnswer::Noted, 16),
            (SwitchLinkService::LinkState(vec![record.clone(), record]), SwitchAnswer::Noted, 28 + 2 * 68),
        ];
        for (request, answer, bytes) in pairs {
            let octets = emitted(|into| request.emit(into));
            assert_eq!((octets.len(), SwitchLinkService::parse(&octets)), (bytes, Ok(request.clone())));
            let octets = emitted(|into| answer.emit(into));
            assert_eq!(SwitchAnswer::parse(&request, &octets), Ok(answer));
            let reject = SwitchAnswer::Reject(SwitchReject::DOMAIN_TAKEN);
            let octets = emitted(|into| reject.emit(into));
            assert_eq!(SwitchAnswer::parse(&request, &octets), Ok(reject));
        }
    }

    #[test]
    fn a_link_without_class_3_is_none() {
        let mut octets = emitted(|into| SwitchLinkService::LinkParameters(link_parameters()).emit(into));
        octets[60] = 0;
        let fault = ParseError::Field { field: "class 3", value: 0 };
        assert_eq!(SwitchLinkService::parse(&octets), Err(fault));
    }

    proptest! {
        #[test]
        fn any_octets_parse_or_fail_and_reparse(
            command in prop::sample::select(vec![0_u8, 1, 2, 0x10, 0x11, 0x15, 0x1B]),
            mut octets in prop::collection::vec(any::<u8>(), 1..200),
        ) {
            octets[0] = command;
            if let Ok(service) = SwitchLinkService::parse(&octets) {
                let again = emitted(|into| service.emit(into));
                prop_assert_eq!(SwitchLinkService::parse(&again), Ok(service.clone()));
                let _ = SwitchAnswer::parse(&service, &octets);
            }
        }
    }
}
