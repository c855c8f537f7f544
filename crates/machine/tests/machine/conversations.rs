//! Conversations beside I/Os: connections take their steps in the clock of the run, updates of firmware move them.

use halftrack_base::Span;
use halftrack_config::{Conversation, Conversations, Disturbance, DisturbanceKind, RoceFunction, SocketPath};
use halftrack_machine::Fidelity;
use halftrack_record::{ConversationInterval, Run};
use halftrack_smcr_twin::{
    ConversationPlan, NetworkPlan, PathPlan, PortPlan, RouteEnd, RoutePlan, Traffic, Transport,
};
use halftrack_zedc::ResourceGroup;

use crate::site::{Knobs, OPTIONS, open, run, same_every_way, stream};

/// Makes a conversation of PROD1 with PROD2 over a card in each group: three connections, 1 KiB to and fro.
fn conversations() -> Conversations {
    let transport = Transport {
        message_work: Span::from_us(10),
        message_delay: Span::from_us(4),
        kib_work: Span::from_us(2),
        stream_kib_work: Span::from_us(1),
        window_bytes: 65_536,
    };
    let end = |port: u32, function: u32| RouteEnd { port, function: Some(function) };
    let route = |client, server| RoutePlan { ends: [client, server], distance: Span::from_us(50) };
    let plan = ConversationPlan {
        hosts: [0, 1],
        traffic: Traffic::Exchange { request_bytes: 1024, response_bytes: 1024 },
        connections: 4,
        begins: Span::ZERO,
        paths: vec![PathPlan {
            transport,
            setup: Span::from_us(100),
            routes: vec![route(end(0, 0), end(0, 2)), route(end(1, 1), end(1, 3))],
            spread: 2,
            failover: Span::from_ms(1),
        }],
        reconnect: None,
    };
    let function = |pfid, group| {
        let pchid = if group == ResourceGroup::One { 0x110 } else { 0x170 };
        RoceFunction { cpc: 0, pfid, pchid, group }
    };
    let (one, two) = (ResourceGroup::One, ResourceGroup::Two);
    Conversations {
        plan: NetworkPlan {
            hosts: vec![2, 2],
            ports: vec![PortPlan { bytes_per_s: 1_250_000_000 }; 2],
            functions: 4,
            conversations: vec![plan],
        },
        hosts: vec![0, 1],
        ports: vec!["RoCE port 110.D1".to_owned(), "RoCE port 170.D1".to_owned()],
        functions: vec![function(9, one), function(10, two), function(11, one), function(12, two)],
        each: vec![Conversation {
            name: "TALK".to_owned(),
            lpars: [0, 1],
            path: SocketPath::SmcR,
            fallback: None,
            network: "NET1".to_owned(),
        }],
    }
}

fn knobs() -> Knobs {
    Knobs {
        conversations: conversations(),
        streams: vec![stream("work", open(20_000))],
        lpars: 2,
        interval: Span::from_ms(200),
        ..Knobs::default()
    }
}

/// Makes the conversation fall back to TCP over an OSD where it has no function, with clients that connect again after 1 ms.
fn with_tcp(knobs: Knobs) -> Knobs {
    let mut with = knobs;
    let plan = &mut with.conversations.plan;
    plan.ports.push(PortPlan { bytes_per_s: 125_000_000 });
    with.conversations.ports.push("OSD D0".to_owned());
    let one = &mut plan.conversations[0];
    let end = RouteEnd { port: 2, function: None };
    let routes = vec![RoutePlan { ends: [end; 2], distance: Span::from_us(50) }];
    one.paths.push(PathPlan { routes, spread: 1, ..one.paths[0].clone() });
    one.reconnect = Some(Span::from_ms(1));
    with
}

/// Pulls adapters, each from a time of the run on for so long.
fn pulled(adapters: &[(u16, Span, Span)]) -> Knobs {
    let disturbance = |(pchid, at, lasts): &(u16, Span, Span)| Disturbance {
        at: *at,
        lasts: *lasts,
        kind: DisturbanceKind::AdapterPulled { cpc: 0, pchid: *pchid },
    };
    let knobs = with_tcp(knobs());
    Knobs { intervals: 3, disturbances: adapters.iter().map(disturbance).collect(), ..knobs }
}

/// Updates groups, each for so long from the second interval on.
fn updated(updates: &[(ResourceGroup, u64)]) -> Knobs {
    let knobs = knobs();
    let from = knobs.warmup + knobs.interval;
    let disturbance = |(group, after_ms): &(ResourceGroup, u64)| {
        let kind = DisturbanceKind::FirmwareUpdate { cpc: 0, group: *group };
        Disturbance { at: from + Span::from_ms(*after_ms), lasts: Span::from_ms(100), kind }
    };
    Knobs { intervals: 3, disturbances: updates.iter().map(disturbance).collect(), ..knobs }
}

fn intervals(run: &Run) -> Vec<&ConversationInterval> {
    run.intervals.iter().flat_map(|interval| &interval.conversations).collect()
}

fn busy(run: &Run, interval: usize, name: &str) -> u64 {
    let stations = &run.intervals[interval].stations;
    stations.iter().find(|station| station.name == name).expect("the port").busy_ps
}

#[test]
fn connections_make_an_exchange_a_latency_the_same_on_every_way() {
    let run = same_every_way(&knobs(), Fidelity::Burst, 2_000);
    let [talk] = intervals(&run)[..] else { panic!("one conversation") };
    assert_eq!((talk.client.as_str(), talk.server.as_str(), talk.path.as_str()), ("PROD1", "PROD2", "smc-r"));
    // Without waiting 133.6 us; four connections share two processors a host.
    let mean_us = talk.latency_ps as f64 / talk.exchanges as f64 / 1e6;
    assert!((133.6..150.0).contains(&mean_us), "{mean_us} us");
    assert!(talk.exchanges.abs_diff((4.0 * 200_000.0 / mean_us) as u64) < 8, "{}", talk.exchanges);
    assert_eq!(talk.bytes, 2048 * talk.exchanges);
    let ports = ["RoCE port 110.D1", "RoCE port 170.D1"].map(|name| busy(&run, 0, name));
    assert!(ports[0] > 0 && ports[0].abs_diff(ports[1]) * 20 < ports[0], "{ports:?}");
    let law = run.checkers.iter().find(|law| law.law.contains("conversation")).expect("the law");
    assert!(law.checks >= 1 && law.violations.is_empty(), "{law:?}");
}

#[test]
fn an_update_of_firmware_moves_connections_to_the_other_group() {
    let run = same_every_way(&updated(&[(ResourceGroup::One, 0)]), Fidelity::Burst, 2_000);
    let [before, during, after] = intervals(&run)[..] else { panic!("three intervals") };
    assert_eq!((before.moves, during.moves, after.moves), (0, 2, 0), "half of the connections");
    assert!(during.resent_bytes > 0 && during.latency_max_ps > 1_000_000_000, "{during:?}");
    assert_eq!([before, during, after].map(|one| (one.broken, one.connections)), [(0, 4); 3]);
    assert!(after.exchanges > before.exchanges * 9 / 10, "{} of {}", after.exchanges, before.exchanges);
    assert_eq!(busy(&run, 2, "RoCE port 110.D1"), 0, "they stay where they are");
}

#[test]
fn connections_end_when_both_groups_are_away() {
    let (run, _) = run(&updated(&[(ResourceGroup::One, 0), (ResourceGroup::Two, 50)]), OPTIONS);
    let [_, during, after] = intervals(&run)[..] else { panic!("three intervals") };
    assert_eq!((during.broken, during.connections), (4, 0));
    assert_eq!((after.started, after.exchanges), (0, 0), "none goes back to TCP");
}

/// Two adapters are pulled one after the other: their connections go on over the second, and then over TCP.
#[test]
fn an_adapter_that_is_pulled_leaves_its_conversations_to_the_other_and_then_to_tcp() {
    let Knobs { warmup, interval, .. } = knobs();
    let forever = Span::from_s(1);
    let (second, third) = (warmup + interval, warmup + interval * 2);
    let knobs = pulled(&[(0x110, second, forever), (0x170, third, forever)]);
    let run = same_every_way(&knobs, Fidelity::Burst, 2_000);
    let [before, one_left, none_left] = intervals(&run)[..] else { panic!("three intervals") };
    let states = |one: &ConversationInterval| (one.moves, one.broken, one.connections, one.fallen_back);
    assert_eq!([before, one_left, none_left].map(states), [(0, 0, 4, 0), (2, 0, 4, 0), (0, 4, 4, 4)]);
    assert!(none_left.exchanges > before.exchanges / 2, "they go on");
    let ports = |interval| {
        ["RoCE port 110.D1", "RoCE port 170.D1", "OSD D0"].map(|name| busy(&run, interval, name) > 0)
    };
    assert_eq!(ports(0), [true, true, false]);
    assert!(ports(2)[2]);
    assert!(!ports(1)[2], "SMC-R has a function");
    for law in run.checkers.iter().filter(|law| law.law.contains("octet of a conversation")) {
        assert!(law.checks >= 2 && law.violations.is_empty(), "{law:?}");
    }
}

/// An adapter that comes in the run serves those who connect after it, without a restart.
#[test]
fn an_adapter_that_is_plugged_in_the_run_serves_conversations_that_begin_after_it() {
    let Knobs { warmup, interval, .. } = knobs();
    let comes = warmup + interval;
    let mut knobs = pulled(&[(0x110, Span::ZERO, comes), (0x170, Span::ZERO, comes)]);
    let of = &mut knobs.conversations;
    let late = ConversationPlan { begins: comes + Span::from_ms(50), ..of.plan.conversations[0].clone() };
    of.plan.conversations.push(late);
    of.each.push(Conversation { name: "LATE".to_owned(), ..of.each[0].clone() });
    let run = same_every_way(&knobs, Fidelity::Burst, 2_000);
    let states =
        |one: &&ConversationInterval| (one.name.clone(), one.connections, one.fallen_back, one.broken);
    let each: Vec<_> = intervals(&run).iter().map(states).collect();
    let (talk, late) =
        (|fallen_back| ("TALK".to_owned(), 4, fallen_back, 0), |count| ("LATE".to_owned(), count, 0, 0));
    assert_eq!(each, [talk(4), late(0), talk(4), late(4), talk(4), late(4)]);
    let ports = |interval| {
        ["RoCE port 110.D1", "RoCE port 170.D1", "OSD D0"].map(|name| busy(&run, interval, name) > 0)
    };
    assert_eq!([ports(0), ports(2)], [[false, false, true], [true; 3]]);
}
