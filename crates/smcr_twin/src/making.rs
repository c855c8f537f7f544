//! Connections that are made: over the first path that has a way, and again when they were lost.

use halftrack_base::Time;

use crate::connection::Transfer;
use crate::conversation_plan::{PathPlan, RouteEnd, RoutePlan};
use crate::network::Network;
use crate::network_event::{NetworkEvent, Step};

impl Network {
    /// Makes a connection over the first path that has a way; where none has one, the client tries again later if it does.
    pub(crate) fn on_connect(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let conversation = &self.conversations[self.connections[index as usize].conversation as usize];
        let at = index - conversation.first;
        let way = |path: &PathPlan| self.route_from(path, at % path.spread);
        let found =
            (0..).zip(&conversation.plan.paths).find_map(|(path, plan)| Some((path, way(plan)?, plan)));
        let moves = self.connections[index as usize].moves;
        let event = |step| NetworkEvent { connection: index, moves, step };
        let Some((path, route, plan)) = found else {
            if let Some(reconnect) = conversation.plan.reconnect {
                push(now + reconnect, event(Step::Connects));
            }
            return;
        };
        push(now + plan.setup, event(Step::Begins));
        let connection = &mut self.connections[index as usize];
        (connection.path, connection.route, connection.moves_before) = (path, Some(route), moves);
    }

    /// Loses a connection with what it has in progress; its client connects again if it does.
    pub(crate) fn lose_connection(
        &mut self,
        now: Time,
        index: u32,
        push: &mut impl FnMut(Time, NetworkEvent),
    ) {
        let connection = &mut self.connections[index as usize];
        let conversation = &mut self.conversations[connection.conversation as usize];
        if connection.begun.take().is_some() {
            conversation.counts.broken += 1;
            conversation.exchanges.broken += 1;
            conversation.exchanges.broken_bytes += connection.transfer.unread_bytes();
        }
        (connection.route, connection.is_moving) = (None, false);
        connection.transfer = Transfer::default();
        connection.moves = connection.moves.wrapping_add(1);
        if let Some(reconnect) = conversation.plan.reconnect {
            let moves = connection.moves;
            push(now + reconnect, NetworkEvent { connection: index, moves, step: Step::Connects });
        }
    }

    /// Returns true when no function of a route is away.
    pub(crate) fn is_usable(&self, route: &RoutePlan) -> bool {
        let is_away = |end: &RouteEnd| end.function.is_some_and(|function| self.away[function as usize] > 0);
        !route.ends.iter().any(is_away)
    }

    /// Returns the first usable route of a path from `route` on, around the end.
    pub(crate) fn route_from(&self, path: &PathPlan, route: u32) -> Option<u32> {
        let count = path.routes.len() as u32;
        let mut each = (0..count).map(|step| (route + step) % count);
        each.find(|other| self.is_usable(&path.routes[*other as usize]))
    }
}
