//! Link incidents of a switch's ports, reported to the ports of this switch that registered (LIRR, RLIR).
//!
//! An incident of an F_Port is reported to the ports that share a zone with its port, one of an E_Port to all.

use halftrack_base::Time;
use halftrack_wire::Sof;
use halftrack_wire::choices::LINK_INCIDENT_SERVICE;
use halftrack_wire::els::{
    Els, ElsReply, IncidentCode, IncidentPort, IncidentReceiver, IncidentRegistration, LinkIncident,
    qualifier,
};
use halftrack_wire::fc_header::fc_type;

use super::event::SwitchEvent;
use super::outstanding::Outstanding;
use super::{Kind, Switch, address};
use crate::bit_error_threshold::BitErrorThreshold;
use crate::incident::{IncidentReports, receivers, stamp};
use crate::sequence;

/// Link incidents that the port at the other end receives, and the record on its way.
#[derive(Debug, Default)]
pub(super) struct Incidents {
    reports: IncidentReports,
    outstanding: Option<Outstanding<()>>,
}

impl Incidents {
    /// Returns the time at which a record is sent again.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        self.outstanding.as_ref().map(|record| record.until)
    }
}

/// Incidents of the switch so far, and the errors of its links.
#[derive(Debug, Default)]
pub(super) struct IncidentCounts {
    transactions: u32,
    bit_errors: Vec<BitErrorThreshold>,
}

impl Switch {
    /// Takes the number of damaged frames that came in at a port so far, for the threshold of its bit-error rate.
    #[inline]
    pub fn take_invalid_crcs(&mut self, now: Time, port: usize, count: u64) {
        let thresholds = &mut self.incidents.bit_errors;
        if thresholds.len() <= port {
            thresholds.resize_with(port + 1, BitErrorThreshold::default);
        }
        if thresholds[port].take_damaged(now, count) {
            self.note_incident(now, port, IncidentCode::BitErrorRate);
        }
    }

    /// Notes an incident of the link of a port, before the link counts as down. Without a login there is none.
    pub fn note_incident(&mut self, now: Time, port: usize, code: IncidentCode) {
        let Some(own) = self.ports.get(port) else { return };
        let (record, port_type, of_port) = match &own.kind {
            Kind::F(f_port) => match f_port.record() {
                Some(record) => (Some(*record), LinkIncident::F_PORT, 0),
                None => return,
            },
            Kind::E(e_port) if e_port.domain().is_some() => {
                (None, LinkIncident::E_PORT, qualifier::EXPANSION_PORT)
            }
            Kind::E(_) => return,
        };
        let connected = record.map_or(IncidentPort::default(), |record| IncidentPort {
            port_name: record.name,
            node_name: record.node,
        });
        let incident = LinkIncident {
            incident: IncidentPort { port_name: self.port_name(port), node_name: self.name },
            port_type,
            address: address::of_port(self.domain, own.area),
            connected,
            fabric_name: self.name,
            physical_port: u32::try_from(port).unwrap_or(u32::MAX),
            transaction: self.incidents.transactions,
            at: stamp(now),
            qualifier: qualifier::SWITCH | of_port | code.severity(),
            code,
        };
        self.incidents.transactions = self.incidents.transactions.wrapping_add(1);
        self.events.push_back(SwitchEvent::IncidentNoted { port, incident });
        let is_seen = |other: &super::PortRecord| {
            record.is_none_or(|record| {
                other.address != record.address
                    && self.directory.zones_of(other).meets(&self.directory.zones_of(&record))
            })
        };
        let registered = self.ports.iter().enumerate().filter_map(|(index, other)| match &other.kind {
            Kind::F(f_port) => {
                f_port.record().filter(|record| is_seen(record))?;
                Some((index, f_port.incidents.reports.receiver))
            }
            Kind::E(_) => None,
        });
        for receiver in receivers(registered) {
            self.report_incident(now, receiver, incident);
        }
    }

    /// Answers LIRR.
    pub(super) fn register_for_incidents(
        &mut self,
        port: usize,
        registration: IncidentRegistration,
    ) -> ElsReply {
        if let Some(own) = self.ports[port].f_port() {
            own.incidents.reports.receiver = registration.receiver;
            if registration.receiver == IncidentReceiver::Withdrawn {
                own.incidents = Incidents::default();
            }
        }
        ElsReply::Registered(registration)
    }

    fn report_incident(&mut self, now: Time, port: usize, incident: LinkIncident) {
        let Some(own) = self.ports[port].f_port() else { return };
        if own.incidents.reports.add(incident) {
            self.send_incident(now, port);
        }
    }

    fn send_incident(&mut self, now: Time, port: usize) {
        let ox_id = self.ports[port].ids.next();
        if let Some(own) = self.ports[port].f_port() {
            own.incidents.outstanding = Some(Outstanding::new(now, (), ox_id));
        }
        self.emit_incident(port, ox_id);
    }

    fn emit_incident(&mut self, port: usize, ox_id: u16) {
        let own = &mut self.ports[port];
        let Some(f_port) = own.f_port() else { return };
        let Some((d_id, incident)) = f_port.address().zip(f_port.incidents.reports.first()) else { return };
        let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, LINK_INCIDENT_SERVICE, d_id, ox_id);
        own.outbox.push(Sof::Initiate3, header, Els::Rlir(incident).emit());
    }

    /// Repeats a record without a timely answer, or continues to the next.
    pub(super) fn repeat_incident(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].f_port() else { return };
        let is_due = |record: &mut Outstanding<()>| record.until <= now;
        let Some(record) = own.incidents.outstanding.take_if(is_due) else { return };
        let ox_id = self.ports[port].ids.next();
        match (record.again(now, ox_id), self.ports[port].f_port()) {
            (Ok(record), Some(own)) => {
                own.incidents.outstanding = Some(record);
                self.emit_incident(port, ox_id);
            }
            _ => self.send_next_incident(now, port),
        }
    }

    /// Takes the answer to a record; false when it is of something else.
    pub(super) fn take_incident_answer(&mut self, now: Time, port: usize, ox_id: u16) -> bool {
        let Some(own) = self.ports[port].f_port() else { return false };
        let is_of = |record: &mut Outstanding<()>| record.ox_id == ox_id;
        if own.incidents.outstanding.take_if(is_of).is_none() {
            return false;
        }
        self.send_next_incident(now, port);
        true
    }

    fn send_next_incident(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].f_port() else { return };
        if own.incidents.reports.next().is_some() {
            self.send_incident(now, port);
        }
    }
}
