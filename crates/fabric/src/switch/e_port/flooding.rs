//! Link state records: this switch's own, and the spread of all (FSPF).

use super::*;
use crate::switch::topology::Acceptance;

impl Switch {
    /// Makes a new record of this switch's links, spreads it, and changes the routes accordingly.
    pub(super) fn renew_record(&mut self, now: Time) {
        self.incarnation = self.incarnation.saturating_add(1);
        let links = self.linked().map(|(port, domain)| StateLink { domain, area: self.ports[port].area });
        self.topology.enter(LinkStateRecord {
            domain: self.domain,
            switch_name: self.name,
            incarnation: self.incarnation,
            links: links.take(STATE_LINKS_MAX).collect(),
        });
        self.spread(now, self.domain, None);
        self.reroute(now);
    }

    /// Returns the inter-switch links over which frames pass, with the domains at their other ends.
    pub(in crate::switch) fn linked(&self) -> impl Iterator<Item = (usize, u8)> {
        self.ports.iter().enumerate().filter_map(|(port, own)| match &own.kind {
            Kind::E(own) if own.stage == Stage::Up => own.domain().map(|domain| (port, domain)),
            Kind::E(_) | Kind::F(_) => None,
        })
    }

    /// Sends the record of a domain over all links, but the one over which it came.
    pub(in crate::switch) fn spread(&mut self, now: Time, domain: u8, from: Option<usize>) {
        let links: Vec<_> = self.linked().map(|(port, _)| port).filter(|port| Some(*port) != from).collect();
        for port in links {
            self.queue_record(now, port, domain);
        }
    }

    fn queue_record(&mut self, now: Time, port: usize, domain: u8) {
        if let Some(own) = self.ports[port].e_port() {
            own.unsent.insert(domain);
            self.send_records(now, port);
        }
    }

    /// Sends all records over a link that carries frames now.
    pub(super) fn send_all_records(&mut self, now: Time, port: usize) {
        let all: Vec<_> = self.topology.reached().keys().copied().chain([self.domain]).collect();
        if let Some(own) = self.ports[port].e_port().filter(|own| own.stage == Stage::Up) {
            own.unsent.extend(all);
            self.send_records(now, port);
        }
    }

    /// Sends the next records, if nothing is on its way.
    pub(super) fn send_records(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].e_port() else { return };
        if own.stage != Stage::Up || own.asked.is_some() || own.unsent.is_empty() {
            return;
        }
        let mut unsent = std::mem::take(&mut own.unsent);
        let (mut records, mut bytes) = (Vec::new(), 0);
        while let Some(&domain) = unsent.first() {
            let record = self.topology.record(domain);
            bytes += record.map_or(0, LinkStateRecord::bytes);
            if !records.is_empty() && bytes > LINK_STATES_BYTES_MAX {
                break;
            }
            records.extend(record.cloned());
            unsent.pop_first();
        }
        if let Some(own) = self.ports[port].e_port() {
            own.unsent = unsent;
        }
        self.request_of_neighbour(now, port, SwitchLinkService::LinkState(records), Stage::Up);
    }

    /// Takes the records of a neighbour. One that would give a domain to two switches ends the link.
    pub(super) fn answer_records(
        &mut self,
        now: Time,
        port: usize,
        records: &[LinkStateRecord],
    ) -> SwitchAnswer {
        if self.ports[port].e_port().is_none_or(|own| own.neighbour.is_none()) {
            return SwitchAnswer::Reject(SwitchReject::LOGICAL_ERROR);
        }
        // A successor is admitted once the records that came with it show that its predecessor is gone.
        let (taken, free): (Vec<_>, Vec<_>) =
            records.iter().partition(|record| self.holder_beside(record).is_some());
        free.into_iter().for_each(|record| self.take_record(now, port, record));
        self.reroute(now);
        for record in taken {
            if let Some(holder) = self.holder_beside(record) {
                let LinkStateRecord { domain, switch_name: switch, .. } = *record;
                self.refuse_link(now, port, LinkRefusal::DomainTaken { domain, switch, holder });
                return SwitchAnswer::Reject(SwitchReject::DOMAIN_TAKEN);
            }
            self.take_record(now, port, record);
            self.reroute(now);
        }
        SwitchAnswer::Noted
    }

    /// Returns the other switch that has the domain of a record.
    fn holder_beside(&self, record: &LinkStateRecord) -> Option<WorldWideName> {
        let own = (record.domain == self.domain).then_some(self.name);
        own.or_else(|| self.topology.holder(record.domain)).filter(|holder| *holder != record.switch_name)
    }

    fn take_record(&mut self, now: Time, port: usize, record: &LinkStateRecord) {
        if record.domain == self.domain {
            // One from before this switch began anew, which others take for newer.
            if record.incarnation > self.incarnation {
                self.incarnation = record.incarnation;
                self.renew_record(now);
            }
            return;
        }
        match self.topology.accept(record) {
            Acceptance::Known => {}
            Acceptance::Older => self.queue_record(now, port, record.domain),
            Acceptance::Newer => {
                self.spread(now, record.domain, Some(port));
                self.compare_links(now, record);
            }
        }
    }

    /// Compares a neighbour's links with this switch's: it takes nothing more from one that its record does not have.
    fn compare_links(&mut self, now: Time, record: &LinkStateRecord) {
        let own_domain = self.domain;
        let is_listed = |other_port: WorldWideName| {
            let ours = record.links.iter().filter(|link| link.domain == own_domain);
            ours.into_iter().any(|link| port_name(record.switch_name, link.area) == other_port)
        };
        for port in 0..self.ports.len() {
            let Some(own) = self.ports[port].e_port() else { continue };
            let other = own.neighbour.map(|neighbour| neighbour.domain).zip(own.other_port);
            if let Some((_, other_port)) = other.filter(|(domain, _)| *domain == record.domain) {
                let was_listed = std::mem::replace(&mut own.is_listed, is_listed(other_port));
                if was_listed && !is_listed(other_port) {
                    self.abandon(now, port);
                }
            } else if own.lost.is_some_and(|(domain, name)| domain == record.domain && !is_listed(name)) {
                own.lost = None;
                self.end_drain(now, port, record.domain);
            }
        }
    }
}
