//! Inter-switch links in the routes: their begin and end, and the drain of old routes.

use super::*;

impl Switch {
    /// Lets the link carry frames; the other end is notified of all ports of this switch.
    pub(super) fn link(&mut self, now: Time, port: usize, other: FabricParameters) {
        let Some(own) = self.ports[port].e_port() else { return };
        own.stage = Stage::Up;
        own.refusal = None;
        let FabricParameters { switch_name: name, domain } = other;
        self.links.entry(domain).or_default().add(now, port);
        self.events.push_back(SwitchEvent::LinkedTo { port, domain, name });
        self.notify_all(now, port);
    }

    /// Returns whether frames that [`Verdict::Hold`](crate::switch::Verdict::Hold) sent to this inter-switch link wait.
    #[inline]
    #[must_use]
    pub fn is_draining(&self, port: usize) -> bool {
        self.routes_of(port).is_some_and(Routes::is_draining)
    }

    /// Ends the drain of this inter-switch link: nothing queued before the change of routes waits for it any more.
    pub fn handle_drained(&mut self, now: Time, port: usize) {
        if !self.routes_of(port).is_some_and(|routes| routes.drains(port)) {
            return;
        }
        if let Some(own) = self.ports[port].e_port()
            && own.mark.is_none()
        {
            own.mark = Some(Mark::Wanted);
            self.send_entries(now, port);
        }
    }

    /// Ends the drains of old routes whose time is over.
    pub(in crate::switch) fn give_up_drains(&mut self, now: Time) {
        let over: Vec<_> = self.links.values_mut().flat_map(|routes| routes.give_up(now)).collect();
        for port in over {
            if let Some(own) = self.ports[port].e_port() {
                own.mark = None;
            }
            self.events.push_back(SwitchEvent::NotDrained { port });
        }
    }

    fn routes_of(&self, port: usize) -> Option<&Routes> {
        match self.ports.get(port).map(|own| &own.kind) {
            Some(Kind::E(own)) => self.links.get(&own.domain()?),
            _ => None,
        }
    }

    /// Takes the acknowledgement of the other switch. It is that of a mark, behind which nothing of an old route
    /// comes, or of links that failed, from which it accepts nothing more.
    pub(super) fn take_noted(&mut self, port: usize, what: &SwitchLinkService) {
        let Some(own) = self.ports[port].e_port() else { return };
        let mut drained = Vec::new();
        if own.mark.take_if(|mark| *mark == Mark::Sent).is_some() {
            drained.push(port);
        }
        let domain = own.domain();
        if let SwitchLinkService::StateChange(entries) = what {
            let failed = entries.iter().filter(|entry| !entry.online && entry.node_name == self.name);
            drained.extend(failed.filter_map(|entry| self.areas[usize::from(address::area(entry.address))]));
        }
        let Some(routes) = domain.and_then(|domain| self.links.get_mut(&domain)) else { return };
        drained.into_iter().for_each(|link| routes.end_drain(link));
    }

    /// Handles a notice of the other switch that a port is gone. Returns true when that is the other end of a link of
    /// this switch.
    pub(super) fn abandon(&mut self, now: Time, port: usize, entry: &DeviceEntry) -> bool {
        let is_other_end = |own: &EPort| own.other_port == Some(entry.port_name);
        let other_ports = self.ports.iter().enumerate().filter(|(at, _)| *at != port);
        let mut found = other_ports.filter(|(_, own)| matches!(&own.kind, Kind::E(own) if is_other_end(own)));
        let Some(link) = found.next().map(|(at, _)| at) else {
            return false;
        };
        self.unlink(now, link);
        if let Some(own) = self.ports[link].e_port() {
            own.stage = Stage::Refused(now.saturating_add(RETRY_INTERVAL));
        }
        self.events.push_back(SwitchEvent::Abandoned { port: link });
        true
    }

    /// Takes a link out of the routes. Its pending notices go over another one to the same switch; without one the
    /// ports of that switch are gone.
    pub(in crate::switch) fn unlink(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].e_port() else { return };
        let was_up = own.stage == Stage::Up;
        (own.stage, own.newest_notice) = (Stage::Down, None);
        (own.other_port, own.mark) = (None, None);
        let mut untold = match own.asked.take() {
            Some(Outstanding { what: SwitchLinkService::StateChange(entries), .. }) => entries,
            _ => Vec::new(),
        };
        untold.extend(own.entries.drain(..));
        let Some(FabricParameters { domain, .. }) = own.neighbour.take() else { return };
        if was_up {
            self.events.push_back(SwitchEvent::Unlinked { port, domain });
        }
        if was_up && let Some(routes) = self.links.get_mut(&domain) {
            routes.remove(now, port);
            let port_address = address::of_port(self.domain, self.ports[port].area);
            let record = PortRecord { address: port_address, name: self.port_name(port), node: self.name };
            untold.push(entry(&record, false));
        }
        match self.notifying_link(domain) {
            Some(other) => self.queue_entries(now, other, untold),
            None => {
                self.links.remove(&domain);
                self.held.retain(|held| address::domain(held.address) != domain);
                for gone in self.directory.strike_domain(domain) {
                    self.notify(now, gone, false);
                }
            }
        }
    }
}
