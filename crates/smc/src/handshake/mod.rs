//! Rendezvous inside a TCP connection: SMC-R is settled, or both ends go on with TCP (RFC 7609, section 3).
//!
//! Both ends are given whole messages and the time, and return the message to be sent. Queue pairs, buffers and groups
//! are the caller's: functions are called for the own end of the link.

mod circumstances;
mod client;
mod server;
#[cfg(test)]
mod tests;

use halftrack_base::{Span, Time};

pub use circumstances::{Circumstances, DeviceChoice, Network};
pub use client::Client;
pub use server::Server;

use crate::message::PeerId;
use crate::message::clc::{Clc, Decline, Diagnosis};

/// Longest wait for a message of CLC, as Linux has it.
pub const CLC_WAIT: Span = Span::from_s(6);
/// Longest wait for the first CONFIRM LINK, as Linux has it.
pub const FIRST_LINK_WAIT: Span = Span::from_s(5);

/// Reason for which a connection stays with TCP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Fallback {
    /// Reason of this end.
    Own(Diagnosis),
    /// Reason of the peer's decline. The group with the peer is dropped where it is out of synchronisation.
    Peer {
        /// Reason.
        diagnosis: Diagnosis,
        /// Out of synchronisation.
        is_out_of_sync: bool,
    },
}

/// Phase of a rendezvous.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The client's proposal is expected.
    AwaitProposal,
    /// The server's accept is expected.
    AwaitAccept,
    /// The client's confirm is expected.
    AwaitConfirm,
    /// CONFIRM LINK is expected on the link of a first contact.
    AwaitConfirmLink,
    /// The connection has SMC-R.
    Active,
    /// The connection stays with TCP; its stream begins behind the last message.
    Tcp(Fallback),
    /// The connection must be closed: what follows in its stream is uncertain.
    Failed,
}

/// Makes a decline.
const fn decline(peer: PeerId, diagnosis: Diagnosis) -> Clc {
    let is_out_of_sync = diagnosis.0 == Diagnosis::SYNCHRONISATION.0;
    Clc::Decline(Decline { peer, is_out_of_sync, diagnosis })
}

impl From<&Decline> for Fallback {
    fn from(decline: &Decline) -> Self {
        Self::Peer { diagnosis: decline.diagnosis, is_out_of_sync: decline.is_out_of_sync }
    }
}

/// State that both ends have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Progress {
    peer: PeerId,
    phase: Phase,
    deadline: Time,
}

impl Progress {
    fn expect(&mut self, phase: Phase, now: Time) {
        let wait = if phase == Phase::AwaitConfirmLink { FIRST_LINK_WAIT } else { CLC_WAIT };
        (self.phase, self.deadline) = (phase, now.saturating_add(wait));
    }

    /// Goes back to TCP with a decline.
    fn decline(&mut self, diagnosis: Diagnosis) -> Option<Clc> {
        self.phase = Phase::Tcp(Fallback::Own(diagnosis));
        Some(decline(self.peer, diagnosis))
    }

    /// Goes back to TCP for a decline of the peer, or fails for a message out of place.
    fn unexpected(&mut self, message: &Clc) -> Option<Clc> {
        let is_open = !matches!(self.phase, Phase::Active | Phase::Tcp(_) | Phase::Failed);
        self.phase = match message {
            Clc::Decline(decline) if is_open => Phase::Tcp(decline.into()),
            _ => Phase::Failed,
        };
        None
    }

    /// Takes the first CONFIRM LINK, or its response.
    fn link_confirmed(&mut self, has_no_eye_catchers: bool) -> Option<Clc> {
        if self.phase != Phase::AwaitConfirmLink {
            return None;
        }
        if !has_no_eye_catchers {
            return self.decline(Diagnosis::EYE_CATCHER);
        }
        self.phase = Phase::Active;
        None
    }

    /// Ends a wait that is over.
    fn timeout(&mut self, now: Time) -> Option<Clc> {
        if now < self.deadline {
            return None;
        }
        match self.phase {
            Phase::AwaitConfirmLink => self.decline(Diagnosis::CONFIRM_LINK_TIMEOUT),
            Phase::AwaitProposal | Phase::AwaitAccept | Phase::AwaitConfirm => {
                // A message that came later would be read as data.
                self.phase = Phase::Failed;
                None
            }
            Phase::Active | Phase::Tcp(_) | Phase::Failed => None,
        }
    }

    const fn deadline(&self) -> Option<Time> {
        match self.phase {
            Phase::Active | Phase::Tcp(_) | Phase::Failed => None,
            _ => Some(self.deadline),
        }
    }
}
