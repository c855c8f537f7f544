//! Descriptors of this process that are not what the kernel takes them for.

use std::ffi::c_int;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use arc_swap::{ArcSwapOption, Guard};
use halftrack_smc_host::ListenerEntry;

use crate::poller::Poller;
use crate::socket::Socket;

/// Descriptors of a chunk, and chunks: as many descriptors as a process of Linux can have by its usual hard limit.
const CHUNK: usize = 1024;
const CHUNKS: usize = 1024;

/// Descriptor.
#[derive(Debug)]
pub enum Entry {
    /// Listening socket in the registry of the host.
    Listener(ListenerEntry),
    /// Connection.
    Socket(Arc<Socket>),
    /// Instance of epoll.
    Poller(Arc<Poller>),
    /// Descriptor of this library, which is none of the program's.
    Own,
}

type Chunk = [ArcSwapOption<Entry>; CHUNK];

static CHUNKS_OF_ALL: [OnceLock<Box<Chunk>>; CHUNKS] = [const { OnceLock::new() }; CHUNKS];

fn chunk(fd: c_int) -> Option<(&'static OnceLock<Box<Chunk>>, usize)> {
    let fd = usize::try_from(fd).ok()?;
    Some((CHUNKS_OF_ALL.get(fd / CHUNK)?, fd % CHUNK))
}

/// Returns the entry of a descriptor.
#[inline]
pub fn entry(fd: c_int) -> Option<Guard<Option<Arc<Entry>>>> {
    let (chunk, at) = chunk(fd)?;
    let entry = chunk.get()?[at].load();
    entry.is_some().then_some(entry)
}

/// Returns the connection of a descriptor.
#[inline]
pub fn socket(fd: c_int) -> Option<Arc<Socket>> {
    match entry(fd)?.as_deref()? {
        Entry::Socket(socket) => Some(Arc::clone(socket)),
        _ => None,
    }
}

/// Returns the instance of epoll of a descriptor.
pub fn poller(fd: c_int) -> Option<Arc<Poller>> {
    match entry(fd)?.as_deref()? {
        Entry::Poller(poller) => Some(Arc::clone(poller)),
        _ => None,
    }
}

/// Returns whether a descriptor is one of this library.
pub fn is_own(fd: c_int) -> bool {
    entry(fd).is_some_and(|entry| matches!(entry.as_deref(), Some(Entry::Own)))
}

/// Does something with the entry of a listening socket in the registry; returns whether there is one.
pub fn is_listener_after(fd: c_int, action: impl FnOnce(&ListenerEntry)) -> bool {
    let entry = entry(fd);
    let Some(Entry::Listener(listener)) = entry.as_ref().and_then(|entry| entry.as_deref()) else {
        return false;
    };
    action(listener);
    true
}

/// Enters a descriptor; false where its number is beyond the table.
pub fn put(fd: c_int, entry: Arc<Entry>) -> bool {
    let Some((chunk, at)) = chunk(fd) else { return false };
    if let Entry::Poller(poller) = &*entry {
        POLLERS.lock().unwrap_or_else(PoisonError::into_inner).push((fd, Arc::clone(poller)));
    }
    let chunk = chunk.get_or_init(|| Box::new([const { ArcSwapOption::const_empty() }; CHUNK]));
    chunk[at].store(Some(entry));
    true
}

/// Takes a descriptor out.
pub fn take(fd: c_int) -> Option<Arc<Entry>> {
    let (chunk, at) = chunk(fd)?;
    let taken = chunk.get()?[at].swap(None)?;
    if let Entry::Poller(_) = &*taken {
        POLLERS.lock().unwrap_or_else(PoisonError::into_inner).retain(|(of, _)| *of != fd);
    }
    Some(taken)
}

/// Instances of epoll, by their descriptors.
static POLLERS: Mutex<Vec<(c_int, Arc<Poller>)>> = Mutex::new(Vec::new());

/// Returns all instances of epoll, by their descriptors.
pub fn pollers() -> Vec<(c_int, Arc<Poller>)> {
    POLLERS.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

/// Does something with each descriptor that has an entry, without memory of its own.
pub fn for_each(mut action: impl FnMut(c_int, &Arc<Entry>)) {
    for (number, chunk) in CHUNKS_OF_ALL.iter().enumerate() {
        let Some(chunk) = chunk.get() else { continue };
        for (at, entry) in chunk.iter().enumerate() {
            if let Some(entry) = &*entry.load() {
                action((number * CHUNK + at) as c_int, entry);
            }
        }
    }
}

/// Returns all descriptors with an entry.
pub fn descriptors() -> Vec<(c_int, Arc<Entry>)> {
    let mut all = Vec::new();
    for_each(|fd, entry| all.push((fd, Arc::clone(entry))));
    all
}
