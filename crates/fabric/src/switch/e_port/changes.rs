//! Notification of the other switch of ports that come and go (RSCN), and its notices of its own ports.

use super::*;

impl Switch {
    /// Returns the ports of the other switch came or went.
    pub(super) fn answer_changes(&mut self, now: Time, port: usize, entries: &[DeviceEntry]) -> SwitchAnswer {
        let Some(domain) = self.ports[port].e_port().and_then(|own| own.domain()) else {
            return SwitchAnswer::Reject(SwitchReject::LOGICAL_ERROR);
        };
        for entry in entries.iter().filter(|entry| address::domain(entry.address) == domain) {
            if !entry.online && self.abandon(now, port, entry) {
                continue;
            }
            let record = PortRecord { address: entry.address, name: entry.port_name, node: entry.node_name };
            let known = self.directory.by_address(entry.address).copied();
            if known == Some(record) && entry.online {
                continue;
            }
            // A port that leaves is seen by those who could see it; what took its place by those who can.
            if let Some(gone) = self.directory.strike(entry.address) {
                self.notify(now, gone, false);
            }
            self.held.retain(|held| held.address != entry.address);
            if entry.online && self.held.len() < RECORDS_MAX {
                self.held.push(record);
            }
        }
        self.enter_held(now);
        SwitchAnswer::Noted
    }

    /// Notes a notice of the other switch by its exchange. Returns true when a newer one came before it: this one is over
    /// and has no effect, for its sender has repeated it or sent another since.
    pub(super) fn note_notice(&mut self, port: usize, ox_id: u16) -> bool {
        let Some(own) = self.ports[port].e_port() else { return false };
        let is_overtaken = own.newest_notice.is_some_and(|newest| sequence::is_older(ox_id, newest));
        if !is_overtaken {
            own.newest_notice = Some(ox_id);
        }
        is_overtaken
    }

    /// Enters the ports of other switches that nobody takes any more for one who had the name or the address before.
    pub(in crate::switch) fn enter_held(&mut self, now: Time) {
        let departures = &self.departures;
        let free = |held: &mut PortRecord| !departures.block(held.name, held.address);
        let entering: Vec<_> = self.held.extract_if(.., free).collect();
        for record in entering {
            if self.directory.enter(record) {
                self.notify(now, record, true);
            }
        }
    }

    /// Tells the other end of every port of this switch, once frames pass.
    pub(super) fn notify_all(&mut self, now: Time, port: usize) {
        let all: Vec<_> = self.directory.of_domain(self.domain).map(|record| entry(record, true)).collect();
        if self.ports[port].e_port().is_some_and(|own| own.stage == Stage::Up) {
            self.queue_entries(now, port, all);
        }
    }

    /// Tells the other end of the next ports, if nothing is on its way.
    pub(super) fn send_entries(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].e_port() else { return };
        let is_marked = own.mark == Some(Mark::Wanted);
        if own.stage != Stage::Up || own.asked.is_some() || (own.entries.is_empty() && !is_marked) {
            return;
        }
        if is_marked {
            own.mark = Some(Mark::Sent);
        }
        let count = own.entries.len().min(DEVICE_ENTRIES_MAX);
        let entries = own.entries.drain(..count).collect();
        self.request_of_neighbour(now, port, SwitchLinkService::StateChange(entries), Stage::Up);
    }

    /// Tells each neighbour, over one link, that a port of this switch came or went.
    pub(in crate::switch) fn notify_neighbours(&mut self, now: Time, record: PortRecord, online: bool) {
        let domains: BTreeSet<_> = self.neighbours().map(|(_, known)| known.domain).collect();
        let first_links: Vec<_> =
            domains.into_iter().filter_map(|domain| self.notifying_link(domain)).collect();
        for port in first_links {
            self.queue_entries(now, port, [entry(&record, online)]);
        }
    }

    /// Returns the link over which a neighbour is notified of changes: one that is up, or else one that is about to
    /// be.
    pub(super) fn notifying_link(&self, domain: u8) -> Option<usize> {
        let up = self.links.get(&domain).and_then(|routes| routes.links().first().copied());
        up.or_else(|| self.neighbours().find(|(_, known)| known.domain == domain).map(|(port, _)| port))
    }

    pub(super) fn queue_entries(
        &mut self,
        now: Time,
        port: usize,
        entries: impl IntoIterator<Item = DeviceEntry>,
    ) {
        let Some(own) = self.ports[port].e_port() else { return };
        own.entries.extend(entries);
        if own.entries.len() > ENTRIES_MAX {
            return self.refuse_link(now, port, LinkRefusal::NoAnswer);
        }
        self.send_entries(now, port);
    }
}
