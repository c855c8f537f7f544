//! A channel of FCP with its I/O driver in real time: what `halftrack drive` runs for streams of LUNs.
//!
//! ```text
//! streams ─ requests ─► FcpIoDriver ─ commands ─► FcpPath ─ frames ─► Fibre ─► the other process
//!              ▲            │  any path that works     │ logins, units found, open exchanges
//!              └────────────┴──── ends, data ◄─────────┘
//! ```
//!
//! | file | contents |
//! | --- | --- |
//! | `drive` | the loop: paths, streams, progress, the end |
//! | `io_driver` | every I/O from request to end: path, redrive, verification |
//! | `under_way` | I/Os under way |
//! | `verdict` | what follows from the end of a command |
//! | `stream`, `volume` | the I/Os requested: of which unit, where |
//! | `path`, `finding` | one path: link, login, units found, tests of a silent path |
//! | `path_set` | the paths together |
//! | `nexus` | initiators (the port or virtual ones), and their logins |
//! | `command` | command descriptor blocks |

mod command;
mod drive;
mod finding;
mod io_driver;
mod nexus;
mod path;
mod path_set;
mod stream;
mod under_way;
mod verdict;
mod volume;

pub use drive::FcpDrive;
pub use finding::LunSize;
pub use io_driver::FcpIoDriver;
pub use path::FcpPath;
pub use path_set::FcpPathSet;
