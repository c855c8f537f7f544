//! Built-in experiments that are quick to run: the FICON bridge.

use halftrack_catalog::Catalog;
use halftrack_published::{Builtin, Figure, Library, Points, Row, Scoreboard, Status};
use halftrack_sweep::{Cache, PointOptions, run_points};

/// Answers of the figures whose id has `part` in it.
pub fn rows(part: &str) -> Vec<Row> {
    let (catalog, _) = Catalog::load(&[]);
    let (library, found) = Library::load(&[], Builtin::Under);
    assert_eq!(found, []);
    let figures: Vec<&Figure> = library.figures().filter(|figure| figure.id.contains(part)).collect();
    let points = Points::needed(&library, &figures).expect("every change can be made");
    let runs = run_points(points.studies(), &catalog, &PointOptions::default(), &Cache::none(), &|_| ());
    Scoreboard::new(&library, &figures, &points, &runs, &catalog).rows
}

/// ficon-2002: eight I/Os at once; ESCON channels of 350 (345 here) to 400 % on FICON Express and of 160 to 200 % on G5 and G6; 0.2 ms for
/// 10 km. No figure of the bridge is without an answer.
#[test]
fn the_figures_of_the_bridge_hold() {
    let rows = rows("fcv");
    assert_eq!(rows.len(), 9);
    let simulated = |id: &str| rows.iter().find(|row| row.id == id).and_then(|row| row.simulated);
    assert_eq!(simulated("fcv-concurrent-io"), Some(8.0));
    let between = |id, low: f64, high: f64| simulated(id).is_some_and(|value| low <= value && value <= high);
    assert!(between("fcv-limit-ficon-express", 340.0, 400.0), "{:?}", simulated("fcv-limit-ficon-express"));
    assert!(between("fcv-limit-g5g6", 160.0, 200.0), "{:?}", simulated("fcv-limit-g5g6"));
    assert!(between("dist-fcv-delay-10km", 0.199, 0.201), "{:?}", simulated("dist-fcv-delay-10km"));
    let answered = |row: &Row| matches!(row.status, Status::Predicted | Status::Definition);
    assert!(rows.iter().all(answered), "no figure is fitted or open");
}
