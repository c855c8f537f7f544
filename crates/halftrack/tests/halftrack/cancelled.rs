//! Runs that their observer breaks off.

use std::ops::ControlFlow;

use halftrack::{Cancelled, Threads};

use crate::study;

/// I/Os that an observer waits for at most: milliseconds of work. A time would depend on what else the machine does.
const IOS_BETWEEN_CALLS: u64 = 25_000;

#[test]
fn a_run_of_an_hour_is_cancelled_soon() {
    for threads in [1, 2] {
        let study = study("z16-oltp", &["workload.run.interval_s=3600"]);
        let mut options = study.options();
        options.threads = Threads::Exactly(threads);
        let mut simulation = study.simulate(&options).expect("a machine");
        let (mut calls, mut last, mut longest) = (0, 0, 0);
        let ran = simulation.try_run(&mut |progress| {
            longest = longest.max(progress.ios - last);
            last = progress.ios;
            calls += 1;
            if calls < 8 { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        assert_eq!(ran.map(drop), Err(Cancelled));
        // On two threads one may run both sides for a while, and only the calling one observes.
        assert!(longest < IOS_BETWEEN_CALLS || threads == 2, "{longest} I/Os between two calls");
    }
}

#[test]
fn an_observer_changes_nothing() {
    let study = study("fex32s-zhpf-4k", &["workload.run.interval_s=0.005"]);
    let machine = || study.simulate(&study.options()).expect("a machine");
    let plain = machine().run(&mut |_| ()).0;
    let watched = machine().try_run(&mut |_| ControlFlow::Continue(())).expect("nothing cancels it").0;
    assert_eq!(plain, watched);
}
