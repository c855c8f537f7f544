//! The scoreboard end to end: figures, experiments and studies of a directory, runs, rows.

use std::path::Path;
use std::sync::Mutex;

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_input::Diagnostic;
use halftrack_machine::Cancelled;
use halftrack_published::{
    Builtin, Figure, Library, Points, Rerun, Restated, Row, Scoreboard, ScoreboardInputs, Status, markdown,
    rehearse, restated, sensitive, to_json,
};
use halftrack_record::Run;
use halftrack_sweep::{Cache, PointError, PointOptions, run_points};

use crate::directory::Directory;

fn run(studies: &[StudyFiles], catalog: &Catalog) -> Vec<Result<Run, PointError>> {
    run_points(studies, catalog, &PointOptions::default(), &Cache::none(), &|_| ())
}

/// Runs on the threads of the current pool, and how many runs each set was to have.
#[derive(Default)]
struct Again {
    expected: Mutex<Vec<usize>>,
}

impl Rerun for Again {
    fn expect(&self, runs: usize) {
        self.expected.lock().expect("no thread panicked").push(runs);
    }

    fn is_cancelled(&self) -> bool {
        false
    }

    fn run(
        &self,
        studies: &[StudyFiles],
        catalog: &Catalog,
    ) -> Result<Vec<Result<Run, PointError>>, Cancelled> {
        Ok(run(studies, catalog))
    }
}

/// The scoreboard of a directory alone.
struct Board {
    library: Library,
    catalog: Catalog,
}

impl Board {
    fn of(directory: &Directory) -> Self {
        let (catalog, _) = Catalog::load(&[]);
        let (library, found) = Library::load(&[directory.path()], Builtin::UnitsOnly);
        assert_eq!(found, []);
        Self { library, catalog }
    }

    fn figures(&self) -> Vec<&Figure> {
        self.library.figures().collect()
    }

    fn points(&self) -> Points {
        Points::needed(&self.library, &self.figures()).expect("every change can be made")
    }

    fn rehearsal(&self) -> Vec<Diagnostic> {
        rehearse(&self.library, &self.figures(), &self.points(), &self.catalog)
    }

    fn board(&self) -> Scoreboard {
        self.with_inputs(|_, board| board)
    }

    /// Applies `check` to the scoreboard and the inputs that it is made of.
    fn with_inputs<T>(&self, check: impl FnOnce(&ScoreboardInputs<'_>, Scoreboard) -> T) -> T {
        let (figures, points) = (self.figures(), self.points());
        let runs = run(points.studies(), &self.catalog);
        let (library, catalog) = (&self.library, &self.catalog);
        let made = ScoreboardInputs { library, figures: &figures, points: &points, runs: &runs, catalog };
        check(&made, Scoreboard::new(library, &figures, &points, &runs, catalog))
    }
}

fn row<'a>(board: &'a Scoreboard, id: &str) -> &'a Row {
    board.rows.iter().find(|row| row.id == id).unwrap_or_else(|| panic!("no row {id}"))
}

fn lines(found: &[Diagnostic], directory: &Path) -> Vec<String> {
    let directory = format!("{}/", directory.display());
    found.iter().map(|one| one.line().replace(&directory, "")).collect()
}

#[test]
fn every_figure_has_its_row_and_its_status() {
    let directory = Directory::new();
    let made = Board::of(&directory);
    assert_eq!(made.rehearsal(), []);
    let board = made.board();
    let status = |id: &str| (row(&board, id).status, row(&board, id).holds);
    assert_eq!(status("rate"), (Status::Predicted, Some(true)));
    // In the catalog a price of the card was fitted to this one.
    assert_eq!(status("fex32s-zhpf-4k-read-max-iops").0, Status::Fitted);
    assert_eq!(status("jobs"), (Status::Definition, Some(true)));
    assert_eq!(status("odd").0, Status::Contradicted);
    assert_eq!(status("left"), (Status::NotCovered, None));
    let rate = row(&board, "rate");
    assert_eq!(rate.experiment.as_deref(), Some("reads"));
    assert!(rate.bottleneck.as_ref().is_some_and(|station| !station.is_empty()));
    let tally = board.tally();
    assert_eq!((tally.figures, tally.measured_predictions), (5, 1));
    assert!(tally.fitted_parameters > 0);
}

const GAIN: &str = "\
source = 'more'
title = 'More'
[[figure]]
id = 'gain'
where = 'Figure 2'
what = 'Gain of more jobs, where as many are done in all'
quantity = 'percent'
relation = '='
value = 100
unit = '%'
kind = 'measured'
params = {}
";

const GAIN_EXPERIMENT: &str = "\
[[experiment]]
name = 'gain'
study = 'small'
program = 'one read of 4 KiB'
[[experiment.point]]
name = 'one'
set = ['workload.stream.READ.closed.jobs=1']
[[experiment.sweep]]
name = 'jobs'
study = 'small'
key = 'workload.stream.READ.closed.jobs'
values = [1, 3]
[[experiment.answer]]
figure = 'gain'
increase_percent = ['rate_per_s:READ@jobs where swept:jobs=2', 'rate_per_s:READ@one']
error_of = 'ratio'
";

#[test]
fn a_gain_is_compared_as_a_ratio_where_the_answer_says_so() {
    let directory = Directory::new();
    directory.write("more.toml", GAIN);
    directory.write("experiments/more.toml", GAIN_EXPERIMENT);
    let made = Board::of(&directory);
    assert_eq!(made.rehearsal(), []);
    let board = made.board();
    let gain = row(&board, "gain");
    let (value, error) = (gain.simulated.expect("a value"), gain.error_percent.expect("an error"));
    // Half way from one job to three: twice the rate but for what they wait for each other.
    assert!((80.0..=105.0).contains(&value), "{value}");
    assert!((error - 100.0 * ((100.0 + value) / 200.0 - 1.0)).abs() < 1e-9, "{value}: {error}");
    assert!(gain.reasons[0].starts_with("its error is that of the ratio, "), "{:?}", gain.reasons);
    assert!(gain.reasons[0].ends_with(" against 2.000"), "{:?}", gain.reasons);
    assert!(
        made.board()
            .rows
            .iter()
            .filter(|row| row.id != "gain")
            .all(|row| !row.reasons.iter().any(|said| said.contains("ratio")))
    );
}

/// Returns a directory with `extra` in the answer of `rate`, and what its file of figures prints replaced.
fn with_dependence(extra: &str, printed: (&str, &str)) -> Directory {
    let directory = Directory::new();
    if printed.0 != printed.1 {
        directory.edit("mine.toml", |text| text.replacen(printed.0, printed.1, 1));
    }
    if extra.is_empty() {
        return directory;
    }
    directory.edit("experiments/mine.toml", |text| {
        text.replacen(
            "value = 'rate_per_s:READ@some'\n",
            &format!("value = 'rate_per_s:READ@some'\n{extra}"),
            1,
        )
    });
    directory
}

#[test]
fn a_prediction_is_independent_unless_it_is_zero_a_sibling_or_a_restatement() {
    let as_it_is = ("value = 1\n", "value = 1\n");
    let of = |directory: &Directory| {
        let board = Board::of(directory).board();
        let tally = board.tally();
        let row = row(&board, "rate").clone();
        assert_eq!(tally.independent, usize::from(row.independent));
        assert_eq!(tally.measured_predictions, 1);
        (row.independent, row.rests_on, row.reasons)
    };
    assert_eq!(of(&Directory::new()), (true, vec![], vec![]));
    let max = "fex32s-zhpf-4k-read-max-iops";
    let sibling = with_dependence(&format!("sibling_of = '{max}'\nreason = 'the same read'\n"), as_it_is);
    let words = format!("not independent, sibling of {max}: the same read");
    assert_eq!(of(&sibling), (false, vec![max.into()], vec![words]));
    let number = "channel/fex32s transport.program_us";
    let restated = with_dependence(&format!("restates = ['{number}']\nreason = 'its inverse'\n"), as_it_is);
    assert_eq!(of(&restated).1, [number]);
    assert!(!of(&with_dependence("", ("value = 1\n", "value = 0\n"))).0, "a printed zero");
    assert!(of(&Directory::new()).0, "one I/O a second is neither a ratio nor a number of things");
    let fitted = Board::of(&Directory::new()).board();
    assert_eq!(row(&fitted, max).rests_on, [number]);
}

#[test]
fn a_figure_that_moves_as_a_fitted_one_does_is_found_to_restate_it() {
    let directory = Directory::new();
    // One job: the response is the inverse of the rate, to which a price of the card was fitted in the catalog.
    directory.edit("experiments/mine.toml", |text| text.replace("jobs=8", "jobs=1"));
    let (mut board, found) = Board::of(&directory).with_inputs(|made, board| {
        assert!(row(&board, "rate").independent);
        let found = restated(made, &board, &Again::default()).expect("nothing cancels it");
        (board, found)
    });
    let of = "fex32s-zhpf-4k-read-max-iops".to_owned();
    assert_eq!(found, [Restated { figure: "rate".to_owned(), of: of.clone() }]);
    board.count_as_restated(&found);
    assert_eq!((row(&board, "rate").independent, &row(&board, "rate").rests_on), (false, &vec![of]));
    assert_eq!((board.tally().independent, board.tally().measured_predictions), (0, 1));
}

#[test]
fn the_tables_of_a_page_have_every_prediction_that_counts_and_every_fitted_number() {
    let made = Board::of(&Directory::new());
    let text = markdown(&made.board(), &made.catalog);
    for part in [
        "| `mine` | 1 | 0 | 1 | 1 | 0 | 1 | 1 | 1 | 1 | 1 | 1 | 5 |",
        "| all | 1 | 0 | 1 | 1 | 0 | 1 | 1 | 1 | 1 | 1 | 1 | 5 |",
        "| `rate` | > 1 IO/s | ",
        "| `transport.program_us` of channel/fex16sa, channel/fex16sp, channel/fex32s | 3.2757 | ",
        "`fex32s-zhpf-4k-read-max-iops` (+",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
    let dependent = with_dependence("restates = ['odd']\nreason = 'alike'\n", ("", ""));
    let dependent = Board::of(&dependent);
    assert!(markdown(&dependent.board(), &dependent.catalog).contains("| `odd` | `rate` | +"));
}

#[test]
fn what_a_prediction_rests_on_must_be_there_and_no_sibling_itself() {
    let as_it_is = ("value = 1\n", "value = 1\n");
    let said = |extra: &str| {
        let directory = with_dependence(extra, as_it_is);
        let (library, mut found) = Library::load(&[directory.path()], Builtin::UnitsOnly);
        if found.is_empty() {
            let (catalog, _) = Catalog::load(&[]);
            let figures: Vec<&Figure> = library.figures().collect();
            let points = Points::needed(&library, &figures).expect("every change can be made");
            found = rehearse(&library, &figures, &points, &catalog);
        }
        lines(&found, directory.path())
    };
    assert_eq!(
        said("sibling_of = 'odds'\nreason = 'alike'\n"),
        ["HTK974E experiments/mine.toml:12:14 no file has a figure `odds`"]
    );
    assert_eq!(
        said("sibling_of = 'odd'\n"),
        ["HTK981E experiments/mine.toml:12:14 `sibling_of` gives its reason"]
    );
    assert_eq!(
        said("restates = ['channel/fex32s credit']\nreason = 'alike'\n"),
        ["HTK982E experiments/mine.toml:12:13 the catalog has no channel/fex32s credit"]
    );
    assert_eq!(
        said("sibling_of = 'rate'\nreason = 'alike'\n"),
        ["HTK981E experiments/mine.toml:12:14 `rate` is a sibling itself, of `rate`"]
    );
}

#[test]
fn another_reading_has_its_own_value() {
    let directory = Directory::new();
    directory.edit("experiments/mine.toml", |text| {
        let readings = "value = 'rate_per_s:READ@some'\n[[experiment.answer.reading]]\nwords = 'of all streams'\n\
                        sum = ['rate_per_s@some', 'rate_per_s@some']\n[[experiment.answer.reading]]\nwords = 'none'\n";
        text.replacen("value = 'rate_per_s:READ@some'\n", readings, 1)
    });
    let board = Board::of(&directory).board();
    let rate = row(&board, "rate");
    let simulated: Vec<Option<f64>> = rate.readings.iter().map(|one| one.simulated).collect();
    assert_eq!(simulated, [rate.simulated.map(|rate| 2.0 * rate), None]);
    assert_eq!(rate.readings[0].holds, Some(true));
    assert!(
        rate.remarks.iter().any(|said| said.starts_with("reading: of all streams: ")),
        "{:?}",
        rate.remarks
    );
    let text = to_json(&board.rows);
    assert_eq!(
        text.matches("\"readings\":").count(),
        2,
        "only where there are any, as of what is contradicted"
    );
}

#[test]
fn json_has_exactly_the_keys_of_the_format_in_their_order() {
    let board = Board::of(&Directory::new()).board();
    let text = to_json(&board.rows);
    let rows: Vec<serde_json::Map<String, serde_json::Value>> =
        serde_json::from_str(&text).expect("an array of objects");
    assert_eq!(rows.len(), board.rows.len());
    let keys = [
        "id",
        "source",
        "kind",
        "what",
        "relation",
        "published",
        "low",
        "high",
        "simulated",
        "unit",
        "error_percent",
        "holds",
        "status",
        "bottleneck",
        "experiment",
        "independent",
        "rests_on",
    ];
    for (row, line) in rows.iter().zip(text.lines().skip(1)) {
        assert_eq!(row.keys().filter(|key| *key != "readings").count(), keys.len());
        let at: Option<Vec<usize>> = keys.iter().map(|key| line.find(&format!("\"{key}\":"))).collect();
        assert!(at.is_some_and(|at| at.is_sorted()), "{line}");
    }
    assert_eq!(rows[4]["simulated"], serde_json::Value::Null);
    assert_eq!(rows[4]["status"], "not_covered");
}

#[test]
fn the_same_whatever_the_threads() {
    let made = Board::of(&Directory::new());
    let of = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| to_json(&made.board().rows))
    };
    assert_eq!(of(1), of(3));
}

#[test]
fn a_quantity_that_the_study_does_not_produce_is_refused_before_the_runs() {
    let directory = Directory::new();
    directory.edit("experiments/mine.toml", |text| text.replace("rate_per_s:READ@", "rate_per_s:WRITE@"));
    let made = Board::of(&directory);
    let said = lines(&made.rehearsal(), directory.path());
    let expected = "HTK978E experiments/mine.toml:11:9 study small does not produce it: the run has no stream \
                    \"WRITE\" for rate_per_s; it has READ";
    assert_eq!(said.first().map(String::as_str), Some(expected));
}

#[test]
fn a_point_whose_study_is_not_well_formed_is_refused_before_the_runs() {
    let directory = Directory::new();
    directory.edit("experiments/mine.toml", |text| text.replace("jobs=8", "jobs=0"));
    let said = lines(&Board::of(&directory).rehearsal(), directory.path());
    assert!(said[0].contains("`jobs` is 0"), "{said:?}");
}

#[test]
fn a_change_that_names_nothing_is_refused_at_its_place() {
    let directory = Directory::new();
    directory.edit("experiments/mine.toml", |text| text.replace("stream.READ.closed", "stream.READS.closed"));
    let made = Board::of(&directory);
    let found = Points::needed(&made.library, &made.figures()).expect_err("no stream READS");
    let said = lines(&found, directory.path());
    assert!(said[0].starts_with("HTK980E experiments/mine.toml:7:8 point \"some\": "), "{said:?}");
}

#[test]
fn a_catalog_number_that_is_not_there_is_refused() {
    let directory = Directory::new();
    directory.edit("experiments/mine.toml", |text| {
        text.replace("value = 'completed:READ@some'", "catalog = 'channel/fex32s credit'")
    });
    let said = lines(&Board::of(&directory).rehearsal(), directory.path());
    assert_eq!(said, ["HTK982E experiments/mine.toml:17:11 the catalog has no channel/fex32s credit"]);
}

#[test]
fn a_figure_that_follows_an_assumed_number_counts_as_fitted() {
    let directory = Directory::new();
    // One read at a time, and none in cache: most of the response is staging, which is an assumed time.
    let misses = "jobs=1', 'workload.stream.READ.hit_ratio=0.0', 'workload.run.interval_s=1.0";
    directory.edit("experiments/mine.toml", |text| text.replace("jobs=8", misses));
    let (mut board, found) = Board::of(&directory).with_inputs(|made, board| {
        let found = sensitive(made, &board, &Again::default()).expect("nothing cancels it");
        (board, found)
    });
    let before = board.tally();
    assert!(found.iter().all(|one| one.figure == "rate" && one.moved_percent.abs() > 1.0), "{found:?}");
    assert!(!found.is_empty());
    board.count_as_fitted(&found);
    assert_eq!(row(&board, "rate").status, Status::Fitted);
    assert!(row(&board, "rate").remarks[0].contains(&found[0].parameter));
    let after = board.tally();
    assert_eq!((after.predicted, after.fitted), (before.predicted - 1, before.fitted + 1));
    assert!(after.fitted_parameters > before.fitted_parameters);
}

#[test]
fn what_does_not_use_a_number_is_not_run_with_it_larger_and_threads_change_nothing() {
    let directory = Directory::new();
    Board::of(&directory).with_inputs(|made, board| {
        let of = |threads: usize| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            let again = Again::default();
            let found = pool.install(|| sensitive(made, &board, &again));
            (found.expect("nothing cancels it"), again.expected.into_inner().expect("no thread panicked"))
        };
        let (found, expected) = of(1);
        assert_eq!((found, expected.clone()), of(2));
        // Reads that all hit use none of the numbers of misses, writes and waits.
        assert!(expected.len() == 3 && 0 < expected[1] && expected[1] < expected[0], "{expected:?}");
    });
}

#[test]
fn chance_is_no_dependence() {
    let directory = Directory::new();
    // A few reads, half of which miss by a draw of their own: any other seed moves the rate by several percent.
    directory.edit("experiments/mine.toml", |text| {
        text.replace("jobs=8", "jobs=1', 'workload.stream.READ.hit_ratio=0.5', 'workload.run.interval_s=0.02")
    });
    let again = Again::default();
    let found = Board::of(&directory).with_inputs(|made, board| sensitive(made, &board, &again));
    // All that moves by 1 % was tried with other seeds, and what they move it by is no less.
    let expected = again.expected.into_inner().expect("no thread panicked");
    assert!(expected[2] > 0, "{expected:?}");
    assert_eq!(found, Ok(vec![]));
}
