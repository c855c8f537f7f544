//! Sweeps by content: every point has the same key and the same outcome wherever it is run.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use halftrack::{
    AnsweredPoint, Cache, Catalog, LoadOptions, MODEL_VERSION, Outcomes, PackOptions, PackedSweep,
    PointOptions, Study, StudyFiles, Sweep, SweepOptions, UnpackError, pack_sweep, run_cache, sets_in_step,
};

use crate::place;

/// Run of a millisecond.
const SHORT: [&str; 3] =
    ["workload.run.warmup_s=0", "workload.run.interval_s=0.001", "workload.run.intervals=1"];

fn sweep(study: &Path, sets: &[&str]) -> Sweep {
    let sets = SHORT.iter().chain(sets).map(|&set| set.to_owned()).collect();
    Sweep::load(study, &SweepOptions { sets, ..SweepOptions::default() }).expect("a sweep")
}

fn packed(study: &Path, sets: &[&str]) -> PackedSweep {
    let sweep = sweep(study, sets);
    let columns = sweep.columns(&[], None).expect("columns");
    sweep.packed(&PointOptions::default(), &columns)
}

/// Returns the table of the sweep by whole runs, as `halftrack sweep` makes it.
fn by_runs(study: &Path, sets: &[&str]) -> String {
    let sweep = sweep(study, sets);
    let runs = sweep.run(&PointOptions::default(), Some(1), &Cache::none(), &|_| ()).expect("a thread");
    sweep.table(sweep.columns(&[], None).expect("columns"), &runs).to_json()
}

/// Returns the outcomes of `sweep`, none of them in a cache.
fn planned(sweep: PackedSweep) -> Outcomes {
    Outcomes::plan(Arc::new(sweep), Cache::none(), false, &|| false).expect("nothing cancels it")
}

/// Runs every open point of `sweep` on what its octets give, the last first.
fn run_elsewhere(outcomes: &mut Outcomes) {
    let elsewhere = PackedSweep::unpack(&outcomes.sweep().pack(), MODEL_VERSION).expect("a sweep");
    for (index, _) in outcomes.open().into_iter().rev() {
        let answered = elsewhere.run(index, false, &|| false).expect("nothing cancels it");
        assert_eq!(outcomes.take_in(index, answered.clone()), Ok(true));
        assert_eq!(outcomes.take_in(index, answered), Ok(false), "nothing is counted twice");
    }
}

/// Returns the directories below `directory` that hold a study.
fn studies(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("a directory").map(|entry| entry.expect("an entry").path());
    let mut found = Vec::new();
    for path in entries.filter(|path| path.is_dir()) {
        match path.join("deck.iocp").is_file() {
            true => found.push(path),
            false => found.extend(studies(&path)),
        }
    }
    found.sort();
    found
}

#[test]
fn every_study_gives_the_same_keys_and_outcomes_from_its_octets() {
    let all = studies(&place(""));
    assert!(all.len() > 40, "{all:?}");
    for study in all {
        let sweep = packed(&study, &["workload.run.seed=7"]);
        let octets = sweep.pack();
        let elsewhere = PackedSweep::unpack(&octets, MODEL_VERSION).expect("a sweep");
        assert_eq!(elsewhere.pack(), octets, "{study:?}");
        let plan = sweep.plan(0).unwrap_or_else(|error| panic!("{study:?}: {error}"));
        assert_eq!(elsewhere.plan(0).expect("a plan"), plan, "{study:?}");
        assert!(plan.cost > 0.0 && plan.cost.is_finite(), "{study:?}");
        let mut outcomes = planned(sweep);
        run_elsewhere(&mut outcomes);
        assert_eq!(outcomes.table().to_json(), by_runs(&study, &["workload.run.seed=7"]), "{study:?}");
    }
}

#[test]
fn bad_points_fail_by_themselves_as_they_do_in_a_local_sweep() {
    let study = place("fex32s-zhpf-4k");
    let sets = ["deck.CHPID.40.TYPE=FC,FC X", "plant.cable.100.to=\"11.20\",nowhere,\"11.99\""];
    let mut outcomes = planned(packed(&study, &sets));
    assert!(outcomes.open().len() < 3 && outcomes.over() > 3);
    run_elsewhere(&mut outcomes);
    assert_eq!(outcomes.over(), 6);
    assert_eq!(outcomes.table().to_json(), by_runs(&study, &sets));
}

/// Points of one content are run once, and each has the outcome.
#[test]
fn threads_change_nothing_and_like_points_are_run_once() {
    let study = place("fex32s-zhpf-4k");
    let sets = ["workload.stream.READ4K.closed.jobs=1,4,2,4"];
    let expected = by_runs(&study, &sets);
    for threads in [1, 2] {
        let mut outcomes = planned(packed(&study, &sets));
        let order: Vec<usize> = outcomes.open().into_iter().map(|(index, _)| index).collect();
        assert_eq!(order, [1, 2, 0], "those with most I/Os come first");
        outcomes.run(threads, &|| false, &|_| ()).expect("nothing cancels it");
        assert_eq!(outcomes.table().to_json(), expected);
    }
}

#[test]
fn what_is_in_the_cache_is_not_run_again_even_after_a_sweep_that_was_cancelled() {
    let directory = tempfile::tempdir().expect("a directory");
    let cache = || run_cache(Some(directory.path().to_owned()));
    let (study, sets) = (place("fex32s-zhpf-4k"), ["workload.stream.READ4K.closed.jobs=1,2,3"]);
    let sweep = Arc::new(packed(&study, &sets));
    let plan = |whole: bool| Outcomes::plan(Arc::clone(&sweep), cache(), whole, &|| false).expect("a plan");
    let mut first = plan(false);
    let over = std::sync::atomic::AtomicUsize::new(0);
    let one_is_over = || over.load(std::sync::atomic::Ordering::Relaxed) > 0;
    let count = |_| {
        over.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    };
    assert!(first.run(1, &one_is_over, &count).is_err(), "cancelled");
    let mut second = plan(false);
    assert_eq!((second.over(), second.cache().found()), (1, 1));
    run_elsewhere(&mut second);
    let third = plan(false);
    assert_eq!((third.over(), third.table().to_json()), (3, second.table().to_json()));
    // Whole runs are something else, and give the outcomes of a table of other columns too.
    let mut whole = plan(true);
    assert_eq!(whole.over(), 0);
    whole.run(2, &|| false, &|_| ()).expect("nothing cancels it");
    assert_eq!((plan(true).over(), plan(true).table()), (3, third.table()));
}

#[test]
fn answers_about_something_else_are_refused() {
    let sweep = packed(&place("fex32s-zhpf-4k"), &["workload.stream.READ4K.closed.jobs=1,2"]);
    let one = sweep.run(1, true, &|| false).expect("nothing cancels it");
    let directory = tempfile::tempdir().expect("a directory");
    let cache = run_cache(Some(directory.path().to_owned()));
    let mut outcomes = Outcomes::plan(Arc::new(sweep), cache, true, &|| false).expect("a plan");
    assert!(outcomes.take_in(0, one.clone()).is_err() && outcomes.take_in(9, one.clone()).is_err());
    let torn = AnsweredPoint { entry: one.entry.clone().map(|entry| entry[..900].to_owned()), ..one.clone() };
    assert!(outcomes.take_in(1, torn).is_err());
    assert_eq!(outcomes.over(), 0);
    assert_eq!(outcomes.take_in(1, one), Ok(true));
    outcomes.give_up(0, "nobody could".to_owned());
    let table = outcomes.table();
    assert_eq!((table.rows[0].status(), table.rows[1].status()), ("failed", "ok"));
}

#[test]
fn octets_of_another_version_and_damaged_ones_are_refused() {
    let octets = packed(&place("fex32s-zhpf-4k"), &[]).pack();
    let refused = |octets: &[u8], model: &str| PackedSweep::unpack(octets, model).expect_err("no sweep");
    let other = refused(&octets, "newer");
    assert_eq!(other, UnpackError::Model { pack: MODEL_VERSION.to_owned(), own: "newer".to_owned() });
    let mut damaged = octets.clone();
    *damaged.last_mut().expect("octets") ^= 1;
    for octets in [&octets[..octets.len() - 1], &damaged, b"", b"halftrack sweep 1\n"] {
        assert_eq!(refused(octets, MODEL_VERSION), UnpackError::Damaged);
    }
}

/// All points have the same seeds, the first that of the study.
#[test]
fn replications_have_common_random_numbers() {
    let files = StudyFiles::read(&place("fex32s-zhpf-4k")).expect("a study");
    let own = Study::load(place("fex32s-zhpf-4k"), &LoadOptions::default()).expect("a study").options().seed;
    let seeds = |seed: Option<u64>| {
        let groups = vec![sets_in_step("plant.cable.*.km=1,2").expect("sets")];
        let options = PackOptions {
            replications: 3,
            point: PointOptions { seed, ..PointOptions::default() },
            ..PackOptions::default()
        };
        let sweep = pack_sweep(files.clone(), Catalog::load(&[]).0, groups, &options).expect("a sweep");
        (0..sweep.grid().points()).map(|index| sweep.grid().set_to(index).join(" ")).collect::<Vec<_>>()
    };
    assert_eq!(seeds(Some(5)), ["1 5", "1 6", "1 7", "2 5", "2 6", "2 7"]);
    assert_eq!(seeds(None)[3..], [0, 1, 2].map(|further| format!("2 {}", own + further)));
}
