//! Published figures, as a caller of the library compares them.

use halftrack::{Cache, Published, PublishedOptions, Runner};

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
