//! Routes to all domains of the fabric, as they follow from its topology.

use halftrack_base::Time;

use super::event::SwitchEvent;
use super::route::Routes;
use super::topology::Reach;
use super::{FarSwitch, Switch};

impl Switch {
    /// Finds the routes anew: domains are reached, are lost, or change their links.
    pub(super) fn reroute(&mut self, now: Time) {
        self.topology.find_ways(self.domain);
        let reached = self.topology.reached().clone();
        let lost: Vec<_> =
            self.routes.keys().copied().filter(|domain| !reached.contains_key(domain)).collect();
        for domain in lost {
            self.lose(now, domain);
        }
        let linked: Vec<_> = self.linked().collect();
        for (domain, Reach { hops, over }) in reached {
            let links =
                linked.iter().filter(|(_, neighbour)| over.contains(neighbour)).map(|(port, _)| *port);
            let links: Vec<_> = links.collect();
            match self.routes.get_mut(&domain) {
                None => self.reach(now, domain, Routes::new(hops, links)),
                Some(routes) if routes.links() == links => routes.hops = hops,
                Some(routes) => {
                    let old = routes.change(now, hops, links);
                    old.into_iter().for_each(|port| self.want_mark(port, domain));
                    self.report_reach(domain);
                }
            }
        }
    }

    fn reach(&mut self, now: Time, domain: u8, routes: Routes) {
        self.routes.insert(domain, routes);
        self.reached_count += 1;
        self.far.insert(domain, FarSwitch::new(now, self.reached_count));
        self.report_reach(domain);
        // Who was linked while the domain was out of reach has no record of it.
        self.spread(now, domain, None);
        self.greet(now, domain);
    }

    fn report_reach(&mut self, domain: u8) {
        let routes = self.routes.get(&domain).filter(|routes| routes.hops > 1);
        let first =
            routes.and_then(|routes| Some((*routes.links().first()?, routes.links().len(), routes.hops)));
        if let Some(((port, links, hops), name)) = first.zip(self.topology.holder(domain)) {
            self.events.push_back(SwitchEvent::Reached { port, domain, name, hops, links });
        }
    }

    fn lose(&mut self, now: Time, domain: u8) {
        let Some(routes) = self.routes.remove(&domain) else { return };
        if let Some(&port) = routes.links().first().filter(|_| routes.hops > 1) {
            self.events.push_back(SwitchEvent::Lost { port, domain });
        }
        self.acknowledge_marks(routes.into_askers());
        for own in self.ports.iter_mut().filter_map(super::Port::e_port) {
            own.marks.remove(&domain);
        }
        self.far.remove(&domain);
        self.strike_ports(now, domain);
    }
}
