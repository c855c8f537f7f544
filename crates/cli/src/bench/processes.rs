//! `halftrack bench STUDY --processes`: time of each process of a run alone.

use halftrack::{Options, Threads};
use halftrack_bench::processes::{ProcessTimes, Timing, measure};

use super::{json, table};
use crate::arguments::StudyArguments;
use crate::failure::Failure;
use crate::progress::ProgressBar;
use crate::standard_output::print;
use crate::study;

/// Measures the processes of the study's run, each alone, and prints their times; returns true.
///
/// # Errors
/// Bad input, found before anything runs; standard output that cannot be written.
pub fn bench(arguments: &StudyArguments, as_json: bool) -> Result<bool, Failure> {
    let study = study::load(arguments, as_json)?;
    let options = study::options(arguments, &study);
    let set_up = |threads: Threads| {
        let simulation = study.simulate(&Options { threads, ..options })?;
        let run = &study.configuration().run;
        Ok::<_, Failure>(Timing {
            simulation,
            warmup: run.warmup,
            length: run.interval * u64::from(run.intervals),
        })
    };
    let mut bar = None;
    let times = measure(set_up, &mut |progress| bar.get_or_insert_with(ProgressBar::new).show(progress))?;
    if let Some(bar) = &bar {
        bar.clear();
    }
    print(&if as_json { json(&times) } else { to_table(&times) })?;
    Ok(true)
}

fn to_table(times: &ProcessTimes) -> String {
    let ns = |ns: f64| format!("{ns:.1}");
    table(&[
        ("ios", times.ios.to_string()),
        ("simulated_s", format!("{:.3}", times.simulated_s)),
        ("channels_ns_per_io", ns(times.channels_ns_per_io)),
        ("images_ns_per_io", times.images_ns_per_io.map_or("none".to_owned(), ns)),
        ("storage_ns_per_io", ns(times.storage_ns_per_io)),
        ("saps_with", times.saps_with.to_owned()),
        ("calibration_ns", times.calibration_ns.to_string()),
    ])
}
