//! A connection to a socket with a name, and who is at its other end.

use std::io::{self, ErrorKind, Read};
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::net::sockopt::socket_peercred;
use rustix::net::{AddressFamily, SocketAddrUnix, SocketFlags, SocketType, connect, socket_with};

/// Connects without waiting for somebody who does not accept.
///
/// # Errors
/// Nobody listens there.
pub fn connect_at_once(path: &Path) -> io::Result<UnixStream> {
    let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
    let socket = socket_with(AddressFamily::UNIX, SocketType::STREAM, flags, None)?;
    connect(&socket, &SocketAddrUnix::new(path)?)?;
    Ok(UnixStream::from(socket))
}

/// Returns whether the other end of a stream that does not wait is gone, or has sent what nobody expects.
pub fn is_gone(stream: &UnixStream) -> bool {
    let read = { stream }.read(&mut [0]);
    !read.is_err_and(|error| matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted))
}

/// Returns the process and the user at the other end of a stream, as they were when it was connected (SO_PEERCRED).
///
/// # Errors
/// An error of the operating system.
pub fn peer_of(stream: &UnixStream) -> io::Result<(u32, u32)> {
    let credentials = socket_peercred(stream)?;
    Ok((credentials.pid.as_raw_nonzero().get().cast_unsigned(), credentials.uid.as_raw()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SocketPlace;

    #[test]
    fn who_connects_is_known_and_noticed_when_gone() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("place");
        assert!(connect_at_once(&path).is_err());
        let place = SocketPlace::listen(&path).unwrap();
        let near = connect_at_once(&path).unwrap();
        let (far, _) = place.listener().accept().unwrap();
        far.set_nonblocking(true).unwrap();
        assert_eq!(peer_of(&far).unwrap(), (std::process::id(), rustix::process::geteuid().as_raw()));
        assert!(!is_gone(&far));
        drop(near);
        assert!(is_gone(&far));
    }
}
