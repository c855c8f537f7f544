//! Networks of the tests, and a clock for them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use halftrack_base::{Span, Time};
use halftrack_smcr_twin::{
    ConversationPlan, Network, NetworkEvent, NetworkPlan, PathPlan, PortPlan, RouteEnd, RoutePlan, Traffic,
    Transport,
};

/// Ten gigabits a second.
pub const PORT: PortPlan = PortPlan { bytes_per_s: 1_250_000_000 };

/// Returns a path whose messages take 10 µs of work and 4 µs of adapters, and 2 µs of work a KiB.
pub fn transport(window_bytes: u32) -> Transport {
    Transport {
        message_work: Span::from_us(10),
        message_delay: Span::from_us(4),
        kib_work: Span::from_us(2),
        stream_kib_work: Span::from_ns(100),
        window_bytes,
    }
}

/// Returns a conversation between hosts 0 and 1 over functions 0 and 1, or 2 and 3, each with a port of its own.
pub fn conversation(traffic: Traffic, connections: u32, distance: Span) -> ConversationPlan {
    let end = |at: u32| RouteEnd { port: at, function: Some(at) };
    let route = |a, b| RoutePlan { ends: [end(a), end(b)], distance };
    ConversationPlan {
        hosts: [0, 1],
        traffic,
        connections,
        begins: Span::ZERO,
        paths: vec![PathPlan {
            transport: transport(65_536),
            setup: Span::ZERO,
            routes: vec![route(0, 1), route(2, 3), route(0, 3), route(2, 1)],
            spread: 1,
            failover: Span::from_us(100),
        }],
        reconnect: None,
    }
}

/// Returns the conversation with a second path, over ports that nothing takes away, whose clients connect again 1 ms after a loss.
pub fn with_tcp(one: ConversationPlan) -> ConversationPlan {
    let end = |port: u32| RouteEnd { port, function: None };
    let distance = one.paths[0].routes[0].distance;
    let tcp = PathPlan {
        transport: transport(65_536),
        setup: Span::from_us(30),
        routes: vec![RoutePlan { ends: [end(4), end(5)], distance }],
        spread: 1,
        failover: Span::ZERO,
    };
    let paths = one.paths.into_iter().chain([tcp]).collect();
    ConversationPlan { paths, reconnect: Some(Span::from_ms(1)), ..one }
}

/// Returns a network of two hosts with so many processors, and six ports.
pub fn network(processors: u32, conversations: Vec<ConversationPlan>) -> NetworkPlan {
    NetworkPlan { hosts: vec![processors; 2], ports: vec![PORT; 6], functions: 4, conversations }
}

/// A network and its clock.
pub struct Clock {
    /// The network.
    pub network: Network,
    /// Time.
    pub now: Time,
    heap: BinaryHeap<Reverse<(Time, u64, NetworkEvent)>>,
    count: u64,
}

impl Clock {
    /// Begins a run.
    pub fn new(plan: &NetworkPlan) -> Self {
        let mut clock =
            Self { network: Network::new(plan), now: Time::ZERO, heap: BinaryHeap::new(), count: 0 };
        let Self { network, heap, count, .. } = &mut clock;
        network.begin(|at, event| put(heap, count, at, event));
        clock
    }

    /// Runs for a time.
    pub fn run(&mut self, length: Span) {
        let end = self.now + length;
        while let Some(Reverse((at, ..))) = self.heap.peek()
            && *at < end
        {
            let Reverse((at, _, event)) = self.heap.pop().expect("an event");
            let Self { network, heap, count, .. } = self;
            network.handle(at, event, &mut |at, event| put(heap, count, at, event));
        }
        self.now = end;
    }

    /// Takes a function away.
    pub fn lose(&mut self, function: u32) {
        let Self { network, heap, count, now } = self;
        network.lose(*now, function, &mut |at, event| put(heap, count, at, event));
    }
}

fn put(
    heap: &mut BinaryHeap<Reverse<(Time, u64, NetworkEvent)>>,
    count: &mut u64,
    at: Time,
    event: NetworkEvent,
) {
    *count += 1;
    heap.push(Reverse((at, *count, event)));
}
