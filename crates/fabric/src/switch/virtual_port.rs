//! Virtual ports of an F_Port (NPIV): each logs in over the link of a physical port with a name of its own, and has an
//! address of its own.
//!
//! ```text
//! FLOGI ─► of_port(domain, area)     FDISC from 000000 ─► the same area, port 01 to FF
//! LOGO of a virtual port ends its login; LOGO or FLOGI of the physical port, or the loss of the link, ends all
//! ```

use halftrack_base::Time;
use halftrack_wire::els::{LsReject, ServiceParameters};
use halftrack_wire::{FcHeader, WorldWideName};

use super::directory::PortRecord;
use super::event::{SwitchEvent, SwitchRefusal};
use super::f_port::{FPort, Login, WaitingLogin};
use super::{Switch, address};
use crate::n_port::agreed;
use crate::reject::{INVALID_NAME, LOGIN_REQUIRED, NO_ROOM, PARAMETERS};

/// Most virtual ports of an F_Port, as many as an FCP channel has. Our choice.
pub const VIRTUAL_PORTS_MAX: usize = 64;

impl FPort {
    /// Returns the address of the virtual port of this name.
    fn virtual_port_named(&self, name: WorldWideName) -> Option<u32> {
        let named = |login: &&Login| login.record.name == name;
        self.virtual_logins.values().find(named).map(|login| login.record.address)
    }
}

impl Switch {
    /// Handles FDISC. An earlier login of the name at this port is over first; the new one is accepted when no port has a
    /// login any more with the one that had its name.
    pub(super) fn log_in_virtual(
        &mut self,
        now: Time,
        port: usize,
        header: &FcHeader,
        other: &ServiceParameters,
    ) {
        let name = other.port_name;
        let Some(own) = self.ports[port].f_port() else { return };
        if own.address().is_none() {
            return self.refuse(port, header, name, LOGIN_REQUIRED, SwitchRefusal::VirtualNotInFabric);
        }
        own.waiting_virtual.retain(|(_, waiting)| waiting.port_name != name);
        if let Some(earlier) = own.virtual_port_named(name) {
            self.log_out_virtual(now, port, earlier);
        }
        let Some(own) = self.ports[port].f_port() else { return };
        if own.virtual_logins.len() + own.waiting_virtual.len() >= VIRTUAL_PORTS_MAX {
            return self.refuse(port, header, name, NO_ROOM, SwitchRefusal::NoRoom);
        }
        own.waiting_virtual.push((*header, *other));
        self.answer_virtual_logins(now, port);
    }

    /// Answers the FDISCs that wait at a port, if their time has come.
    pub(super) fn answer_virtual_logins(&mut self, now: Time, port: usize) {
        while let Some(waiting) = self.next_virtual_login(port) {
            self.answer_virtual_login(now, port, &waiting);
        }
    }

    /// Takes the first FDISC whose name no departure blocks.
    fn next_virtual_login(&mut self, port: usize) -> Option<WaitingLogin> {
        let own = self.ports[port].f_port()?;
        // No departure is of the address 0.
        let is_free =
            |other: &ServiceParameters| !self.departures.block(other.port_name, address::UNASSIGNED);
        let at = own.waiting_virtual.iter().position(|(_, other)| is_free(other))?;
        Some(own.waiting_virtual.remove(at))
    }

    fn answer_virtual_login(&mut self, now: Time, port: usize, (header, other): &WaitingLogin) {
        let name = other.port_name;
        match self.enter_virtual(port, other) {
            Err((reject, why)) => self.refuse(port, header, name, reject, why),
            Ok(record) => {
                if let Some(own) = self.ports[port].f_port() {
                    own.virtual_logins.insert(record.address, Login::new(record));
                }
                let event = SwitchEvent::VirtualLoggedIn { port, address: record.address, name };
                self.events.push_back(event);
                self.accept_login(port, header, other, record.address);
                self.announce(now, record, true);
            }
        }
    }

    /// Enters a virtual port in the directory, at an address that is free.
    fn enter_virtual(
        &mut self,
        port: usize,
        other: &ServiceParameters,
    ) -> Result<PortRecord, (LsReject, SwitchRefusal)> {
        let name = other.port_name;
        let admitted = self.ports[port].admitted.as_ref();
        if admitted.is_some_and(|names| !names.contains(&name)) {
            return Err((INVALID_NAME, SwitchRefusal::NotAdmitted));
        }
        if agreed(self.frame_payload_bytes, other).is_none() {
            return Err((PARAMETERS, SwitchRefusal::Parameters));
        }
        if self.directory.by_name(name).is_some() {
            return Err((INVALID_NAME, SwitchRefusal::NameTaken));
        }
        let own_address = address::of_port(self.domain, self.ports[port].area);
        let free = (1..=0xFF)
            .map(|number| own_address | number)
            .find(|free| self.directory.by_address(*free).is_none() && !self.departures.block(name, *free));
        let record = free.map(|address| PortRecord { address, name, node: other.node_name });
        let entered = record.filter(|record| self.directory.enter(*record));
        entered.ok_or((NO_ROOM, SwitchRefusal::NoRoom))
    }

    /// Logs a virtual port out; those that waited for its name or its place are let in.
    pub(super) fn log_out_virtual(&mut self, now: Time, port: usize, own_address: u32) {
        let Some(own) = self.ports[port].f_port() else { return };
        let Some(login) = own.virtual_logins.remove(&own_address) else { return };
        self.departures.forget(own_address);
        self.strike_virtual(now, port, login.record);
        self.let_in(now);
    }

    /// Strikes out a virtual port that has left.
    pub(super) fn strike_virtual(&mut self, now: Time, port: usize, record: PortRecord) {
        let PortRecord { address, name, .. } = record;
        self.directory.strike(address);
        self.events.push_back(SwitchEvent::VirtualLoggedOut { port, address, name });
        self.announce(now, record, false);
    }
}
