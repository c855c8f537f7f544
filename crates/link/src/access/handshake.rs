//! The key handshake of a link, sans IO: both ends prove that they have one key before a frame passes.
//!
//! ```text
//! opener                                          accepter
//!   ── hello: role, name, nonce ─────────────────────►
//!   ◄─ hello: role, name, nonce; proof ───────────────   proof = HMAC(key, "accepter" label, both hellos)
//!   ── proof ─────────────────────────────────────────►  proof = HMAC(key, "opener" label, both hellos)
//! ```
//!
//! HMAC-SHA-256 over both hellos binds nonces, port names and roles. The labels separate the directions, so that no
//! proof of one end is one of the other; nonces are new for each connection, so that no proof serves twice. The key
//! is that of the name which the other end claims. Frames themselves are not signed: an impostor who can change octets of
//! the connection after the handshake is kept off by TLS alone.

use halftrack_wire::WorldWideName;

use super::access_fault::AccessFault;
use super::link_access::{Attached, LinkAccess, LinkRole};

/// Octets that begin a hello: the name of the protocol and its version.
const MAGIC: [u8; 8] = *b"HTLINK\x00\x01";
const OPENER: &[u8] = b"halftrack link key 1: opener";
const ACCEPTER: &[u8] = b"halftrack link key 1: accepter";
/// Octets of a nonce.
pub const NONCE_BYTES: usize = 32;
/// Octets of a hello: magic, role, seven zeros, name, nonce.
pub const HELLO_BYTES: usize = 8 + 8 + 8 + NONCE_BYTES;
/// Octets of a proof.
pub const PROOF_BYTES: usize = 32;

/// Octets that are new for each connection.
pub type Nonce = [u8; NONCE_BYTES];
type Hello = [u8; HELLO_BYTES];

/// A port as its hello names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Claimed {
    name: WorldWideName,
    role: LinkRole,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum State {
    /// The opener waits for the hello and the proof of the accepter.
    Opening,
    /// The accepter waits for the hello of the opener.
    Accepting,
    /// The accepter waits for the proof of the opener.
    Proving { claimed: Claimed, theirs: Hello },
}

/// The handshake of one end.
#[derive(Debug)]
pub struct KeyHandshake {
    own: Hello,
    state: State,
}

/// Progress of a handshake.
#[derive(Debug, PartialEq, Eq)]
pub enum Progress {
    /// More octets are needed.
    Waits,
    /// The other end has proven its name; octets behind the handshake are left.
    Done(Attached),
}

impl KeyHandshake {
    /// Begins the handshake of an end; `nonce` was never used before. The opener's hello is put into `out`.
    pub fn begin(access: &LinkAccess, is_opener: bool, nonce: &Nonce, out: &mut Vec<u8>) -> Self {
        let mut own = [0; HELLO_BYTES];
        own[..8].copy_from_slice(&MAGIC);
        own[8] = access.role.code();
        own[16..24].copy_from_slice(&access.own_name.0.to_be_bytes());
        own[24..].copy_from_slice(nonce);
        if is_opener {
            out.extend_from_slice(&own);
        }
        Self { own, state: if is_opener { State::Opening } else { State::Accepting } }
    }

    /// Takes received octets, of which the first `taken` are used up, and puts the answer into `out`.
    ///
    /// # Errors
    /// Why the connection is refused: nothing more may be taken from it.
    pub fn receive(
        &mut self,
        access: &LinkAccess,
        octets: &[u8],
        taken: &mut usize,
        out: &mut Vec<u8>,
    ) -> Result<Progress, AccessFault> {
        if matches!(self.state, State::Accepting) {
            let Some(theirs) = self.hello(octets)? else { return Ok(Progress::Waits) };
            *taken = HELLO_BYTES;
            let claimed = self.claimed(theirs)?;
            let proof = access.key_of(claimed.name, claimed.role)?.sign(&[ACCEPTER, theirs, &self.own]);
            out.extend_from_slice(&self.own);
            out.extend_from_slice(&proof);
            self.state = State::Proving { claimed, theirs: *theirs };
        }
        match &self.state {
            State::Proving { claimed, theirs } => {
                let Some(proof) = octets.get(*taken..*taken + PROOF_BYTES) else {
                    return Ok(Progress::Waits);
                };
                *taken += PROOF_BYTES;
                let key = access.key_of(claimed.name, claimed.role)?;
                if !key.has_signed(&[OPENER, theirs, &self.own], proof) {
                    return Err(AccessFault::Proof(claimed.name));
                }
                Ok(Progress::Done(access.attached_by_key(claimed.name, claimed.role)))
            }
            State::Opening | State::Accepting => self.finish_opening(access, octets, taken, out),
        }
    }

    fn finish_opening(
        &self,
        access: &LinkAccess,
        octets: &[u8],
        taken: &mut usize,
        out: &mut Vec<u8>,
    ) -> Result<Progress, AccessFault> {
        let Some(theirs) = self.hello(octets)? else { return Ok(Progress::Waits) };
        let claimed = self.claimed(theirs)?;
        let key = access.key_of(claimed.name, claimed.role)?;
        let Some(proof) = octets.get(HELLO_BYTES..HELLO_BYTES + PROOF_BYTES) else {
            return Ok(Progress::Waits);
        };
        *taken = HELLO_BYTES + PROOF_BYTES;
        if !key.has_signed(&[ACCEPTER, &self.own, theirs], proof) {
            return Err(AccessFault::Proof(claimed.name));
        }
        out.extend_from_slice(&key.sign(&[OPENER, &self.own, theirs]));
        Ok(Progress::Done(access.attached_by_key(claimed.name, claimed.role)))
    }

    /// Returns the hello of the other end when it is whole; octets that begin none are refused at once.
    fn hello<'o>(&self, octets: &'o [u8]) -> Result<Option<&'o Hello>, AccessFault> {
        let begun = octets.len().min(MAGIC.len());
        if octets[..begun] != MAGIC[..begun] {
            return Err(AccessFault::NoHandshake);
        }
        Ok(octets.first_chunk())
    }

    fn claimed(&self, theirs: &Hello) -> Result<Claimed, AccessFault> {
        let (own_nonce, nonce) = (&self.own[24..], &theirs[24..]);
        if own_nonce == nonce || theirs[16..24] == self.own[16..24] {
            return Err(AccessFault::Reflected);
        }
        let role = LinkRole::of_code(theirs[8]).ok_or(AccessFault::NoHandshake)?;
        let mut name = [0; 8];
        name.copy_from_slice(&theirs[16..24]);
        Ok(Claimed { name: WorldWideName(u64::from_be_bytes(name)), role })
    }
}

#[cfg(test)]
mod tests;
