//! Beginning, fork and kin of the process.

use std::sync::Arc;

use halftrack_shared_memory::forget_threads;

use crate::socket::{Phase, Socket, taken_over};
use crate::table::{self, Entry};

/// Returns each connection of this process once.
fn sockets() -> Vec<Arc<Socket>> {
    let mut sockets: Vec<Arc<Socket>> = Vec::new();
    for (_, entry) in table::descriptors() {
        if let Entry::Socket(socket) = &*entry
            && !sockets.iter().any(|other| Arc::ptr_eq(other, socket))
        {
            sockets.push(Arc::clone(socket));
        }
    }
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
}
