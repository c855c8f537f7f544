//! Exchange of the memory of both ends, which nobody waits for.
//!
//! ```text
//! client                                   server
//! listens at a random name ── Proposal ──► connects to it, sends its memory
//! takes it, sends its own ◄── Accept ────
//!                          ── Confirm ───► takes it
//! ```
//!
//! Memory is sent before the message behind it. Nobody gets it without the name, which goes over the connection itself.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::{UnixListener, UnixStream};

use halftrack_shared_memory::{peer_of, receive, send};
use halftrack_smc::message::Gid;

use crate::name::{connect_to, listen_at};

/// Octet that carries a descriptor.
const CARRIER: [u8; 1] = *b"M";

/// Meeting to which the client invites.
#[derive(Debug)]
pub struct Invitation {
    name: Gid,
    listener: UnixListener,
    met: Option<UnixStream>,
}

impl Invitation {
    /// Listens at a random name.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn new() -> io::Result<Self> {
        let mut name = Gid::default();
        rustix::rand::getrandom(&mut name.0, rustix::rand::GetRandomFlags::empty())?;
        Ok(Self { name, listener: listen_at(&name_of(name))?, met: None })
    }

    /// Returns the name, which the proposal has in the place of the port.
    #[must_use]
    pub const fn name(&self) -> Gid {
        self.name
    }

    /// Takes the server's memory, with the process that sent it, and sends the own one, once the Accept has come.
    ///
    /// # Errors
    /// The server has sent no memory; an error of the operating system.
    pub fn exchange(&mut self, own: impl AsFd) -> io::Result<(OwnedFd, u32)> {
        let (server, _) = self.listener.accept()?;
        let memory = memory_from(&server)?;
        send(&server, &CARRIER, &[own.as_fd()])?;
        let (process, _) = peer_of(&server)?;
        self.met = Some(server);
        Ok((memory, process))
    }
}

/// Meeting at which the server is.
#[derive(Debug)]
pub struct Attendance(UnixStream);

impl Attendance {
    /// Sends the own memory to the client of this name, before the Accept.
    ///
    /// # Errors
    /// Nobody listens there; an error of the operating system.
    pub fn attend(name: Gid, own: impl AsFd) -> io::Result<Self> {
        let client = connect_to(&name_of(name))?;
        send(&client, &CARRIER, &[own.as_fd()])?;
        Ok(Self(client))
    }

    /// Takes the client's memory, with the process that sent it, once the Confirm has come.
    ///
    /// # Errors
    /// The client has sent no memory; an error of the operating system.
    pub fn memory(&self) -> io::Result<(OwnedFd, u32)> {
        Ok((memory_from(&self.0)?, peer_of(&self.0)?.0))
    }
}

fn memory_from(stream: &UnixStream) -> io::Result<OwnedFd> {
    let received = receive(stream, &mut [0; CARRIER.len()])?;
    let memory = received.and_then(|(_, descriptors)| descriptors.into_iter().next());
    memory.ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "no memory was sent"))
}

fn name_of(name: Gid) -> Vec<u8> {
    [&b"halftrack-smc-meeting-"[..], &name.0].concat()
}

#[cfg(test)]
mod tests {
    use halftrack_smc::buffer::ElementSize;

    use super::*;
    use crate::EndMemory;

    const SIZE: ElementSize = ElementSize::at_least(0);

    #[test]
    fn both_have_the_memory_of_both() {
        let mut invitation = Invitation::new().unwrap();
        let ((client, client_fd), (server, server_fd)) =
            (EndMemory::create(SIZE).unwrap(), EndMemory::create(SIZE).unwrap());
        let attendance = Attendance::attend(invitation.name(), &server_fd).unwrap();
        let seen = EndMemory::open(invitation.exchange(&client_fd).unwrap().0, SIZE).unwrap();
        server.arm();
        assert!(seen.is_to_be_rung(), "one memory");
        let seen = EndMemory::open(attendance.memory().unwrap().0, SIZE).unwrap();
        client.arm();
        assert!(seen.is_to_be_rung(), "one memory");
    }

    #[test]
    fn one_of_both_ends_settles() {
        for client_is_first in [true, false] {
            let (server, fd) = EndMemory::create(SIZE).unwrap();
            let seen = EndMemory::open(fd, SIZE).unwrap();
            let settle = [|memory: &EndMemory| memory.confirm(), |memory: &EndMemory| memory.withdraw()];
            let [first, second] = if client_is_first { settle } else { [settle[1], settle[0]] };
            assert!(first(&seen) && first(&server), "it is settled");
            assert!(!second(&seen) && !second(&server), "the other way");
        }
    }

    #[test]
    fn nobody_and_nothing_are_errors() {
        let (_memory, fd) = EndMemory::create(SIZE).unwrap();
        assert!(Attendance::attend(Gid([7; 16]), &fd).is_err(), "nobody listens");
        let mut invitation = Invitation::new().unwrap();
        assert!(invitation.exchange(&fd).is_err(), "nobody came");
        let stranger = connect_to(&name_of(invitation.name())).unwrap();
        assert!(invitation.exchange(&fd).is_err(), "nothing was sent");
        drop(stranger);
        let attendance = Attendance::attend(invitation.name(), &fd).unwrap();
        drop(invitation);
        assert!(attendance.memory().is_err(), "the client is gone");
    }
}
