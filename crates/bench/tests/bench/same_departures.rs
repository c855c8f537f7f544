//! The tandem through the engine and the tandems by hand make the same hops at the same instants.

use halftrack_base::Time;
use halftrack_bench::tandem::{
    ByHand, Immediate, Prefetched, STATIONS, Services, Tandem, ThroughEngine, time_of_hops,
};
use proptest::prelude::*;

/// Returns all that a program shows at an instant.
fn shown(tandem: &impl Tandem) -> (u64, Time, [Option<u32>; STATIONS]) {
    (tandem.hops(), tandem.now(), std::array::from_fn(|station| tandem.in_service(station)))
}

/// Runs both in steps of about a quarter of a hop, so that no two hops are compared in one.
fn compare<S: Services>(seed: u64, hops: u64) {
    let (mut engine, mut hand) = (ThroughEngine::new(seed), ByHand::<S>::new(seed));
    let quarter_ps = time_of_hops(hops).as_ps() / (4 * hops);
    let mut step = 0;
    while engine.hops() < hops {
        step += 1;
        let until = Time::from_ps(step * quarter_ps);
        engine.run_until(until);
        hand.run_until(until);
        assert_eq!(shown(&engine), shown(&hand), "seed {seed}, step {step}");
    }
}

#[test]
fn hop_by_hop() {
    compare::<Immediate>(1, 50_000);
    compare::<Prefetched>(1, 50_000);
}

#[test]
fn one_long_run_ends_alike() {
    let until = time_of_hops(1_000_000);
    let (mut engine, mut hand) = (ThroughEngine::new(2), ByHand::<Immediate>::new(2));
    engine.run_until(until);
    hand.run_until(until);
    assert_eq!(shown(&engine), shown(&hand));
    assert!(engine.hops().abs_diff(1_000_000) < 10_000, "{} hops", engine.hops());
}

#[test]
fn seeds_differ() {
    let (mut one, mut other) = (ThroughEngine::new(1), ThroughEngine::new(2));
    one.run_until(time_of_hops(1_000));
    other.run_until(time_of_hops(1_000));
    assert_ne!(one.now(), other.now());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_the_seed_and_the_horizons(seed: u64, hops in proptest::collection::vec(0_u64..2_000, 1..20)) {
        let (mut engine, mut hand) = (ThroughEngine::new(seed), ByHand::<Immediate>::new(seed));
        let mut total = 0;
        for more in hops {
            total += more;
            engine.run_until(time_of_hops(total));
            hand.run_until(time_of_hops(total));
            prop_assert_eq!(shown(&engine), shown(&hand));
        }
    }
}
