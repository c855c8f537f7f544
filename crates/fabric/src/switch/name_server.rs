//! Answers of the name server (FC-GS): only those that the zoning permits the requester to see.

use halftrack_wire::ct::{CtReject, NameReply, NameRequest};
use halftrack_wire::{FcFrame, ParseError, Sof};

use super::Switch;
use super::directory::PortRecord;
use crate::address;
use crate::sequence;

/// Most addresses in an answer, so that it fits one frame.
const ADDRESSES_MAX: usize = 512;
/// Most addresses and names in an answer, so that it fits one frame of 2048 octets.
const NAMES_MAX: usize = 127;

impl Switch {
    /// Returns a request to the name server from a port that is logged in; true when it was understood.
    pub(super) fn handle_name_request(&mut self, port: usize, frame: &FcFrame<'_>) -> bool {
        let header = &frame.header;
        let is_own = self.ports[port].f_port().is_some_and(|own| own.has(header.s_id));
        let asks = header.d_id == address::NAME_SERVER && sequence::is_request(header);
        if !asks || !is_own {
            return false;
        }
        let reply = match NameRequest::parse(frame.payload) {
            Ok(request) => self.answer_of_name_server(header.s_id, &request),
            Err(error) => {
                let unknown = matches!(error, ParseError::Field { field: "CT command", .. });
                let reason = if unknown { CtReject::NOT_SUPPORTED } else { CtReject::INVALID_COMMAND };
                let explanation = CtReject::NO_EXPLANATION;
                NameReply::Reject(CtReject { reason, explanation, vendor: 0 })
            }
        };
        let heading = sequence::reply(header, header.d_id, header.s_id);
        self.ports[port].outbox.push(Sof::Initiate3, heading, reply.emit());
        true
    }

    fn answer_of_name_server(&mut self, asker: u32, request: &NameRequest) -> NameReply {
        let visible = |record: &&PortRecord| self.directory.meet(asker, record.address);
        let nobody = |explanation| NameReply::Reject(CtReject::unable(explanation));
        match request {
            NameRequest::PortName { address } => {
                let found = self.directory.by_address(*address).filter(visible);
                found.map_or(nobody(CtReject::ADDRESS_NOT_REGISTERED), |record| NameReply::Name(record.name))
            }
            NameRequest::NodeName { address } => {
                let found = self.directory.by_address(*address).filter(visible);
                found.map_or(nobody(CtReject::ADDRESS_NOT_REGISTERED), |record| NameReply::Name(record.node))
            }
            NameRequest::PortId { port_name } => {
                let found = self.directory.by_name(*port_name).filter(visible);
                let unknown = nobody(CtReject::PORT_NAME_NOT_REGISTERED);
                found.map_or(unknown, |record| NameReply::PortId(record.address))
            }
            NameRequest::PortIdsByType { domain, area, fc_type } => {
                let found = self.ports_by_type([*domain, *area], *fc_type).filter(visible);
                let found: Vec<_> = found.map(|record| record.address).take(ADDRESSES_MAX).collect();
                if found.is_empty() {
                    nobody(CtReject::TYPES_NOT_REGISTERED)
                } else {
                    NameReply::PortIds(found)
                }
            }
            NameRequest::PortNamesByType { domain, area, fc_type } => {
                let found = self.ports_by_type([*domain, *area], *fc_type).filter(visible);
                let found = found.map(|record| (record.address, record.name)).take(NAMES_MAX);
                let found: Vec<_> = found.collect();
                if found.is_empty() {
                    nobody(CtReject::TYPES_NOT_REGISTERED)
                } else {
                    NameReply::PortNames(found)
                }
            }
            NameRequest::RegisterTypes { address, types } if *address == asker => {
                self.directory.register(asker, *types);
                NameReply::Accept
            }
            // Nothing that the name server answers depends on these.
            NameRequest::RegisterSymbolicPortName { address, .. }
            | NameRequest::RegisterFeatures { address, .. }
                if *address == asker =>
            {
                NameReply::Accept
            }
            NameRequest::RegisterTypes { .. }
            | NameRequest::RegisterFeatures { .. }
            | NameRequest::RegisterSymbolicPortName { .. } => {
                let reason = CtReject::LOGICAL_ERROR;
                let explanation = CtReject::ADDRESS_NOT_REGISTERED;
                NameReply::Reject(CtReject { reason, explanation, vendor: 0 })
            }
        }
    }

    /// Returns the ports of a domain and an area, where 0 stands for all, that do an FC-4 TYPE.
    fn ports_by_type(&self, [domain, area]: [u8; 2], fc_type: u8) -> impl Iterator<Item = &PortRecord> {
        let same = |wanted: u8, got: u8| wanted == 0 || wanted == got;
        self.directory.records().filter(move |record| {
            same(domain, address::domain(record.address))
                && same(area, address::area(record.address))
                && self.directory.does(record.address, fc_type)
        })
    }
}
