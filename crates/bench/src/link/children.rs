//! Processes of the bench: one command as control unit and as channel.

use std::collections::BTreeMap;
use std::fs;
use std::io::{BufRead, BufReader, Lines};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

use super::processors::{End, place};
use super::site::{Load, Site, adapter_toml, channel_toml, control_unit_toml};
use crate::bench_error::BenchError;

/// A control unit in a process of its own.
#[derive(Debug)]
pub struct Serving {
    command: PathBuf,
    child: Child,
    /// Where its ports of FICON and of FCP listen.
    places: [String; 2],
    lines: Lines<BufReader<ChildStdout>>,
}

/// Figures of a channel's run.
#[derive(Debug, Clone)]
pub struct DriveRun {
    pub ios_per_s: f64,
    pub mb_per_s: f64,
    pub p50_us: f64,
    pub p99_us: f64,
    /// Processor time of both processes for each I/O.
    pub cpu_us_per_io: f64,
    pub bytes_verified: u64,
    /// I/Os, warm-up included.
    completed: u64,
    pub synchronous: SynchronousRun,
}

/// Synchronous reads of a channel's run.
#[derive(Debug, Clone, Default)]
pub struct SynchronousRun {
    pub attempts: u64,
    pub successes: u64,
    /// Attempts that went over the channel path, by reason.
    pub by_reason: BTreeMap<String, u64>,
}

impl Serving {
    /// Starts the control unit and waits until it is ready.
    ///
    /// # Errors
    /// A process that does not start.
    pub fn start(command: &Path, site: &Site) -> Result<Self, BenchError> {
        Self::start_of(command, site, &control_unit_toml())
    }

    /// Starts the control unit with an adapter for synchronous I/O and waits until it is ready.
    ///
    /// # Errors
    /// A process that does not start.
    pub fn start_with_adapter(command: &Path, site: &Site) -> Result<Self, BenchError> {
        Self::start_of(command, site, &(control_unit_toml() + &adapter_toml()))
    }

    fn start_of(command: &Path, site: &Site, text: &str) -> Result<Self, BenchError> {
        let file = site.write("control-unit.toml", text)?;
        let mut serve = Command::new(command);
        serve.arg("serve").arg(file).args(["--json", "--quiet"]);
        let child = serve.stdout(Stdio::piped()).spawn();
        let mut child = child.map_err(|error| failed("halftrack serve", error))?;
        let Some(stdout) = child.stdout.take() else { return Err(failed("halftrack serve", "no output")) };
        let mut lines = BufReader::new(stdout).lines();
        let serving = |line: Option<std::io::Result<String>>| {
            let ready: Value = serde_json::from_str(&line?.ok()?).ok()?;
            let place =
                |port: usize| ready.get("ports")?.get(port)?.get("listens")?.as_str().map(str::to_owned);
            Some([place(0)?, place(1)?])
        };
        match serving(lines.next()) {
            Some(places) => {
                // Not before it is ready: a process that begins on one processor gives it away where it would spin.
                place(Some(Pid::from_child(&child)), End::ControlUnit);
                Ok(Self { command: command.to_owned(), child, places, lines })
            }
            None => {
                let _ = child.kill();
                let _ = child.wait();
                Err(failed("halftrack serve", "it did not become ready"))
            }
        }
    }

    /// Returns the processor time of the control unit so far, ns.
    ///
    /// # Errors
    /// A system without processor times of processes.
    fn processor_ns(&self) -> Result<u64, BenchError> {
        // One thread, so that its time is that of the process (proc_pid_schedstat(5)).
        let text = fs::read_to_string(format!("/proc/{}/schedstat", self.child.id()));
        let text = text.map_err(|error| failed("processor time of halftrack serve", error))?;
        let first = text.split_whitespace().next().and_then(|field| field.parse().ok());
        first.ok_or_else(|| failed("processor time of halftrack serve", text))
    }

    /// Runs a channel against it.
    ///
    /// # Errors
    /// An I/O that failed, a record that was wrong.
    pub fn drive(&self, site: &Site, load: Load, seconds: f64) -> Result<DriveRun, BenchError> {
        let address = &self.places[usize::from(load.is_fcp())];
        let file = site.write("channel.toml", &channel_toml(address, load, seconds))?;
        let before_ns = self.processor_ns()?;
        let mut drive = Command::new(&self.command);
        let child = drive.arg("drive").arg(file).arg("--json").stdout(Stdio::piped()).spawn();
        let child = child.map_err(|error| failed("halftrack drive", error))?;
        // A host that spins finds a processor of its own, and would not spin if it began on one.
        if load != Load::Synchronous {
            place(Some(Pid::from_child(&child)), End::Channel);
        }
        let output = child.wait_with_output().map_err(|error| failed("halftrack drive", error))?;
        let found = serde_json::from_slice(&output.stdout).unwrap_or(Value::Null);
        let mut run = run_of(&found).ok_or_else(|| failed("halftrack drive", output.status))?;
        run.cpu_us_per_io += (self.processor_ns()? - before_ns) as f64 / 1e3 / run.completed as f64;
        if output.status.success() { Ok(run) } else { Err(failed("halftrack drive", found)) }
    }

    /// Ends the control unit.
    ///
    /// # Errors
    /// It did not end well.
    pub fn end(mut self) -> Result<(), BenchError> {
        // Where the process is gone already its status is the reason.
        let _ = kill_process(Pid::from_child(&self.child), Signal::TERM);
        while let Some(Ok(_)) = self.lines.next() {}
        let status = self.child.wait().map_err(|error| failed("halftrack serve", error))?;
        if status.success() { Ok(()) } else { Err(failed("halftrack serve", status)) }
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // After `end` there is nothing left to kill.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run_of(found: &Value) -> Option<DriveRun> {
    let stream = found.get("streams")?.get(0)?;
    Some(DriveRun {
        ios_per_s: found.get("ios_per_s")?.as_f64()?,
        mb_per_s: found.get("mb_per_s")?.as_f64()?,
        p50_us: stream.get("response_us")?.get("p50")?.as_f64()?,
        p99_us: stream.get("response_us")?.get("p99")?.as_f64()?,
        cpu_us_per_io: found.get("cpu_us_per_io")?.as_f64()?,
        bytes_verified: found.get("bytes_verified")?.as_u64()?,
        completed: found.get("ledger")?.get("completed")?.as_u64()?,
        synchronous: stream.get("synchronous").and_then(synchronous_of).unwrap_or_default(),
    })
}

fn synchronous_of(found: &Value) -> Option<SynchronousRun> {
    let reads = found.get("read")?;
    let by_reason = reads.get("by_reason")?.as_object()?.iter();
    Some(SynchronousRun {
        attempts: reads.get("attempts")?.as_u64()?,
        successes: reads.get("successes")?.as_u64()?,
        by_reason: by_reason.map(|(reason, count)| (reason.clone(), count.as_u64().unwrap_or(0))).collect(),
    })
}

/// Returns the error of a `part` that did not do what it should.
pub fn failed(part: &str, why: impl std::fmt::Display) -> BenchError {
    BenchError::Failed(format!("{part}: {why}"))
}
