//! Points side by side, and runs kept from one sweep to the next.

use std::collections::BTreeMap;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use halftrack_catalog::Catalog;
use halftrack_config::StudyFiles;
use halftrack_machine::Fidelity;
use halftrack_record::Run;
use halftrack_sweep::{Cache, Change, PointError, PointOptions, change, product, run_points, run_sweep};

/// Returns one channel for 2 ms.
fn study() -> StudyFiles {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../studies/fex32s-zhpf-4k");
    let files = StudyFiles::read(&directory).expect("a study of the repository");
    let run = Change {
        key: "workload.run".parse().expect("a key"),
        value: "{ warmup_s = 0.001, interval_s = 0.002, intervals = 1 }".to_owned(),
    };
    change(&files, &[run]).expect("a short run")
}

fn points(set: &str) -> Vec<Vec<Change>> {
    product(&[vec![set.parse().expect("a set")]]).expect("points")
}

fn sweep(set: &str, options: &PointOptions, cache: &Cache) -> Vec<Result<Run, PointError>> {
    run_sweep(&study(), &points(set), &Catalog::load(&[]).0, options, cache, &|_| ())
}

fn runs(set: &str, cache: &Cache) -> Vec<Run> {
    sweep(set, &PointOptions::default(), cache).into_iter().map(|run| run.expect("a run")).collect()
}

fn entries(directory: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(directory).expect("the cache").map(|entry| entry.expect("an entry").path());
    let mut entries: Vec<PathBuf> = entries.collect();
    entries.sort();
    entries
}

const LENGTHS: &str = "plant.cable.*.km=0,10,20,30";

#[test]
fn points_come_in_their_order_and_the_same_on_one_thread_and_on_two() {
    let on = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
        pool.install(|| runs(LENGTHS, &Cache::none()))
    };
    let one = on(1);
    let responses: Vec<f64> = one.iter().map(|run| run.streams[0].response_us.mean).collect();
    assert!(responses.windows(2).all(|pair| pair[0] < pair[1]), "longer fibres take longer: {responses:?}");
    assert_eq!(one, on(2));
}

#[test]
fn a_bad_point_tells_why_and_the_others_finish() {
    let options = PointOptions::default();
    let done = Mutex::new(Vec::new());
    let note = |count: usize| done.lock().expect("a count").push(count);
    let set = points("plant.cable.100.to=\"11.20\",nowhere,\"11.20\",\"11.99\"");
    let runs = run_sweep(&study(), &set, &Catalog::load(&[]).0, &options, &Cache::none(), &note);
    let ran: Vec<bool> = runs.iter().map(Result::is_ok).collect();
    assert_eq!(ran[..3], [true, false, true]);
    let Err(error) = &runs[1] else { panic!("nowhere") };
    assert!(error.to_string().contains("plant.toml [plant.cable.100.to=nowhere]:"), "{error}");
    assert_eq!(error.messages().len(), 1);
    let mut done = done.into_inner().expect("counts");
    done.sort_unstable();
    assert_eq!(done, [1, 2, 3, 4]);
}

#[test]
fn a_point_whose_change_cannot_be_made_fails_by_itself() {
    let runs = sweep("deck.CHPID.40.TYPE=FC,FC X,FC", &PointOptions::default(), &Cache::none());
    assert!(runs[0].is_ok() && runs[2].is_ok());
    assert!(matches!(&runs[1], Err(PointError::Study(messages)) if messages[0].number == 953));
}

#[test]
fn what_is_kept_is_not_simulated_again() {
    let place = tempfile::tempdir().expect("a directory");
    let cache = || Cache::new(place.path().join("kept"), "program 1");
    let (first, second) = (cache(), cache());
    let simulated = runs(LENGTHS, &first);
    assert_eq!((first.found(), first.lost()), (0, 0));
    assert_eq!(runs(LENGTHS, &second), simulated);
    assert_eq!((second.found(), entries(&place.path().join("kept")).len()), (4, 4));
}

#[test]
fn everything_that_the_result_depends_on_tells_runs_apart() {
    let place = tempfile::tempdir().expect("a directory");
    let set = "plant.cable.*.km=1";
    let found = |program: &str, options: PointOptions| {
        let cache = Cache::new(place.path(), program);
        sweep(set, &options, &cache);
        cache.found()
    };
    let plain = PointOptions::default();
    assert_eq!((found("1", plain), found("1", plain)), (0, 1));
    assert_eq!(found("2", plain), 0);
    assert_eq!(found("1", PointOptions { seed: Some(9), ..plain }), 0);
    assert_eq!(found("1", PointOptions { fidelity: Fidelity::Frame, ..plain }), 0);
    let cache = Cache::new(place.path(), "1");
    let point = change(&study(), &points(set)[0]).expect("a point");
    let hotter = Catalog { cpcs: Default::default(), ..Catalog::load(&[]).0 };
    let other_catalog = run_points(std::slice::from_ref(&point), &hotter, &plain, &cache, &|_| ());
    assert!(other_catalog[0].is_err() && cache.found() == 0);
    let further_decks = BTreeMap::from([("deck-b.iocp".to_owned(), Arc::clone(&point.deck))]);
    let with_another_deck = StudyFiles { further_decks, ..point.clone() };
    run_points(&[with_another_deck], &Catalog::load(&[]).0, &plain, &cache, &|_| ());
    assert_eq!(cache.found(), 1, "a deck that no machine has is no part of the run");
    let renamed = StudyFiles { name: "other".to_owned(), ..point };
    run_points(&[renamed], &Catalog::load(&[]).0, &plain, &cache, &|_| ());
    assert_eq!(cache.found(), 1, "reports are headed by the name of the study");
}

#[test]
fn a_damaged_entry_is_not_believed_and_is_written_anew() {
    let place = tempfile::tempdir().expect("a directory");
    let set = "plant.cable.*.km=1";
    let whole = runs(set, &Cache::new(place.path(), "1"));
    let entry = entries(place.path()).remove(0);
    let text = fs::read_to_string(&entry).expect("an entry");
    let changed = text.replace("\"completed\": ", "\"completed\": 1");
    for damaged in [&text[..text.len() / 2], "", "{}", changed.as_str()] {
        assert_ne!(damaged, text);
        fs::write(&entry, damaged).expect("an entry");
        let cache = Cache::new(place.path(), "1");
        assert_eq!(runs(set, &cache), whole);
        assert_eq!(cache.found(), 0, "{damaged:.40}");
        assert_eq!(fs::read_to_string(&entry).expect("an entry"), text);
    }
}

#[test]
fn a_sweep_that_was_stopped_goes_on_where_it_was() {
    let place = tempfile::tempdir().expect("a directory");
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
    let stopped = catch_unwind(AssertUnwindSafe(|| {
        let cache = Cache::new(place.path(), "1");
        let stop = |done: usize| assert!(done < 2, "stopped");
        let (catalog, options) = (Catalog::load(&[]).0, PointOptions::default());
        pool.install(|| run_sweep(&study(), &points(LENGTHS), &catalog, &options, &cache, &stop))
    }));
    assert!(stopped.is_err());
    let kept = entries(place.path()).len() as u64;
    assert!(kept >= 2, "{kept}");
    let cache = Cache::new(place.path(), "1");
    assert_eq!(runs(LENGTHS, &cache), runs(LENGTHS, &Cache::none()));
    assert_eq!(cache.found(), kept);
}

#[test]
fn a_cache_that_cannot_be_written_costs_only_time() {
    let place = tempfile::tempdir().expect("a directory");
    let file = place.path().join("file");
    fs::write(&file, "").expect("a file");
    let cache = Cache::new(&file, "1");
    assert_eq!(runs("plant.cable.*.km=1", &cache).len(), 1);
    assert_eq!(cache.lost(), 1);
}
