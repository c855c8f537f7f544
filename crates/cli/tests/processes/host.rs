//! The files and processes of a run, on an address of this host that is its own.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};
use tempfile::TempDir;

use crate::plan::{Plan, Process};
use crate::proxy::Proxy;

/// Seed of the contents of all records.
pub const CONTENTS_SEED: u64 = 5;
/// The volume, in a directory that may be a file system of its own.
pub const VOLUME: &str = "disk/work01.ckd";
/// Octets of the file system that a volume may fill.
const DISK_BYTES: u64 = 24 << 20;
/// How long a process may take to become ready, or to end.
const PATIENCE: Duration = Duration::from_secs(60);

/// Files, proxies and processes of a run.
pub struct Host {
    directory: TempDir,
    is_mounted: bool,
    pub proxies: Vec<Proxy>,
    children: Vec<(Process, Child)>,
    drives: usize,
    has_script: bool,
}

impl Host {
    /// Writes the files of a run and opens its proxies.
    pub fn new(plan: &Plan) -> Result<Self, String> {
        let text = |error: std::io::Error| error.to_string();
        let directory = tempfile::tempdir().map_err(text)?;
        let disk = directory.path().join("disk");
        fs::create_dir(&disk).map_err(text)?;
        let is_mounted = plan.has_full_disk() && mount(&disk);
        // Addresses 127.0.0.0/8 all are of this host; those of one run are no other's.
        let (test, run) = (u64::from(std::process::id()) % 250 + 1, plan.seed);
        let place = |port: u32| format!("127.{test}.{}.{}:{port}", run / 250 % 250, run % 250 + 1);
        let pairs: &[(u32, u32)] = if plan.directors {
            &[(5000, 4104), (5001, 4105), (5002, 4261), (5003, 4262)]
        } else {
            &[(5000, 3225), (5001, 3226)]
        };
        // What is mounted is unmounted with the host, whatever fails from here on.
        let mut host = Self {
            directory,
            is_mounted,
            proxies: Vec::new(),
            children: Vec::new(),
            drives: 0,
            has_script: plan.line_fault.is_some(),
        };
        for (front, back) in pairs {
            host.proxies.push(Proxy::open(&place(*front), &place(*back)).map_err(text)?);
        }
        for (name, file) in files(plan, place) {
            fs::write(host.path(name), file).map_err(text)?;
        }
        fs::write(host.path("script.toml"), plan.script().unwrap_or_default()).map_err(text)?;
        let cylinders = (plan.cylinders + 1).to_string();
        let volume = host.text(VOLUME);
        host.command(&["volume", "create", &volume, "--type", "3390", "--cylinders", &cylinders])?;
        Ok(host)
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    pub fn text(&self, name: &str) -> String {
        self.path(name).to_str().expect("UTF-8").to_owned()
    }

    /// Runs a command that must end normally.
    pub fn command(&self, arguments: &[&str]) -> Result<Output, String> {
        let output = halftrack().args(arguments).output().map_err(|error| error.to_string())?;
        if output.status.success() {
            return Ok(output);
        }
        Err(format!("{arguments:?}: {}{}", lossy(&output.stdout), lossy(&output.stderr)))
    }

    /// Starts a process; `duration_s` counts for the driver.
    pub fn start(&mut self, process: Process, duration_s: f64) -> Result<(), String> {
        let (name, errors) = match process {
            Process::Serve => ("serve".to_owned(), "serve.err"),
            Process::Drive => {
                self.drives += 1;
                (format!("drive-{}", self.drives), "drive.err")
            }
            Process::Director(place) => (format!("director-{}", 61 + place), "directors.err"),
        };
        let mut command = halftrack();
        match process {
            Process::Serve => command.args(["serve", &self.text("control-unit.toml")]),
            Process::Director(_) => command.args(["director", &self.text(&format!("{name}.toml"))]),
            Process::Drive => command
                .args(["drive", &self.text("channel.toml"), "--wait", "60", "--json", "--history"])
                .args([&self.text("history.jsonl"), "--duration", &duration_s.to_string()]),
        };
        if process == Process::Drive && self.has_script {
            command.args(["--faults", &self.text("script.toml")]);
        }
        let text = |error: std::io::Error| error.to_string();
        let errors = File::options().create(true).append(true).open(self.path(errors)).map_err(text)?;
        let output = self.path(&format!("{name}.out"));
        let child = command.stdout(File::create(&output).map_err(text)?).stderr(errors).spawn();
        self.children.push((process, child.map_err(text)?));
        let until = Instant::now() + PATIENCE;
        while process != Process::Drive && !fs::read_to_string(&output).map_err(text)?.contains("ready") {
            if self.ended(process) || Instant::now() > until {
                return Err(format!("{process:?} is not ready: {}", self.errors()));
            }
            sleep(Duration::from_millis(5));
        }
        Ok(())
    }

    fn child(&mut self, process: Process) -> Option<&mut Child> {
        self.children.iter_mut().rev().find(|(own, _)| *own == process).map(|(_, child)| child)
    }

    /// Returns whether a process has ended.
    pub fn ended(&mut self, process: Process) -> bool {
        self.child(process).is_none_or(|child| !matches!(child.try_wait(), Ok(None)))
    }

    /// Sends a signal to a process that lives.
    pub fn signal(&mut self, process: Process, signal: Signal) {
        if !self.ended(process)
            && let Some(child) = self.child(process)
        {
            let _ = kill_process(Pid::from_child(child), signal);
        }
    }

    /// Waits for the end of a process. Returns its exit code, nothing after a signal.
    pub fn wait(&mut self, process: Process, patience: Duration) -> Result<Option<i32>, String> {
        let until = Instant::now() + patience;
        while !self.ended(process) {
            if Instant::now() > until {
                return Err(format!("{process:?} does not end: {}", self.errors()));
            }
            sleep(Duration::from_millis(5));
        }
        let status = self.child(process).map(|child| child.wait().map_err(|error| error.to_string()));
        status.ok_or("no process")?.map(|status| status.code())
    }

    /// Ends a process by SIGKILL.
    pub fn kill(&mut self, process: Process) -> Result<(), String> {
        self.signal(process, Signal::KILL);
        self.wait(process, PATIENCE).map(drop)
    }

    /// Ends a process by SIGTERM; its exit code.
    pub fn end(&mut self, process: Process) -> Result<Option<i32>, String> {
        self.signal(process, Signal::TERM);
        self.wait(process, PATIENCE)
    }

    /// Keeps the file system of the volume full for a time, whatever room its journal gives back. False where the volume has
    /// none of its own.
    pub fn fill_disk(&self, lasts: Duration) -> bool {
        let Some(mut filler) = self.is_mounted.then(|| File::create(self.path("disk/filler")).ok()).flatten()
        else {
            return false;
        };
        let until = Instant::now() + lasts;
        while Instant::now() < until {
            while filler.write_all(&[1; 4096]).is_ok() {}
            sleep(Duration::from_millis(2));
        }
        true
    }

    /// Gives the room back.
    pub fn empty_disk(&self) {
        let _ = fs::remove_file(self.path("disk/filler"));
    }

    /// Returns whether the control unit has reported that there was no room.
    pub fn was_fenced(&self) -> bool {
        fs::read_to_string(self.path("serve.err")).is_ok_and(|text| text.contains("No space left"))
    }

    /// Returns the summary that the last driver printed.
    pub fn drive_summary(&self) -> Option<serde_json::Value> {
        let text = fs::read_to_string(self.path(&format!("drive-{}.out", self.drives))).ok()?;
        serde_json::from_str(&text).ok()
    }

    /// Returns the last lines that the processes reported.
    pub fn errors(&self) -> String {
        let last = |name| {
            let text = fs::read_to_string(self.path(name)).unwrap_or_default();
            let lines: Vec<_> = text.lines().rev().take(6).collect();
            lines.into_iter().rev().fold(format!("\n {name}:"), |all, line| format!("{all}\n  {line}"))
        };
        ["serve.err", "drive.err", "directors.err"].map(last).concat()
    }

    /// Keeps the files of a run that failed; returns where.
    pub fn keep(&self) -> String {
        let kept = std::env::temp_dir().join(format!("halftrack-processes-{}", std::process::id()));
        let kept = kept.join(self.directory.path().file_name().unwrap_or_default());
        let _ = fs::create_dir_all(&kept);
        for directory in [self.directory.path().to_owned(), self.path("disk")] {
            for file in fs::read_dir(directory).into_iter().flatten().flatten() {
                let _ = fs::copy(file.path(), kept.join(file.file_name()));
            }
        }
        kept.display().to_string()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        for (_, child) in &mut self.children {
            let _ = child.kill();
            let _ = child.wait();
        }
        if self.is_mounted {
            let _ = Command::new("umount").arg(self.path("disk")).status();
        }
    }
}

fn halftrack() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_halftrack"));
    command.stdin(Stdio::null());
    command
}

fn lossy(octets: &[u8]) -> String {
    String::from_utf8_lossy(octets).into_owned()
}

/// Mounts a small file system; false without the right to.
fn mount(directory: &Path) -> bool {
    let options = format!("size={DISK_BYTES}");
    let mut command = Command::new("mount");
    command.args(["-t", "tmpfs", "-o", &options, "halftrack"]).arg(directory);
    command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
}

/// Returns the files of a run by name.
fn files(plan: &Plan, place: impl Fn(u32) -> String) -> Vec<(&'static str, String)> {
    let directors = plan.directors;
    let mut unit = "name = \"BOXA\"\nnode = \"50:05:07:63:00:00:00:01\"\n".to_owned();
    let mut channel = "name = \"PROD1\"\nnode = \"50:05:07:64:00:00:00:01\"\n".to_owned();
    for path in 0..2 {
        let place_of_port = if directors {
            format!("connect = \"{}\"", place(4204 + path))
        } else {
            format!("listen = \"{}\"", place(3225 + path))
        };
        unit += &format!(
            "[[port]]\nid = \"003{path}\"\n{place_of_port}\nwwpn = \"50:05:07:63:00:00:00:3{path}\"\n"
        );
        let port = format!("control_unit_port = \"50:05:07:63:00:00:00:3{path}\"\n");
        channel += &format!(
            "[[path]]\nchpid = \"4{path}\"\nconnect = \"{}\"\nwwpn = \"50:05:07:64:00:00:00:4{path}\"\n{}",
            place(5000 + path),
            if directors { &port } else { "" }
        );
    }
    unit += &format!(
        "[[logical_control_unit]]\ncuadd = \"00\"\n[[logical_control_unit.volume]]\nunit_address = \"00\"\n\
         file = \"{VOLUME}\"\naliases = \"80-9F\"\n"
    );
    let (bytes, records) = plan.shape;
    let (jobs, cylinders) = (plan.jobs, plan.cylinders);
    let protocol = if plan.is_command { "command" } else { "transport" };
    channel += "[[alias]]\nbase = \"00\"\naddresses = [\"80-9F\"]\n";
    let rest = |reads: f64| {
        format!(
            "[run]\nduration_s = 1\ncontents = \"pattern\"\ncontents_seed = {CONTENTS_SEED}\nseed = {}\n\
             [[stream]]\nname = \"s\"\ndevices = [\"00\"]\ncylinders = \"1-{cylinders}\"\nread_share = {reads}\n\
             protocol = \"{protocol}\"\nprogram = {{ record_bytes = {bytes}, records = {records} }}\n\
             closed = {{ jobs = {jobs}, think_us = 2000 }}\n",
            plan.seed
        )
    };
    let mut files = vec![
        ("control-unit.toml", unit),
        ("format.toml", channel.clone() + &rest(1.0)),
        ("channel.toml", channel + &rest(0.4)),
    ];
    for (name, domain, ports, isls) in [
        ("director-61.toml", 61, [4104, 4105], [5002, 5003]),
        ("director-62.toml", 62, [4204, 4205], [4261, 4262]),
    ] {
        let mut text =
            format!("name = \"D{domain}\"\nwwn = \"10:00:00:00:00:00:00:{domain}\"\ndomain = \"{domain}\"\n");
        for (link, port) in ports.into_iter().enumerate() {
            text += &format!("[[port]]\nlink = \"0{}\"\nlisten = \"{}\"\n", link + 4, place(port));
        }
        let verb = if domain == 61 { "connect" } else { "listen" };
        for (link, port) in isls.into_iter().enumerate() {
            text +=
                &format!("[[isl]]\nlink = \"E{link}\"\n{verb} = \"{}\"\nkm = {}.0\n", place(port), plan.km);
        }
        files.push((name, text));
    }
    files
}
