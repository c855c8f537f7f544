//! Memory that processes of one host share, the descriptors by which they get it, and the sockets over which those go.
//!
//! | file | contents |
//! | --- | --- |
//! | `sealed_memory` | memory that neither end can cut, as atomic words and as octets that are copied |
//! | `descriptors` | octets with descriptors, over a socket |
//! | `socket_place` | a socket with a name, for a user or for anybody |
//! | `connecting` | a connection to such a socket, and who is at its other end |
//! | `event` | an event that wakes a process that sleeps |
//! | `sleep` | sleep of a thread on a word that another process changes |
//! | `process_lock` | a lock of several processes, taken over where its owner has died |
//! | `own_thread` | the number of the own thread |
//! | `pause` | waits of a thread that spins |
//! | `bpf` | programs of the kernel for the sockets of a control group, and options that they answer |

mod bpf;
mod connecting;
mod descriptors;
mod event;
mod own_thread;
mod pause;
mod process_lock;
mod sealed_memory;
mod sleep;
mod socket_place;

pub use bpf::{
    SocketProgram, attach_program, close_at_exec, load_program, number, set_number, socket_numbers,
};
pub use connecting::{connect_at_once, is_gone, peer_of};
pub use descriptors::{receive, send};
pub use event::Event;
pub use own_thread::forget_threads;
pub use pause::Pause;
pub use process_lock::{Held, ProcessLock};
pub use sealed_memory::SealedMemory;
pub use sleep::{sleep_while, wake_all};
pub use socket_place::{Admission, SocketPlace};
