//! Actions that the group requires.

use halftrack_base::Time;
use halftrack_smc::link_group::{Action, LinkId, PortNumber};
use halftrack_smc::message::AlertToken;
use halftrack_smc::message::llc::DeleteReason;

use crate::link::Link;
use crate::settings::PortSettings;
use crate::stack::Stack;

impl Stack {
    /// Does everything that the group requires, in order.
    pub(crate) fn act(&mut self, now: Time) {
        while let Some(action) = self.group.as_mut().and_then(|group| group.poll_action()) {
            self.is_due = true;
            match action {
                Action::Connect { link, port, own, peer, mtu } => {
                    self.spares[port.index()] = false;
                    let settings = self.settings.ports[port.index()].as_ref();
                    let made =
                        settings.and_then(|settings| Link::new(link, (port, settings), (&own, &peer), mtu.0));
                    match made {
                        Some(made) => self.links.push(made),
                        None => self.lose(now, link),
                    }
                    self.give_spares(now);
                }
                Action::Send { link, message } => {
                    if let Some(link) = self.link_mut(link) {
                        link.push(message);
                    }
                }
                Action::Stop(link) => self.stop(link),
                Action::Move { connection, to } => self.move_to(connection, to),
                Action::Reset(connection) => {
                    if let Some(socket) = self.sockets.get_mut(&connection) {
                        socket.is_dead = true;
                    }
                }
                Action::Confirmed(id) => {
                    if let Some(buffer) = self.buffer_mut(id) {
                        buffer.is_confirmed = true;
                    }
                }
                Action::Refused(id) | Action::Deleted(id) => self.buffers.retain(|buffer| buffer.id != id),
                // Links stay until their last messages are acknowledged.
                Action::Ended(_) => {}
            }
        }
    }

    fn lose(&mut self, now: Time, link: LinkId) {
        if let Some(group) = &mut self.group {
            group.handle_link_lost(now, link);
        }
    }

    /// Gives the group a queue pair at each port where none waits.
    pub(crate) fn give_spares(&mut self, now: Time) {
        for port in PortNumber::ALL {
            if self.spares[port.index()] {
                continue;
            }
            let Some(spare) = self.next_queue_pair(port) else { continue };
            if let Some(group) = &mut self.group {
                group.handle_spare(now, port, spare);
                self.spares[port.index()] = true;
            }
        }
    }

    /// Stops a queue pair, behind everything that it completed. Each message was handed when its packet came.
    fn stop(&mut self, id: LinkId) {
        self.take_completions(id);
        self.links.retain(|link| link.id != id);
    }

    /// Moves a connection to a link: its octets without a completion follow.
    fn move_to(&mut self, token: AlertToken, to: LinkId) {
        let (Some(group), Some(socket)) = (&mut self.group, self.sockets.get_mut(&token)) else { return };
        socket.link = to;
        let Some(connection) = socket.connection.as_mut().filter(|connection| !connection.is_settled())
        else {
            return;
        };
        let place = socket.target.and_then(|target| group.peer_token(target.buffer, to));
        match (&mut socket.target, place) {
            (Some(target), Some(place)) => {
                target.token = place;
                connection.fail_over();
                self.failovers += 1;
            }
            // The peer owes a key on every link. Of one that is lost meanwhile another move is on its way.
            _ if group.link(to).is_some() => group.close(DeleteReason::PROTOCOL),
            _ => {}
        }
    }

    /// Takes a port that came.
    pub fn handle_port_up(&mut self, now: Time, number: PortNumber, settings: PortSettings) {
        self.settings.ports[number.index()] = Some(settings);
        if let Some(group) = &mut self.group {
            group.handle_port_up(now, number, settings.port());
            self.give_spares(now);
        }
        self.act(now);
    }

    /// Takes the loss of a port.
    pub fn handle_port_down(&mut self, now: Time, number: PortNumber) {
        (self.settings.ports[number.index()], self.spares[number.index()]) = (None, false);
        if let Some(group) = &mut self.group {
            group.handle_port_down(now, number);
        }
        self.act(now);
    }
}
