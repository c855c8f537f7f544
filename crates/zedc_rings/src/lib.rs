//! zEDC Express cards as processes, and programs that use them over rings in shared memory.
//!
//! ```text
//! program: Program ─► Partition ─► RemoteCards ─► ProgramRings ══ memory ══ CardRings ─► CardProcess ─► Partition ─► Card
//! ```
//!
//! A card is a process with a socket in the directory of its machine ([`Place`]). A program connects to each card, gets the
//! memory of two rings and an event, and registers memory of its own. [`halftrack_zedc::Partition`] chooses the card of a
//! request in the program, and checks the request again in the process of the card, which believes nothing.
//!
//! | file | contents |
//! | --- | --- |
//! | `layout`, `submission`, `rings` | the shared memory |
//! | `message` | what goes over the socket |
//! | `card_process`, `connection`, `program_space`, `card_thread` | the card |
//! | `remote_card`, `remote_cards`, `program`, `shared_program` | the program |
//! | `place`, `operating`, `status` | the cards of a machine, for operators |

mod card_process;
mod card_thread;
mod clock;
mod connection;
mod layout;
mod message;
mod operating;
mod place;
mod program;
mod program_space;
mod remote_card;
mod remote_cards;
mod rings;
mod shared_program;
mod status;
mod submission;
#[cfg(test)]
mod tests;

pub use card_process::{CardOptions, CardProcess};
pub use card_thread::CardThread;
pub use message::{Command, Refusal};
pub use operating::{OperateError, operate};
pub use place::Place;
pub use program::{OpenError, Program, ProgramOptions};
pub use shared_program::SharedProgram;
pub use status::{CardStatus, FunctionStatus};
