//! Published figures, as a caller of the library compares them.

use std::sync::atomic::{AtomicUsize, Ordering};

use halftrack::{Cache, Cancelled, Published, PublishedOptions, Runner, TrialObserver};

#[test]
fn a_figure_is_compared_with_the_run_of_its_experiment() {
    let published = Published::load(&PublishedOptions::default()).expect("the built-in figures");
    assert!(published.choose(Some("no-such-figure")).is_empty());
    let figures = published.choose(Some("fex32s-card-zhpf-128k-read-mbps"));
    let chosen: Vec<String> = figures.iter().map(|figure| figure.id.clone()).collect();
    let experiments = published.experiments(figures).expect("experiments that can be run");
    let runner = Runner::new(Some(1), Cache::none()).expect("threads");
    let runs = experiments.run(&runner, &|_| ());
    let board = experiments.scoreboard(&runs);
    let ids: Vec<String> = board.rows.iter().map(|row| row.id.clone()).collect();
    assert_eq!(ids, chosen);
    assert!(board.rows.iter().all(|row| row.simulated.is_some()));
}

/// Counts the runs of sets, and breaks them off at one of them.
struct Counter {
    done: AtomicUsize,
    last: usize,
}

impl TrialObserver for Counter {
    fn expect(&self, _runs: usize) {}

    fn count(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
    }

    fn is_cancelled(&self) -> bool {
        self.done.load(Ordering::Relaxed) >= self.last
    }
}

#[test]
fn runs_that_are_broken_off_leave_the_board_as_it_was() {
    let published = Published::load(&PublishedOptions::default()).expect("the built-in figures");
    let figures = published.choose(Some("z900-ficon-small-block-gain"));
    let experiments = published.experiments(figures).expect("experiments that can be run");
    let runner = Runner::new(Some(2), Cache::none()).expect("threads");
    assert_eq!(experiments.try_run(&runner, &|_| (), &|| true).map(drop), Err(Cancelled));
    let runs = experiments.try_run(&runner, &|_| (), &|| false).expect("nothing cancels it");
    let mut board = experiments.scoreboard(&runs);
    let before = board.clone();
    let counter = |last| Counter { done: AtomicUsize::new(0), last };
    let few = counter(3);
    assert_eq!(experiments.test_sensitivity(&mut board, &runs, &runner, &few), Err(Cancelled));
    assert_eq!(board, before);
    assert!(few.done.into_inner() <= 4, "no run ends on two threads behind the one that breaks them off");
    let all = counter(usize::MAX);
    experiments.test_sensitivity(&mut board, &runs, &runner, &all).expect("nothing cancels it");
    assert_eq!((before.rows[0].status.word(), board.rows[0].status.word()), ("predicted", "fitted"));
}
