//! `halftrack bench STUDY`: speed of a study's run.

use std::io;

use halftrack_bench::study::{Figures, measure};

use super::{json, table};
use crate::arguments::StudyArguments;
use crate::failure::Failure;
use crate::precision::report_missed;
use crate::progress::ProgressBar;
use crate::run::laws_held;
use crate::standard_output::print;
use crate::study;

/// Runs the study once and prints how fast it was; returns true when every law held.
///
/// # Errors
/// Bad input, found before anything runs; standard output that cannot be written.
pub fn bench(arguments: &StudyArguments, as_json: bool) -> Result<bool, Failure> {
    let set_up = || {
        let study = study::load(arguments, as_json)?;
        let options = study::options(arguments, &study);
        Ok::<_, Failure>(study.simulate(&options)?)
    };
    // Made when the run begins: it shows after a second of it.
    let mut bar = None;
    let (run, figures) =
        measure(set_up, &mut |progress| bar.get_or_insert_with(ProgressBar::new).show(progress))?;
    if let Some(bar) = &bar {
        bar.clear();
    }
    print(&if as_json { json(&figures) } else { to_table(&figures) })?;
    report_missed(&run, &mut io::stderr().lock())?;
    Ok(laws_held(&run.checkers, &mut io::stderr().lock())?)
}

fn to_table(figures: &Figures) -> String {
    let memory = figures.peak_rss_bytes.map_or("unknown".to_owned(), |bytes| bytes.to_string());
    table(&[
        ("ios", figures.ios.to_string()),
        ("events", figures.events.to_string()),
        ("simulated_s", format!("{:.3}", figures.simulated_s)),
        ("setup_s", format!("{:.3}", figures.setup_s)),
        ("wall_s", format!("{:.3}", figures.wall_s)),
        ("ios_per_wall_s", format!("{:.0}", figures.ios_per_wall_s)),
        ("real_time_factor", format!("{:.4}", figures.real_time_factor)),
        ("cpu_s", format!("{:.3}", figures.cpu_s)),
        ("first_thread_cpu_s", format!("{:.3}", figures.first_thread_cpu_s)),
        ("peak_rss_bytes", memory),
        ("threads", figures.threads.to_string()),
        ("calibration_ns", figures.calibration_ns.to_string()),
    ])
}
