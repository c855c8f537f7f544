//! Server of a rendezvous.

use halftrack_base::Time;

use super::{Circumstances, Fallback, Phase, Progress};
use crate::message::PeerId;
use crate::message::clc::{Clc, Diagnosis, Endpoint, Proposal, Variant};

/// Server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Server {
    circumstances: Circumstances,
    progress: Progress,
    is_first_contact: bool,
}

impl Server {
    /// Starts behind the handshake of TCP. Without the client's option the connection stays with TCP.
    pub fn start(circumstances: Circumstances, peer: PeerId, now: Time) -> Self {
        let phase = Phase::Tcp(Fallback::Own(Diagnosis::PEER_NO_SMC));
        let mut progress = Progress { peer, phase, deadline: now };
        if circumstances.has_option {
            progress.expect(Phase::AwaitProposal, now);
        }
        Self { circumstances, progress, is_first_contact: false }
    }

    /// Takes a message of the client; returns the message to be sent.
    ///
    /// `own_end` makes the own end for the client's proposal, in a new group or in one that both have; its reason against
    /// that declines.
    pub fn receive(
        &mut self,
        message: &Clc,
        now: Time,
        own_end: impl FnOnce(&Proposal) -> Result<Endpoint, Diagnosis>,
    ) -> Option<Clc> {
        match (self.progress.phase, message) {
            (Phase::AwaitProposal, Clc::Proposal(proposal)) => {
                match self.obstacle(proposal).map_or_else(|| own_end(proposal), Err) {
                    Err(diagnosis) => self.progress.decline(diagnosis),
                    Ok(own) => {
                        self.is_first_contact = own.is_first_contact;
                        self.progress.expect(Phase::AwaitConfirm, now);
                        Some(Clc::Accept(own))
                    }
                }
            }
            (Phase::AwaitConfirm, Clc::Confirm(_)) => {
                let next = if self.is_first_contact { Phase::AwaitConfirmLink } else { Phase::Active };
                self.progress.expect(next, now);
                None
            }
            _ => self.progress.unexpected(message),
        }
    }

    fn obstacle(&self, proposal: &Proposal) -> Option<Diagnosis> {
        if matches!(proposal.variant, Variant::SmcD | Variant::Neither) {
            return Some(Diagnosis::MODE);
        }
        let is_elsewhere = !self.circumstances.is_same_network(proposal);
        self.circumstances.obstacle().or(is_elsewhere.then_some(Diagnosis::PREFIX))
    }

    /// Takes the client's response to CONFIRM LINK; returns a decline where the client insists on eye catchers.
    pub fn link_confirmed(&mut self, has_no_eye_catchers: bool) -> Option<Clc> {
        self.progress.link_confirmed(has_no_eye_catchers)
    }

    /// Ends a wait that is over; returns the message to be sent.
    pub fn timeout(&mut self, now: Time) -> Option<Clc> {
        self.progress.timeout(now)
    }

    /// Returns the end of the wait.
    pub const fn deadline(&self) -> Option<Time> {
        self.progress.deadline()
    }

    /// Returns the phase.
    pub const fn phase(&self) -> Phase {
        self.progress.phase
    }
}
