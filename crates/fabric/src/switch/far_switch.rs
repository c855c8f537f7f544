//! The other switches of the fabric, however far: their domain controllers exchange domains (EFP), so that each has forgotten
//! nothing of the other, then notify each other of ports that come and go (RSCN).

use std::collections::VecDeque;

use halftrack_base::Time;
use halftrack_wire::switch_link::{
    DEVICE_ENTRIES_MAX, DeviceEntry, FabricParameters, SWITCH_LINK_SERVICE, SwitchAnswer, SwitchLinkService,
    SwitchReject,
};
use halftrack_wire::{FcFrame, FcHeader, Sof};

use super::directory::{PortRecord, RECORDS_MAX};
use super::outstanding::Outstanding;
use super::{Switch, address};
use crate::sequence::{self, ExchangeIds};

/// Most changes that wait to be sent; with more the exchange begins anew.
const ENTRIES_MAX: usize = 4 * RECORDS_MAX;

/// A switch that can be reached.
#[derive(Debug, Default)]
pub(crate) struct FarSwitch {
    /// It has taken the domain of this one, and takes ports.
    is_ready: bool,
    asked: Option<Outstanding<SwitchLinkService>>,
    ids: ExchangeIds,
    /// Exchange of the last greeting that came from it.
    greeted: Option<u16>,
    /// Exchange of the last request that was taken from it. The next one has the next exchange: requests of an exchange of
    /// ports that is over are not taken.
    taken: Option<u16>,
    /// Ports that it has yet to be notified of.
    entries: VecDeque<DeviceEntry>,
}

impl FarSwitch {
    /// Returns a switch that was reached now, as the `count`th. Exchanges begin at a place that follows from both, so that
    /// those of a switch that begins anew are not taken for copies.
    pub(crate) fn new(now: Time, count: u64) -> Self {
        Self { ids: ExchangeIds::after(now.as_ps().wrapping_add(count)), ..Self::default() }
    }

    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.asked.as_ref().map(|asked| asked.until)
    }
}

const fn entry(record: &PortRecord, online: bool) -> DeviceEntry {
    DeviceEntry { online, address: record.address, port_name: record.name, node_name: record.node }
}

impl Switch {
    /// Begins the exchange with a switch that can be reached, or begins it anew.
    pub(super) fn greet(&mut self, now: Time, domain: u8) {
        let greeting = SwitchLinkService::FabricParameters(self.fabric_parameters());
        let Some(far) = self.far.get_mut(&domain) else { return };
        far.is_ready = false;
        far.entries.clear();
        let ox_id = far.ids.next();
        far.asked = Some(Outstanding::new(now, greeting, ox_id));
        self.repeat_to_far_switch(domain);
    }

    /// Sends the outstanding request, once it cannot overtake what took an old route.
    pub(super) fn repeat_to_far_switch(&mut self, domain: u8) {
        let Some(asked) = self.far.get(&domain).and_then(|far| far.asked.as_ref()) else { return };
        if self.is_draining(domain) {
            return;
        }
        let [own, other] = [self.domain, domain].map(address::domain_controller);
        let header = sequence::request(SWITCH_LINK_SERVICE, own, other, asked.ox_id);
        let mut payload = Vec::new();
        asked.what.emit(&mut payload);
        self.send_to_far_switch(domain, header, payload);
    }

    fn send_to_far_switch(&mut self, domain: u8, header: FcHeader, payload: Vec<u8>) {
        let pair = header.s_id ^ header.d_id;
        if let Some(port) = self.routes.get(&domain).and_then(|routes| routes.link_of(pair)) {
            self.ports[port].outbox.push(Sof::Fabric, header, payload);
        }
    }

    /// Repeats what was not answered in time.
    pub(super) fn repeat_due(&mut self, now: Time) {
        let is_due = |far: &FarSwitch| far.poll_timeout().is_some_and(|due| due <= now);
        let due: Vec<_> = self.far.iter().filter(|(_, far)| is_due(far)).map(|(domain, _)| *domain).collect();
        for domain in due {
            let Some(far) = self.far.get_mut(&domain) else { continue };
            let again = |asked: Outstanding<_>| {
                let ox_id = asked.ox_id;
                asked.again(now, ox_id).ok()
            };
            far.asked = far.asked.take().and_then(again);
            if far.asked.is_some() {
                self.repeat_to_far_switch(domain);
            } else {
                self.strike_ports(now, domain);
                self.greet(now, domain);
            }
        }
    }

    /// Takes a frame for this switch's domain controller; true when it was understood.
    pub(super) fn handle_controller(&mut self, now: Time, frame: &FcFrame<'_>) -> bool {
        let header = &frame.header;
        let domain = address::switch_of(header.s_id);
        let is_controller = header.s_id == address::domain_controller(domain);
        if !is_controller || header.fc_type != SWITCH_LINK_SERVICE || !self.far.contains_key(&domain) {
            return false;
        }
        if sequence::is_reply(header) {
            return self.take_far_answer(now, domain, frame);
        }
        if !sequence::is_request(header) {
            return false;
        }
        let answer = match SwitchLinkService::parse(frame.payload) {
            Ok(SwitchLinkService::FabricParameters(other)) => self.take_greeting(now, other, header),
            Ok(SwitchLinkService::StateChange(entries)) => {
                let Some(far) = self.far.get_mut(&domain) else { return false };
                if far.taken.map(ExchangeIds::following) == Some(header.ox_id) {
                    far.taken = Some(header.ox_id);
                    self.take_changes(now, domain, &entries);
                } else if far.taken != Some(header.ox_id) {
                    return false;
                }
                SwitchAnswer::Noted
            }
            _ => SwitchAnswer::Reject(SwitchReject::UNSUPPORTED),
        };
        let mut payload = Vec::new();
        answer.emit(&mut payload);
        self.send_to_far_switch(domain, sequence::reply(header, header.d_id, header.s_id), payload);
        true
    }

    /// Takes the domain of a switch that begins. One that begins anew has forgotten the ports of this one, so both begin
    /// anew.
    fn take_greeting(&mut self, now: Time, other: FabricParameters, header: &FcHeader) -> SwitchAnswer {
        let domain = address::switch_of(header.s_id);
        let is_right = other.domain == domain && self.topology.holder(domain) == Some(other.switch_name);
        let Some(far) = self.far.get_mut(&domain).filter(|_| is_right) else {
            return SwitchAnswer::Reject(SwitchReject::LOGICAL_ERROR);
        };
        let is_copy = far.greeted.replace(header.ox_id) == Some(header.ox_id);
        let was_ready = far.is_ready;
        if !is_copy {
            far.taken = Some(header.ox_id);
        }
        if !is_copy && (self.strike_ports(now, domain) || was_ready) {
            self.greet(now, domain);
        } else if !was_ready {
            // The greeting of this one may have come before the other could take it.
            self.repeat_to_far_switch(domain);
        }
        SwitchAnswer::FabricParameters(self.fabric_parameters())
    }

    fn take_far_answer(&mut self, now: Time, domain: u8, frame: &FcFrame<'_>) -> bool {
        let Some(far) = self.far.get_mut(&domain) else { return false };
        let Some(asked) = far.asked.as_ref().filter(|asked| asked.ox_id == frame.header.ox_id) else {
            return false;
        };
        match SwitchAnswer::parse(&asked.what, frame.payload) {
            Ok(SwitchAnswer::FabricParameters(_)) => {
                (far.asked, far.is_ready) = (None, true);
                self.notify_of_all(now, domain);
            }
            Ok(SwitchAnswer::Noted) => {
                far.asked = None;
                self.send_entries(now, domain);
            }
            // The request is repeated when its time is over.
            _ => {}
        }
        true
    }

    /// Notifies a switch of every port of this one.
    fn notify_of_all(&mut self, now: Time, domain: u8) {
        let all: Vec<_> = self.directory.of_domain(self.domain).map(|record| entry(record, true)).collect();
        self.queue_entries(now, domain, all);
    }

    /// Notifies all other switches that a port of this one came or went.
    pub(super) fn notify_switches(&mut self, now: Time, record: PortRecord, online: bool) {
        let ready: Vec<_> =
            self.far.iter().filter(|(_, far)| far.is_ready).map(|(domain, _)| *domain).collect();
        for domain in ready {
            self.queue_entries(now, domain, [entry(&record, online)]);
        }
    }

    fn queue_entries(&mut self, now: Time, domain: u8, entries: impl IntoIterator<Item = DeviceEntry>) {
        let Some(far) = self.far.get_mut(&domain) else { return };
        far.entries.extend(entries);
        if far.entries.len() > ENTRIES_MAX {
            return self.greet(now, domain);
        }
        self.send_entries(now, domain);
    }

    /// Sends the next entries, if nothing is on its way.
    fn send_entries(&mut self, now: Time, domain: u8) {
        let Some(far) = self.far.get_mut(&domain) else { return };
        if far.asked.is_some() || far.entries.is_empty() {
            return;
        }
        let count = far.entries.len().min(DEVICE_ENTRIES_MAX);
        let entries = far.entries.drain(..count).collect();
        let ox_id = far.ids.next();
        far.asked = Some(Outstanding::new(now, SwitchLinkService::StateChange(entries), ox_id));
        self.repeat_to_far_switch(domain);
    }

    /// Takes the notice of another switch that ports of it came or went.
    fn take_changes(&mut self, now: Time, domain: u8, entries: &[DeviceEntry]) {
        for entry in entries.iter().filter(|entry| address::domain(entry.address) == domain) {
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
    }

    /// Enters the ports of other switches that nobody takes any more for one who had the name or the address before.
    pub(super) fn enter_held(&mut self, now: Time) {
        let departures = &self.departures;
        let free = |held: &mut PortRecord| !departures.block(held.name, held.address);
        let entering: Vec<_> = self.held.extract_if(.., free).collect();
        for record in entering {
            if self.directory.enter(record) {
                self.notify(now, record, true);
            }
        }
    }

    /// Strikes out the ports of a switch, of which those who could see them are notified; false when there are none.
    pub(super) fn strike_ports(&mut self, now: Time, domain: u8) -> bool {
        let waiting = self.held.len();
        self.held.retain(|held| address::domain(held.address) != domain);
        let all = self.directory.strike_domain(domain);
        let has_any = !all.is_empty() || self.held.len() < waiting;
        for gone in all {
            self.notify(now, gone, false);
        }
        has_any
    }
}
