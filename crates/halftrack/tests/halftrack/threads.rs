//! How many threads a run takes where more are allowed.

use halftrack::{Options, Threads};

use crate::study;

fn taken(name: &str, threads: Threads) -> usize {
    let study = study(name, &[]);
    let simulation = study.simulate(&Options { threads, ..study.options() }).expect("it can be wired");
    simulation.threads()
}

#[test]
fn the_largest_machine_takes_two() {
    assert_eq!(taken("z16-max200", Threads::AtMost(8)), 2);
    assert_eq!(taken("z16-max200", Threads::AtMost(1)), 1);
}

#[test]
fn machines_with_few_ios_between_two_reports_take_one() {
    for study in ["fex32s-zhpf-4k", "z16-oltp", "recorded-trace"] {
        assert_eq!(taken(study, Threads::AtMost(8)), 1, "{study}");
    }
}

#[test]
fn an_exact_number_is_taken_as_far_as_there_are_processes() {
    assert_eq!(taken("fex32s-zhpf-4k", Threads::Exactly(2)), 2);
    assert_eq!(taken("fex32s-zhpf-4k", Threads::Exactly(8)), 2);
}
