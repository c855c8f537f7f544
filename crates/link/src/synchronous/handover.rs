//! File descriptors of a link, from the control unit to the host.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use halftrack_wire::synchronous::Welcome;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// Descriptors that go with a welcome: the memory, and the event that wakes the control unit.
const DESCRIPTORS: usize = 2;

/// Sends a welcome, with its descriptors if there are any.
///
/// # Errors
/// The host is gone.
pub fn send(stream: &UnixStream, welcome: &Welcome, descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let octets = welcome.to_octets();
    let sent = sendmsg(stream, &[IoSlice::new(&octets)], &mut ancillary, SendFlags::NOSIGNAL)?;
    // So few octets go at once or not at all.
    if sent == octets.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Receives a welcome with its descriptors; nothing while none has come.
///
/// # Errors
/// The control unit is gone, or has sent something else.
pub fn receive(stream: &UnixStream) -> io::Result<Option<(Welcome, Vec<OwnedFd>)>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut octets = [0; Welcome::BYTES];
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = match recvmsg(stream, &mut [IoSliceMut::new(&mut octets)], &mut ancillary, flags) {
        Ok(received) => received.bytes,
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let descriptors: Vec<_> = descriptors.flatten().collect();
    let welcome = Welcome::from_octets(&octets[..received]).ok_or(io::ErrorKind::InvalidData)?;
    Ok(Some((welcome, descriptors)))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd;

    use halftrack_wire::synchronous::GreetingRefusal;

    use super::*;

    #[test]
    fn descriptors_cross_with_the_welcome() {
        let (near, far) = UnixStream::pair().unwrap();
        assert!(receive(&far).unwrap().is_none());
        let (mut reader, writer) = std::io::pipe().unwrap();
        let welcome = Welcome { functions: Ok(3) };
        send(&near, &welcome, &[writer.as_fd(), writer.as_fd()]).unwrap();
        let (received, mut descriptors) = receive(&far).unwrap().unwrap();
        assert_eq!((received, descriptors.len()), (welcome, 2));
        drop(writer);
        File::from(descriptors.remove(0)).write_all(b"through it").unwrap();
        drop(descriptors);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through it");
        let refusal = Welcome { functions: Err(GreetingRefusal::NoFunction) };
        send(&near, &refusal, &[]).unwrap();
        assert_eq!(receive(&far).unwrap().unwrap().0, refusal);
        (&near).write_all(b"nonsense").unwrap();
        assert!(receive(&far).is_err());
        drop(near);
        assert!(receive(&far).is_err());
    }
}
