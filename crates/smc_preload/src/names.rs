//! Names of this process as a stack of SMC-R, and of its connections.

use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock};

use halftrack_shared_memory::Event;
use halftrack_smc::buffer::ElementSize;
use halftrack_smc::connection::Settings;
use halftrack_smc::handshake::{Circumstances, DeviceChoice, Network};
use halftrack_smc::message::clc::{
    Clc, Decline, Diagnosis, Endpoint, Ipv4Subnet, Ipv6Prefix, Proposal, SmcD, Variant,
};
use halftrack_smc::message::{AlertToken, Bits24, Gid, Mac, Mtu, PeerId, RemoteToken, Rkey};
use halftrack_smc_host::{About, EndMemory, SharedEnd, Sign, high_and_lasting, is_option_shown};
use halftrack_smc_udp::Bells;
use rustix::fs::fstat;
use rustix::net::sockopt::{set_tcp_cork, set_tcp_nodelay};
use rustix::net::{getpeername, getsockname};

use crate::fabrics::RoceFabric;
use crate::socket::Carried;

/// Environment variable with the octets of an element.
const ELEMENT_VARIABLE: &str = "HALFTRACK_SMC_ELEMENT";
/// Octets of an element where the variable names none (our choice, measured: a stream gains nothing by more).
const ELEMENT_BYTES: u32 = 256 * 1024;
/// Prefix of a host's own addresses of IPv6, whose masks the kernel does not show.
const PREFIX_BITS: u8 = 64;
/// MAC address that is locally administered.
const LOCAL_MAC: u8 = 0x02;

static STACK: LazyLock<PeerId> = LazyLock::new(|| {
    let mut octets = [0; 8];
    // Without random octets stacks differ by the process number.
    if rustix::rand::getrandom(&mut octets, rustix::rand::GetRandomFlags::empty()).is_err() {
        octets[4..].copy_from_slice(&std::process::id().to_be_bytes());
    }
    octets[2] = LOCAL_MAC;
    PeerId(octets)
});

static SIZE: LazyLock<ElementSize> = LazyLock::new(|| {
    let named = std::env::var(ELEMENT_VARIABLE).ok().and_then(|bytes| bytes.parse().ok());
    ElementSize::at_least(named.unwrap_or(ELEMENT_BYTES))
});

/// Returns the name of this process as a stack.
pub fn stack() -> PeerId {
    *STACK
}

/// Returns the size of elements.
pub fn element_size() -> ElementSize {
    *SIZE
}

/// Returns the MAC address of this process as a stack.
pub fn mac() -> Mac {
    let [_, _, mac @ ..] = STACK.0;
    Mac(mac)
}

/// Addresses of both ends of a connection.
#[derive(Debug, Clone, Copy)]
pub struct Addresses {
    /// Own one.
    pub local: SocketAddr,
    /// The peer's.
    pub remote: SocketAddr,
}

impl Addresses {
    /// Returns those of a socket that is connected.
    ///
    /// # Errors
    /// It is not.
    pub fn of(fd: BorrowedFd<'_>) -> io::Result<Self> {
        let canonical = |address: SocketAddr| SocketAddr::new(address.ip().to_canonical(), address.port());
        let remote = getpeername(fd)?.ok_or(io::ErrorKind::NotConnected)?;
        Ok(Self { local: canonical(getsockname(fd)?.try_into()?), remote: canonical(remote.try_into()?) })
    }

    /// Returns whether both are addresses of this host.
    pub fn are_of_one_host(&self) -> bool {
        let (local, remote) = (self.local.ip(), self.remote.ip());
        local == remote || (local.is_loopback() && remote.is_loopback())
    }
}

/// Returns the circumstances of a connection whose peer has shown the option, or whose server is in the registry.
pub fn circumstances(addresses: &Addresses) -> Circumstances {
    let network = match addresses.local.ip() {
        IpAddr::V4(ip) => Network::Ipv4 { address: ip.octets(), mask_bits: mask_bits(ip) },
        IpAddr::V6(ip) => Network::Ipv6 { address: ip.octets() },
    };
    Circumstances {
        has_option: true,
        has_ipsec: false,
        has_fast_open: false,
        device: DeviceChoice::Function,
        network,
    }
}

/// Returns the significant bits of the mask of the interface with this address.
fn mask_bits(ip: Ipv4Addr) -> u8 {
    let of_interface = |interface: nix::ifaddrs::InterfaceAddress| {
        let address = interface.address.as_ref()?.as_sockaddr_in()?.ip();
        let mask = interface.netmask.as_ref()?.as_sockaddr_in()?.ip();
        (u32::from(address) & u32::from(mask) == u32::from(ip) & u32::from(mask))
            .then(|| mask.to_bits().leading_ones())
    };
    let interfaces = nix::ifaddrs::getifaddrs();
    interfaces.ok().and_then(|mut all| all.find_map(of_interface)).unwrap_or(u32::BITS) as u8
}

/// Makes the proposal of a client with this port.
pub fn proposal(addresses: &Addresses, (gid, mac): (Gid, Mac)) -> Proposal {
    let (subnet, prefixes) = match addresses.local.ip() {
        IpAddr::V4(ip) => {
            let mask_bits = mask_bits(ip);
            let mask = u32::MAX.checked_shl(u32::BITS - u32::from(mask_bits)).unwrap_or(0);
            (Ipv4Subnet { address: (u32::from(ip) & mask).to_be_bytes(), mask_bits }, Vec::new())
        }
        IpAddr::V6(ip) => {
            let address = (ip.to_bits() & !(u128::MAX >> PREFIX_BITS)).to_be_bytes();
            (Ipv4Subnet::default(), vec![Ipv6Prefix { address, prefix_bits: PREFIX_BITS }])
        }
    };
    Proposal {
        version: 1,
        variant: Variant::SmcR,
        peer: stack(),
        gid,
        mac,
        smc_d: Some(SmcD::default()),
        subnet,
        prefixes,
    }
}

/// Makes a decline.
pub fn decline(diagnosis: Diagnosis) -> Clc {
    Clc::Decline(Decline { peer: stack(), is_out_of_sync: false, diagnosis })
}

/// Makes the end of a connection, as an accept or confirm has it. Shared memory has no queue pairs and keys.
pub fn endpoint(memory: &EndMemory, name: Gid) -> Endpoint {
    static TOKENS: AtomicU32 = AtomicU32::new(1);
    Endpoint {
        is_first_contact: false,
        peer: stack(),
        gid: name,
        mac: mac(),
        queue_pair: Bits24::default(),
        buffer: RemoteToken { rkey: Rkey(0), address: 0 },
        element: 1,
        token: AlertToken(std::process::id() << 16 ^ TOKENS.fetch_add(1, Ordering::Relaxed)),
        compressed_size: memory.size().compressed(),
        mtu: Mtu(5),
        psn: Bits24::default(),
    }
}

/// End of the peer in memory that both share.
#[derive(Debug)]
pub struct Peer {
    /// As its message has it.
    pub endpoint: Endpoint,
    /// File of its memory.
    pub file: OwnedFd,
    /// Process that made it.
    pub process: u32,
}

/// Makes the carried connection of the own end and the peer's.
///
/// # Errors
/// Memory of another size than the peer has announced; an error of the operating system.
pub fn end(
    fd: BorrowedFd<'_>,
    (own, own_file): (EndMemory, OwnedFd),
    own_endpoint: &Endpoint,
    peer: Peer,
    is_server: bool,
) -> io::Result<Carried> {
    let size =
        ElementSize::from_compressed(peer.endpoint.compressed_size).ok_or(io::ErrorKind::InvalidData)?;
    let peer_file = high_and_lasting(peer.file);
    let memory = EndMemory::open(peer_file.try_clone()?, size)?;
    // A bell that waits for an acknowledgement of the last one is none.
    set_tcp_cork(fd, false)?;
    set_tcp_nodelay(fd, true)?;
    let about = about(fd, (&own_file, &peer_file), (peer.endpoint.peer, peer.process), is_server)?;
    let (token, peer_token) = (own_endpoint.token, peer.endpoint.token);
    let settings = Settings { token, peer_token, size: own.size(), peer_size: size };
    let (end, state) = SharedEnd::create(settings, own, memory, &about)?;
    Ok(Carried::new(end, [high_and_lasting(state), own_file, peer_file]))
}

/// Makes the carried connection of an end whose octets a thread of this process moves between memory and links.
///
/// # Errors
/// An error of the operating system.
pub fn relayed_end(
    fd: BorrowedFd<'_>,
    fabric: &RoceFabric,
    connection: AlertToken,
    peer: PeerId,
    is_server: bool,
) -> io::Result<Carried> {
    let (own, own_file) = EndMemory::create(element_size())?;
    let (inner, inner_file) = EndMemory::create(element_size())?;
    let about = about(fd, (&own_file, &inner_file), (peer, 0), is_server)?;
    let size = element_size();
    let settings = |token, peer_token| Settings { token, peer_token, size, peer_size: size };
    let (near, far) = (connection, AlertToken(!connection.0));
    let (seen_own, seen_inner) =
        (EndMemory::open(own_file.try_clone()?, size)?, EndMemory::open(inner_file.try_clone()?, size)?);
    let (program, state) = SharedEnd::create(settings(near, far), own, seen_inner, &about)?;
    let (inner, _) = SharedEnd::create(settings(far, near), inner, seen_own, &about)?;
    let bells = Bells { driver: Arc::new(Event::new()?), program: Arc::new(Event::new()?) };
    let program = Arc::new(program);
    fabric.carry(connection, inner, Arc::clone(&program), bells.clone());
    let files = [high_and_lasting(state), high_and_lasting(own_file), high_and_lasting(inner_file)];
    Ok(Carried::relayed(program, files, bells))
}

/// Returns the sign by which the peer of a connection was recognised.
fn sign(fd: BorrowedFd<'_>) -> Sign {
    if is_option_shown(fd) { Sign::Option } else { Sign::Registry }
}

fn about(
    fd: BorrowedFd<'_>,
    (own, peer): (&OwnedFd, &OwnedFd),
    (peer_stack, peer_process): (PeerId, u32),
    is_server: bool,
) -> io::Result<About> {
    let addresses = Addresses::of(fd)?;
    Ok(About {
        socket_inode: fstat(fd)?.st_ino,
        own_inode: fstat(own)?.st_ino,
        peer_inode: fstat(peer)?.st_ino,
        is_server,
        sign: sign(fd),
        local: addresses.local,
        remote: addresses.remote,
        peer_process,
        stack: stack(),
        peer_stack,
    })
}
