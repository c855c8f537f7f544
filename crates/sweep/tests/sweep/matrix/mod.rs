//! Bursts against frames over a matrix of studies: protocol, block, reads and writes, load, and what is full first.

mod cell;
mod page;
mod verdict;

use std::fs;
use std::path::Path;

use halftrack_catalog::Catalog;
use rayon::prelude::*;

use cell::{Cell, Load};
use page::page;
use verdict::{Verdict, most_per_s, verdict};

/// Runs both runs of `cells`, in their order, each of so many I/Os at most.
fn verdicts(cells: &[Cell], ios: impl Fn(&Cell) -> f64 + Sync) -> Vec<Verdict> {
    let catalog = Catalog::load(&[]).0;
    let mut filled: Vec<Cell> = cells.iter().map(|cell| cell.filled()).collect();
    filled.sort_unstable();
    filled.dedup();
    let most: Vec<f64> = filled.par_iter().with_max_len(1).map(|cell| most_per_s(*cell, &catalog)).collect();
    let of = |cell: &Cell| most[filled.binary_search(&cell.filled()).expect("it is among them")];
    cells.par_iter().with_max_len(1).map(|cell| verdict(*cell, &catalog, of(cell), ios(cell))).collect()
}

/// I/Os of a run in the time that the study needs for them at the most that it carries.
const IOS: f64 = 20_000.0;

/// One cell in nine, but for those at 95 %, whose response takes too long to measure.
#[test]
fn sixty_cells_agree_with_frame_by_frame() {
    let cells: Vec<Cell> =
        Cell::all().into_iter().filter(|cell| cell.load != Load::Open(95)).step_by(9).take(60).collect();
    let verdicts = verdicts(&cells, |_| IOS);
    assert_eq!(verdicts.len(), 60);
    let off: Vec<&Verdict> = verdicts.iter().filter(|verdict| !verdict.agrees()).collect();
    assert!(off.is_empty(), "{off:#?}");
    let frame_only = verdicts.iter().filter(|verdict| verdict.frame_only).count();
    assert!(frame_only <= 60 * 15 / 100, "{frame_only} of 60 run frame by frame by themselves");
}

/// `make matrix`: every cell, and the page of the book.
#[test]
#[ignore = "minutes of both cores; `make matrix` runs it"]
fn every_cell_is_on_the_page() {
    let sharper = |cell: &Cell| if cell.load == Load::Open(95) { 8.0 * IOS } else { IOS };
    let mut found = verdicts(&Cell::all(), sharper);
    // A mean that is known to some percent only may be off by chance: sixty-four times as long, it is known eight times as well.
    let off: Vec<usize> = (0..found.len()).filter(|&at| !found[at].agrees()).collect();
    let all = Cell::all();
    let cells: Vec<Cell> = off.iter().map(|&at| all[at]).collect();
    let longer = verdicts(&cells, |cell| 64.0 * sharper(cell));
    for (at, verdict) in off.into_iter().zip(longer) {
        found[at] = verdict;
    }
    let verdicts = found;
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let json: Vec<String> = verdicts.iter().map(|verdict| verdict.json().to_string()).collect();
    fs::write(root.join("target/matrix.jsonl"), json.join("\n") + "\n").expect("the target directory");
    fs::write(root.join("docs/matrix.md"), page(&verdicts)).expect("the book");
}
