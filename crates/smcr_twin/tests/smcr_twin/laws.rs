//! Laws of exchanges and streams.

use halftrack_base::Span;
use halftrack_smcr_twin::{ConversationCounts, ConversationPlan, Traffic};

use crate::rig::{Clock, PORT, conversation, network, transport};

const KIB: Traffic = Traffic::Exchange { request_bytes: 1024, response_bytes: 1024 };
const STREAM: Traffic = Traffic::Stream { bytes: 20_000_000 };

/// Runs a conversation for a second with so many processors a host.
fn run(processors: u32, one: ConversationPlan) -> ConversationCounts {
    let mut clock = Clock::new(&network(processors, vec![one]));
    clock.run(Span::from_s(1));
    clock.network.collect(0)
}

fn rate_bytes_per_s(counts: &ConversationCounts) -> f64 {
    counts.bytes as f64 / counts.latency.as_s_f64()
}

/// By hand: two messages, each 10 µs of work, 4 µs of adapters, 2 µs for its KiB, 1024 octets at 1.25 GB/s and the way.
#[test]
fn an_exchange_takes_the_sum_of_its_parts() {
    let counts = run(2, conversation(KIB, 1, Span::from_us(50)));
    let each = counts.latency / counts.exchanges;
    assert_eq!(each, Span::from_ns(2 * (10_000 + 4_000 + 2_000 + 50_000) + 2 * 819) + Span::from_ps(400));
    assert_eq!(counts.latency_max, each);
    // Each side works for half of both messages; the last exchange is not over.
    for side in counts.work {
        let ended = Span::from_us(12) * counts.exchanges;
        assert!((ended..=ended + Span::from_us(12)).contains(&side), "{side} of {ended}");
    }
}

#[test]
fn each_connection_of_a_closed_loop_makes_one_exchange_a_latency() {
    for connections in [1, 3, 40] {
        let counts = run(2, conversation(KIB, connections, Span::from_us(50)));
        let busy = counts.latency.as_s_f64();
        assert!(
            (busy - f64::from(connections)).abs() < 0.01 * f64::from(connections),
            "{connections}: {busy}"
        );
    }
}

#[test]
fn more_distance_is_never_faster() {
    for traffic in [KIB, STREAM] {
        let latency = |us: u64| {
            let counts = run(2, conversation(traffic, 2, Span::from_us(us)));
            counts.latency / counts.exchanges
        };
        let each = [0, 1, 50, 500, 1000].map(latency);
        assert!(each.is_sorted_by(|a, b| a < b), "{each:?}");
    }
}

#[test]
fn a_stream_sends_a_window_a_round_trip() {
    let mut one = conversation(STREAM, 1, Span::from_us(500));
    let mut before = 0.0;
    for window_bytes in [65_536, 131_072, 262_144] {
        one.paths[0].transport = transport(window_bytes);
        let rate = rate_bytes_per_s(&run(2, one.clone()));
        // The way to and fro, a message both ways, and the first chunk on the line and in both hosts.
        let round_trip_s = 1028.0e-6 + 2048.0 / 1.25e9 + 0.2e-6;
        let bound = f64::from(window_bytes) / round_trip_s;
        assert!(rate < bound && rate > 0.9 * bound, "{window_bytes}: {rate} of {bound}");
        assert!(rate > 1.8 * before, "twice the window, twice the rate");
        before = rate;
    }
}

#[test]
fn connections_and_functions_share_the_line_of_a_port() {
    let mut one = conversation(STREAM, 4, Span::from_us(1));
    one.paths[0].transport = transport(1 << 20);
    // Two functions of the same port: the line is that of both.
    for end in &mut one.paths[0].routes[1].ends {
        end.port -= 2;
    }
    one.paths[0].spread = 2;
    let mut clock = Clock::new(&network(8, vec![one]));
    clock.run(Span::from_ms(50));
    let _ = clock.network.collect(0);
    clock.run(Span::from_ms(200));
    let counts = clock.network.collect(0);
    let line = PORT.bytes_per_s as f64 / 5.0;
    assert!((counts.bytes as f64 - line).abs() < 0.2 * line, "{}", counts.bytes);
    assert!(clock.network.port_busy(0, clock.now)[0] > Span::from_ms(245));
    assert!(clock.network.port_busy(2, clock.now)[0].is_zero());
}

#[test]
fn processors_of_a_host_are_shared_and_kept_busy() {
    let counts = run(1, conversation(KIB, 50, Span::ZERO));
    // A host works 12 µs an exchange.
    assert!(counts.exchanges.abs_diff(1_000_000 / 12) < 100, "{}", counts.exchanges);
    let more = run(2, conversation(KIB, 50, Span::ZERO));
    assert!(more.exchanges.abs_diff(2 * counts.exchanges) < 200);
}

#[test]
fn equal_plans_give_equal_counts() {
    let plan = conversation(STREAM, 3, Span::from_us(77));
    assert_eq!(run(2, plan.clone()), run(2, plan));
}
