//! Moves of connections: functions are lost, and others take what was on the way.

use halftrack_base::Time;

use crate::conversation_plan::{ConversationPlan, RouteEnd, RoutePlan};
use crate::network::Network;
use crate::network_event::{NetworkEvent, Step};

impl Network {
    /// Takes a function away. Its connections move to others of their conversation; those without one are lost.
    pub fn lose(&mut self, now: Time, function: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        self.away[function as usize] = true;
        for index in 0..self.connections.len() {
            let connection = &self.connections[index];
            let Some(route) = connection.route else { continue };
            let conversation = &self.conversations[connection.conversation as usize];
            if self.is_usable(&conversation.plan.routes[route as usize]) {
                continue;
            }
            let other = self.other_route(&conversation.plan, route);
            let failover = conversation.plan.failover;
            let conversation = &mut self.conversations[connection.conversation as usize];
            let connection = &mut self.connections[index];
            connection.route = other;
            if other.is_none() {
                if connection.begun.take().is_some() {
                    conversation.counts.broken += 1;
                    conversation.exchanges.broken += 1;
                }
                continue;
            }
            conversation.counts.moves += 1;
            connection.moves = connection.moves.wrapping_add(1);
            connection.is_moving = true;
            connection.transfer.arrived = connection.transfer.received;
            let event = NetworkEvent { connection: index as u32, moves: connection.moves, step: Step::Moved };
            push(now + failover, event);
        }
    }

    /// Brings a function back; connections that have moved stay where they are.
    pub fn restore(&mut self, function: u32) {
        self.away[function as usize] = false;
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

    fn is_usable(&self, route: &RoutePlan) -> bool {
        let is_away = |end: &RouteEnd| end.function.is_some_and(|function| self.away[function as usize]);
        !route.ends.iter().any(is_away)
    }

    /// Returns the first usable route behind `route`, around the end.
    fn other_route(&self, plan: &ConversationPlan, route: u32) -> Option<u32> {
        let count = plan.routes.len() as u32;
        let each = (1..count).map(|step| (route + step) % count);
        each.into_iter().find(|other| self.is_usable(&plan.routes[*other as usize]))
    }
}
