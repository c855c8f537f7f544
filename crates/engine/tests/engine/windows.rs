//! A little network of logical processes gives the same history on any number of threads as in one merged queue.

use std::mem;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use halftrack_base::{Span, Time};
use halftrack_engine::windows::{Watch, run, run_timed, run_watched};
use halftrack_engine::{LogicalProcess, Order, PendingSet, RandomStream, Rank, Sequencer, WindowError};
use proptest::prelude::*;

/// A token that wanders from process to process.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Token(u32);

#[derive(Clone, Copy, Debug)]
struct Sent {
    at: Time,
    order: Order,
    token: Token,
}

/// Events of a process, in its order.
type Trace = Vec<(Time, Order, Token)>;

/// The behaviour of a process, apart from who drives it.
struct Node {
    index: usize,
    nodes: u64,
    lookahead: Span,
    /// When it has done all that it sends to others, where it does that one by one.
    free_at: Option<Time>,
    stream: RandomStream,
    orders: Sequencer,
    trace: Trace,
}

impl Node {
    fn new(seed: u64, index: usize, nodes: usize, lookahead_ps: u64) -> Self {
        Self {
            index,
            nodes: nodes as u64,
            lookahead: Span::from_ps(lookahead_ps),
            free_at: ((seed >> (32 + index)) % 2 == 1).then_some(Time::ZERO),
            stream: RandomStream::new(seed, &format!("node{index}")),
            orders: Sequencer::new(Rank::from_position(index as u32)),
            trace: Trace::new(),
        }
    }

    /// Returns the time from `now` until it can begin with something for another.
    fn backlog(&self, now: Time) -> Span {
        self.free_at.unwrap_or(Time::ZERO).saturating_since(now)
    }

    /// Passes the token on: where to, and with what. Delays are short so that many events coincide.
    fn pass(&mut self, now: Time, order: Order, token: Token) -> (usize, Sent) {
        self.trace.push((now, order, token));
        let destination = self.stream.below(self.nodes) as usize;
        let mut at = now + Span::from_ps(self.stream.below(6));
        if destination != self.index {
            at += self.lookahead + self.backlog(now);
            self.free_at = self.free_at.map(|_| at);
        }
        (destination, Sent { at, order: self.orders.next(), token })
    }
}

struct Process {
    node: Node,
    pending: PendingSet<Token>,
    /// It lends its pending set to the other of two processes; and what the other has lent.
    lends: bool,
    lent: Option<PendingSet<Token>>,
    outbox: Vec<(usize, Sent)>,
}

impl LogicalProcess for Process {
    type Message = Sent;

    fn next_time(&mut self) -> Option<Time> {
        self.pending.peek_time()
    }

    fn lookahead(&self, next: Time) -> Span {
        self.node.lookahead + self.node.backlog(next)
    }

    fn outbox(&mut self) -> &mut Vec<(usize, Sent)> {
        &mut self.outbox
    }

    fn run_until(&mut self, horizon: Time) {
        while self.pending.peek_time().is_some_and(|next| next < horizon) {
            let Some((now, order, token)) = self.pending.pop() else { return };
            let (destination, sent) = self.node.pass(now, order, token);
            if destination == self.node.index {
                self.deliver(sent);
            } else if let Some(lent) = &mut self.lent {
                lent.push(sent.at, sent.order, sent.token);
            } else {
                self.outbox.push((destination, sent));
            }
        }
    }

    fn deliver(&mut self, sent: Sent) {
        self.pending.push(sent.at, sent.order, sent.token);
    }

    fn lend(&mut self, other: &mut Self) {
        if self.lends {
            other.lent = Some(mem::replace(&mut self.pending, PendingSet::with_capacity(0)));
        }
    }

    fn take_back(&mut self, other: &mut Self) {
        if let Some(lent) = other.lent.take() {
            self.pending = lent;
        }
    }
}

/// Returns the so many tokens start at each node.
fn first_tokens(node: &mut Node, tokens: u32) -> Vec<Sent> {
    let index = node.index as u32;
    (0..tokens)
        .map(|n| Sent {
            at: Time::from_ps(u64::from(n % 3)),
            order: node.orders.next(),
            token: Token(index * tokens + n),
        })
        .collect()
}

fn processes(seed: u64, lookaheads: &[u64]) -> Vec<Process> {
    processes_with(seed, lookaheads, 3)
}

fn processes_with(seed: u64, lookaheads: &[u64], tokens: u32) -> Vec<Process> {
    let build = |(index, &lookahead): (usize, &u64)| {
        let mut node = Node::new(seed, index, lookaheads.len(), lookahead);
        let mut pending = PendingSet::with_capacity(8);
        first_tokens(&mut node, tokens)
            .into_iter()
            .for_each(|sent| pending.push(sent.at, sent.order, sent.token));
        Process { node, pending, lends: (seed >> index) % 2 == 1, lent: None, outbox: Vec::new() }
    };
    lookaheads.iter().enumerate().map(build).collect()
}

/// Returns the same network with one queue and no windows.
fn merged(seed: u64, lookaheads: &[u64], until: Time) -> Vec<Trace> {
    merged_with(seed, lookaheads, until, 3)
}

fn merged_with(seed: u64, lookaheads: &[u64], until: Time, tokens: u32) -> Vec<Trace> {
    let mut nodes: Vec<Node> = lookaheads
        .iter()
        .enumerate()
        .map(|(i, &ahead)| Node::new(seed, i, lookaheads.len(), ahead))
        .collect();
    let mut pending = PendingSet::with_capacity(64);
    for node in &mut nodes {
        let index = node.index;
        first_tokens(node, tokens)
            .into_iter()
            .for_each(|sent| pending.push(sent.at, sent.order, (index, sent.token)));
    }
    while pending.peek_time().is_some_and(|next| next < until) {
        let Some((now, order, (index, token))) = pending.pop() else { break };
        let (destination, sent) = nodes[index].pass(now, order, token);
        pending.push(sent.at, sent.order, (destination, sent.token));
    }
    nodes.into_iter().map(|node| node.trace).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn history_is_that_of_one_queue(
        seed in any::<u64>(),
        lookaheads in proptest::collection::vec(1..9_u64, 1..5),
        end in 50..400_u64,
        pause in 0..400_u64,
    ) {
        let until = Time::from_ps(end);
        let expected = merged(seed, &lookaheads, until);
        for threads in 1..=3 {
            let mut network = processes(seed, &lookaheads);
            let first = run(&mut network, Time::from_ps(pause).min(until), threads).unwrap();
            let second = run(&mut network, until, threads).unwrap();
            prop_assert!(first.windows + second.windows > 0);
            for (process, expected) in network.iter().zip(&expected) {
                prop_assert_eq!(&process.node.trace, expected, "on {} threads", threads);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    /// The last process sends without lookahead, with orders behind those of all others.
    #[test]
    fn one_without_lookahead_sees_the_same(
        seed in any::<u64>(),
        mut lookaheads in proptest::collection::vec(1..9_u64, 1..4),
        end in 50..400_u64,
        pause in 0..400_u64,
    ) {
        lookaheads.push(0);
        let until = Time::from_ps(end);
        let expected = merged(seed, &lookaheads, until);
        for threads in 1..=3 {
            let mut network = processes(seed, &lookaheads);
            run(&mut network, Time::from_ps(pause).min(until), threads).unwrap();
            run(&mut network, until, threads).unwrap();
            for (process, expected) in network.iter().zip(&expected) {
                prop_assert_eq!(&process.node.trace, expected, "on {} threads", threads);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6))]

    /// Several runs at once, so that threads are without a processor now and then and their processes are run by others,
    /// with as many messages in a window as fill a ring more than once.
    #[test]
    fn two_on_a_busy_machine_see_the_same(
        seed in any::<u64>(),
        lookaheads in proptest::array::uniform2(1..40_u64),
        tokens in prop_oneof![1..4_u32, 700..1_500_u32],
        end in 20..60_u64,
        middle in 0..60_u64,
    ) {
        let end = if tokens < 4 { end * 200 } else { end };
        let until = Time::from_ps(end);
        let expected = merged_with(seed, &lookaheads, until, tokens);
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    let mut network = processes_with(seed, &lookaheads, tokens);
                    for until in [Time::from_ps(middle).min(until), until] {
                        run(&mut network, until, 2).unwrap();
                    }
                    assert!(network.iter().map(|process| &process.node.trace).eq(&expected));
                });
            }
        });
    }
}

/// The observer sees the first process about once a step, and changes nothing.
#[test]
fn a_run_can_be_watched() {
    let (seed, lookaheads, until) = (5, [3, 2], Time::from_ps(1_000));
    let expected = merged(seed, &lookaheads, until);
    for threads in [1, 2] {
        let mut network = processes(seed, &lookaheads);
        let mut seen = Vec::new();
        let step = Span::from_ps(50);
        let show = |now: Time, first: &Process| {
            seen.push((now, first.node.trace.len()));
            ControlFlow::Continue(step)
        };
        let watch = Watch::new(Time::ZERO, step, show);
        run_watched(&mut network, until, threads, watch).unwrap();
        // One of two threads may run both processes for a while, and only the calling one shows.
        let least = if threads == 1 { 10 } else { 1 };
        assert!((least..=20).contains(&seen.len()), "{seen:?} on {threads} threads");
        let known = |now| expected[0].iter().take_while(|(at, ..)| *at < now).count();
        assert!(seen.iter().all(|(now, events)| *events == known(*now)), "{seen:?}");
        assert!(network.iter().map(|process| &process.node.trace).eq(&expected));
    }
}

/// A clock that goes on by one whenever it is read counts the windows of each process, and changes nothing.
#[test]
fn processes_are_timed_alone() {
    for lookaheads in [&[3, 2][..], &[4, 1, 6]] {
        let (seed, until) = (5, Time::from_ps(1_000));
        let windows = run(&mut processes(seed, lookaheads), until, 1).unwrap().windows;
        let reads = AtomicU64::new(0);
        let mut network = processes(seed, lookaheads);
        let spent = run_timed(&mut network, until, || reads.fetch_add(1, Ordering::Relaxed)).unwrap();
        assert_eq!(spent.len(), lookaheads.len());
        assert!(
            spent.iter().all(|windows| *windows > 0) && spent.iter().sum::<u64>() == windows,
            "{spent:?}"
        );
        let expected = merged(seed, lookaheads, until);
        assert!(network.iter().map(|process| &process.node.trace).eq(&expected));
    }
}

/// An observer that breaks a run off stops it soon, on one thread and on two.
#[test]
fn a_run_can_be_stopped() {
    for threads in [1, 2] {
        let mut network = processes(5, &[3, 2]);
        let mut calls = 0;
        let show = |_, _: &Process| {
            calls += 1;
            if calls == 1 { ControlFlow::Continue(Span::from_ps(50)) } else { ControlFlow::Break(()) }
        };
        let watch = Watch::new(Time::ZERO, Span::from_ps(50), show);
        // On two threads one may run both processes to the end before the other, which shows, has its second turn.
        let ran = run_watched(&mut network, Time::from_ps(1_000_000), threads, watch);
        assert!(ran == Err(WindowError::Stopped) || threads == 2, "{ran:?}");
        assert!(calls <= 2);
    }
}

/// Process that does one thing at 10 ps with a lookahead of 5 ps, or claims so.
struct Odd {
    next: Option<Time>,
    lookahead: Span,
    act: fn(&mut Vec<(usize, Time)>),
    outbox: Vec<(usize, Time)>,
}

impl Odd {
    fn new(next_ps: u64, lookahead_ps: u64, act: fn(&mut Vec<(usize, Time)>)) -> Self {
        let (next, lookahead) = (Some(Time::from_ps(next_ps)), Span::from_ps(lookahead_ps));
        Self { next, lookahead, act, outbox: Vec::new() }
    }
}

impl LogicalProcess for Odd {
    type Message = Time;

    fn next_time(&mut self) -> Option<Time> {
        self.next
    }

    fn lookahead(&self, _next: Time) -> Span {
        self.lookahead
    }

    fn outbox(&mut self) -> &mut Vec<(usize, Time)> {
        &mut self.outbox
    }

    fn run_until(&mut self, horizon: Time) {
        if self.next.is_some_and(|next| next < horizon) {
            self.next = None;
            (self.act)(&mut self.outbox);
        }
    }

    fn deliver(&mut self, at: Time) {
        self.next = Some(at);
    }
}

/// Runs an odd process beside one that only listens and works at 12 ps.
fn run_odd(act: fn(&mut Vec<(usize, Time)>), lookahead_ps: u64, threads: usize) -> Result<u64, WindowError> {
    run_odd_beside(act, [lookahead_ps, 5], threads)
}

/// Runs both with these lookaheads.
fn run_odd_beside(
    act: fn(&mut Vec<(usize, Time)>),
    [lookahead_ps, plain_ps]: [u64; 2],
    threads: usize,
) -> Result<u64, WindowError> {
    let odd = Odd::new(10, lookahead_ps, act);
    let plain = Odd::new(12, plain_ps, |_| {});
    run(&mut [odd, plain], Time::from_ps(1000), threads).map(|stats| stats.messages)
}

#[test]
fn broken_contracts_are_told() {
    for threads in [1, 2] {
        assert_eq!(run_odd(|out| out.push((1, Time::from_ps(15))), 5, threads), Ok(1));
        assert_eq!(run_odd(|out| out.push((1, Time::from_ps(10))), 0, threads), Ok(1));
        let refused = run_odd_beside(|_| {}, [0, 0], threads);
        assert_eq!(refused, Err(WindowError::ZeroLookahead { process: 0 }));
        for destination in [0, 2] {
            let act: fn(&mut Vec<(usize, Time)>) = if destination == 0 {
                |out| out.push((0, Time::MAX))
            } else {
                |out| out.push((2, Time::MAX))
            };
            let refused = WindowError::BadDestination { process: 0, destination };
            assert_eq!(run_odd(act, 5, threads), Err(refused));
        }
    }
}

/// Where processes meet at a barrier the receiver has always run too far; two that never meet may not have.
#[test]
fn a_message_that_comes_too_late_is_told() {
    let late = Odd::new(10, 5, |out| out.push((1, Time::from_ps(11))));
    let mut processes = [late, Odd::new(12, 5, |_| {}), Odd::new(900, 5, |_| {})];
    let (at, horizon) = (Time::from_ps(11), Time::from_ps(15));
    let told = run(&mut processes, Time::from_ps(1000), 2);
    assert_eq!(told.err(), Some(WindowError::LateMessage { process: 1, at, horizon }));
}

/// Two processes that have much to do now and then, and nothing for long: the threads sleep and are called. What arrives
/// after the end of one run is there in the next.
#[test]
fn two_that_wait_for_each_other_long_see_the_same() {
    let (seed, lookaheads) = (9, [1, 8]);
    for end in [1, 2, 3, 7, 500] {
        let expected = merged(seed, &lookaheads, Time::from_ps(end + 9_000));
        let mut network = processes(seed, &lookaheads);
        for until in [end, end + 1, end + 2, end + 9_000] {
            run(&mut network, Time::from_ps(until), 2).unwrap();
        }
        assert!(network.iter().map(|process| &process.node.trace).eq(&expected));
    }
}

/// The other thread has long been waiting when there is something for it.
#[test]
fn who_sleeps_is_called() {
    let slow = Odd::new(10, 5, |out| {
        std::thread::sleep(std::time::Duration::from_millis(30));
        out.push((1, Time::from_ps(20)));
    });
    let mut processes = [slow, Odd::new(400, 5, |_| {})];
    let stats = run(&mut processes, Time::from_ps(1000), 2).unwrap();
    assert_eq!((stats.messages, processes[1].next), (1, None));
}

#[test]
#[should_panic(expected = "odd indeed")]
fn a_panic_on_another_thread_ends_the_run() {
    let loud = Odd::new(10, 5, |_| panic!("odd indeed"));
    let quiet = Odd::new(500, 5, |_| {});
    let _ = run(&mut [quiet, loud], Time::from_ps(1000), 2);
}

#[test]
#[should_panic(expected = "odd indeed")]
fn a_panic_on_the_calling_thread_ends_the_run() {
    let _ = run_odd(|_| panic!("odd indeed"), 5, 2);
}

#[test]
fn nobody_is_nothing_to_run() {
    assert_eq!(run::<Odd>(&mut [], Time::MAX, 2).map(|stats| stats.windows), Ok(0));
}
