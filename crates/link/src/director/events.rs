//! Actions of a director on events of its switch.

use std::io::Write;

use halftrack_base::Time;
use halftrack_fabric::SwitchEvent;
use halftrack_wire::fcip::TimeStamp;

use super::{Director, Notice, NoticeKind, Notices};
use crate::connection_notice::ConnectionNotice;
use crate::fibre::Closing;
use crate::plug::Plug;

impl<P: Plug, W: Write + 'static> Director<P, W> {
    /// Follows what happened in the fabric.
    #[inline]
    pub(super) fn take_events(&mut self, now: Time, notices: Notices<'_>) {
        while let Some(event) = self.switch.poll_event() {
            self.take_event(now, event, notices);
        }
    }

    fn take_event(&mut self, now: Time, event: SwitchEvent, notices: Notices<'_>) {
        let index = match event {
            SwitchEvent::LoggedIn { port, credit, .. } => {
                self.ports[port].login_by = None;
                self.ports[port].in_since = self.host.map_or_else(TimeStamp::default, |host| host.stamp(now));
                self.set_credit(port, credit);
                port
            }
            SwitchEvent::VirtualLoggedIn { port, address, .. } => {
                let since = self.host.map_or_else(TimeStamp::default, |host| host.stamp(now));
                self.ports[port].virtual_since.insert(address, since);
                port
            }
            SwitchEvent::VirtualLoggedOut { port, address, .. } => {
                self.ports[port].virtual_since.remove(&address);
                self.flush_virtual(now, port, address);
                port
            }
            SwitchEvent::LinkedTo { port, .. } => {
                self.ports[port].login_by = None;
                port
            }
            SwitchEvent::LinkCredit { port, credit } => {
                self.set_credit(port, credit);
                port
            }
            SwitchEvent::LoggedOut { port, .. } | SwitchEvent::Unlinked { port, .. } => {
                self.flush_for(now, port);
                if !self.switch.is_inter_switch(port) {
                    self.flush_from(now, port);
                }
                if self.ports[port].linked {
                    self.ports[port].expect_login(now);
                }
                port
            }
            SwitchEvent::Refused { port, name, why } => {
                // Over a connection that others opened nothing else is waited for.
                let own = &mut self.ports[port];
                if !own.opened && !self.switch.has_login(port) && !self.switch.is_inter_switch(port) {
                    own.refused.get_or_insert(Closing::Refused { name, why: why.to_string() });
                }
                port
            }
            SwitchEvent::ProbeAnswered { port } => {
                return self.lobbies.iter_mut().for_each(|lobby| lobby.handle_probe_answered(port));
            }
            SwitchEvent::NotDrained { port, domain } => return self.flush_route(now, port, domain),
            SwitchEvent::Abandoned { port } => {
                self.ports[port].refused =
                    Some(Closing::ByThisEnd("the other end has lost the link".to_owned()));
                return;
            }
            SwitchEvent::LinkRefused { port, .. }
            | SwitchEvent::IncidentNoted { port, .. }
            | SwitchEvent::Reached { port, .. }
            | SwitchEvent::Lost { port, .. } => port,
        };
        let area = self.ports[index].area;
        notices(&Notice { at: now, area, kind: NoticeKind::Fabric(event) });
    }

    fn set_credit(&mut self, index: usize, credit: u16) {
        if let Some(fibre) = &mut self.ports[index].fibre {
            fibre.set_credit(credit);
        }
    }

    /// Tells whether the age of frames is checked at a port, when that has changed.
    pub(super) fn notify_clock(&mut self, at: Time, index: usize, notices: Notices<'_>) {
        let port = &mut self.ports[index];
        let is_in = port.login_by.is_none();
        let Some(fibre) = port.fibre.as_ref().filter(|fibre| is_in && fibre.is_up()) else { return };
        let is_common = fibre.has_common_clock();
        if port.clock_told.replace(is_common) != Some(is_common) && !is_common {
            let kind = NoticeKind::Connection(ConnectionNotice::NoCommonClock(&fibre.peer()));
            notices(&Notice { at, area: port.area, kind });
        }
    }
}
