//! Connections and fall-backs of the processes of this host, as their memory shows them.

use std::collections::BTreeMap;
use std::fs;
use std::io;

use halftrack_smc::connection::State;
use procfs::process::{FDTarget, Process, all_processes};

use crate::about::About;
use crate::fallbacks::{FALLBACKS_NAME, Fallback, fallbacks_of};
use crate::link_status::LinkStatus;
use crate::shared_end::{STATE_NAME, set_ports_down, state_of};

/// Connection of this host, as one of its ends has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ConnectionEntry {
    /// Processes that have the end.
    pub processes: Vec<u32>,
    /// Names.
    pub about: About,
    /// State.
    pub state: State,
    /// Octets of the own element and of the peer's.
    pub element_bytes: (u32, u32),
    /// Octets sent, and octets received and read.
    pub stream_bytes: (u64, u64),
    /// Octets that wait to be read.
    pub unread_bytes: u32,
    /// Links.
    pub links: LinkStatus,
}

/// Process whose connections may stay with TCP.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FallbackEntry {
    /// Process.
    pub process: u32,
    /// Connections that stayed with TCP so far.
    pub total: u64,
    /// The last ones.
    pub last: Vec<Fallback>,
}

/// Connections and fall-backs of a host.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Census {
    /// Connections.
    pub connections: Vec<ConnectionEntry>,
    /// Processes.
    pub processes: Vec<FallbackEntry>,
}

impl Census {
    /// Reads the memory of all processes that this one may read.
    ///
    /// # Errors
    /// The processes cannot be listed.
    pub fn take() -> io::Result<Self> {
        let mut ends = BTreeMap::new();
        let mut processes = Vec::new();
        for process in all_processes().map_err(io::Error::other)?.flatten() {
            for (target, octets) in memories_of(&process) {
                let pid = process.pid().cast_unsigned();
                if target.starts_with(FALLBACKS_NAME) {
                    let log = fallbacks_of(&octets);
                    processes.extend(log.map(|(total, last)| FallbackEntry { process: pid, total, last }));
                } else if let Some(mut entry) = entry_of(&octets) {
                    let about = entry.about;
                    let key = (about.local, about.remote, about.is_server, about.socket_inode);
                    entry = ends.remove(&key).unwrap_or(entry);
                    entry.processes.push(pid);
                    entry.processes.dedup();
                    ends.insert(key, entry);
                }
            }
        }
        Ok(Self { connections: ends.into_values().collect(), processes })
    }
}

/// Takes ports of all connections of a process away, or gives them back, a bit each; returns how many connections there are.
///
/// # Errors
/// The process is not there, or another user's.
pub fn set_ports(process: u32, ports: u64, are_down: bool) -> io::Result<usize> {
    let process = Process::new(process.cast_signed()).map_err(io::Error::other)?;
    let mut count = 0;
    for descriptor in process.fd().map_err(io::Error::other)?.flatten() {
        if matches!(&descriptor.target, FDTarget::MemFD(name) if name.starts_with(STATE_NAME)) {
            let path = format!("/proc/{}/fd/{}", process.pid(), descriptor.fd);
            set_ports_down(fs::File::options().read(true).write(true).open(path)?.into(), ports, are_down)?;
            count += 1;
        }
    }
    Ok(count)
}

/// Returns the names and octets of the memory of a process that is of interest.
fn memories_of(process: &Process) -> Vec<(String, Vec<u8>)> {
    let Ok(descriptors) = process.fd() else { return Vec::new() };
    let read = |(fd, name): (i32, String)| {
        let is_of_interest = name.starts_with(STATE_NAME) || name.starts_with(FALLBACKS_NAME);
        let path = format!("/proc/{}/fd/{fd}", process.pid());
        is_of_interest.then(|| fs::read(path).ok()).flatten().map(|octets| (name, octets))
    };
    descriptors
        .flatten()
        .filter_map(|descriptor| match descriptor.target {
            FDTarget::MemFD(name) => read((descriptor.fd, name)),
            _ => None,
        })
        .collect()
}

fn entry_of(state: &[u8]) -> Option<ConnectionEntry> {
    let (about, connection, links) = state_of(state)?;
    let settings = connection.settings();
    Some(ConnectionEntry {
        processes: Vec::new(),
        about,
        state: connection.state(),
        element_bytes: (settings.size.bytes(), settings.peer_size.bytes()),
        stream_bytes: connection.stream_bytes(),
        unread_bytes: connection.readable_bytes(),
        links,
    })
}
