//! Network in a run: its connections take their steps, and move when functions are lost.

use halftrack_base::{Span, Time};
use halftrack_engine::MultiServer;

use crate::connection::{Connection, Transfer};
use crate::conversation_plan::{ConversationPlan, NetworkPlan, PathPlan, RoutePlan};
use crate::counts::{ConversationCounts, Exchanges};
use crate::network_event::{NetworkEvent, Step};
use crate::port::Port;

/// Sides of a connection.
const CLIENT: usize = 0;
const SERVER: usize = 1;

/// Conversation in a run.
#[derive(Debug)]
pub(crate) struct Conversation {
    pub plan: ConversationPlan,
    /// Index of its first connection.
    pub first: u32,
    pub counts: ConversationCounts,
    pub exchanges: Exchanges,
}

/// Hosts, ports and connections.
#[derive(Debug)]
pub struct Network {
    hosts: Vec<MultiServer>,
    ports: Vec<Port>,
    /// Reasons for which each function is away, at most a few at a time.
    pub(crate) away: Vec<u32>,
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
            connections.extend((0..one.connections).map(|_| Connection::new(index)));
            let (counts, exchanges) = (ConversationCounts::default(), Exchanges::default());
            conversations.push(Conversation { plan: one.clone(), first, counts, exchanges });
        }
        Self {
            hosts: plan.hosts.iter().map(|processors| MultiServer::new((*processors).max(1))).collect(),
            ports: plan.ports.iter().map(|port| Port::new(*port)).collect(),
            away: vec![0; plan.functions as usize],
            conversations,
            connections,
        }
    }

    /// Returns the events with which the run begins.
    pub fn begin(&self, mut push: impl FnMut(Time, NetworkEvent)) {
        for (index, connection) in (0..).zip(&self.connections) {
            let begins = self.conversations[connection.conversation as usize].plan.begins;
            push(Time::ZERO + begins, NetworkEvent { connection: index, moves: 0, step: Step::Connects });
        }
    }

    /// Takes a step of a connection.
    pub fn handle(&mut self, now: Time, event: NetworkEvent, push: &mut impl FnMut(Time, NetworkEvent)) {
        let index = event.connection;
        if !self.connections[index as usize].takes(&event) {
            return;
        }
        match event.step {
            Step::Connects => self.on_connect(now, index, push),
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
        let open_bytes = own.iter().map(|connection| connection.transfer.unread_bytes()).sum();
        Exchanges { open, open_bytes, ..one.exchanges }
    }

    /// Returns the connections of a conversation that stand.
    pub fn standing(&self, conversation: usize) -> u64 {
        let own = self.connections_of(&self.conversations[conversation]);
        own.iter().filter(|connection| connection.route.is_some()).count() as u64
    }

    /// Returns those of them that have another path than the first.
    pub fn fallen_back(&self, conversation: usize) -> u64 {
        let own = self.connections_of(&self.conversations[conversation]);
        own.iter().filter(|connection| connection.route.is_some() && connection.path > 0).count() as u64
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
        let window_bytes = self.path(&self.connections[index as usize]).transport.window_bytes;
        let transfer = &mut self.connections[index as usize].transfer;
        let Some(bytes) = transfer.next_to_send(window_bytes) else { return };
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
        let transport = &plan.paths[connection.path as usize].transport;
        let work = transport.work(bytes, plan.traffic.is_stream());
        counts.work[side] += work;
        let (_, end) = self.hosts[plan.hosts[side] as usize].arrive(now, work);
        push(end, NetworkEvent { connection: index, moves: connection.moves, step });
    }

    fn on_sent(&mut self, now: Time, index: u32, push: &mut impl FnMut(Time, NetworkEvent)) {
        let connection = &mut self.connections[index as usize];
        let transfer = &mut connection.transfer;
        let bytes = transfer.begun - transfer.sent;
        transfer.sent = transfer.begun;
        self.conversations[connection.conversation as usize].exchanges.sent_bytes += u64::from(bytes);
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
        let delay = self.delay(connection);
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
        let bytes = transfer.reading - transfer.read;
        transfer.read = transfer.reading;
        let (from, is_all) = (transfer.from, transfer.read == transfer.bytes);
        let conversation = &mut self.conversations[connection.conversation as usize];
        conversation.exchanges.read_bytes += u64::from(bytes);
        if conversation.plan.traffic.is_stream() {
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
        let delay = self.delay(connection);
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

    /// Returns the time from the last octet of a chunk at a port until the receiver has it.
    fn delay(&self, connection: &Connection) -> Span {
        let traffic = self.conversations[connection.conversation as usize].plan.traffic;
        self.path(connection).transport.delay(traffic.is_stream())
    }

    /// Returns the path of a connection.
    pub(crate) fn path(&self, connection: &Connection) -> &PathPlan {
        &self.conversations[connection.conversation as usize].plan.paths[connection.path as usize]
    }

    fn route(&self, connection: &Connection) -> Option<RoutePlan> {
        Some(self.path(connection).routes[connection.route? as usize])
    }
}
