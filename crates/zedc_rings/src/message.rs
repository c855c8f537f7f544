//! Messages over the socket of a card: eight words each, so that each is sent and received whole.

use std::io::{self, ErrorKind};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use halftrack_zedc::{Answer, ResourceGroup};

/// Octets of a message.
const MESSAGE_BYTES: usize = 64;
/// Version of messages and rings.
const VERSION: u64 = 1;

/// Why a card does not let a program in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[repr(u64)]
pub enum Refusal {
    /// The program has another version, or no such function exists.
    #[error("it has no such function, or another version of the protocol")]
    NoFunction = 1,
    /// Every function has as many programs as it can have.
    #[error("its functions have as many programs as they can have")]
    NoRoom = 2,
    /// The user of the program is not one of those that may.
    #[error("the user may not use it: the card was not started with --allow for that user")]
    NotAllowed = 3,
}

impl Refusal {
    const ALL: [Self; 3] = [Self::NoFunction, Self::NoRoom, Self::NotAllowed];
}

/// Message of a program or an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ToCard {
    /// Lets the program use a function: the one of this number, or any for 0.
    Attach {
        /// Number, or 0.
        vf: u8,
    },
    /// Registers a region, whose memory comes as a descriptor.
    Register {
        /// Token that the program has for it.
        token: u64,
        /// Address in the program.
        address: u64,
        /// Length.
        bytes: u64,
    },
    /// Deregisters a region.
    Deregister {
        /// Token that the program has for it.
        token: u64,
    },
    /// Command of an operator.
    Operate(Command),
}

/// Command of an operator.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    /// Shows the card and its functions.
    Show,
    /// Begins the update of the firmware.
    BeginUpdate,
    /// Ends it.
    EndUpdate,
    /// Configures a function online.
    Online(u8),
    /// Configures a function offline; pending while it has requests.
    Offline(u8),
    /// Has a function fail.
    Fail(u8),
    /// Has a function work again that failed.
    Recover(u8),
}

/// Message of a card.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FromCard {
    /// Lets the program in; rings and event come as descriptors.
    Welcome {
        /// Number of the card.
        card: u8,
        /// Resource group.
        group: ResourceGroup,
        /// Number of the function.
        vf: u8,
        /// Time of the host at which the clock of the card began, ns.
        zero_ns: u64,
    },
    /// Does not let it in.
    Refused(Refusal),
    /// Answers a registration or its end.
    Answered(Answer),
    /// So many octets of a status follow.
    Status(u64),
    /// The command was not done, for the state of the function or of the card.
    NotDone,
}

impl ToCard {
    fn words(self) -> [u64; 6] {
        match self {
            Self::Attach { vf } => [1, VERSION, u64::from(vf), 0, 0, 0],
            Self::Register { token, address, bytes } => [2, VERSION, token, address, bytes, 0],
            Self::Deregister { token } => [3, VERSION, token, 0, 0, 0],
            Self::Operate(command) => {
                let (kind, vf) = match command {
                    Command::Show => (16, 0),
                    Command::BeginUpdate => (17, 0),
                    Command::EndUpdate => (18, 0),
                    Command::Online(vf) => (19, vf),
                    Command::Offline(vf) => (20, vf),
                    Command::Fail(vf) => (21, vf),
                    Command::Recover(vf) => (22, vf),
                };
                [kind, VERSION, u64::from(vf), 0, 0, 0]
            }
        }
    }

    fn from_words(words: [u64; 6]) -> Option<Self> {
        let [kind, VERSION, first, address, bytes, _] = words else { return None };
        let vf = u8::try_from(first);
        Some(match kind {
            1 => Self::Attach { vf: vf.ok()? },
            2 => Self::Register { token: first, address, bytes },
            3 => Self::Deregister { token: first },
            16 => Self::Operate(Command::Show),
            17 => Self::Operate(Command::BeginUpdate),
            18 => Self::Operate(Command::EndUpdate),
            19 => Self::Operate(Command::Online(vf.ok()?)),
            20 => Self::Operate(Command::Offline(vf.ok()?)),
            21 => Self::Operate(Command::Fail(vf.ok()?)),
            22 => Self::Operate(Command::Recover(vf.ok()?)),
            _ => return None,
        })
    }

    /// Sends it, with its descriptor if it has one.
    ///
    /// # Errors
    /// The card is gone.
    pub fn send(self, stream: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        send(stream, self.words(), descriptors)
    }

    /// Receives one, with its descriptors; nothing while none has come.
    ///
    /// # Errors
    /// The program is gone, or has sent something else.
    pub fn receive(stream: &UnixStream) -> io::Result<Option<(Self, Vec<OwnedFd>)>> {
        receive(stream, Self::from_words)
    }
}

impl FromCard {
    fn words(self) -> [u64; 6] {
        match self {
            Self::Welcome { card, group, vf, zero_ns } => {
                let group = u64::from(group == ResourceGroup::Two);
                [101, VERSION, u64::from(card), group, u64::from(vf), zero_ns]
            }
            Self::Refused(refusal) => [102, VERSION, refusal as u64, 0, 0, 0],
            Self::Answered(answer) => {
                let at = Answer::ALL.iter().position(|one| *one == answer).unwrap_or_default();
                [103, VERSION, at as u64, 0, 0, 0]
            }
            Self::Status(bytes) => [104, VERSION, bytes, 0, 0, 0],
            Self::NotDone => [105, VERSION, 0, 0, 0, 0],
        }
    }

    fn from_words(words: [u64; 6]) -> Option<Self> {
        let [kind, VERSION, first, second, third, zero_ns] = words else { return None };
        let index = usize::try_from(first);
        Some(match kind {
            101 => Self::Welcome {
                card: u8::try_from(first).ok()?,
                group: if second == 0 { ResourceGroup::One } else { ResourceGroup::Two },
                vf: u8::try_from(third).ok()?,
                zero_ns,
            },
            102 => Self::Refused(Refusal::ALL.into_iter().find(|one| *one as u64 == first)?),
            103 => Self::Answered(*Answer::ALL.get(index.ok()?)?),
            104 => Self::Status(first),
            105 => Self::NotDone,
            _ => return None,
        })
    }

    /// Sends it, with its descriptors if it has some.
    ///
    /// # Errors
    /// The program is gone.
    pub fn send(self, stream: &UnixStream, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
        send(stream, self.words(), descriptors)
    }

    /// Receives one, with its descriptors; nothing while none has come.
    ///
    /// # Errors
    /// The card is gone, or has sent something else.
    pub fn receive(stream: &UnixStream) -> io::Result<Option<(Self, Vec<OwnedFd>)>> {
        receive(stream, Self::from_words)
    }
}

fn send(stream: &UnixStream, words: [u64; 6], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut octets = [0; MESSAGE_BYTES];
    for (into, word) in octets.chunks_exact_mut(8).zip(words) {
        into.copy_from_slice(&word.to_le_bytes());
    }
    halftrack_shared_memory::send(stream, &octets, descriptors)
}

fn receive<M>(
    stream: &UnixStream,
    decode: impl Fn([u64; 6]) -> Option<M>,
) -> io::Result<Option<(M, Vec<OwnedFd>)>> {
    let mut octets = [0; MESSAGE_BYTES];
    let Some((received, descriptors)) = halftrack_shared_memory::receive(stream, &mut octets)? else {
        return Ok(None);
    };
    if received != MESSAGE_BYTES {
        return Err(ErrorKind::InvalidData.into());
    }
    let word = |at: usize| octets[8 * at..].first_chunk().map_or(0, |octets| u64::from_le_bytes(*octets));
    let message = decode(std::array::from_fn(word)).ok_or(ErrorKind::InvalidData)?;
    Ok(Some((message, descriptors)))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    #[test]
    fn every_message_comes_as_it_was_sent() {
        let (near, far) = UnixStream::pair().unwrap();
        let to_card = [
            ToCard::Attach { vf: 15 },
            ToCard::Register { token: u64::MAX, address: 0x7000_0000_0000, bytes: 4096 },
            ToCard::Deregister { token: 3 },
        ];
        let commands = [
            Command::Show,
            Command::BeginUpdate,
            Command::EndUpdate,
            Command::Online(1),
            Command::Offline(2),
            Command::Fail(3),
            Command::Recover(4),
        ];
        for message in to_card.into_iter().chain(commands.map(ToCard::Operate)) {
            message.send(&near, &[]).unwrap();
            assert_eq!(ToCard::receive(&far).unwrap().unwrap().0, message);
        }
        let welcome = FromCard::Welcome { card: 7, group: ResourceGroup::Two, vf: 3, zero_ns: 77 };
        let answers = Answer::ALL.iter().map(|answer| FromCard::Answered(*answer));
        let refusals = Refusal::ALL.map(FromCard::Refused);
        let others = [welcome, FromCard::Status(99), FromCard::NotDone];
        for message in others.into_iter().chain(refusals).chain(answers) {
            message.send(&near, &[]).unwrap();
            assert_eq!(FromCard::receive(&far).unwrap().unwrap().0, message);
        }
    }

    #[test]
    fn anything_else_is_an_error() {
        for octets in [&[0; 64][..], &[1; 64], &[1, 0, 0]] {
            let (mut near, far) = UnixStream::pair().unwrap();
            near.write_all(octets).unwrap();
            assert!(ToCard::receive(&far).is_err() && far.set_nonblocking(true).is_ok());
        }
    }
}
