//! State-change notices: which N_Ports are notified of a port that comes or goes, each at its own address, one RSCN at a
//! time.

use std::collections::BTreeMap;

use halftrack_base::Time;
use halftrack_wire::els::{ChangedArea, Els, STATE_CHANGE_PAGES_MAX, StateChange};
use halftrack_wire::fc_header::fc_type;
use halftrack_wire::{Sof, WorldWideName};

use super::directory::PortRecord;
use super::outstanding::Outstanding;
use super::{Switch, address};
use crate::sequence;

/// Changes of an address since its last notice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Change {
    /// The port of this name is gone.
    gone: Option<WorldWideName>,
    /// A port is there.
    came: bool,
}

/// A notice on its way: its pages, and the names of the ports that it reports as gone.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Notice {
    change: StateChange,
    gone: Vec<WorldWideName>,
}

/// Notices of an N_Port.
#[derive(Debug, Default)]
pub(super) struct Notices {
    /// Whether it has registered for state changes.
    pub(super) registered: bool,
    /// Addresses of which it has not been notified yet.
    changes: BTreeMap<u32, Change>,
    /// The notification that it has not answered yet.
    outstanding: Option<Outstanding<Notice>>,
}

impl Notices {
    /// Returns the time at which the notification is sent again.
    pub(super) fn poll_timeout(&self) -> Option<Time> {
        self.outstanding.as_ref().map(|notice| notice.until)
    }

    /// Returns the pages of the next notice.
    fn take_changes(&mut self) -> Notice {
        let (mut pages, mut gone) = (Vec::new(), Vec::new());
        while pages.len() + 2 <= STATE_CHANGE_PAGES_MAX
            && let Some((port_address, change)) = self.changes.pop_first()
        {
            pages.extend(change.gone.map(|_| ChangedArea::removed_port(port_address)));
            pages.extend(change.came.then_some(ChangedArea::port(port_address)));
            gone.extend(change.gone);
        }
        Notice { change: StateChange { pages }, gone }
    }
}

impl Switch {
    /// Notifies the ports that registered and may see the port that it came or is gone.
    pub(super) fn notify(&mut self, now: Time, changed: PortRecord, online: bool) {
        let seen = self.directory.zones_of(&changed);
        let mut notified = Vec::new();
        for port in 0..self.ports.len() {
            let Some(own) = self.ports[port].f_port() else { continue };
            for login in own.logins().filter(|login| login.notices.registered) {
                let record = login.record;
                if record.address != changed.address && self.directory.zones_of(&record).meets(&seen) {
                    notified.push((port, record.address));
                }
            }
        }
        for &(port, own_address) in &notified {
            let Some(own) = self.notices(port, own_address) else { continue };
            let change = own.changes.entry(changed.address).or_default();
            *change = match online {
                true => Change { came: true, ..*change },
                false => Change { gone: Some(changed.name), came: false },
            };
            self.send_notice(now, port, own_address);
        }
        if !online {
            let unaware = notified.into_iter().map(|(_, own_address)| own_address).collect();
            self.departures.begin(now, changed, unaware);
        }
    }

    /// Returns the notices of the N_Port with this address.
    fn notices(&mut self, port: usize, own_address: u32) -> Option<&mut Notices> {
        let login = self.ports[port].f_port().and_then(|own| own.login_at(own_address))?;
        Some(&mut login.notices)
    }

    /// Sends the next RSCN if none is on its way.
    fn send_notice(&mut self, now: Time, port: usize, own_address: u32) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.notices(port, own_address) else { return };
        if own.outstanding.is_some() || own.changes.is_empty() {
            return;
        }
        let notice = own.take_changes();
        own.outstanding = Some(Outstanding::new(now, notice, ox_id));
        self.emit_notice(port, own_address);
    }

    fn emit_notice(&mut self, port: usize, own_address: u32) {
        let Some(own) = self.notices(port, own_address) else { return };
        let Some(notice) = &own.outstanding else { return };
        let controller = address::FABRIC_CONTROLLER;
        let header = sequence::request(fc_type::EXTENDED_LINK_SERVICE, controller, own_address, notice.ox_id);
        let payload = Els::Rscn(notice.what.change.clone()).emit();
        self.ports[port].outbox.push(Sof::Initiate3, header, payload);
    }

    /// Repeats the notifications of a port without a timely answer, or continues to the next.
    pub(super) fn repeat_notices(&mut self, now: Time, port: usize) {
        let Some(own) = self.ports[port].f_port() else { return };
        let addresses: Vec<_> = own.logins().map(|login| login.record.address).collect();
        for own_address in addresses {
            self.repeat_notice(now, port, own_address);
        }
    }

    fn repeat_notice(&mut self, now: Time, port: usize, own_address: u32) {
        let ox_id = self.ports[port].ids.next();
        let Some(own) = self.notices(port, own_address) else { return };
        let Some(notice) = own.outstanding.take_if(|notice| notice.until <= now) else { return };
        match notice.again(now, ox_id) {
            Ok(notice) => {
                own.outstanding = Some(notice);
                self.emit_notice(port, own_address);
            }
            Err(notice) => self.end_notice(now, port, own_address, &notice),
        }
    }

    /// Takes the answer to a notification; false when it is of something else.
    pub(super) fn take_notice_answer(
        &mut self,
        now: Time,
        port: usize,
        own_address: u32,
        ox_id: u16,
    ) -> bool {
        let Some(own) = self.notices(port, own_address) else { return false };
        let Some(notice) = own.outstanding.take_if(|notice| notice.ox_id == ox_id) else { return false };
        self.end_notice(now, port, own_address, &notice.what);
        true
    }

    /// Ends a notification.
    fn end_notice(&mut self, now: Time, port: usize, own_address: u32, notice: &Notice) {
        for name in &notice.gone {
            self.departures.acknowledge(own_address, *name);
        }
        self.send_notice(now, port, own_address);
        if !notice.gone.is_empty() {
            self.let_in(now);
        }
    }
}
