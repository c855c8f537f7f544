//! Octets with descriptors, over a socket between two processes.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// Descriptors that go at once, at most.
const DESCRIPTORS: usize = 4;

/// Sends `octets` with descriptors, if there are any. So few octets go at once or not at all.
///
/// # Errors
/// The other process is gone, or does not read.
pub fn send(stream: &UnixStream, octets: &[u8], descriptors: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !descriptors.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(descriptors)) {
        return Err(io::ErrorKind::OutOfMemory.into());
    }
    let sent = sendmsg(stream, &[IoSlice::new(octets)], &mut ancillary, SendFlags::NOSIGNAL)?;
    if sent == octets.len() { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// Receives octets with their descriptors, without waiting; returns how many octets, or nothing while none have come.
///
/// # Errors
/// [`io::ErrorKind::UnexpectedEof`] when the other process is gone; an error of the operating system.
pub fn receive(stream: &UnixStream, into: &mut [u8]) -> io::Result<Option<(usize, Vec<OwnedFd>)>> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(DESCRIPTORS))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = match recvmsg(stream, &mut [IoSliceMut::new(into)], &mut ancillary, flags) {
        Ok(received) => received.bytes,
        Err(rustix::io::Errno::AGAIN | rustix::io::Errno::INTR) => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    let descriptors = ancillary.drain().filter_map(|message| match message {
        RecvAncillaryMessage::ScmRights(descriptors) => Some(descriptors),
        _ => None,
    });
    let descriptors: Vec<_> = descriptors.flatten().collect();
    if received == 0 {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    Ok(Some((received, descriptors)))
}

#[cfg(test)]
mod tests {
    use std::fs::File;
    use std::io::{Read as _, Write as _};
    use std::os::fd::AsFd;

    use super::*;

    #[test]
    fn descriptors_cross_with_octets() {
        let (near, far) = UnixStream::pair().unwrap();
        let mut octets = [0; 16];
        assert!(receive(&far, &mut octets).unwrap().is_none());
        let (mut reader, writer) = std::io::pipe().unwrap();
        send(&near, b"welcome", &[writer.as_fd(), writer.as_fd()]).unwrap();
        let (received, mut descriptors) = receive(&far, &mut octets).unwrap().unwrap();
        assert_eq!((&octets[..received], descriptors.len()), (&b"welcome"[..], 2));
        drop(writer);
        File::from(descriptors.remove(0)).write_all(b"through it").unwrap();
        drop(descriptors);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "through it");
        send(&near, b"none", &[]).unwrap();
        let (received, descriptors) = receive(&far, &mut octets).unwrap().unwrap();
        assert_eq!((received, descriptors.len()), (4, 0));
        drop(near);
        assert_eq!(receive(&far, &mut octets).unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }
}
