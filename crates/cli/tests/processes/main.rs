//! Runs of real processes: `serve`, `drive` and two directors, killed, stopped, cut off and out of room as a seed draws it.
//! No write that was acknowledged is lost, and no read finds an older one.
//!
//! ```text
//! drive ─ proxies ─► director 61 ─ proxies ─► director 62 ◄─ serve      or      drive ─ proxies ─► serve
//!   └ history of every I/O                                      └ image, read by code of its own
//! ```
//!
//! `make processes` does 60 runs; `HALFTRACK_PROCESS_SEEDS=7..9` others.

mod host;
mod image;
mod log;
mod plan;
mod proxy;
mod run;
mod script;

use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use plan::Plan;

/// Runs side by side: they mostly wait.
const AT_ONCE: usize = 4;

/// Does the runs of these seeds; returns those that failed, with the reasons.
fn runs(seeds: Range<u64>, plan: impl Fn(u64) -> Plan + Sync) -> Vec<String> {
    let next = AtomicU64::new(seeds.start);
    let work = || {
        let mut failed = Vec::new();
        loop {
            let seed = next.fetch_add(1, Ordering::Relaxed);
            if seed >= seeds.end {
                return failed;
            }
            let (began, plan) = (Instant::now(), plan(seed));
            let outcome = run::run(&plan);
            let wall_s = began.elapsed().as_secs_f64();
            match outcome {
                Ok(words) => println!("seed {seed:3} {wall_s:5.1} s  {plan}: {words}"),
                Err(why) => {
                    println!("seed {seed:3} {wall_s:5.1} s  {plan}: FAILED {why}");
                    failed.push(format!("seed {seed}: {plan}: {why}"));
                }
            }
        }
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(work)).collect();
        threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
    })
}

#[test]
fn no_acknowledged_write_is_lost_in_a_few_short_runs() {
    let failed = runs(0..4, Plan::short);
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}

#[test]
#[ignore = "minutes: `make processes`"]
fn no_acknowledged_write_is_lost_in_sixty_runs() {
    let seeds = std::env::var("HALFTRACK_PROCESS_SEEDS").unwrap_or_else(|_| "0..60".to_owned());
    let (first, end) = seeds.split_once("..").expect("FIRST..END");
    let seed = |text: &str| text.parse().expect("a seed");
    let began = Instant::now();
    let failed = runs(seed(first)..seed(end), Plan::of_seed);
    println!("seeds {seeds}: {:.0} s, {} failed", began.elapsed().as_secs_f64(), failed.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
