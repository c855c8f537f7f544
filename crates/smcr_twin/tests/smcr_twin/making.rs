//! Connections that are made while functions come and go.

use halftrack_base::Span;
use halftrack_smcr_twin::{ConversationPlan, Traffic};

use crate::rig::{Clock, conversation, network, with_tcp};

const KIB: Traffic = Traffic::Exchange { request_bytes: 1024, response_bytes: 1024 };
const STREAM: Traffic = Traffic::Stream { bytes: 5_000_000 };
/// Ports over TCP, and of the functions of each group.
const TCP: [usize; 2] = [4, 5];
const FIRST: [usize; 2] = [0, 1];
const SECOND: [usize; 2] = [2, 3];

fn clock(one: ConversationPlan) -> Clock {
    Clock::new(&network(2, vec![one]))
}

/// Runs for 20 ms; returns the ports of a pair that were used in the second half.
fn used(clock: &mut Clock) -> Vec<[usize; 2]> {
    let pairs = [FIRST, SECOND, TCP];
    let chunks = |clock: &Clock| pairs.map(|pair| pair.map(|port| clock.network.port_chunks(port)));
    clock.run(Span::from_ms(10));
    let before = chunks(clock);
    clock.run(Span::from_ms(10));
    let after = chunks(clock);
    (0..pairs.len()).filter(|at| after[*at] > before[*at]).map(|at| pairs[at]).collect()
}

/// Checks that every exchange and octet has ended, was lost with its connection, or is in progress.
#[track_caller]
fn balanced(clock: &Clock) {
    let all = clock.network.exchanges(0);
    assert_eq!(all.started, all.ended + all.broken + all.open, "{all:?}");
    assert_eq!(all.sent_bytes, all.read_bytes + all.broken_bytes + all.open_bytes, "{all:?}");
    assert!(all.sent_bytes > 0);
}

#[test]
fn an_adapter_that_comes_serves_connections_that_are_made_after_it() {
    for traffic in [KIB, STREAM] {
        let early = with_tcp(conversation(traffic, 2, Span::from_us(50)));
        let late = ConversationPlan { begins: Span::from_ms(30), ..early.clone() };
        let mut clock = Clock::new(&network(8, vec![early, late]));
        for function in 0..4 {
            clock.lose(function);
        }
        assert_eq!(used(&mut clock), [TCP], "without a function there is TCP");
        assert_eq!([0, 1].map(|one| clock.network.standing(one)), [2, 0]);
        (0..4).for_each(|function| clock.network.restore(function));
        clock.run(Span::from_ms(20));
        let both = [0, 1].map(|one| (clock.network.standing(one), clock.network.fallen_back(one)));
        assert_eq!(both, [(2, 2), (2, 0)], "those over TCP stay there");
        assert_eq!(used(&mut clock), [FIRST, TCP]);
        assert!(clock.network.collect(1).exchanges > 0);
        balanced(&clock);
    }
}

#[test]
fn an_adapter_that_goes_leaves_the_other_one_and_then_tcp() {
    for traffic in [KIB, STREAM] {
        let mut clock = clock(with_tcp(conversation(traffic, 3, Span::from_us(50))));
        assert_eq!(used(&mut clock), [FIRST]);
        clock.lose(0);
        clock.lose(1);
        assert_eq!(used(&mut clock), [SECOND]);
        let moved = clock.network.collect(0);
        assert_eq!((moved.broken, clock.network.fallen_back(0)), (0, 0));
        assert!(moved.moves >= 3, "{moved:?}");
        balanced(&clock);
        clock.lose(2);
        clock.lose(3);
        assert_eq!(used(&mut clock), [TCP]);
        let lost = clock.network.collect(0);
        assert_eq!((lost.broken, clock.network.standing(0), clock.network.fallen_back(0)), (3, 3, 3));
        assert!(lost.exchanges > 0, "they go on over TCP");
        assert!(clock.network.exchanges(0).broken_bytes > 0);
        balanced(&clock);
    }
}

/// An update in which an adapter is pulled and plugged again does not end with the plug.
#[test]
fn a_function_that_is_away_for_two_reasons_comes_back_with_the_last() {
    let mut clock = clock(with_tcp(conversation(KIB, 1, Span::from_us(50))));
    for function in [0, 0, 2] {
        clock.lose(function);
    }
    clock.network.restore(0);
    assert_eq!(used(&mut clock), [TCP]);
    clock.network.restore(0);
    clock.network.restore(0);
    clock.lose(0);
    assert_eq!(used(&mut clock), [TCP], "connections over TCP stay there");
}

#[test]
fn a_client_tries_again_until_a_function_is_there() {
    let only = conversation(KIB, 2, Span::from_us(50));
    let mut clock = clock(ConversationPlan { reconnect: Some(Span::from_ms(3)), ..only });
    for function in 0..4 {
        clock.lose(function);
    }
    assert_eq!(used(&mut clock), [[0; 2]; 0]);
    assert_eq!(clock.network.standing(0), 0);
    clock.network.restore(2);
    clock.network.restore(3);
    assert_eq!(used(&mut clock), [SECOND]);
    assert_eq!((clock.network.standing(0), clock.network.collect(0).broken), (2, 0));
}

/// Connections that are lost again and again, at every step of a transfer, take nothing of one another.
#[test]
fn no_octet_of_a_lost_connection_reaches_the_next() {
    for traffic in [KIB, STREAM] {
        let one = conversation(traffic, 2, Span::from_us(20));
        let mut clock = clock(ConversationPlan { reconnect: Some(Span::from_us(3)), ..one });
        for turn in 0..400_u64 {
            clock.run(Span::from_us(50 + 13 * (turn % 97)));
            let gone = [turn % 4, (turn / 4) % 4].map(|function| function as u32);
            gone.iter().for_each(|function| clock.lose(*function));
            balanced(&clock);
            if turn % 3 == 0 {
                clock.run(Span::from_us(700));
            }
            gone.iter().for_each(|function| clock.network.restore(*function));
        }
        clock.run(Span::from_ms(20));
        let (all, counts) = (clock.network.exchanges(0), clock.network.collect(0));
        assert!(all.broken > 50 && counts.moves > 50 && clock.network.standing(0) == 2, "{all:?} {counts:?}");
        balanced(&clock);
    }
}
