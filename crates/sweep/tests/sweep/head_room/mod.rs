//! Head-room as a run at a low load gives it, held against runs just below and above.

mod kind;

use halftrack_catalog::Catalog;
use halftrack_record::OpenLoad;
use halftrack_report::RunSummary;
use halftrack_sweep::{Cache, PointOptions, run_points};
use rayon::prelude::*;

use kind::Kind;

/// I/Os of a run at the low load, and of one near the rate that it gives.
const LOW_IOS: f64 = 20_000.0;
const NEAR_IOS: f64 = 40_000.0;
/// Parts of the rate that are kept up with, and that are not.
const BELOW: f64 = 0.97;
const ABOVE: f64 = 1.05;

/// Runs `kind` at `rate_per_s` for `ios`, laws held.
fn run(kind: &Kind, (rate_per_s, ios): (f64, f64), catalog: &Catalog) -> RunSummary {
    let files = kind.files(rate_per_s, ios);
    let mut runs = run_points(&[files], catalog, &PointOptions::default(), &Cache::none(), &|_| ());
    let run = runs.remove(0).unwrap_or_else(|error| panic!("{kind:?}: {}", error.messages().join("\n")));
    for checker in &run.checkers {
        assert!(checker.violations.is_empty(), "{kind:?}: {}: {:?}", checker.law, checker.violations);
    }
    RunSummary::compute(&run)
}

fn bottleneck(summary: &RunSummary) -> &str {
    summary.bottleneck.as_ref().map_or("", |bottleneck| &bottleneck.name)
}

/// Returns promises of `kind` that do not hold.
fn broken(kind: &Kind, catalog: &Catalog) -> Vec<String> {
    let mut broken = Vec::new();
    let low = run(kind, (kind.rate_per_s, LOW_IOS), catalog);
    let Some(times) = low.head_room else {
        return vec![format!("{}: no head-room at {:?}", kind.expected, low.bottleneck)];
    };
    if bottleneck(&low) != kind.expected {
        broken.push(format!("{}: {} at the low load", kind.expected, bottleneck(&low)));
    }
    let loads = low.streams.iter().filter_map(|stream| stream.load);
    let full_per_s = times * loads.map(|OpenLoad { offered_per_s, .. }| offered_per_s).sum::<f64>();
    let below = run(kind, (BELOW * full_per_s, NEAR_IOS), catalog);
    if below.is_overloaded() {
        broken.push(format!("{}: overloaded at {BELOW} of {times:.2} times the rate", kind.expected));
    }
    let above = run(kind, (ABOVE * full_per_s, NEAR_IOS), catalog);
    if !above.is_overloaded() || bottleneck(&above) != kind.expected || above.head_room.is_some() {
        let found = (above.is_overloaded(), &above.bottleneck, above.head_room);
        broken.push(format!("{}: at {ABOVE} of {times:.2} times the rate {found:?}", kind.expected));
    }
    broken
}

#[test]
fn the_bottleneck_fills_at_the_rate_that_a_low_load_gives() {
    let catalog = Catalog::load(&[]).0;
    let kinds = Kind::all();
    let found: Vec<Vec<String>> =
        kinds.par_iter().with_max_len(1).map(|kind| broken(kind, &catalog)).collect();
    assert_eq!(found.concat(), [""; 0]);
}
