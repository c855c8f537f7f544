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

/// Counts the child among those that have each connection, before there is one. Where the fork fails it is counted still, and the
/// connections end by TCP.
pub extern "C" fn before_fork() {
    for socket in sockets() {
        if socket.phase() == Phase::Carried
            && let Some(carried) = socket.carried()
        {
            carried.end().expect_child();
        }
    }
}

/// Forgets what the child has not inherited, and lists it among those that have each connection.
pub extern "C" fn in_child() {
    forget_threads();
    for socket in sockets() {
        socket.forget_sleepers();
        if let Some(carried) = socket.carried() {
            carried.end().enter(true);
        }
    }
}

/// Takes the process from those that have each connection, since it ends without closing them. A handler of a signal may be what ends
/// it: no memory is needed.
pub fn leave() {
    table::for_each(|_, entry| {
        if let Entry::Socket(socket) = &**entry
            && let Some(carried) = socket.carried()
        {
            carried.end().leave();
        }
    });
}
