//! Connections of a process that stayed with TCP, and why: the last ones, for whoever wants to see them.

use std::io;
use std::net::SocketAddr;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicU64, Ordering};

use halftrack_shared_memory::SealedMemory;
use halftrack_smc::message::clc::Diagnosis;

use crate::about::{address_of, address_words};
use crate::high::high;

/// Name of the memory in tools.
pub(crate) const FALLBACKS_NAME: &str = "halftrack-smc-fallbacks";
/// First word, by which these words differ from others.
const MARK: u64 = u64::from_be_bytes(*b"HTKSMCF1");
/// Connections that are kept (our choice).
const KEPT: usize = 127;
/// Words of each: reason, end, own address, address of the peer.
const FALLBACK_WORDS: usize = 8;
/// Words in front: mark, number of all.
const HEAD_WORDS: usize = FALLBACK_WORDS;
/// Octets of the memory.
const BYTES: usize = (HEAD_WORDS + KEPT * FALLBACK_WORDS) * size_of::<u64>();

/// Connection that stayed with TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fallback {
    /// Reason.
    pub diagnosis: Diagnosis,
    /// The peer has declined, for this reason.
    pub is_of_peer: bool,
    /// The end has accepted the connection.
    pub is_server: bool,
    /// Own address.
    pub local: SocketAddr,
    /// Address of the peer.
    pub remote: SocketAddr,
}

/// Connections of a process that stayed with TCP.
#[derive(Debug)]
pub struct FallbackLog {
    memory: SealedMemory,
    fd: OwnedFd,
}

impl FallbackLog {
    /// Begins an empty log. Whoever has the right reads it while the process lives.
    ///
    /// # Errors
    /// No memory, or no descriptor.
    pub fn new() -> io::Result<Self> {
        let (memory, fd) = SealedMemory::create(FALLBACKS_NAME, BYTES)?;
        memory.words()[0].store(MARK, Ordering::Relaxed);
        Ok(Self { memory, fd: high(fd) })
    }

    /// Returns the descriptor of the memory.
    #[must_use]
    pub const fn descriptor(&self) -> &OwnedFd {
        &self.fd
    }

    /// Adds a connection, in the place of the oldest.
    pub fn add(&self, fallback: &Fallback) {
        let number = self.memory.words()[1].fetch_add(1, Ordering::Relaxed) as usize;
        let [local, remote] = [fallback.local, fallback.remote].map(address_words);
        let ends = u64::from(fallback.is_server) | u64::from(fallback.is_of_peer) << 1;
        let reason = u64::from(fallback.diagnosis.0) << 8 | ends | 1 << 7;
        let words = [reason, 0, local[0], local[1], local[2], remote[0], remote[1], remote[2]];
        let place = &self.memory.words()[HEAD_WORDS + number % KEPT * FALLBACK_WORDS..][..FALLBACK_WORDS];
        let put = |(place, word): (&AtomicU64, u64)| place.store(word, Ordering::Relaxed);
        place.iter().zip(words).for_each(put);
    }
}

/// Returns how many connections stayed with TCP, and the last ones, from the octets of a log.
pub(crate) fn fallbacks_of(octets: &[u8]) -> Option<(u64, Vec<Fallback>)> {
    let words: Vec<u64> = octets.as_chunks().0.iter().map(|word| u64::from_ne_bytes(*word)).collect();
    if octets.len() != BYTES || words[0] != MARK {
        return None;
    }
    let (total, kept) = (words[1], words[HEAD_WORDS..].as_chunks::<FALLBACK_WORDS>().0);
    let first = (total as usize).saturating_sub(KEPT);
    let one = |number: usize| {
        let [reason, _, local @ .., r0, r1, r2] = kept[number % KEPT];
        (reason & 1 << 7 != 0).then(|| Fallback {
            diagnosis: Diagnosis((reason >> 8) as u32),
            is_server: reason & 1 != 0,
            is_of_peer: reason & 2 != 0,
            local: address_of(local),
            remote: address_of([r0, r1, r2]),
        })
    };
    Some((total, (first..total as usize).filter_map(one).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_connections_are_kept_in_their_order() {
        let log = FallbackLog::new().unwrap();
        let one = |port: u16| Fallback {
            diagnosis: Diagnosis::PEER_NO_SMC,
            is_of_peer: port.is_multiple_of(3),
            is_server: port.is_multiple_of(2),
            local: SocketAddr::from(([127, 0, 0, 1], port)),
            remote: SocketAddr::from(([192, 0, 2, 1], 80)),
        };
        let read = |log: &FallbackLog| {
            let mut octets = vec![0; BYTES];
            log.memory.load(0, &mut octets);
            fallbacks_of(&octets).unwrap()
        };
        assert_eq!(read(&log), (0, vec![]));
        (1..=200).for_each(|port| log.add(&one(port)));
        let (total, last) = read(&log);
        assert_eq!((total, last.len()), (200, KEPT));
        assert_eq!((last[0], last[KEPT - 1]), (one(74), one(200)));
        assert_eq!(fallbacks_of(&[0; BYTES]), None);
        assert_eq!(fallbacks_of(&[0; 8]), None);
    }
}
