//! Connections when functions are lost.

use halftrack_base::Span;
use halftrack_smcr_twin::Traffic;

use crate::rig::{Clock, conversation, network};

const KIB: Traffic = Traffic::Exchange { request_bytes: 1024, response_bytes: 1024 };
const STREAM: Traffic = Traffic::Stream { bytes: 5_000_000 };

#[test]
fn connections_move_to_the_functions_of_the_other_group_and_lose_nothing() {
    for traffic in [KIB, STREAM] {
        let mut clock = Clock::new(&network(2, vec![conversation(traffic, 3, Span::from_us(50))]));
        clock.run(Span::from_ms(100));
        clock.lose(0);
        clock.lose(1);
        // What its line has taken before leaves it.
        clock.run(Span::from_ms(1));
        let used = clock.network.port_busy(0, clock.now)[0];
        clock.run(Span::from_ms(100));
        let counts = clock.network.collect(0);
        let all = clock.network.exchanges(0);
        assert_eq!((counts.broken, clock.network.standing(0)), (0, 3));
        assert_eq!(all.started, all.ended + all.open);
        assert!(counts.resent_bytes > 0 && counts.moves >= 3, "{counts:?}");
        assert_eq!(clock.network.port_busy(0, clock.now)[0], used, "nothing goes over it any more");
        assert!(!clock.network.port_busy(2, clock.now)[0].is_zero());
        clock.run(Span::from_ms(100));
        assert!(clock.network.collect(0).exchanges > 0, "they go on");
    }
}

#[test]
fn a_move_costs_the_time_until_the_loss_is_seen() {
    let latency_max = |loses: bool| {
        let mut clock = Clock::new(&network(2, vec![conversation(KIB, 1, Span::from_us(50))]));
        clock.run(Span::from_us(1_090));
        if loses {
            clock.lose(0);
        }
        clock.run(Span::from_ms(10));
        clock.network.collect(0).latency_max
    };
    let longer = latency_max(true) - latency_max(false);
    assert!((100..180).contains(&(longer.as_ps() / 1_000_000)), "{longer}");
}

#[test]
fn connections_without_a_function_end() {
    let mut clock = Clock::new(&network(2, vec![conversation(KIB, 3, Span::from_us(50))]));
    clock.run(Span::from_ms(10));
    clock.lose(0);
    clock.lose(2);
    clock.network.restore(0);
    clock.run(Span::from_ms(10));
    let all = clock.network.exchanges(0);
    assert_eq!((all.broken, all.open, clock.network.standing(0)), (3, 0, 0));
    assert_eq!(all.started, all.ended + all.broken);
    let _ = clock.network.collect(0);
    clock.run(Span::from_ms(10));
    assert_eq!(clock.network.collect(0).started, 0, "SMC-R does not go back to TCP");
}

#[test]
fn a_function_that_comes_back_takes_connections_that_lose_theirs() {
    let mut clock = Clock::new(&network(2, vec![conversation(STREAM, 2, Span::from_us(5))]));
    for (lost, back) in [(0, 3), (2, 0), (0, 2)] {
        clock.run(Span::from_ms(20));
        clock.lose(lost);
        clock.network.restore(back);
    }
    clock.run(Span::from_ms(20));
    assert_eq!(clock.network.standing(0), 0, "function 2 came back after function 0 had gone");
}

/// The request is at the other port after 56 µs and in memory after 61.
#[test]
fn what_is_in_the_adapters_goes_again_as_a_whole() {
    let mut clock = Clock::new(&network(2, vec![conversation(KIB, 1, Span::from_us(50))]));
    clock.run(Span::from_us(58));
    clock.lose(0);
    clock.run(Span::from_us(160));
    let line = Span::from_ps(819_200);
    assert_eq!([1, 3].map(|port| clock.network.port_busy(port, clock.now)[1]), [line; 2]);
    assert_eq!(clock.network.collect(0).resent_bytes, 1024);
}
