//! Names of an end: its socket, its memory, its addresses and its peer, as words of its state.

use std::net::{IpAddr, Ipv6Addr, SocketAddr};

use halftrack_smc::message::PeerId;

/// Words of the names.
pub const ABOUT_WORDS: usize = 14;
/// First word, by which these words differ from others.
const MARK: u64 = u64::from_be_bytes(*b"HTKSMC01");

/// Sign by which an end recognises that its peer has SMC-R.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// Option of TCP in SYN and SYN-ACK.
    Option,
    /// Entry of the listening socket in the registry of the host.
    Registry,
}

impl Sign {
    /// Returns its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Option => "option",
            Self::Registry => "registry",
        }
    }
}

/// Names of an end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Inode of the TCP socket.
    pub socket_inode: u64,
    /// Inode of the file of the own memory.
    pub own_inode: u64,
    /// Inode of the file of the peer's memory.
    pub peer_inode: u64,
    /// The end has accepted the connection.
    pub is_server: bool,
    /// Sign by which the peer was recognised.
    pub sign: Sign,
    /// Own address.
    pub local: SocketAddr,
    /// Address of the peer.
    pub remote: SocketAddr,
    /// Process that made the peer's end.
    pub peer_process: u32,
    /// Own stack.
    pub stack: PeerId,
    /// Stack of the peer.
    pub peer_stack: PeerId,
}

impl About {
    /// Returns the words.
    pub(crate) fn words(&self) -> [u64; ABOUT_WORDS] {
        let [local, remote] = [self.local, self.remote].map(address_words);
        [
            MARK,
            self.socket_inode,
            self.own_inode,
            self.peer_inode,
            u64::from(self.is_server) | u64::from(self.sign == Sign::Option) << 1,
            u64::from(self.peer_process),
            local[0],
            local[1],
            local[2],
            remote[0],
            remote[1],
            remote[2],
            u64::from_be_bytes(self.stack.0),
            u64::from_be_bytes(self.peer_stack.0),
        ]
    }

    /// Returns the names in these words; none where they are others.
    pub(crate) fn of_words(words: &[u64; ABOUT_WORDS]) -> Option<Self> {
        let address = |at: usize| address_of([words[at], words[at + 1], words[at + 2]]);
        (words[0] == MARK).then(|| Self {
            socket_inode: words[1],
            own_inode: words[2],
            peer_inode: words[3],
            is_server: words[4] & 1 != 0,
            sign: if words[4] & 2 != 0 { Sign::Option } else { Sign::Registry },
            peer_process: words[5] as u32,
            local: address(6),
            remote: address(9),
            stack: PeerId(words[12].to_be_bytes()),
            peer_stack: PeerId(words[13].to_be_bytes()),
        })
    }
}

/// Returns an address as words; one of IPv4 is written as of IPv6.
pub fn address_words(address: SocketAddr) -> [u64; 3] {
    let octets = match address.ip() {
        IpAddr::V4(ip) => ip.to_ipv6_mapped(),
        IpAddr::V6(ip) => ip,
    }
    .to_bits();
    [(octets >> 64) as u64, octets as u64, u64::from(address.port())]
}

/// Returns the address in these words.
pub fn address_of([high, low, port]: [u64; 3]) -> SocketAddr {
    let ip = Ipv6Addr::from_bits(u128::from(high) << 64 | u128::from(low));
    SocketAddr::new(ip.to_canonical(), port as u16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back_from_their_words() {
        let about = About {
            socket_inode: 11,
            own_inode: 12,
            peer_inode: 13,
            is_server: true,
            sign: Sign::Option,
            local: "127.0.0.1:6379".parse().unwrap(),
            remote: "[2001:db8::7]:40000".parse().unwrap(),
            peer_process: 4711,
            stack: PeerId([1; 8]),
            peer_stack: PeerId([2; 8]),
        };
        assert_eq!(About::of_words(&about.words()), Some(about));
        assert_eq!(About::of_words(&[0; ABOUT_WORDS]), None);
    }
}
