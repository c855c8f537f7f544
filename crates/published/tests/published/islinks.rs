//! The figures of ISFC: every one is answered, and those of the twin hold.

use halftrack_published::Row;

use crate::bridge::rows;

/// isfc: 24 figures, of which three numbers are fitted to four; the rest is within 5 % or keeps to its bound.
#[test]
fn the_figures_of_isfc_hold() {
    let rows = rows("isfc-");
    assert_eq!(rows.len(), 24);
    let simulated = |id: &str| rows.iter().find(|row: &&Row| row.id == id).and_then(|row| row.simulated);
    for (id, printed) in [
        ("isfc-write-per-channel-linear-mbps", 204.0),
        ("isfc-write-4-channels-mbps", 816.0),
        ("isfc-nonshared-per-channel-1-2-mbps", 355.0),
        ("isfc-nonshared-per-channel-3-mbps", 348.0),
        ("isfc-vm-report-expectation", 85.0),
        ("isfc-fctc-per-channel-for-plateau", 4.0),
        ("isfc-plateau-max-channels", 4.0),
        ("isfc-plateau-not-reached-channels", 5.0),
        ("isfc-linear-max-channels", 4.0),
        ("isfc-dent-channels", 3.0),
        ("isfc-dent-fctc", 3.0),
        ("isfc-max-fctc-per-logical-link", 16.0),
    ] {
        let near = simulated(id).is_some_and(|value| (value / printed - 1.0).abs() < 0.05);
        assert!(near, "{id}: {:?} and {printed}", simulated(id));
    }
    assert!(simulated("isfc-crossed-loss").is_some_and(|loss| loss > 0.0 && loss <= 10.0));
    assert!(simulated("isfc-shared-combined-per-channel-mbps").is_some_and(|rate| rate > 400.0));
}
