//! Bursts against frames over a matrix of studies: protocol, block, reads and writes, load, and what is full first.

mod cell;
mod verdict;

use halftrack_catalog::Catalog;
use rayon::prelude::*;

use cell::Cell;
use verdict::{Effort, Verdict, most_per_s, verdict};

/// Both runs of `cells`, in their order.
fn verdicts(cells: &[Cell], effort: Effort) -> Vec<Verdict> {
    let catalog = Catalog::load(&[]).0;
    let mut filled: Vec<Cell> = cells.iter().map(|cell| cell.filled()).collect();
    filled.sort_unstable();
    filled.dedup();
    let most: Vec<f64> = filled.par_iter().with_max_len(1).map(|cell| most_per_s(*cell, &catalog)).collect();
    let of = |cell: &Cell| most[filled.binary_search(&cell.filled()).expect("it is among them")];
    cells.par_iter().with_max_len(1).map(|cell| verdict(*cell, &catalog, of(cell), effort)).collect()
}

fn line(verdict: &Verdict) -> String {
    let Verdict { cell, rate_per_s, response_us, known_to, frame_only } = verdict;
    format!(
        "{cell:45} {:>9.0} {:>9.0} {:+6.2} %  {:>9.1} {:>9.1} {:+6.2} %  ±{:.1} ±{:.1} %{}{}",
        rate_per_s[0],
        rate_per_s[1],
        100.0 * verdict.rate_off(),
        response_us[0],
        response_us[1],
        100.0 * verdict.response_off(),
        100.0 * known_to[0],
        100.0 * known_to[1],
        if *frame_only { " frames" } else { "" },
        if verdict.agrees() { "" } else { " OFF" },
    )
}

#[test]
#[ignore = "for a look"]
fn a_look() {
    let only = std::env::var("CELLS").unwrap_or_default();
    let step: usize = std::env::var("STEP").ok().and_then(|step| step.parse().ok()).unwrap_or(1);
    let ios: f64 = std::env::var("IOS").ok().and_then(|ios| ios.parse().ok()).unwrap_or(20_000.0);
    let words: Vec<&str> = only.split_whitespace().collect();
    let is_meant = |cell: &Cell| words.iter().all(|word| cell.to_string().split(' ').any(|own| own == *word));
    let cells: Vec<Cell> = Cell::all().into_iter().filter(is_meant).step_by(step).collect();
    for verdict in verdicts(&cells, Effort { ios, intervals: None }) {
        println!("{}", line(&verdict));
    }
}
