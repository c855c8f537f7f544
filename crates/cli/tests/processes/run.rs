//! One run, from its volume to its verdict.

use std::fs;
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::Signal;

use crate::host::{CONTENTS_SEED, Host, VOLUME};
use crate::image;
use crate::log::Log;
use crate::plan::{Event, Fault, Plan, Process};

/// How long the driver may take to end after its duration: fences, held ports and the wait for paths are shorter.
const PATIENCE: Duration = Duration::from_secs(150);
/// Shortest run of a driver that begins anew.
const REST_MIN_S: f64 = 0.3;

/// Does a run; its counts in words, or why it failed.
pub fn run(plan: &Plan) -> Result<String, String> {
    let mut host = Host::new(plan)?;
    let done = work(plan, &mut host);
    done.map_err(|why| format!("{why}; files in {}", host.keep()))
}

fn work(plan: &Plan, host: &mut Host) -> Result<String, String> {
    let directors = if plan.directors { &[Process::Director(1), Process::Director(0)][..] } else { &[] };
    for &process in directors.iter().chain(&[Process::Serve]) {
        host.start(process, 0.0)?;
    }
    let format = host.text("format.toml");
    host.command(&["drive", &format, "--format", "--ios", "1", "--wait", "30"])?;
    if plan.has_full_disk() {
        // Its journal is as long as the formatting made it, and begins anew.
        host.end(Process::Serve)?;
        host.start(Process::Serve, 0.0)?;
    }
    host.start(Process::Drive, plan.lasts.as_secs_f64())?;
    let began = Instant::now();
    let mut was_full = false;
    for event in &plan.events {
        sleep((began + event.at).saturating_duration_since(Instant::now()));
        was_full |= fail(host, event, plan, began)?;
    }
    let code = host.wait(Process::Drive, PATIENCE + plan.lasts)?;
    let summary = host.drive_summary();
    for &process in directors {
        host.end(process)?;
    }
    let ended =
        if plan.ends_killed { host.kill(Process::Serve).map(|()| Some(0)) } else { host.end(Process::Serve) };
    if ended? != Some(0) {
        return Err(format!("the control unit did not end normally: {}", host.errors()));
    }
    host.command(&["volume", "check", &host.text(VOLUME)])?;
    let history = fs::read_to_string(host.path("history.jsonl")).map_err(|error| error.to_string())?;
    let mut log = Log::read(&history)?;
    log.judge(&image::read(&host.path(VOLUME))?, CONTENTS_SEED)?;
    let (writes, reads, failed) = log.counts;
    if log.open.last() != Some(&0) {
        return Err(format!("I/Os without an end: {:?}", log.open));
    }
    let wrong = summary.as_ref().and_then(|summary| summary["streams"][0]["mismatches"].as_u64());
    let is_right = code == Some(0) || was_full && wrong == Some(0);
    // A disk may be full before the first write.
    if !is_right || writes == 0 && !was_full {
        let errors = summary.map_or("no summary".to_owned(), |summary| {
            format!("{} {} wrong {wrong:?}", summary["broken_off"], summary["streams"][0]["errors"])
        });
        return Err(format!("the driver ended with {code:?}, {writes} writes: {errors}{}", host.errors()));
    }
    let fenced = if host.was_fenced() { ", volume fenced" } else { "" };
    Ok(format!("{writes} writes, {reads} reads, {failed} failed, {} drivers{fenced}", log.open.len()))
}

/// Lets an event happen; true when it was a full disk.
fn fail(host: &mut Host, event: &Event, plan: &Plan, began: Instant) -> Result<bool, String> {
    let left_s = || (plan.lasts.saturating_sub(began.elapsed())).as_secs_f64().max(REST_MIN_S);
    match event.fault {
        Fault::Kill(process) => {
            // A driver that has ended in the meantime stays so.
            if process == Process::Drive && host.ended(process) {
                return Ok(false);
            }
            host.kill(process)?;
            sleep(event.lasts);
            host.start(process, left_s())?;
        }
        Fault::Stop(process) => {
            host.signal(process, Signal::STOP);
            sleep(event.lasts);
            host.signal(process, Signal::CONT);
        }
        Fault::Reset(proxy) => host.proxies[proxy].reset(),
        Fault::FullDisk => {
            let is_full = host.fill_disk(event.lasts);
            // Fenced, it ends with 1; without a file system of its own, normally.
            if is_full {
                host.end(Process::Serve).map(drop)?
            } else {
                host.kill(Process::Serve)?
            }
            host.empty_disk();
            host.start(Process::Serve, 0.0)?;
            if is_full && host.ended(Process::Drive) {
                host.start(Process::Drive, left_s())?;
            }
            return Ok(is_full);
        }
    }
    Ok(false)
}
