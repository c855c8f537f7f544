//! UDP sockets of the ports of an end.

use core::net::{IpAddr, SocketAddr};
use std::io::{self, ErrorKind};
use std::net::UdpSocket;

use halftrack_roce::packet::{PacketBuffer, ROCE_PORT};
use rustix::net::sockopt::{self, Ipv4PathMtuDiscovery};

/// Opens the socket of a port.
///
/// It is not connected and forbids fragments, so that Linux sends its datagrams with identification 0: the invariant CRC
/// covers that, and the receiver cannot find out another.
pub(crate) fn open(address: IpAddr) -> io::Result<UdpSocket> {
    let socket = UdpSocket::bind(SocketAddr::new(address, ROCE_PORT))?;
    socket.set_nonblocking(true)?;
    if address.is_ipv4() {
        sockopt::set_ip_mtu_discover(&socket, Ipv4PathMtuDiscovery::DO)?;
    }
    Ok(socket)
}

/// Sends a packet. One that the socket does not take is lost, as on any path, and is sent again in time.
pub(crate) fn send(socket: &UdpSocket, destination: IpAddr, octets: &[u8]) {
    let _ = socket.send_to(octets, SocketAddr::new(destination, ROCE_PORT));
}

/// Receives a packet; `None` where none is there.
pub(crate) fn receive(
    socket: &UdpSocket,
    into: &mut PacketBuffer,
) -> io::Result<Option<(usize, SocketAddr)>> {
    match socket.recv_from(into) {
        Ok(received) => Ok(Some(received)),
        Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted) => Ok(None),
        Err(error) => Err(error),
    }
}
