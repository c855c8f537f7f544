//! `--faults` of a working link: the events of a script that happen to parts of this process.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::rc::Rc;
use std::thread;
use std::time::{Duration, Instant};

use clap::Args;
use halftrack_base::Span;
use halftrack_config::fault_script::read_script;
use halftrack_input::{has_errors, read_file};
use halftrack_link::Clock;
use halftrack_link::clock::host_duration;
use halftrack_link::faulty::{LineFaults, ProcessFault, ProcessParts, ScriptTime, fit};
use rustix::process::{Signal, getpid, kill_process};

use crate::diagnostics;
use crate::failure::Failure;
use crate::standard_error;

/// Program that stops a process for a time: its id and the seconds are the arguments.
const STOP: &str = "kill -STOP \"$0\"; sleep \"$1\"; kill -CONT \"$0\"";

/// Script of faults.
#[derive(Debug, Clone, Args)]
pub struct FaultsArgument {
    /// Inject the faults of the script in FILE that happen to parts of this process
    #[arg(long, value_name = "FILE")]
    faults: Option<PathBuf>,
}

/// Faults of this process.
pub struct LinkFaults {
    time: Rc<ScriptTime>,
    lines: Vec<Rc<LineFaults>>,
    process: Vec<ProcessFault>,
}

impl FaultsArgument {
    /// Reads the script, where one is given, for a process with these parts. Events of other processes are named in a note.
    ///
    /// # Errors
    /// Mistakes of the script, all of which are shown.
    pub fn read(&self, parts: &ProcessParts, clock: Clock) -> Result<Option<LinkFaults>, Failure> {
        self.faults.as_ref().map(|path| read(path, parts, clock)).transpose()
    }
}

fn read(path: &Path, parts: &ProcessParts, clock: Clock) -> Result<LinkFaults, Failure> {
    let unusable = || Failure::Script { file: path.to_owned() };
    let (file, mut found) = match read_file(path) {
        Ok(source) => read_script(&source),
        Err(error) => (None, vec![*error]),
    };
    let fitted = file.as_ref().and_then(|file| fit(file, parts).map_err(|wrong| found.extend(wrong)).ok());
    diagnostics::show(&found)?;
    let (Some(file), Some(fitted), false) = (file, fitted, has_errors(&found)) else {
        return Err(unusable());
    };
    if !fitted.elsewhere.is_empty() {
        let (name, all) = (parts.name(), fitted.elsewhere.join(", "));
        standard_error::print(&format!("halftrack: not of this {name}, left to other processes: {all}\n"));
    }
    let time = Rc::new(ScriptTime::new(move || clock.now()));
    let seed = file.seed.unwrap_or(0);
    let line = |(place, faults)| LineFaults::new(&time, faults, seed, &format!("{} {place}", parts.name()));
    let lines = fitted.lines.into_iter().enumerate().map(line).collect();
    Ok(LinkFaults { time, lines, process: fitted.process })
}

impl LinkFaults {
    /// Returns the faults of each line, in the order of the paths or ports.
    pub fn lines(&self) -> impl Iterator<Item = Rc<LineFaults>> {
        self.lines.iter().map(Rc::clone)
    }

    /// Begins the script; later calls change nothing.
    pub fn begin(&self) {
        if self.time.begin() && !self.process.is_empty() {
            let mut faults = self.process.clone();
            faults.sort_by_key(|fault| fault.at);
            let began = Instant::now();
            thread::spawn(move || faults.iter().for_each(|fault| fail(began, fault)));
        }
    }
}

/// Waits for a fault of this process, and stops or ends it.
fn fail(began: Instant, fault: &ProcessFault) {
    let due = began + host_duration(fault.at);
    thread::sleep(due.saturating_duration_since(Instant::now()));
    let done = match fault.stops {
        Some(span) => stop(span),
        None => kill_process(getpid(), Signal::KILL).map_err(|error| error.to_string()),
    };
    if let Err(error) = done {
        standard_error::print(&format!("halftrack: a fault of this process cannot be injected: {error}\n"));
    }
}

/// Stops this process for a time by another one, which lets it go on.
fn stop(span: Span) -> Result<(), String> {
    let seconds = Duration::as_secs_f64(&host_duration(span));
    let mut command = Command::new("sh");
    command.args(["-c", STOP, &std::process::id().to_string(), &seconds.to_string()]);
    let quiet = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.status().map(drop).map_err(|error| error.to_string())
}
