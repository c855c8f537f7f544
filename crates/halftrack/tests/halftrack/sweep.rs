//! Sweeps and the files of runs, as a caller of the library makes them.

use halftrack::report::html_report;
use halftrack::{Cache, PictureOptions, PointOptions, Sweep, SweepOptions, run_files, sweep_files};

use crate::{place, study};

fn sweep(sets: &[&str]) -> Sweep {
    let sets = ["workload.run.interval_s=0.005"].iter().chain(sets).map(|&set| set.to_owned()).collect();
    let options = SweepOptions { sets, ..SweepOptions::default() };
    Sweep::load(place("fex32s-zhpf-4k"), &options).expect("a sweep")
}

fn names(files: &[(String, String)]) -> Vec<&str> {
    files.iter().map(|(name, _)| name.as_str()).collect()
}

#[test]
fn a_sweep_gives_a_table_and_a_picture_of_each_quantity() {
    let sweep = sweep(&["workload.stream.READ4K.closed.jobs=1,2"]);
    let y = ["rate_per_s".to_owned()];
    let columns = sweep.columns(&y, None).expect("columns");
    let pictures = sweep.pictures(PictureOptions::default(), &columns, &y).expect("pictures");
    let runs = sweep.run(&PointOptions::default(), Some(2), &Cache::none(), &|_| ()).expect("threads");
    let rates: Vec<f64> =
        runs.iter().map(|run| run.as_ref().expect("a run").streams[0].rate_per_s.mean).collect();
    assert!(rates[1] > 1.5 * rates[0], "{rates:?}");
    let table = sweep.table(columns, &runs);
    assert_eq!(table.to_csv().lines().count(), 3);
    let files = sweep_files(&table, &pictures).expect("files");
    assert_eq!(names(&files), ["points.csv", "points.json", "rate_per_s.svg"]);
}

#[test]
fn mistakes_of_sets_and_pictures_are_errors() {
    let options = SweepOptions { sets: vec!["gibberish".to_owned()], ..SweepOptions::default() };
    let error = Sweep::load(place("z16-oltp"), &options).expect_err("no set");
    assert_eq!(error.diagnostics.len(), 1);
    let sweep = sweep(&[]);
    assert!(sweep.columns(&["rates".to_owned()], None).is_err());
    let columns = sweep.columns(&[], None).expect("columns");
    let options = PictureOptions { x: Some("nothing".to_owned()), ..PictureOptions::default() };
    assert!(sweep.pictures(options, &columns, &[]).is_err());
}

#[test]
fn a_run_has_a_file_for_each_system_beside_record_summary_and_page() {
    let study = study("fex32s-zhpf-4k", &["workload.run.interval_s=0.005"]);
    let run = study.simulate(&study.options()).expect("a machine").run(&mut |_| ()).0;
    let files = run_files(&run, html_report(&run, study.configuration())).expect("files");
    let systems: Vec<String> = study.systems().iter().map(|system| format!("rmf-{system}.txt")).collect();
    assert_eq!(names(&files)[..3], ["intervals.json", "report.html", "summary.txt"]);
    assert_eq!(names(&files)[3..], systems);
}
