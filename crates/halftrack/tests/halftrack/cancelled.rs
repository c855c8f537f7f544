//! Runs that their observer breaks off.

use std::ops::ControlFlow;
use std::time::{Duration, Instant};

use halftrack::Cancelled;

use crate::study;

/// Longest time between two calls of an observer, on a machine that may be busy and without optimisation.
const PATIENCE: Duration = Duration::from_secs(2);

#[test]
fn a_run_of_an_hour_is_cancelled_soon() {
    for threads in [1, 2] {
        let study = study("z16-oltp", &["workload.run.interval_s=3600"]);
        let mut options = study.options();
        options.threads = threads;
        let mut simulation = study.simulate(&options).expect("a machine");
        let (mut calls, mut last, mut longest) = (0, Instant::now(), Duration::ZERO);
        let ran = simulation.try_run(&mut |_| {
            longest = longest.max(last.elapsed());
            last = Instant::now();
            calls += 1;
            if calls < 20 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!(ran.map(drop), Err(Cancelled));
        assert!(longest < PATIENCE && last.elapsed() < PATIENCE, "{longest:?} between two calls");
    }
}

#[test]
fn an_observer_changes_nothing() {
    let study = study("fex32s-zhpf-4k", &["workload.run.interval_s=0.02"]);
    let machine = || study.simulate(&study.options()).expect("a machine");
    let plain = machine().run(&mut |_| ()).0;
    let watched = machine().try_run(&mut |_| ControlFlow::Continue(())).expect("nothing cancels it").0;
    assert_eq!(plain, watched);
}
