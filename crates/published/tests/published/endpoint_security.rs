//! The built-in experiment on the cost of endpoint security.

use halftrack_published::Status;

use crate::bridge::rows;

/// fex32s-2023: less than 4 % of the best zHPF rate. The loss is that of ESP on a full link, 36 octets beside 2,048 of data, and next to
/// nothing where the channel processor is full before the link; no number of the catalog is fitted to it.
#[test]
fn encryption_costs_something_on_a_full_link_and_less_than_the_paper_prints() {
    let rows = rows("fex32s-fces-max");
    let [row] = rows.as_slice() else { panic!("{rows:?}") };
    assert_eq!((row.holds, row.status), (Some(true), Status::Predicted));
    let loss = row.simulated.expect("a value");
    assert!((1.0..2.5).contains(&loss), "{loss} %");
    let [small] = row.readings.as_slice() else { panic!("{row:?}") };
    let loss = small.simulated.expect("a value");
    assert!((-0.2..0.2).contains(&loss), "{loss} % at 4 KiB");
    let fitted = |name: &&String| name.contains("security/") || name.contains("fces");
    assert_eq!(row.rests_on.iter().find(fitted), None);
}
