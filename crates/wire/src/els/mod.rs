//! Extended link services: logins, state changes, node identification (FC-LS; reference section 5).
//!
//! | file | services |
//! | --- | --- |
//! | [`service_parameters`] | FLOGI, FDISC, PLOGI |
//! | [`process_login`], [`fcp_login`] | PRLI and PRLO, with the pages of transport mode and of FCP |
//! | [`logout`] | LOGO |
//! | [`state_change`] | SCR, RSCN |
//! | [`node_identification`] | RNID and node descriptors |
//! | [`link_incident`] | LIRR, RLIR |
//! | [`discovery`] | ADISC |
//! | [`timeouts`] | RTV |
//! | [`exchange_ids`] | RRQ, REC |
//! | [`exchange_status`] | LS_ACC of REC |
//! | [`link_errors`] | RLS |
//! | [`reject`] | LS_RJT |
//!
//! ECHO has no file: its octets come back unchanged. A reply does not contain the code of its request, so
//! [`ElsReply::parse`] takes it.

pub mod discovery;
pub mod exchange_ids;
pub mod exchange_status;
pub mod fcp_login;
pub mod link_errors;
pub mod link_incident;
pub mod logout;
pub mod node_identification;
mod pages;
pub mod process_login;
pub mod reject;
pub mod service_parameters;
pub mod state_change;
pub mod timeouts;

use crate::error::ParseError;
pub use discovery::Discovery;
pub use exchange_ids::ExchangeIds;
pub use exchange_status::ExchangeStatus;
pub use fcp_login::FcpLogin;
use halftrack_base::Octets;
pub use link_errors::LinkErrors;
pub use link_incident::{
    IncidentCode, IncidentPort, IncidentReceiver, IncidentRegistration, LinkIncident, qualifier,
};
pub use logout::Logout;
pub use node_identification::{NodeDescriptor, NodeIdentification};
pub use process_login::{ProcessLogin, SbLogin, ServicePage};
pub use reject::{LsReject, RejectExplanation};
pub use service_parameters::{ClassParameters, ServiceParameters};
pub use state_change::{ChangedArea, PAGES_MAX as STATE_CHANGE_PAGES_MAX, Registration, StateChange};
pub use timeouts::TimeoutValues;

/// Codes in the first octet.
pub mod code {
    /// LS_RJT: the request is rejected.
    pub const REJECT: u8 = 0x01;
    /// LS_ACC: the request is accepted.
    pub const ACCEPT: u8 = 0x02;
    /// PLOGI: log in to a port.
    pub const PLOGI: u8 = 0x03;
    /// FLOGI: log in to the fabric, or to the other end of a link.
    pub const FLOGI: u8 = 0x04;
    /// LOGO: log out.
    pub const LOGO: u8 = 0x05;
    /// RTV: read time-out values.
    pub const RTV: u8 = 0x0E;
    /// RLS: read the link error status.
    pub const RLS: u8 = 0x0F;
    /// ECHO.
    pub const ECHO: u8 = 0x10;
    /// RRQ: reinstate a recovery qualifier.
    pub const RRQ: u8 = 0x12;
    /// REC: read exchange concise.
    pub const REC: u8 = 0x13;
    /// PRLI: log in a process.
    pub const PRLI: u8 = 0x20;
    /// PRLO: log out a process.
    pub const PRLO: u8 = 0x21;
    /// FDISC: log a further N_Port of the same link in to the fabric (NPIV).
    pub const FDISC: u8 = 0x51;
    /// ADISC: discover an address.
    pub const ADISC: u8 = 0x52;
    /// RSCN: registered state-change notification.
    pub const RSCN: u8 = 0x61;
    /// SCR: register for state changes.
    pub const SCR: u8 = 0x62;
    /// RNID: request node identification data.
    pub const RNID: u8 = 0x78;
    /// RLIR: registered link-incident report.
    pub const RLIR: u8 = 0x79;
    /// LIRR: register for link incidents.
    pub const LIRR: u8 = 0x7A;
}

/// Octets of a service that consists of its code.
pub(crate) const CODE_BYTES: usize = 4;

/// A request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Els {
    /// FLOGI.
    Flogi(ServiceParameters),
    /// FDISC.
    Fdisc(ServiceParameters),
    /// PLOGI.
    Plogi(ServiceParameters),
    /// PRLI.
    Prli(ProcessLogin),
    /// PRLO.
    Prlo(ProcessLogin),
    /// LOGO.
    Logo(Logout),
    /// ECHO with its octets.
    Echo(Vec<u8>),
    /// RSCN.
    Rscn(StateChange),
    /// SCR.
    Scr(Registration),
    /// RNID: the requested format of data.
    Rnid(u8),
    /// RRQ.
    Rrq(ExchangeIds),
    /// REC.
    Rec(ExchangeIds),
    /// RLS: the address of the port, 24 bits, or 0 for the receiver.
    Rls(u32),
    /// RTV.
    Rtv,
    /// ADISC.
    Adisc(Discovery),
    /// RLIR.
    Rlir(LinkIncident),
    /// LIRR.
    Lirr(IncidentRegistration),
}

impl Els {
    /// Returns the code of a request, of octets that are still to be parsed; none when there are no octets.
    #[must_use]
    pub fn code_of(octets: &[u8]) -> Option<u8> {
        octets.first().copied()
    }

    /// Returns the code of the request.
    #[must_use]
    pub const fn code(&self) -> u8 {
        match self {
            Els::Flogi(_) => code::FLOGI,
            Els::Fdisc(_) => code::FDISC,
            Els::Plogi(_) => code::PLOGI,
            Els::Prli(_) => code::PRLI,
            Els::Prlo(_) => code::PRLO,
            Els::Rrq(_) => code::RRQ,
            Els::Rec(_) => code::REC,
            Els::Logo(_) => code::LOGO,
            Els::Echo(_) => code::ECHO,
            Els::Rscn(_) => code::RSCN,
            Els::Scr(_) => code::SCR,
            Els::Rnid(_) => code::RNID,
            Els::Rls(_) => code::RLS,
            Els::Rtv => code::RTV,
            Els::Adisc(_) => code::ADISC,
            Els::Rlir(_) => code::RLIR,
            Els::Lirr(_) => code::LIRR,
        }
    }

    /// Reads a request. Reserved octets are ignored.
    ///
    /// # Errors
    /// [`ParseError::Function`] for an unknown request, to be answered with LS_RJT "not supported"; the fault of the
    /// octets otherwise.
    pub fn parse(octets: &[u8]) -> Result<Self, ParseError> {
        let mut reader = Octets::new(octets);
        let head: [u8; CODE_BYTES] = reader.array()?;
        let request = match head[0] {
            code::FLOGI => Els::Flogi(ServiceParameters::parse(&mut reader)?),
            code::FDISC => Els::Fdisc(ServiceParameters::parse(&mut reader)?),
            code::PLOGI => Els::Plogi(ServiceParameters::parse(&mut reader)?),
            code::PRLI => Els::Prli(ProcessLogin::parse(head, &mut reader)?),
            code::PRLO => Els::Prlo(ProcessLogin::parse(head, &mut reader)?),
            code::RRQ => Els::Rrq(ExchangeIds::parse(&mut reader)?),
            code::REC => Els::Rec(ExchangeIds::parse(&mut reader)?),
            code::LOGO => Els::Logo(Logout::parse(&mut reader)?),
            code::ECHO => Els::Echo(reader.take_rest().to_vec()),
            code::RSCN => Els::Rscn(StateChange::parse(head, &mut reader)?),
            code::SCR => Els::Scr(Registration::parse(&mut reader)?),
            code::RNID => Els::Rnid(reader.array::<4>()?[0]),
            code::RLS => Els::Rls(reader.address()?),
            code::RTV => Els::Rtv,
            code::ADISC => Els::Adisc(Discovery::parse(&mut reader)?),
            code::RLIR => Els::Rlir(LinkIncident::parse(&mut reader)?),
            code::LIRR => Els::Lirr(IncidentRegistration::parse(&mut reader)?),
            other => return Err(ParseError::Function(other)),
        };
        reader.end()?;
        Ok(request)
    }

    /// Returns the octets of the request, without FC-2 framing.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let mut octets = vec![self.code(), 0, 0, 0];
        match self {
            Els::Flogi(parameters) | Els::Fdisc(parameters) | Els::Plogi(parameters) => {
                parameters.emit(&mut octets);
            }
            Els::Prli(login) | Els::Prlo(login) => login.emit(&mut octets),
            Els::Rrq(ids) | Els::Rec(ids) => ids.emit(&mut octets),
            Els::Logo(logout) => logout.emit(&mut octets),
            Els::Echo(data) => octets.extend_from_slice(data),
            Els::Rscn(change) => change.emit(&mut octets),
            Els::Scr(registration) => registration.emit(&mut octets),
            Els::Rnid(format) => octets.extend_from_slice(&[*format, 0, 0, 0]),
            Els::Rls(port) => octets.extend_from_slice(&(port & 0x00FF_FFFF).to_be_bytes()),
            Els::Rtv => {}
            Els::Adisc(discovery) => discovery.emit(&mut octets),
            Els::Rlir(incident) => incident.emit(&mut octets),
            Els::Lirr(registration) => registration.emit(&mut octets),
        }
        octets
    }
}

/// A reply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ElsReply {
    /// LS_ACC of FLOGI, FDISC or PLOGI.
    Login(ServiceParameters),
    /// LS_ACC of PRLI or PRLO.
    ProcessLogin(ProcessLogin),
    /// LS_ACC of LOGO, RRQ, SCR, RSCN, RLIR, LIRR, which has no other contents.
    Accept,
    /// LS_ACC of LIRR, which repeats the registration: decoders count on its octets. Our choice.
    Registered(IncidentRegistration),
    /// LS_ACC of ECHO.
    Echo(Vec<u8>),
    /// LS_ACC of RNID.
    NodeIdentification(NodeIdentification),
    /// LS_ACC of REC.
    ExchangeStatus(ExchangeStatus),
    /// LS_ACC of RLS.
    LinkErrors(LinkErrors),
    /// LS_ACC of RTV.
    TimeoutValues(TimeoutValues),
    /// LS_ACC of ADISC.
    Discovery(Discovery),
    /// LS_RJT.
    Reject(LsReject),
}

impl ElsReply {
    /// Reads the reply to a request with code `request`. Reserved octets are ignored.
    ///
    /// # Errors
    /// [`ParseError::Function`] for a first octet that is neither LS_ACC nor LS_RJT, or a request without a known
    /// reply; the fault of the octets otherwise.
    pub fn parse(request: u8, octets: &[u8]) -> Result<Self, ParseError> {
        let mut reader = Octets::new(octets);
        let head: [u8; CODE_BYTES] = reader.array()?;
        let reply = match (head[0], request) {
            (code::REJECT, _) => ElsReply::Reject(LsReject::parse(&mut reader)?),
            (code::ACCEPT, code::FLOGI | code::FDISC | code::PLOGI) => {
                ElsReply::Login(ServiceParameters::parse(&mut reader)?)
            }
            (code::ACCEPT, code::PRLI | code::PRLO) => {
                ElsReply::ProcessLogin(ProcessLogin::parse(head, &mut reader)?)
            }
            (code::ACCEPT, code::LIRR) if octets.len() > CODE_BYTES => {
                ElsReply::Registered(IncidentRegistration::parse(&mut reader)?)
            }
            (code::ACCEPT, code::LOGO | code::RRQ | code::SCR | code::RSCN | code::RLIR | code::LIRR) => {
                ElsReply::Accept
            }
            (code::ACCEPT, code::ECHO) => ElsReply::Echo(reader.take_rest().to_vec()),
            (code::ACCEPT, code::RNID) => {
                ElsReply::NodeIdentification(NodeIdentification::parse(&mut reader)?)
            }
            (code::ACCEPT, code::REC) => ElsReply::ExchangeStatus(ExchangeStatus::parse(&mut reader)?),
            (code::ACCEPT, code::RLS) => ElsReply::LinkErrors(LinkErrors::parse(&mut reader)?),
            (code::ACCEPT, code::RTV) => ElsReply::TimeoutValues(TimeoutValues::parse(&mut reader)?),
            (code::ACCEPT, code::ADISC) => ElsReply::Discovery(Discovery::parse(&mut reader)?),
            (code::ACCEPT, other) | (other, _) => return Err(ParseError::Function(other)),
        };
        reader.end()?;
        Ok(reply)
    }

    /// Returns the octets of the reply, without FC-2 framing.
    #[must_use]
    pub fn emit(&self) -> Vec<u8> {
        let mut octets = vec![code::ACCEPT, 0, 0, 0];
        match self {
            ElsReply::Login(parameters) => parameters.emit(&mut octets),
            ElsReply::ProcessLogin(login) => login.emit(&mut octets),
            ElsReply::Accept => {}
            ElsReply::Registered(registration) => registration.emit(&mut octets),
            ElsReply::Echo(data) => octets.extend_from_slice(data),
            ElsReply::NodeIdentification(identification) => identification.emit(&mut octets),
            ElsReply::ExchangeStatus(status) => status.emit(&mut octets),
            ElsReply::LinkErrors(errors) => errors.emit(&mut octets),
            ElsReply::TimeoutValues(values) => values.emit(&mut octets),
            ElsReply::Discovery(discovery) => discovery.emit(&mut octets),
            ElsReply::Reject(reject) => {
                octets[0] = code::REJECT;
                reject.emit(&mut octets);
            }
        }
        octets
    }
}

#[cfg(test)]
mod tests;
