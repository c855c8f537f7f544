//! Sockets with names that are in no file system: those of a network namespace, gone with the processes that have them.

use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::net::{UnixListener, UnixStream};

use crate::high::high;
use rustix::net::{
    AddressFamily, SocketAddrUnix, SocketFlags, SocketType, bind, connect, listen, socket_with,
};

/// Connections that wait to be accepted (our choice).
const BACKLOG: i32 = 4096;

/// Listens at a name, without waiting in `accept`.
///
/// # Errors
/// The name is taken; an error of the operating system.
pub fn listen_at(name: &[u8]) -> io::Result<UnixListener> {
    let socket = socket()?;
    bind(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
    listen(&socket, BACKLOG)?;
    Ok(socket.into())
}

/// Connects to a name, without waiting.
///
/// # Errors
/// Nobody listens there, or too many wait to be accepted.
pub fn connect_to(name: &[u8]) -> io::Result<UnixStream> {
    let socket = socket()?;
    connect(&socket, &SocketAddrUnix::new_abstract_name(name)?)?;
    Ok(socket.into())
}

fn socket() -> io::Result<OwnedFd> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    Ok(high(socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?))
}
