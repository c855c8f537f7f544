//! A welcome with the memory of a link, from the control unit to the host.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use halftrack_wire::synchronous::Welcome;

/// Sends a welcome, with its descriptors if there are any: the memory, and the event that wakes the control unit.
///
/// # Errors
/// The host is gone.
pub fn send(stream: &UnixStream, welcome: &Welcome, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    halftrack_shared_memory::send(stream, &welcome.to_octets(), descriptors)
}

/// Receives a welcome with its descriptors; nothing while none has come.
///
/// # Errors
/// The control unit is gone, or has sent something else.
pub fn receive(stream: &UnixStream) -> io::Result<Option<(Welcome, Vec<OwnedFd>)>> {
    let mut octets = [0; Welcome::BYTES];
    let Some((received, descriptors)) = halftrack_shared_memory::receive(stream, &mut octets)? else {
        return Ok(None);
    };
    let welcome = Welcome::from_octets(&octets[..received]).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some((welcome, descriptors)))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use halftrack_wire::synchronous::GreetingRefusal;

    use super::*;

    #[test]
    fn nothing_but_a_welcome_is_taken() {
        let (near, far) = UnixStream::pair().unwrap();
        assert!(receive(&far).unwrap().is_none());
        for welcome in [Welcome { functions: Ok(3) }, Welcome { functions: Err(GreetingRefusal::NoFunction) }]
        {
            send(&near, &welcome, &[]).unwrap();
            assert_eq!(receive(&far).unwrap().unwrap().0, welcome);
        }
        (&near).write_all(b"nonsense").unwrap();
        assert!(receive(&far).is_err());
        drop(near);
        assert!(receive(&far).is_err());
    }
}
