//! Messages of the rendezvous among the octets of a TCP connection.

use std::os::fd::BorrowedFd;

use halftrack_smc::message::clc::{Clc, HEADER_BYTES, announced_bytes};
use rustix::io::Errno;
use rustix::net::{RecvFlags, recv};

/// Longest message: a proposal with as many prefixes as there can be, and room to spare.
const LONGEST_BYTES: usize = 512;

/// Octets that the peer has sent over TCP.
#[derive(Debug)]
pub enum Inbound {
    /// None that could be judged yet.
    Nothing,
    /// A message, and its octets.
    Message(Clc, usize),
    /// Octets of the program.
    Foreign,
    /// The end of the connection, or an error.
    End,
}

/// Looks at what has come, and leaves it.
pub fn peek(fd: BorrowedFd<'_>) -> Inbound {
    let mut octets = [0; LONGEST_BYTES];
    let length = match recv(fd, &mut octets, RecvFlags::PEEK | RecvFlags::DONTWAIT) {
        Ok((_, 0)) => return Inbound::End,
        Ok((_, length)) => length,
        Err(Errno::AGAIN | Errno::INTR) => return Inbound::Nothing,
        Err(_) => return Inbound::End,
    };
    message_in(&octets[..length])
}

fn message_in(octets: &[u8]) -> Inbound {
    let Some(header) = octets.first_chunk::<HEADER_BYTES>() else {
        // A message is sent whole: so few octets are the program's.
        return Inbound::Foreign;
    };
    match announced_bytes(header) {
        Ok(bytes) if bytes <= octets.len() => match Clc::decode(&octets[..bytes]) {
            Ok(message) => Inbound::Message(message, bytes),
            Err(_) => Inbound::Foreign,
        },
        _ => Inbound::Foreign,
    }
}

/// Takes so many octets.
pub fn skip(fd: BorrowedFd<'_>, bytes: usize) {
    let mut octets = [0; LONGEST_BYTES];
    // They were seen to be there.
    let _ = recv(fd, &mut octets[..bytes], RecvFlags::DONTWAIT);
}
