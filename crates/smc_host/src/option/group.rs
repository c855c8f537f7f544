//! Control group whose sockets show the option: a child of the one that the process is in.

use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _};
use std::os::fd::AsRawFd as _;
use std::path::{Path, PathBuf};

use halftrack_shared_memory::{SocketProgram, attach_program, load_program, socket_numbers};
use procfs::process::Process;
use rustix::event::{PollFd, PollFlags, poll};

use super::programs;

/// Begin of the names of these groups; the process that made it follows.
const NAME: &str = "halftrack-smc-";
/// File by which a process enters a group.
const PROCESSES: &str = "cgroup.procs";

/// Control group with the programs. It is removed by [`remove_when_empty`], or by the next one that is made beside.
#[derive(Debug)]
pub struct ControlGroup {
    directory: PathBuf,
}

impl ControlGroup {
    /// Makes a group with the programs.
    ///
    /// # Errors
    /// No control groups of version 2; no right; a kernel that refuses a program, with the log of its verifier.
    pub fn new() -> io::Result<Self> {
        let parent = own_directory()?;
        remove_abandoned(&parent);
        let directory = parent.join(format!("{NAME}{}", std::process::id()));
        match fs::create_dir(&directory) {
            // It is one of an earlier process of this number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                fs::remove_dir(&directory).and_then(|()| fs::create_dir(&directory))
            }
            made => made,
        }?;
        let group = Self { directory };
        group.attach_programs().inspect_err(|_| drop(fs::remove_dir(&group.directory)))?;
        Ok(group)
    }

    fn attach_programs(&self) -> io::Result<()> {
        let directory = File::open(&self.directory)?;
        let numbers = socket_numbers()?;
        let map = numbers.as_raw_fd();
        for (kind, instructions) in [
            (SocketProgram::TcpEvents, programs::tcp_events(map)),
            (SocketProgram::OptionRead, programs::option_read(map)),
            (SocketProgram::OptionSet, programs::option_set(map)),
        ] {
            attach_program(kind, load_program(kind, &instructions)?, &directory)?;
        }
        Ok(())
    }

    /// Returns its directory.
    #[must_use]
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Moves this process into it.
    ///
    /// # Errors
    /// No right.
    pub fn enter(&self) -> io::Result<()> {
        enter(&self.directory)
    }

    /// Moves this process out of it again, and removes it.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn remove(self) -> io::Result<()> {
        leave_group(&self.directory)?;
        fs::remove_dir(&self.directory)
    }
}

fn enter(directory: &Path) -> io::Result<()> {
    fs::write(directory.join(PROCESSES), "0")
}

/// Moves this process out of a group.
///
/// # Errors
/// It is no group of `smc run`; no right.
pub fn leave_group(directory: &Path) -> io::Result<()> {
    if maker(directory).is_none() {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "no control group of `smc run`"));
    }
    enter(directory.parent().ok_or(io::ErrorKind::InvalidInput)?)
}

/// Moves this process out of a group, waits until no process is in it, and removes it, with its programs.
///
/// # Errors
/// It is no such group; an error of the operating system.
pub fn remove_when_empty(directory: &Path) -> io::Result<()> {
    leave_group(directory)?;
    let mut events = File::open(directory.join("cgroup.events"))?;
    loop {
        let mut text = String::new();
        events.rewind()?;
        events.read_to_string(&mut text)?;
        if text.lines().any(|line| line == "populated 0") {
            return fs::remove_dir(directory);
        }
        match poll(&mut [PollFd::new(&events, PollFlags::PRI)], None) {
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
}

/// Returns the process that made a group.
fn maker(directory: &Path) -> Option<u32> {
    directory.file_name()?.to_str()?.strip_prefix(NAME)?.parse().ok()
}

/// Removes empty groups whose makers are gone, and whatever was to remove them.
fn remove_abandoned(parent: &Path) {
    for entry in fs::read_dir(parent).into_iter().flatten().flatten() {
        let maker = maker(&entry.path());
        if maker.is_some_and(|process| !Path::new(&format!("/proc/{process}")).exists()) {
            // One with processes stays.
            let _ = fs::remove_dir(entry.path());
        }
    }
}

/// Returns the directory of the control group that this process is in.
fn own_directory() -> io::Result<PathBuf> {
    let missing = || io::Error::new(io::ErrorKind::NotFound, "no control groups of version 2 (cgroup2)");
    let process = Process::myself().map_err(io::Error::other)?;
    let groups = process.cgroups().map_err(io::Error::other)?;
    let own = groups.into_iter().find(|group| group.hierarchy == 0).ok_or_else(missing)?;
    let mounts = process.mountinfo().map_err(io::Error::other)?;
    let of_mount = |mount: procfs::process::MountInfo| {
        let below = Path::new(&own.pathname).strip_prefix(&mount.root).ok()?.to_owned();
        (mount.fs_type == "cgroup2").then(|| mount.mount_point.join(below))
    };
    mounts.into_iter().find_map(of_mount).ok_or_else(missing)
}
