//! Beginning, fork and kin of the process.

use std::sync::Arc;

use halftrack_shared_memory::forget_threads;

use crate::socket::{Phase, Socket, taken_over};
use crate::table::{self, Entry};

/// Returns each connection of this process once.
fn sockets() -> Vec<Arc<Socket>> {
    let of_entry = |(_, entry): (_, Arc<Entry>)| match &*entry {
        Entry::Socket(socket) => Some(Arc::clone(socket)),
        _ => None,
    };
    let mut sockets: Vec<_> = table::descriptors().into_iter().filter_map(of_entry).collect();
    sockets.sort_by_key(|socket| Arc::as_ptr(socket).addr());
    sockets.dedup_by(|one, other| Arc::ptr_eq(one, other));
    sockets
}

/// Takes over the connections that this process has from before an `exec`.
pub fn begin() {
    // Without the list of descriptors there is nothing to be taken over.
    for (socket, descriptors) in taken_over().unwrap_or_default() {
        let socket = Arc::new(socket);
        for fd in descriptors {
            table::put(fd, Arc::new(Entry::Socket(Arc::clone(&socket))));
        }
    }
}

/// Counts the child as a holder of each connection, before there is one. Where the fork fails they are counted still, and end by TCP.
pub extern "C" fn before_fork() {
    for socket in sockets() {
        if socket.phase() == Phase::Carried
            && let Some(carried) = socket.carried()
        {
            carried.end().hold();
        }
    }
}

/// Forgets what the child has not inherited.
pub extern "C" fn in_child() {
    forget_threads();
    sockets().iter().for_each(|socket| socket.forget_sleepers());
}
