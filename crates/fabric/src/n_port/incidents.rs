//! Link incidents of a port: its own are reported to the ports that registered (LIRR, RLIR), those of others to its owner.
//!
//! ```text
//! channel: RNID, LIRR ─► control unit: registered ─ incident of its link ─► RLIR ─► channel: IncidentReported
//! ```
//!
//! A link that failed carries no record of that: it is kept until a channel registers over the next one.

use halftrack_base::Time;
use halftrack_wire::FcHeader;
use halftrack_wire::els::{
    ElsReply, IncidentCode, IncidentPort, IncidentReceiver, IncidentRegistration, LinkIncident,
};

use super::event::{Discard, PortEvent};
use super::requests::Purpose;
use super::{NPort, Role};
use crate::incident::{receivers, stamp};

impl NPort {
    /// Notes an incident of the port's link, before the link counts as down. Without a login there is none.
    pub fn note_incident(&mut self, now: Time, code: IncidentCode) {
        let login = self.peers.iter().find(|peer| peer.has_login());
        if login.is_none() && !self.is_in_fabric() {
            return;
        }
        let connected = match login.filter(|_| !self.is_in_fabric()) {
            Some(peer) => IncidentPort { port_name: peer.name, ..IncidentPort::default() },
            None => IncidentPort::default(),
        };
        let incident = LinkIncident {
            incident: IncidentPort {
                port_name: self.parameters.port_name,
                node_name: self.parameters.node_name,
            },
            port_type: LinkIncident::N_PORT,
            address: self.address,
            connected,
            fabric_name: Default::default(),
            physical_port: 0,
            transaction: self.incidents,
            at: stamp(now),
            qualifier: code.severity(),
            code,
        };
        self.incidents = self.incidents.wrapping_add(1);
        self.report(PortEvent::IncidentNoted(incident));
        let registered = self.peers.iter().enumerate().map(|(index, peer)| (index, peer.reports.receiver));
        let receivers = receivers(registered);
        let carries = code == IncidentCode::BitErrorRate && !receivers.is_empty();
        if carries {
            receivers.into_iter().for_each(|index| self.send_incident(now, index, incident));
        } else if self.parameters.role == Role::ControlUnit {
            self.unreported = Some(incident);
        }
    }

    /// Takes the frames with an invalid CRC that the link has counted, for RLS and for the threshold of its bit-error
    /// rate.
    #[inline]
    pub fn take_invalid_crcs(&mut self, now: Time, count: u64) {
        self.link_errors.invalid_crcs = u32::try_from(count).unwrap_or(u32::MAX);
        if self.bit_errors.take_damaged(now, count) {
            self.note_incident(now, IncidentCode::BitErrorRate);
        }
    }

    /// Answers LIRR. What was not reported to any port is reported to this one.
    pub(super) fn answer_incident_registration(
        &mut self,
        now: Time,
        header: &FcHeader,
        index: usize,
        registration: IncidentRegistration,
    ) -> Result<(), Discard> {
        self.peers[index].reports.receiver = registration.receiver;
        self.answer(header, &ElsReply::Registered(registration));
        let receives = registration.receiver != IncidentReceiver::Withdrawn;
        if let Some(incident) = self.unreported.take_if(|_| receives) {
            self.send_incident(now, index, incident);
        }
        Ok(())
    }

    /// Takes a record of another port.
    pub(super) fn take_incident(&mut self, header: &FcHeader, incident: LinkIncident) {
        self.answer(header, &ElsReply::Accept);
        self.report(PortEvent::IncidentReported(incident));
    }

    fn send_incident(&mut self, now: Time, index: usize, incident: LinkIncident) {
        if self.peers[index].reports.add(incident) {
            self.request(now, Purpose::ReportIncident(index), 1);
        }
    }

    /// Sends the next record to a port that has the one before, or does not answer.
    pub(super) fn send_next_incident(&mut self, now: Time, index: usize) {
        if self.peers[index].reports.next().is_some() {
            self.request(now, Purpose::ReportIncident(index), 1);
        }
    }
}
