//! Faults as scripts, and the proof that no write is lost: hosts over FICON or FCP with their I/O drivers, directors and a control
//! unit with volumes of bytes in virtual time, in one thread; never real time, and never a rule of the protocol.
//!
//! ```text
//! seed ─► Machine, Script ─► World ─ starts, ends ─► Ledger ─┐
//!                              │   └ reads, writes ─► History ┼─► Verdict ─► Swarm ─ one failed ─► shrunk Script
//!                              └ files of the volume ─────────┘
//! ```
//!
//! | file | what lives there |
//! | --- | --- |
//! | [`script`] | faults with their times and parts; the file that has them |
//! | [`machine`] | a machine: hosts, paths, directors, distances, options, streams |
//! | [`world`] | the machine in virtual time, and the faults injected into it |
//! | [`ledger`] | every start ends once |
//! | [`history`] | no older value of a record after a newer one |
//! | [`mod@check`] | one run with its verdict |
//! | [`mutation`] | bugs put back, which the swarm must find |
//! | [`swarm`], [`shrink`] | seed by seed; the short script of a failure |

pub mod check;
pub mod history;
pub mod ledger;
pub mod machine;
pub mod mutation;
pub mod script;
pub mod shrink;
pub mod swarm;
pub mod world;

pub use check::{Verdict, check};
pub use machine::{FcpHost, Machine};
pub use mutation::Mutation;
pub use script::{FaultEvent, FaultKind, Hosts, Part, Script};
pub use swarm::{Failure, Swarm, SwarmOutcome};
