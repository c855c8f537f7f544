//! Connections that this process had before an `exec`, or got from the one that started it.

use std::collections::HashMap;
use std::io;
use std::os::fd::{AsFd, OwnedFd};

use halftrack_smc_host::{EndMemory, Fabric, MEMORY_NAME, STATE_NAME, SharedEnd};
use procfs::process::{FDTarget, Process};
use rustix::fs::fstat;
use rustix::io::dup;

use super::{Carried, Socket};
use crate::descriptor::named;

/// Connection that was taken over, with its descriptors.
pub type TakenOver = (Socket, Vec<i32>);

/// Finds the memory of connections among the descriptors of this process, and returns them. Memory whose socket is not here any more
/// is closed.
///
/// # Errors
/// The descriptors cannot be listed.
pub fn taken_over() -> io::Result<Vec<TakenOver>> {
    let (mut states, mut memories, mut sockets) =
        (Vec::new(), HashMap::new(), HashMap::<u64, Vec<i32>>::new());
    let descriptors = Process::myself().and_then(|process| process.fd()).map_err(io::Error::other)?;
    for descriptor in descriptors.flatten() {
        match descriptor.target {
            FDTarget::MemFD(name) if name.starts_with(STATE_NAME) => states.push(owned(descriptor.fd)?),
            FDTarget::MemFD(name) if name.starts_with(MEMORY_NAME) => {
                let memory = owned(descriptor.fd)?;
                memories.insert(fstat(&memory)?.st_ino, memory);
            }
            FDTarget::Socket(inode) => sockets.entry(inode).or_default().push(descriptor.fd),
            _ => {}
        }
    }
    Ok(states.into_iter().filter_map(|state| one(state, &memories, &sockets)).collect())
}

/// Returns the connection with this state, where its socket is here.
fn one(
    state: OwnedFd,
    memories: &HashMap<u64, OwnedFd>,
    sockets: &HashMap<u64, Vec<i32>>,
) -> Option<TakenOver> {
    let file_of = |inode: u64| memories.get(&inode).ok_or(io::ErrorKind::NotFound)?.try_clone();
    let memory_of = |inode, size| EndMemory::open(file_of(inode)?, size);
    let (end, about) = SharedEnd::open(state.try_clone().ok()?, memory_of).ok()?;
    let Some(descriptors) = sockets.get(&about.socket_inode).cloned() else {
        end.leave();
        return None;
    };
    end.enter(false);
    let files = [state, file_of(about.own_inode).ok()?, file_of(about.peer_inode).ok()?];
    let files = files.map(halftrack_smc_host::high_and_lasting);
    let flags = rustix::fs::fcntl_getfl(named(*descriptors.first()?)).ok()?;
    let is_nonblocking = flags.contains(rustix::fs::OFlags::NONBLOCK);
    if end.links().fabric == Fabric::RoceUdp {
        // The thread that moved its octets went with the program before.
        end.abort();
    }
    let socket = Socket::carried_before(Carried::new(end, files), is_nonblocking);
    (1..descriptors.len()).for_each(|_| socket.add_descriptor());
    Some((socket, descriptors))
}

/// Takes a descriptor that nobody has in this process.
fn owned(fd: i32) -> io::Result<OwnedFd> {
    let copy = dup(named(fd).as_fd())?;
    // The one with this number was inherited, and is closed for the copy, whose owner is known.
    nix::unistd::close(fd)?;
    Ok(copy)
}
