//! Admission of connections at the ports of a director.

use std::io::Write;

use halftrack_base::Time;
use halftrack_fabric::Switch;
use halftrack_wire::WorldWideName;

use super::port::DirectorPort;
use super::{Director, Notice, NoticeKind, Notices};
use crate::connection_notice::ConnectionNotice;
use crate::fibre::{Closing, FrameTap};
use crate::lobby::{Admission, Entry, Occupant, WAITING_MAX};
use crate::plug::Plug;
use crate::plugs::PortPlugState;
use crate::transport::Transport;

/// The ports, for the admission of connections.
struct AdmissionPorts<'a, T> {
    switch: &'a mut Switch,
    ports: &'a [DirectorPort<T>],
}

impl<T: Transport> Admission for AdmissionPorts<'_, T> {
    fn admits(&self, port: usize, name: WorldWideName) -> bool {
        self.ports[port].hosts.as_ref().is_none_or(|hosts| hosts.contains(&name))
    }

    fn holder(&self, name: WorldWideName) -> Option<usize> {
        self.switch.port_of(name)
    }

    fn probe(&mut self, _: Time, port: usize) {
        self.switch.probe(port);
    }

    fn occupant(&self, port: usize) -> Occupant {
        if self.ports[port].fibre.is_none() {
            Occupant::None
        } else if self.switch.is_logged_in(port) || self.ports[port].opened {
            Occupant::LoggedIn
        } else if self.switch.has_login(port) {
            Occupant::Arriving
        } else {
            Occupant::Stranger
        }
    }

    fn takes_silent(&self, _: usize) -> bool {
        false
    }
}

impl<P: Plug, W: Write + 'static> Director<P, W> {
    /// Polls for fibres. Those that others opened wait for their login, but at an inter-switch link, which has
    /// one fibre or none; false when no port has a fibre or will get one.
    pub fn poll_plugs(&mut self, now: Time, notices: Notices<'_>) -> bool {
        let mut lives = false;
        for index in 0..self.ports.len() {
            lives |= self.poll_plug(now, index, notices);
            while let Some((other, why)) = self.attend(now, index, notices) {
                self.close(now, other, &why, notices);
            }
        }
        lives
    }

    fn poll_plug(&mut self, now: Time, index: usize, notices: Notices<'_>) -> bool {
        let clock = self.host;
        let has_lobby = self.has_lobby(index);
        let area = self.ports[index].area;
        let notify = &mut |notice: ConnectionNotice<'_>| {
            notices(&Notice { at: now, area, kind: NoticeKind::Connection(notice) });
        };
        for _ in 0..WAITING_MAX {
            let wants = has_lobby || self.ports[index].fibre.is_none();
            let (plugged, nonce) = match self.plugs.poll(now, index, wants, notify) {
                PortPlugState::Fibre(plugged, nonce) => (plugged, nonce),
                PortPlugState::Nothing => return true,
                PortPlugState::Spent => return false,
            };
            let opened = plugged.opened;
            let fibre = self.ports[index].fibre_of(now, plugged, nonce, clock);
            if has_lobby && !opened {
                self.lobbies[index].admit(now, fibre, notify);
            } else {
                let tap = self.tap(index);
                self.ports[index].plug(now, fibre, opened, tap);
            }
        }
        true
    }

    /// Returns whether connections to a port wait for their login.
    fn has_lobby(&self, index: usize) -> bool {
        self.plugs.is_listener(index) && !self.switch.is_inter_switch(index)
    }

    /// Looks at those who want in at a port; the port whose connection must go first, and why.
    fn attend(&mut self, now: Time, index: usize, notices: Notices<'_>) -> Option<(usize, Closing)> {
        let Self { switch, ports, lobbies, .. } = self;
        let area = ports[index].area;
        let notify = &mut |notice: ConnectionNotice<'_>| {
            notices(&Notice { at: now, area, kind: NoticeKind::Connection(notice) });
        };
        match lobbies[index].attend(now, index, &mut AdmissionPorts { switch, ports }, notify) {
            Entry::Nothing => None,
            Entry::Vacate(other, why) => Some((other, why)),
            Entry::Take(fibre) => {
                let tap = self.tap(index);
                self.ports[index].plug(now, *fibre, false, tap);
                None
            }
        }
    }

    /// Closes the connections of those who want in.
    pub(super) fn clear_lobbies(&mut self, at: Time, notices: Notices<'_>) {
        let why = Closing::ByThisEnd("the director ends".to_owned());
        for (lobby, port) in self.lobbies.iter_mut().zip(&self.ports) {
            let area = port.area;
            lobby.clear(&why, &mut |notice| {
                notices(&Notice { at, area, kind: NoticeKind::Connection(notice) });
            });
        }
    }

    fn tap(&self, index: usize) -> Option<Box<dyn FrameTap>> {
        let name = format!("{}.{:02X}", self.name, self.ports[index].area);
        self.capture.as_ref().and_then(|capture| capture.tap(&name, true).ok())
    }
}
