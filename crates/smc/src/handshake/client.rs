//! Client of a rendezvous.

use halftrack_base::Time;

use super::{Circumstances, Fallback, Phase, Progress};
use crate::message::clc::{Clc, Diagnosis, Endpoint, Proposal};

/// Client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Client {
    progress: Progress,
}

impl Client {
    /// Starts behind the handshake of TCP; returns the first message, none where the server showed no option.
    pub fn start(circumstances: &Circumstances, proposal: Proposal, now: Time) -> (Self, Option<Clc>) {
        let phase = Phase::Tcp(Fallback::Own(Diagnosis::PEER_NO_SMC));
        let mut progress = Progress { peer: proposal.peer, phase, deadline: now };
        let first = match circumstances.obstacle() {
            Some(Diagnosis::PEER_NO_SMC) => None,
            Some(obstacle) => progress.decline(obstacle),
            None => {
                progress.expect(Phase::AwaitAccept, now);
                Some(Clc::Proposal(proposal))
            }
        };
        (Self { progress }, first)
    }

    /// Takes a message of the server; returns the message to be sent.
    ///
    /// `own_end` makes the own end for the server's, in a new group or in the one that both have; its reason against that
    /// declines. [`Diagnosis::SYNCHRONISATION`] is the reason where the server means a group that is missing here.
    pub fn receive(
        &mut self,
        message: &Clc,
        now: Time,
        own_end: impl FnOnce(&Endpoint) -> Result<Endpoint, Diagnosis>,
    ) -> Option<Clc> {
        let (Phase::AwaitAccept, Clc::Accept(accept)) = (self.progress.phase, message) else {
            return self.progress.unexpected(message);
        };
        match own_end(accept) {
            Err(diagnosis) => self.progress.decline(diagnosis),
            Ok(own) => {
                // First contact is the server's decision alone.
                let is_first_contact = accept.is_first_contact;
                let next = if is_first_contact { Phase::AwaitConfirmLink } else { Phase::Active };
                self.progress.expect(next, now);
                Some(Clc::Confirm(Endpoint { is_first_contact, ..own }))
            }
        }
    }

    /// Takes CONFIRM LINK of the server on the new link; returns a decline where the server insists on eye catchers.
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
