//! Network in a run: its connections take their steps, and move when functions are lost.

use halftrack_base::{Span, Time};
use halftrack_engine::MultiServer;

use crate::connection::{Connection, Transfer};
use crate::conversation_plan::{ConversationPlan, NetworkPlan, RoutePlan};
use crate::counts::ConversationCounts;
use crate::network_event::{NetworkEvent, Step};
use crate::port::Port;

/// Sides of a connection.
const CLIENT: usize = 0;
const SERVER: usize = 1;

/// Exchanges of a conversation since the start of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exchanges {
    /// Exchanges that began.
    pub started: u64,
    /// Exchanges that ended.
    pub ended: u64,
    /// Exchanges whose connection was lost.
    pub broken: u64,
    /// Exchanges in progress.
    pub open: u64,
}

/// Conversation in a run.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub plan: ConversationPlan,
    /// Index of its first connection.
    first: u32,
    pub counts: ConversationCounts,
    pub exchanges: Exchanges,
}

/// Hosts, ports and connections.
#[derive(Debug)]
pub struct Network {
    hosts: Vec<MultiServer>,
    ports: Vec<Port>,
    /// Functions that are away.
    pub(crate) away: Vec<bool>,
    pub(crate) conversations: Vec<Conversation>,
    pub(crate) connections: Vec<Connection>,
}

impl Network {
    /// Makes the network at the start of a run.
    pub fn new(plan: &NetworkPlan) -> Self {
        let mut connections = Vec::new();
        let mut conversations = Vec::with_capacity(plan.conversations.len());
        for (index, one) in (0..).zip(&plan.conversations) {
            let first = connections.len() as u32;
            connections.extend((0..one.connections).map(|at| Connection {
                conversation: index,
                route: Some(at % one.spread),
                moves: 0,
                is_moving: false,
                begun: None,
                transfer: Transfer::default(),
            }));
            let (counts, exchanges) = (ConversationCounts::default(), Exchanges::default());
            conversations.push(Conversation { plan: one.clone(), first, counts, exchanges });
        }
        Self {
            hosts: plan.hosts.iter().map(|processors| MultiServer::new((*processors).max(1))).collect(),
            ports: plan.ports.iter().map(|port| Port::new(*port)).collect(),
            away: vec![false; plan.functions as usize],
            conversations,
            connections,
        }
    }

    /// Returns the events with which the run begins.
    pub fn begin(&self, mut push: impl FnMut(Time, NetworkEvent)) {
        for (index, connection) in (0..).zip(&self.connections) {
            let setup = self.conversations[connection.conversation as usize].plan.setup;
            push(Time::ZERO + setup, NetworkEvent { connection: index, moves: 0, step: Step::Begins });
        }
    }

    /// Takes a step of a connection.
    pub fn handle(&mut self, now: Time, event: NetworkEvent, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &self.connections[event.connection as usize];
        let is_of_processor = matches!(event.step, Step::Begins | Step::Sent | Step::Read);
        if connection.route.is_none() || (connection.moves != event.moves && !is_of_processor) {
            return;
        }
        let index = event.connection;
        match event.step {
            Step::Begins => self.begin_exchange(now, index, push),
            Step::Sent => self.on_sent(now, index, push),
            Step::Arrives => self.on_arrival(now, index, push),
            Step::Received => {
                let transfer = &mut self.connections[index as usize].transfer;
                transfer.received += transfer.chunk_after(transfer.received);
                self.read_next(now, index, push);
            }
            Step::Read => self.on_read(now, index, push),
            Step::Opened => self.on_opened(now, index, push),
            Step::Moved => self.on_moved(now, index, push),
        }
    }

    /// Collects the counts of a conversation since the last collection.
    pub fn collect(&mut self, conversation: usize) -> ConversationCounts {
        std::mem::take(&mut self.conversations[conversation].counts)
    }

    /// Returns the exchanges of a conversation since the start.
    pub fn exchanges(&self, conversation: usize) -> Exchanges {
        let one = &self.conversations[conversation];
        let own = self.connections_of(one);
        let open = own.iter().filter(|connection| connection.begun.is_some()).count() as u64;
        Exchanges { open, ..one.exchanges }
    }

    /// Returns the connections of a conversation that still stand.
    pub fn standing(&self, conversation: usize) -> u64 {
        let own = self.connections_of(&self.conversations[conversation]);
        own.iter().filter(|connection| connection.route.is_some()).count() as u64
    }

    /// Returns how long a port has been busy up to `now`: out and in.
    pub fn port_busy(&self, port: usize, now: Time) -> [Span; 2] {
        self.ports[port].busy(now)
    }

    /// Returns the chunks that a port has sent and taken since the start.
    pub fn port_chunks(&self, port: usize) -> u64 {
        self.ports[port].chunks()
    }

    /// Returns how long the processors of a host have worked up to `now`, summed over them.
    pub fn host_busy(&self, host: usize, now: Time) -> Span {
        self.hosts[host].busy_before(now)
    }

    fn connections_of(&self, one: &Conversation) -> &[Connection] {
        &self.connections[one.first as usize..(one.first + one.plan.connections) as usize]
    }

    fn begin_exchange(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &mut self.connections[index as usize];
        let conversation = &mut self.conversations[connection.conversation as usize];
        conversation.counts.started += 1;
        conversation.exchanges.started += 1;
        connection.begun = Some(now);
        self.begin_transfer(now, index, CLIENT, push);
    }

    fn begin_transfer(
        &mut self,
        now: Time,
        index: u32,
        from: usize,
        push: &mut impl FnMut(Time, NetworkEvent),
    ) {
        let connection = &mut self.connections[index as usize];
        let traffic = self.conversations[connection.conversation as usize].plan.traffic;
        connection.transfer = Transfer::new(from, traffic.bytes_of(from), traffic.chunk_bytes());
        self.send_next(now, index, push);
    }

    /// Has the sender's processor begin with the next chunk, if it may.
    fn send_next(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &mut self.connections[index as usize];
        let plan = &self.conversations[connection.conversation as usize].plan;
        let transfer = &mut connection.transfer;
        let Some(bytes) = transfer.next_to_send(plan.transport.window_bytes) else { return };
        transfer.begun += bytes;
        let side = transfer.from;
        self.work(now, index, (side, bytes), Step::Sent, push);
    }

    /// Has the receiver's processor begin with the next chunk, if there is one.
    fn read_next(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let transfer = &mut self.connections[index as usize].transfer;
        let Some(bytes) = transfer.next_to_read() else { return };
        transfer.reading += bytes;
        let side = CLIENT + SERVER - transfer.from;
        self.work(now, index, (side, bytes), Step::Read, push);
    }

    /// Has a processor of a side work for a chunk.
    fn work(
        &mut self,
        now: Time,
        index: u32,
        (side, bytes): (usize, u32),
        step: Step,
        push: &mut impl FnMut(Time, NetworkEvent),
    ) {
        let connection = &self.connections[index as usize];
        let Conversation { plan, counts, .. } = &mut self.conversations[connection.conversation as usize];
        let work = plan.transport.work(bytes, plan.traffic.is_stream());
        counts.work[side] += work;
        let (_, end) = self.hosts[plan.hosts[side] as usize].arrive(now, work);
        push(end, NetworkEvent { connection: index, moves: connection.moves, step });
    }

    fn on_sent(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &mut self.connections[index as usize];
        let transfer = &mut connection.transfer;
        let bytes = transfer.begun - transfer.sent;
        transfer.sent = transfer.begun;
        if !connection.is_moving {
            self.transmit(now, index, bytes, push);
        }
        self.send_next(now, index, push);
    }

    /// Puts a chunk on the way.
    pub(crate) fn transmit(
        &mut self,
        now: Time,
        index: u32,
        bytes: u32,
        push: &mut impl FnMut(Time, NetworkEvent),
    ) {
        let connection = &self.connections[index as usize];
        let Some(route) = self.route(connection) else { return };
        let leaves = self.ports[route.ends[connection.transfer.from].port as usize].send(bytes, now);
        let event = NetworkEvent { connection: index, moves: connection.moves, step: Step::Arrives };
        push(leaves + route.distance, event);
    }

    fn on_arrival(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &self.connections[index as usize];
        let Some(route) = self.route(connection) else { return };
        let delay = self.conversations[connection.conversation as usize].plan.delay();
        let bytes = connection.transfer.chunk_after(connection.transfer.arrived);
        let port = route.ends[CLIENT + SERVER - connection.transfer.from].port;
        let end = self.ports[port as usize].receive(bytes, now);
        let event = NetworkEvent { connection: index, moves: connection.moves, step: Step::Received };
        self.connections[index as usize].transfer.arrived += bytes;
        push(end + delay, event);
    }

    fn on_read(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &mut self.connections[index as usize];
        let is_moving = connection.is_moving;
        let transfer = &mut connection.transfer;
        transfer.read = transfer.reading;
        let (from, is_all) = (transfer.from, transfer.read == transfer.bytes);
        let traffic = self.conversations[connection.conversation as usize].plan.traffic;
        if traffic.is_stream() {
            if !is_moving {
                self.open_window(now, index, push);
            }
            self.read_next(now, index, push);
        } else if is_all && from == CLIENT {
            self.begin_transfer(now, index, SERVER, push);
        } else if is_all {
            self.end_exchange(now, index, push);
        }
    }

    /// Tells the sender that a chunk has been read.
    pub(crate) fn open_window(&self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &self.connections[index as usize];
        let Some(route) = self.route(connection) else { return };
        let delay = self.conversations[connection.conversation as usize].plan.delay();
        let event = NetworkEvent { connection: index, moves: connection.moves, step: Step::Opened };
        push(now + route.distance + delay, event);
    }

    fn on_opened(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let transfer = &mut self.connections[index as usize].transfer;
        transfer.opened += transfer.chunk_after(transfer.opened);
        if transfer.opened == transfer.bytes {
            self.end_exchange(now, index, push);
        } else {
            self.send_next(now, index, push);
        }
    }

    fn end_exchange(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &self.connections[index as usize];
        let Conversation { plan, counts, exchanges, .. } =
            &mut self.conversations[connection.conversation as usize];
        let latency = connection.begun.map_or(Span::ZERO, |begun| now.since(begun));
        counts.exchanges += 1;
        exchanges.ended += 1;
        counts.latency += latency;
        counts.latency_max = counts.latency_max.max(latency);
        counts.bytes +=
            [CLIENT, SERVER].map(|side| u64::from(plan.traffic.bytes_of(side))).iter().sum::<u64>();
        self.begin_exchange(now, index, push);
    }

    fn route(&self, connection: &Connection) -> Option<RoutePlan> {
        let plan = &self.conversations[connection.conversation as usize].plan;
        Some(plan.routes[connection.route? as usize])
    }
}
