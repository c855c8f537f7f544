//! Response to a command, by the state of the other side.

use super::function::Function;
use super::side::State;

/// Response to a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// It ends.
    End,
    /// It and the command that waits end.
    EndBoth,
    /// It waits.
    Wait,
    /// It waits, and attention is caused at the other side.
    WaitAndSignal,
    /// The Prepare that waits ends, and it waits itself. The end of the Prepare takes the place of attention.
    EndPrepareAndWait,
    /// A Write: its data move to the Read that waits.
    GiveToRead,
    /// A Read: the data of the Write that waits move to it.
    TakeFromWrite,
    /// It ends, and the Read that waits ends with unit exception.
    EndFile,
    /// It is not executed, because the command that waits must be answered first: busy and attention.
    Busy,
    /// It is not executed, because the other side is not ready: unit check.
    NotReady,
}

/// Returns the response to a command when the other side is in `other`.
pub const fn response(function: Function, other: State) -> Response {
    use Function as F;
    match (function, other) {
        (F::SenseAdapterState | F::SenseId, _) => Response::End,
        (_, State::NotReady) => Response::NotReady,
        (F::Prepare, State::Prepare) | (F::SenseCommandByte, State::Control) => Response::EndBoth,
        (F::Prepare, State::Available) => Response::Wait,
        (F::Prepare | F::SenseCommandByte, _) => Response::End,
        (F::Control | F::Read | F::Write, State::Prepare) => Response::EndPrepareAndWait,
        (F::Control | F::Read | F::Write, State::Available) => Response::WaitAndSignal,
        (F::Write, State::Read) => Response::GiveToRead,
        (F::Read, State::Write) => Response::TakeFromWrite,
        (F::WriteEndOfFile, State::Read) => Response::EndFile,
        (F::WriteEndOfFile | F::NoOperation | F::SetMode(_), State::Prepare | State::Available) => {
            Response::End
        }
        (
            F::Control | F::Read | F::Write | F::WriteEndOfFile | F::NoOperation | F::SetMode(_),
            State::Control | State::Read | State::Write,
        ) => Response::Busy,
    }
}
