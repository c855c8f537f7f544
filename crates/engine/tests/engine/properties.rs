//! Properties that hold for all inputs: each is checked against a plain model that is obviously right.

use std::collections::VecDeque;

use halftrack_base::{Span, Time};
use halftrack_engine::{EventKey, Fifo, MultiServer, Order, PendingSet, ProcessorSharing, Rank};
use proptest::collection::vec;
use proptest::prelude::*;

const fn at(ps: u64) -> Time {
    Time::from_ps(ps)
}
const fn span(ps: u64) -> Span {
    Span::from_ps(ps)
}

/// One thing done to a pending set.
#[derive(Clone, Copy, Debug)]
enum Act {
    Push { ps: u64, rank: u32 },
    Pop,
    PopBefore { ps: u64 },
    Peek,
}

/// Returns the times of all sizes, many of them equal, so that every part of the set is used.
fn times_ps() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..40_u64,
        (0..40_u64).prop_map(|n| n << 20),
        (0..300_u64).prop_map(|n| n << 24),
        any::<u64>()
    ]
}

fn acts() -> impl Strategy<Value = Vec<Act>> {
    let act = prop_oneof![
        4 => (times_ps(), 0..5_u32).prop_map(|(ps, rank)| Act::Push { ps, rank }),
        3 => Just(Act::Pop),
        1 => times_ps().prop_map(|ps| Act::PopBefore { ps }),
        1 => Just(Act::Peek),
    ];
    vec(act, 0..1_000)
}

proptest! {
    /// The pending set is a sorted list.
    #[test]
    fn pending_set_is_sorted(acts in acts()) {
        let mut pending = PendingSet::with_capacity(4);
        let mut model: Vec<(Time, Order, u32)> = Vec::new();
        for (n, act) in (0_u32..).zip(acts) {
            match act {
                Act::Push { ps, rank } => {
                    let order = Order::new(Rank::from_position(rank), u64::from(n));
                    pending.push(at(ps), order, n);
                    model.push((at(ps), order, n));
                    model.sort();
                }
                Act::Pop => {
                    let first = (!model.is_empty()).then(|| model.remove(0));
                    prop_assert_eq!(pending.pop(), first);
                }
                Act::PopBefore { ps } => {
                    let due = model.first().is_some_and(|first| first.0 < at(ps));
                    let first = due.then(|| model.remove(0));
                    let popped = pending.pop_before(EventKey::before(at(ps)));
                    prop_assert_eq!(popped, first.map(|first| (first.0, first.2)));
                }
                Act::Peek => {
                    prop_assert_eq!(pending.peek_key(), model.first().map(|first| (first.0, first.1)));
                    prop_assert_eq!(pending.peek_time(), model.first().map(|first| first.0));
                }
            }
            prop_assert_eq!(pending.len(), model.len());
        }
        for first in model {
            prop_assert_eq!(pending.pop(), Some(first));
        }
        prop_assert!(pending.pop().is_none() && pending.is_empty());
    }

    /// Busy time at any instant is the overlap of the services with the time before it.
    #[test]
    fn busy_time_is_the_overlap_of_services(
        customers in vec((0..30_u64, 0..40_u64), 1..80),
        servers in 1..5_u32,
        look in 0..60_u64,
    ) {
        let (mut one, mut many) = (Fifo::new(), MultiServer::new(servers));
        let (mut one_services, mut many_services) = (Vec::new(), Vec::new());
        let overlap = |services: &[(Time, Time)], when: Time| -> Span {
            services.iter().map(|&(start, depart)| depart.min(when).saturating_since(start)).sum()
        };
        let mut free_at = vec![Time::ZERO; servers as usize];
        let mut now = Time::ZERO;
        for (gap, service) in customers {
            now += span(gap);
            let departure = one.arrive(now, span(service));
            one_services.push((departure - span(service), departure));
            let (start, depart) = many.arrive(now, span(service));
            let earliest = free_at.iter_mut().min().expect("there is a server");
            prop_assert_eq!((start, depart), ((*earliest).max(now), (*earliest).max(now) + span(service)));
            *earliest = depart;
            many_services.push((start, depart));
            for when in [now, now + span(look)] {
                prop_assert_eq!(one.busy_before(when), overlap(&one_services, when));
                prop_assert_eq!(many.busy_before(when), overlap(&many_services, when));
                let busy = many_services.iter().filter(|service| service.1 > when).count();
                prop_assert!(many.busy_servers(when) as usize <= busy.max(1));
            }
        }
    }

    /// Sharing loses and invents no work, finishes nobody early, and agrees with sharing by real numbers.
    #[test]
    fn sharing_conserves_work(customers in vec((0..5_000_u64, 0..20_000_u64), 1..40)) {
        let exact = shared_by_real_numbers(&customers);
        let found = share(&customers);
        prop_assert_eq!(found.finishes.len(), customers.len());
        let (calls, most) = (2 * customers.len() as u64, customers.len() as u64);
        for (job, &finish) in found.finishes.iter().enumerate() {
            let late = finish.as_ps() as f64 - exact[job];
            prop_assert!(late > -1e-3, "job {job} finishes {late} ps late");
            prop_assert!(late <= (calls * (most + 1)) as f64, "job {job} finishes {late} ps late");
        }
        let works: Span = customers.iter().map(|&(_, work)| span(work)).sum();
        let excess = found.busy.checked_sub(works);
        prop_assert!(excess.is_some_and(|excess| excess.as_ps() <= calls + 1), "busy {} of {works}", found.busy);
        prop_assert_eq!(found.area_ps, found.residence_ps);
    }
}

struct Shared {
    /// By job.
    finishes: Vec<Time>,
    busy: Span,
    area_ps: u128,
    residence_ps: u128,
}

/// Plays customers of (gap to the one before, work) through a processor-sharing station.
fn share(customers: &[(u64, u64)]) -> Shared {
    let mut arrivals: VecDeque<(Time, u32, Span)> = VecDeque::new();
    let mut now = Time::ZERO;
    for (job, &(gap, work)) in (0..).zip(customers) {
        now += span(gap);
        arrivals.push_back((now, job, span(work)));
    }
    let arrived: Vec<Time> = arrivals.iter().map(|arrival| arrival.0).collect();
    let mut station = ProcessorSharing::with_capacity(4);
    let mut finishes = vec![Time::ZERO; customers.len()];
    loop {
        let completion = station.next_completion();
        match arrivals.front().copied() {
            Some((when, job, work)) if when <= completion => {
                arrivals.pop_front();
                now = when;
                station.arrive(when, job, work);
            }
            _ if completion == Time::MAX => break,
            _ => {
                let job = station.complete(completion).expect("a job is due");
                finishes[job as usize] = completion;
                now = completion;
            }
        }
    }
    assert!(station.is_empty());
    let stays =
        finishes.iter().zip(&arrived).map(|(&finish, &arrived)| u128::from((finish - arrived).as_ps()));
    let residence_ps = stays.sum();
    Shared { finishes, busy: station.busy_before(now), area_ps: station.area_before(now), residence_ps }
}

/// Returns the finishing times by job, in picoseconds, by the definition of processor sharing.
fn shared_by_real_numbers(customers: &[(u64, u64)]) -> Vec<f64> {
    let mut arrivals: VecDeque<(f64, usize)> = VecDeque::new();
    let mut clock = 0_u64;
    for (job, &(gap, _)) in customers.iter().enumerate() {
        clock += gap;
        arrivals.push_back((clock as f64, job));
    }
    let mut left: Vec<(usize, f64)> = Vec::new();
    let mut finishes = vec![0.0; customers.len()];
    let mut now = 0.0;
    while !arrivals.is_empty() || !left.is_empty() {
        let least = left.iter().map(|&(_, work)| work).fold(f64::INFINITY, f64::min);
        let finish = if left.is_empty() { f64::INFINITY } else { now + least * left.len() as f64 };
        let next_arrival = arrivals.front().map_or(f64::INFINITY, |arrival| arrival.0);
        let until = finish.min(next_arrival);
        let each = if left.is_empty() { 0.0 } else { (until - now) / left.len() as f64 };
        left.iter_mut().for_each(|job| job.1 -= each);
        now = until;
        if next_arrival <= finish {
            if let Some((_, job)) = arrivals.pop_front() {
                left.push((job, customers[job].1 as f64));
            }
        } else {
            left.iter().filter(|job| job.1 < 1e-6).for_each(|&(job, _)| finishes[job] = now);
            left.retain(|job| job.1 >= 1e-6);
        }
    }
    finishes
}
