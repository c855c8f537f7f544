use halftrack_base::Span;

use super::*;

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_us(us)
}

/// Makes two bases, `aliases` aliases and five I/Os: 0, 1, 2 for the first base, 3, 4 for the second.
fn site(aliases: u32) -> (Slab<IoRequest>, Exposures) {
    site_of(aliases, 0)
}

fn site_of(aliases: u32, depth: u16) -> (Slab<IoRequest>, Exposures) {
    let mut requests = Slab::with_capacity(5);
    for io in 0..5 {
        let slot = requests.take();
        requests[slot] = IoRequest { ucb: u32::from(io >= 3), ..IoRequest::default() };
    }
    let mut exposures = Exposures::default();
    exposures.pools.push(AliasPool::new(0, 0, (aliases, depth)));
    exposures.add(0, 0, 0, 1);
    exposures.add(0, 1, 1, 1);
    (requests, exposures)
}

#[test]
fn without_aliases_requests_wait_for_their_own_base() {
    let (mut requests, mut site) = site(0);
    assert!(site.request(at(0), 0, &mut requests));
    assert!(!site.request(at(0), 1, &mut requests));
    assert!(site.request(at(0), 3, &mut requests));
    assert_eq!(site.release(at(5), 3, &mut requests), None);
    assert_eq!(site.release(at(9), 0, &mut requests), Some(1));
    assert_eq!(site.release(at(12), 1, &mut requests), None);
    assert_eq!(site.collect(0, at(20)).1, Span::from_us(12).as_ps());
    assert_eq!((site.pools[0].requests, site.pools[0].alias_waits), (3, 1));
}

#[test]
fn an_alias_serves_the_oldest_request_of_the_control_unit_and_skips_those_the_base_served() {
    let (mut requests, mut site) = site(1);
    assert!(site.request(at(0), 0, &mut requests));
    assert!(site.request(at(0), 1, &mut requests));
    assert!(requests[1].alias);
    assert!(!site.request(at(0), 2, &mut requests));
    assert!(site.request(at(1), 3, &mut requests));
    assert!(!site.request(at(1), 4, &mut requests));
    // The base of the first device serves I/O 2; the alias then passes over its stale entry to I/O 4.
    assert_eq!(site.release(at(2), 0, &mut requests), Some(2));
    assert_eq!(site.release(at(3), 1, &mut requests), Some(4));
    assert_eq!(site.pools[0].in_use, 1);
    assert_eq!(site.release(at(4), 4, &mut requests), None);
    assert_eq!((site.pools[0].in_use, site.pools[0].in_use_max), (0, 1));
}

#[test]
fn a_logical_unit_has_so_many_commands_open_as_its_queue_is_deep_whatever_others_have() {
    let (mut requests, mut site) = site_of(2, 2);
    assert!(site.request(at(0), 0, &mut requests) && site.request(at(0), 1, &mut requests));
    assert!(
        !site.request(at(0), 2, &mut requests),
        "its queue is full, though there is room at the other unit"
    );
    assert!(site.request(at(1), 3, &mut requests) && site.request(at(1), 4, &mut requests));
    assert!(requests[0].by_queue);
    assert_eq!(
        site.release(at(2), 4, &mut requests),
        None,
        "the other unit is nothing to a request that waits"
    );
    assert_eq!(site.release(at(3), 1, &mut requests), Some(2));
    for io in [0, 2, 3] {
        assert_eq!(site.release(at(4), io, &mut requests), None);
    }
    assert_eq!((site.pools[0].in_use, site.ucbs[0].state, site.ucbs[1].state), (0, 0, 0));
}

/// A base from 0 to 7 us and an alias from 2 to 5 us, with the end of an interval at 3 us.
#[test]
fn exposures_in_use_are_dealt_to_the_intervals() {
    let (mut requests, mut site) = site(1);
    let collect = |site: &mut Exposures, requests: &mut Slab<IoRequest>, now| {
        site.book_open(now, requests);
        let (sums, in_use_ps) = site.collect(0, now);
        [sums.exposures, in_use_ps].map(|ps| ps / Span::from_us(1).as_ps())
    };
    site.request(at(0), 0, &mut requests);
    site.request(at(2), 1, &mut requests);
    assert_eq!(collect(&mut site, &mut requests, at(3)), [4, 3]);
    site.release(at(5), 1, &mut requests);
    site.release(at(7), 0, &mut requests);
    assert_eq!(collect(&mut site, &mut requests, at(9)), [6, 4]);
    assert_eq!(collect(&mut site, &mut requests, at(12)), [0, 0]);
}
