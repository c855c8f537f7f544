//! A library for `LD_PRELOAD` that moves TCP connections between processes of a host to SMC-R.
//!
//! ```text
//! program ─► calls ─► Socket ─┬─► rendezvous over TCP (crate smc)
//!                     Poller  └─► SharedEnd: element and mailbox in shared memory (crate smc_host)
//! ```
//!
//! The program's descriptor stays the TCP socket. Its kernel buffers carry the rendezvous, and later one octet for each time that a
//! process is to be woken. Connections that cannot be carried are those of TCP as ever.
//!
//! | module | contents |
//! | --- | --- |
//! | `calls` | functions that take the place of those of the C library |
//! | `next` | those of the C library behind them |
//! | `table` | descriptors that are not what the kernel takes them for |
//! | `socket` | a connection |
//! | `poller`, `watch` | an instance of epoll, and its interest in a connection |
//! | `poll_set` | `poll` and `select` |
//! | `patience` | spins before sleeps |
//! | `process` | fork and exec |
//! | `names`, `talk` | stack, addresses and messages of the rendezvous |
//! | `fabrics` | ends of link groups over RoCE |
//! | `fallbacks` | connections that stay with TCP |
//! | `descriptor`, `own` | descriptors of the program, and of this library |

#[allow(unsafe_code)]
mod calls;
#[allow(unsafe_code)]
mod descriptor;
mod fabrics;
mod fallbacks;
mod names;
#[allow(unsafe_code)]
mod next;
mod own;
mod patience;
mod poll_set;
mod poller;
mod process;
mod socket;
mod table;
mod talk;
mod watch;
