//! Registry of listening sockets whose owners have SMC-R: a client proposes it to nobody else.
//!
//! An entry is a socket whose name has the inode of the listening socket, in the same network namespace. It lasts as long as a process
//! that made or inherited it, and counts only when it is of the user who has the listening socket.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::os::unix::net::UnixListener;

use halftrack_shared_memory::peer_of;
use procfs::net::{TcpNetEntry, TcpState};

use crate::name::{connect_to, listen_at};

/// User who may enter sockets of anybody.
const ROOT: u32 = 0;

/// Entry of a listening socket.
#[derive(Debug)]
pub struct ListenerEntry {
    socket: UnixListener,
}

impl ListenerEntry {
    /// Enters the listening socket of this inode.
    ///
    /// # Errors
    /// It is entered already; an error of the operating system.
    pub fn enter(inode: u64) -> io::Result<Self> {
        Ok(Self { socket: listen_at(&name_of(inode))? })
    }

    /// Takes the clients that have found the entry, whenever one was accepted: each waits in a queue that would be full at some time.
    pub fn take_clients(&self) {
        while self.socket.accept().is_ok() {}
    }
}

/// Returns whether the connection between these addresses leads to a process of this host whose listening socket is in the registry.
///
/// Where several sockets listen at the address, all must be.
///
/// # Errors
/// The sockets of the network namespace cannot be read.
pub fn is_peer_entered(own: SocketAddr, peer: SocketAddr) -> io::Result<bool> {
    let read = |table: procfs::ProcResult<Vec<TcpNetEntry>>| table.map_err(io::Error::other);
    let mut sockets = read(procfs::net::tcp())?;
    // A host without IPv6 has no such table.
    sockets.extend(procfs::net::tcp6().unwrap_or_default());
    let listening = listening_for(&sockets, own, peer);
    Ok(!listening.is_empty() && listening.iter().all(|socket| is_entered(socket.inode, socket.uid)))
}

/// Returns the sockets one of which has accepted the connection; none where its other end is not among the sockets.
fn listening_for(sockets: &[TcpNetEntry], own: SocketAddr, peer: SocketAddr) -> Vec<&TcpNetEntry> {
    let (own, peer) = (canonical(own), canonical(peer));
    let is_other_end = |socket: &TcpNetEntry| {
        canonical(socket.local_address) == peer && canonical(socket.remote_address) == own
    };
    if !sockets.iter().any(is_other_end) {
        return Vec::new();
    }
    let of = |is_one: &dyn Fn(SocketAddr) -> bool| -> Vec<_> {
        let listening = sockets.iter().filter(|socket| socket.state == TcpState::Listen);
        listening
            .filter(|socket| socket.local_address.port() == peer.port() && is_one(socket.local_address))
            .collect()
    };
    // The address itself goes before any address of its family, and that before any address of both.
    let of_address = of(&|local| canonical(local).ip() == peer.ip());
    let of_family = of(&|local| local.ip().is_unspecified() && local.is_ipv4() == peer.is_ipv4());
    let of_any = of(&|local| local.ip().is_unspecified());
    [of_address, of_family, of_any].into_iter().find(|found| !found.is_empty()).unwrap_or_default()
}

/// Returns the address with that of IPv4 where it is one written as of IPv6.
fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V6(ip) => SocketAddr::new(ip.to_canonical(), address.port()),
        IpAddr::V4(_) => address,
    }
}

fn is_entered(inode: u64, user: u32) -> bool {
    let entry = connect_to(&name_of(inode));
    let owner = entry.and_then(|entry| peer_of(&entry));
    owner.is_ok_and(|(_, owner)| owner == user || owner == ROOT)
}

fn name_of(inode: u64) -> Vec<u8> {
    format!("halftrack-smc-listener-{inode}").into_bytes()
}

#[cfg(test)]
mod tests {
    use std::net::{TcpListener, TcpStream};
    use std::os::fd::AsFd;

    use super::*;

    fn inode(socket: impl AsFd) -> u64 {
        rustix::fs::fstat(socket).expect("a socket").st_ino
    }

    fn ends(to: &TcpListener, host: &str) -> (TcpStream, SocketAddr, SocketAddr) {
        let port = to.local_addr().expect("bound").port();
        let stream = TcpStream::connect((host, port)).expect("it listens");
        let (own, peer) = (stream.local_addr().expect("connected"), stream.peer_addr().expect("connected"));
        (stream, own, peer)
    }

    #[test]
    fn a_socket_is_found_while_its_entry_lasts() {
        for (bound, host) in [
            ("127.0.0.1:0", "127.0.0.1"),
            ("0.0.0.0:0", "127.0.0.1"),
            ("[::]:0", "127.0.0.1"),
            ("[::]:0", "::1"),
        ] {
            let Ok(listener) = TcpListener::bind(bound) else { continue };
            let (_stream, own, peer) = ends(&listener, host);
            assert!(!is_peer_entered(own, peer).unwrap(), "{bound}: nobody has entered it");
            let entry = ListenerEntry::enter(inode(&listener)).unwrap();
            assert!(ListenerEntry::enter(inode(&listener)).is_err(), "it is entered once");
            assert!(is_peer_entered(own, peer).unwrap(), "{bound} {host}");
            drop(entry);
            assert!(!is_peer_entered(own, peer).unwrap(), "{bound}: the entry is gone");
        }
    }

    #[test]
    fn an_entry_lasts_for_more_clients_than_its_queue_has_room_for() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let entry = ListenerEntry::enter(inode(&listener)).unwrap();
        let (_stream, own, peer) = ends(&listener, "127.0.0.1");
        for client in 0..5_000 {
            assert!(is_entered(inode(&listener), rustix::process::geteuid().as_raw()), "client {client}");
            if client % 1_000 == 0 {
                entry.take_clients();
            }
        }
        entry.take_clients();
        assert!(is_peer_entered(own, peer).unwrap());
    }

    #[test]
    fn another_socket_or_another_host_is_not_taken_for_it() {
        let (listener, other) =
            (TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap());
        let _entry = ListenerEntry::enter(inode(&other)).unwrap();
        let (_stream, own, peer) = ends(&listener, "127.0.0.1");
        assert!(!is_peer_entered(own, peer).unwrap());
        // Somebody listens at this port for any address here, and the connection leads elsewhere.
        let any = TcpListener::bind("0.0.0.0:0").unwrap();
        let _of_any = ListenerEntry::enter(inode(&any)).unwrap();
        let elsewhere = SocketAddr::new([192, 0, 2, 1].into(), any.local_addr().unwrap().port());
        assert!(!is_peer_entered(own, elsewhere).unwrap());
    }

    #[test]
    fn the_most_specific_sockets_are_meant() {
        let specific = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = specific.local_addr().unwrap().port();
        let Ok(any) = TcpListener::bind(("::", port)) else { return };
        let _entry = ListenerEntry::enter(inode(&any)).unwrap();
        let (_stream, own, peer) = ends(&specific, "127.0.0.1");
        assert!(!is_peer_entered(own, peer).unwrap(), "the specific one is not entered");
        let (_stream, own, peer) = ends(&any, "::1");
        assert!(is_peer_entered(own, peer).unwrap());
    }
}
