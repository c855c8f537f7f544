//! Marks behind the last frames of old routes: sent to neighbours, and acknowledged to them.

use halftrack_base::Time;
use halftrack_wire::Sof;
use halftrack_wire::switch_link::{SWITCH_LINK_SERVICE, SwitchAnswer, SwitchLinkService};

use super::event::SwitchEvent;
use super::route::{Asker, Routes};
use super::{Kind, Switch, address};
use crate::sequence;

/// How far a mark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mark {
    /// It is due once the frames before it are sent.
    Wanted,
    /// It was sent on this exchange.
    Sent(u16),
    /// Another one is due after that.
    SentAndWanted(u16),
}

impl Switch {
    /// Returns whether frames to this domain, which [`Verdict::Hold`](super::Verdict::Hold) held, still have to wait.
    #[inline]
    #[must_use]
    pub fn is_draining(&self, domain: u8) -> bool {
        self.routes.get(&domain).is_some_and(Routes::is_draining)
    }

    /// Returns the domains of which marks are to go out through this port behind the last frame for each.
    pub fn wanted_marks(&self, port: usize) -> impl Iterator<Item = u8> {
        let marks = self.ports.get(port).and_then(|own| match &own.kind {
            Kind::E(own) if own.is_linked() => Some(&own.marks),
            Kind::E(_) | Kind::F(_) => None,
        });
        marks.into_iter().flatten().filter(|(_, mark)| **mark == Mark::Wanted).map(|(domain, _)| *domain)
    }

    /// Sends the mark of a domain: no frame for it waits at this port any more.
    pub fn handle_drained(&mut self, port: usize, domain: u8) {
        let Some(own) = self.ports.get_mut(port) else { return };
        let ox_id = own.ids.next();
        let Some(mark) = own.e_port().and_then(|own| own.marks.get_mut(&domain)) else { return };
        if *mark != Mark::Wanted {
            return;
        }
        *mark = Mark::Sent(ox_id);
        let controller = address::FABRIC_CONTROLLER;
        let header = sequence::request(SWITCH_LINK_SERVICE, controller, controller, ox_id);
        let mut payload = Vec::new();
        SwitchLinkService::Mark(domain).emit(&mut payload);
        own.outbox.push(Sof::Fabric, header, payload);
    }

    pub(super) fn want_mark(&mut self, port: usize, domain: u8) {
        let Some(own) = self.ports[port].e_port().filter(|own| own.is_linked()) else { return };
        let mark = own.marks.entry(domain).or_insert(Mark::Wanted);
        if let Mark::Sent(ox_id) = *mark {
            *mark = Mark::SentAndWanted(ox_id);
        }
    }

    /// Takes the acknowledgement of a mark: nothing of an old route is on its way over the link any more. Returns false
    /// when it is that of something else.
    pub(super) fn take_mark_answer(&mut self, now: Time, port: usize, ox_id: u16) -> bool {
        let Some(own) = self.ports[port].e_port() else { return false };
        let is_of = |mark: Mark| matches!(mark, Mark::Sent(id) | Mark::SentAndWanted(id) if id == ox_id);
        let Some((&domain, mark)) = own.marks.iter_mut().find(|(_, mark)| is_of(**mark)) else {
            return false;
        };
        if matches!(mark, Mark::SentAndWanted(_)) {
            *mark = Mark::Wanted;
            return true;
        }
        own.marks.remove(&domain);
        let asker = self.routes.get_mut(&domain).and_then(|routes| routes.end_wave(port));
        self.acknowledge_marks(asker);
        self.end_drain(now, port, domain);
        self.begin_wave(now, domain);
        true
    }

    /// Ends the drain of a link: its other end has all frames for the domain, or takes no more.
    pub(super) fn end_drain(&mut self, now: Time, port: usize, domain: u8) {
        if self.routes.get_mut(&domain).is_some_and(|routes| routes.end_drain(port)) {
            self.use_new_routes(now, domain);
        }
    }

    fn use_new_routes(&mut self, now: Time, domain: u8) {
        self.repeat_to_far_switch(domain);
        self.begin_wave(now, domain);
    }

    /// Takes the mark of a neighbour behind its frames for a domain.
    pub(super) fn take_mark(&mut self, now: Time, asker: Asker, domain: u8) {
        match self.routes.get_mut(&domain) {
            Some(routes) => {
                routes.add_asker(asker);
                self.begin_wave(now, domain);
            }
            // The frames are at the ports of this switch, or nowhere.
            None => self.acknowledge_marks([asker]),
        }
    }

    /// Begins the wave that is due. Frames never go back to the neighbour that sent the mark, so no mark does.
    fn begin_wave(&mut self, now: Time, domain: u8) {
        while let Some(routes) = self.routes.get(&domain)
            && let Some(from) = routes.due_wave()
        {
            let neighbour = self.neighbour_at(from);
            let links = routes.links().iter().copied();
            let over: Vec<_> = links.filter(|&link| self.neighbour_at(link) != neighbour).collect();
            let done = self.routes.get_mut(&domain).and_then(|routes| routes.begin_wave(now, &over));
            over.into_iter().for_each(|port| self.want_mark(port, domain));
            self.acknowledge_marks(done);
        }
    }

    pub(super) fn acknowledge_marks(&mut self, askers: impl IntoIterator<Item = Asker>) {
        for (port, header) in askers {
            if self.ports[port].is_up {
                self.answer_neighbour(port, &header, &SwitchAnswer::Noted);
            }
        }
    }

    /// Ends the drains of old routes, and the waves, whose time is over.
    pub(super) fn give_up_drains(&mut self, now: Time) {
        let domains: Vec<_> = self.routes.keys().copied().collect();
        for domain in domains {
            let Some(routes) = self.routes.get_mut(&domain) else { continue };
            let (asker, over) = (routes.give_up_wave(now), routes.give_up(now));
            let (was_wave, was_drain) = (asker.is_some(), !over.is_empty());
            self.acknowledge_marks(asker);
            for port in over {
                if let Some(own) = self.ports[port].e_port() {
                    own.marks.remove(&domain);
                }
                self.events.push_back(SwitchEvent::NotDrained { port, domain });
            }
            if was_drain {
                self.use_new_routes(now, domain);
            } else if was_wave {
                self.begin_wave(now, domain);
            }
        }
    }
}
