//! Inter-switch links in the routes: their begin and end.

use super::*;

impl Switch {
    /// Lets the link carry frames.
    pub(super) fn link(&mut self, now: Time, port: usize, other: FabricParameters) {
        let Some(own) = self.ports[port].e_port() else { return };
        own.stage = Stage::Up;
        own.refusal = None;
        let FabricParameters { switch_name: name, domain } = other;
        self.events.push_back(SwitchEvent::LinkedTo { port, domain, name });
        self.renew_record(now);
        self.send_all_records(now, port);
    }

    /// Takes a link out of the routes that the other end has lost, and from which it takes nothing more.
    pub(super) fn abandon(&mut self, now: Time, port: usize) {
        let domain = self.ports[port].e_port().and_then(|own| own.domain());
        self.unlink(now, port);
        if let Some(own) = self.ports[port].e_port() {
            own.stage = Stage::Refused(now.saturating_add(RETRY_INTERVAL));
            own.lost = None;
        }
        self.events.push_back(SwitchEvent::Abandoned { port });
        if let Some(domain) = domain {
            self.end_drain(now, port, domain);
        }
    }

    /// Takes a link out of the routes. Domains to which no other way leads are lost.
    pub(in crate::switch) fn unlink(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].e_port() else { return };
        let was_up = own.stage == Stage::Up;
        let other_port = own.other_port.take();
        let neighbour = own.neighbour.take();
        (own.stage, own.asked, own.is_listed) = (Stage::Down, None, false);
        own.unsent.clear();
        own.marks.clear();
        let Some(FabricParameters { domain, .. }) = neighbour.filter(|_| was_up) else { return };
        own.lost = other_port.map(|name| (domain, name));
        self.events.push_back(SwitchEvent::Unlinked { port, domain });
        self.renew_record(now);
    }
}
