//! Moves of connections: functions are lost, and others take what was on the way.

use halftrack_base::Time;

use crate::network::Network;
use crate::network_event::{NetworkEvent, Step};

impl Network {
    /// Takes a function away, for one more reason if it is away. Its connections move to others of their path; those without one
    /// are lost.
    pub fn lose(&mut self, now: Time, function: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        self.away[function as usize] += 1;
        for index in 0..self.connections.len() {
            let connection = &self.connections[index];
            let Some(route) = connection.route else { continue };
            let path = self.path(connection);
            if self.is_usable(&path.routes[route as usize]) {
                continue;
            }
            match self.route_from(path, route) {
                Some(other) => self.begin_move(now, index as u32, other, push),
                None => self.lose_connection(now, index as u32, push),
            }
        }
    }

    /// Ends one reason for which a function is away, and brings it back with the last. Connections that have moved stay where
    /// they are; those that are made later may take it.
    pub fn restore(&mut self, function: u32) {
        let reasons = &mut self.away[function as usize];
        *reasons = reasons.saturating_sub(1);
    }

    fn begin_move(&mut self, now: Time, index: u32, route: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let failover = self.path(&self.connections[index as usize]).failover;
        let connection = &mut self.connections[index as usize];
        let conversation = &mut self.conversations[connection.conversation as usize];
        conversation.counts.moves += 1;
        connection.route = Some(route);
        connection.moves = connection.moves.wrapping_add(1);
        connection.is_moving = true;
        connection.transfer.arrived = connection.transfer.received;
        let event = NetworkEvent { connection: index, moves: connection.moves, step: Step::Moved };
        push(now + failover, event);
    }

    /// Sends again, over the functions to which a connection has moved, what was on the way.
    pub(crate) fn on_moved(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &mut self.connections[index as usize];
        connection.is_moving = false;
        let transfer = connection.transfer;
        let conversation = &mut self.conversations[connection.conversation as usize];
        let is_stream = conversation.plan.traffic.is_stream();
        conversation.counts.resent_bytes += u64::from(transfer.sent - transfer.received);
        let mut at = transfer.received;
        while at < transfer.sent {
            let bytes = transfer.chunk_after(at);
            self.transmit(now, index, bytes, push);
            at += bytes;
        }
        let mut opened = transfer.opened;
        while is_stream && opened < transfer.read {
            self.open_window(now, index, push);
            opened += transfer.chunk_after(opened);
        }
    }
}
