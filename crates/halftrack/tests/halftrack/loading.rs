//! Studies that cannot be loaded.

use halftrack::{LoadOptions, Study};

use crate::place;

fn numbers(name: &str, set: &[&str]) -> Vec<u16> {
    let set = set.iter().map(|&text| text.to_owned()).collect();
    let error =
        Study::load(place(name), &LoadOptions { set, ..LoadOptions::default() }).expect_err("an error");
    assert!(!error.to_string().is_empty());
    error.diagnostics.iter().map(|one| one.number).collect()
}

#[test]
fn every_mistake_of_a_set_is_an_error() {
    assert_eq!(numbers("z16-oltp", &["plant.cable.*.km=1,2"]), [959]);
    assert_eq!(numbers("z16-oltp", &["plant.nothing=1", "gibberish"]), [955]);
    assert_eq!(numbers("z16-oltp", &["workload.stream.NONE.open.rate_per_s=1"]), [951]);
}

#[test]
fn a_study_that_is_not_there_is_an_error() {
    assert_eq!(numbers("no-such-study", &[]).len(), 1);
}
