//! Rendezvous inside the TCP connection, in steps that wait for nobody.
//!
//! The client proposes as soon as TCP is connected, and the server answers when its program first reads or waits. Whoever has to send
//! before the rendezvous is over goes back to TCP: a server that no proposal has reached at once, others after [`PATIENCE`]. Messages of
//! the rendezvous that come later are skipped then. A word in the server's memory settles it where its withdrawal crosses a confirm.

use std::os::fd::BorrowedFd;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use halftrack_base::Time;
use halftrack_smc::handshake::{Client, Fallback, Phase, Server};
use halftrack_smc::message::clc::{Clc, Diagnosis};
use halftrack_smc_host::{is_option_shown, is_peer_entered};
use rustix::event::PollFlags;
use rustix::net::SendFlags;

use super::offer::{ClientOffer, ServerOffer};
use super::{Carried, kernel_events};
use crate::fallbacks;
use crate::names::{Addresses, circumstances, decline, proposal};
use crate::talk::{Inbound, peek, skip};

/// Environment variable with the milliseconds of [`PATIENCE`].
const PATIENCE_VARIABLE: &str = "HALFTRACK_SMC_PATIENCE_MS";
/// Milliseconds where the variable names none (our choice: a server that does not answer is busy elsewhere, and would have left the
/// octets in buffers of TCP).
const PATIENCE_MS: u64 = 200;

/// Longest wait for an answer of an end that has octets to send.
static PATIENCE: LazyLock<Duration> = LazyLock::new(|| {
    let named = std::env::var(PATIENCE_VARIABLE).ok().and_then(|text| text.parse().ok());
    Duration::from_millis(named.unwrap_or(PATIENCE_MS))
});

/// Outcome of a step.
pub enum Outcome {
    /// The peer is waited for.
    Pending,
    /// The connection has SMC-R.
    Carried(Box<Carried>),
    /// The connection is one of TCP.
    Tcp,
}

/// Stage of a rendezvous.
enum Stage {
    /// TCP is being connected.
    Connecting,
    /// The client has proposed.
    AwaitAccept { client: Client, offer: ClientOffer, since: Instant },
    /// The server expects a proposal.
    AwaitProposal,
    /// The server has accepted.
    AwaitConfirm { server: Server, offer: ServerOffer, since: Instant },
    /// The connection is one of TCP for what is sent. What comes may begin with messages of the rendezvous.
    Skip,
    /// The rendezvous is over.
    Over,
}

/// Rendezvous.
pub struct Rendezvous {
    stage: Stage,
    is_server: bool,
}

impl std::fmt::Debug for Rendezvous {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rendezvous").field("is_server", &self.is_server).finish_non_exhaustive()
    }
}

impl Rendezvous {
    const fn new(stage: Stage, is_server: bool) -> Self {
        Self { stage, is_server }
    }

    /// Makes that of an end whose TCP connection is being made.
    pub const fn connecting() -> Self {
        Self::new(Stage::Connecting, false)
    }

    /// Makes that of an end that was accepted.
    pub const fn accepted() -> Self {
        Self::new(Stage::AwaitProposal, true)
    }

    /// Makes one that is over.
    pub const fn over() -> Self {
        Self::new(Stage::Over, false)
    }

    /// Goes on as far as nobody has to be waited for.
    pub fn step(&mut self, fd: BorrowedFd<'_>) -> Outcome {
        loop {
            let stage = std::mem::replace(&mut self.stage, Stage::Over);
            let outcome = match stage {
                Stage::Connecting => self.step_connecting(fd),
                Stage::Skip => self.step_skipping(fd),
                Stage::AwaitProposal => self.step_proposal(fd),
                Stage::AwaitAccept { .. } | Stage::AwaitConfirm { .. } => self.step_answer(fd, stage),
                Stage::Over => Outcome::Tcp,
            };
            let is_waiting = matches!(outcome, Outcome::Pending) && self.is_more_to_come(fd);
            if !is_waiting {
                return outcome;
            }
        }
    }

    /// Returns whether the step changed the stage to one that may go on at once.
    fn is_more_to_come(&self, fd: BorrowedFd<'_>) -> bool {
        match &self.stage {
            Stage::AwaitConfirm { .. } | Stage::Skip => !matches!(peek(fd), Inbound::Nothing),
            _ => false,
        }
    }

    fn step_connecting(&mut self, fd: BorrowedFd<'_>) -> Outcome {
        let events = kernel_events(fd, PollFlags::OUT);
        if !events.contains(PollFlags::OUT) || events.intersects(PollFlags::ERR | PollFlags::HUP) {
            // A connection that failed is for the program to find out.
            let is_failed = events.intersects(PollFlags::ERR | PollFlags::HUP);
            if !is_failed {
                self.stage = Stage::Connecting;
            }
            return if is_failed { Outcome::Tcp } else { Outcome::Pending };
        }
        let Ok(addresses) = Addresses::of(fd) else { return Outcome::Tcp };
        let is_entered = || {
            addresses.are_of_one_host() && is_peer_entered(addresses.local, addresses.remote).unwrap_or(false)
        };
        if !is_option_shown(fd) && !is_entered() {
            return self.fall_back(fd, Diagnosis::PEER_NO_SMC);
        }
        match self.propose(fd, &addresses) {
            Ok(stage) => {
                self.stage = stage;
                Outcome::Pending
            }
            Err(diagnosis) => self.fall_back(fd, diagnosis),
        }
    }

    fn propose(&self, fd: BorrowedFd<'_>, addresses: &Addresses) -> Result<Stage, Diagnosis> {
        let offer = ClientOffer::new()?;
        let (client, first) =
            Client::start(&circumstances(addresses), proposal(addresses, offer.port()), now());
        match first {
            Some(message @ Clc::Proposal(_)) if send(fd, &message) => {
                Ok(Stage::AwaitAccept { client, offer, since: Instant::now() })
            }
            _ => match client.phase() {
                Phase::Tcp(Fallback::Own(diagnosis)) => Err(diagnosis),
                _ => Err(Diagnosis::INTERNAL),
            },
        }
    }

    fn step_skipping(&mut self, fd: BorrowedFd<'_>) -> Outcome {
        match peek(fd) {
            Inbound::Nothing => {}
            Inbound::Message(_, bytes) => skip(fd, bytes),
            Inbound::Foreign | Inbound::End => return Outcome::Tcp,
        }
        self.stage = Stage::Skip;
        Outcome::Pending
    }

    fn step_proposal(&mut self, fd: BorrowedFd<'_>) -> Outcome {
        let (message, bytes) = match peek(fd) {
            Inbound::Nothing => {
                self.stage = Stage::AwaitProposal;
                return Outcome::Pending;
            }
            Inbound::Foreign => return self.fall_back(fd, Diagnosis::PEER_NO_SMC),
            Inbound::End => return Outcome::Tcp,
            Inbound::Message(message, bytes) => (message, bytes),
        };
        skip(fd, bytes);
        // A client that has withdrawn, or is gone, takes no answer.
        let is_withdrawn = matches!(peek(fd), Inbound::Message(Clc::Decline(_), _) | Inbound::Foreign);
        if is_withdrawn || kernel_events(fd, PollFlags::RDHUP).contains(PollFlags::RDHUP) {
            return self.skip_from_here(fd, Diagnosis::NO_ANSWER, true);
        }
        let Ok(addresses) = Addresses::of(fd) else { return Outcome::Tcp };
        let mut server = Server::start(circumstances(&addresses), crate::names::stack(), now());
        let mut made = None;
        let answer = server.receive(&message, now(), |proposal| {
            let offer = made.insert(ServerOffer::new(proposal, &addresses)?);
            Ok(*offer.endpoint())
        });
        match (answer, made) {
            (Some(answer @ Clc::Accept(_)), Some(offer)) if send(fd, &answer) => {
                self.stage = Stage::AwaitConfirm { server, offer, since: Instant::now() };
                Outcome::Pending
            }
            (answer, _) => {
                if let Some(answer @ Clc::Decline(_)) = &answer {
                    send(fd, answer);
                }
                self.end_at(fd, server.phase())
            }
        }
    }

    /// Takes the peer's answer to a proposal or an accept.
    fn step_answer(&mut self, fd: BorrowedFd<'_>, stage: Stage) -> Outcome {
        let message = match peek(fd) {
            Inbound::Nothing => {
                self.stage = stage;
                return Outcome::Pending;
            }
            Inbound::Foreign if self.is_server => return self.fall_back(fd, Diagnosis::SYNCHRONISATION),
            Inbound::Foreign => return self.fall_back(fd, Diagnosis::SENT_FIRST),
            Inbound::End => return Outcome::Tcp,
            Inbound::Message(message, bytes) => {
                skip(fd, bytes);
                message
            }
        };
        match stage {
            Stage::AwaitAccept { client, offer, .. } => self.take_accept(fd, &message, client, offer),
            Stage::AwaitConfirm { server, offer, .. } => self.take_confirm(fd, &message, server, offer),
            Stage::Connecting | Stage::AwaitProposal | Stage::Skip | Stage::Over => Outcome::Tcp,
        }
    }

    fn take_accept(
        &mut self,
        fd: BorrowedFd<'_>,
        message: &Clc,
        mut client: Client,
        mut offer: ClientOffer,
    ) -> Outcome {
        let Ok(addresses) = Addresses::of(fd) else { return Outcome::Tcp };
        let answer = client.receive(message, now(), |accept| offer.own_end(accept, &addresses));
        let (Some(confirm @ Clc::Confirm(_)), Clc::Accept(accept)) = (&answer, message) else {
            if let Some(refusal @ Clc::Decline(_)) = &answer {
                send(fd, refusal);
            }
            return self.end_at(fd, client.phase());
        };
        // The end is there before the peer can use it.
        match offer.carried(fd, accept) {
            Ok(Some(carried)) if send(fd, confirm) => Outcome::Carried(Box::new(carried)),
            Ok(None) => self.skip_from_here(fd, Diagnosis::NO_ANSWER, true),
            _ => {
                send(fd, &decline(Diagnosis::NO_MEMORY));
                self.skip_from_here(fd, Diagnosis::NO_MEMORY, false)
            }
        }
    }

    fn take_confirm(
        &mut self,
        fd: BorrowedFd<'_>,
        message: &Clc,
        mut server: Server,
        offer: ServerOffer,
    ) -> Outcome {
        server.receive(message, now(), |_| Err(Diagnosis::INTERNAL));
        // Links are confirmed by the fabric itself, behind the octets of which there may be some.
        server.link_confirmed(true);
        let (Phase::Active, Clc::Confirm(confirm)) = (server.phase(), message) else {
            return self.end_at(fd, server.phase());
        };
        match offer.carried(fd, confirm) {
            Ok(carried) => Outcome::Carried(Box::new(carried)),
            Err(_) => {
                // The client has SMC-R already: what it sends would be lost over TCP.
                let _ = rustix::net::shutdown(fd, rustix::net::Shutdown::Both);
                self.fall_back(fd, Diagnosis::REMOTE_TOKEN)
            }
        }
    }

    fn fall_back(&mut self, fd: BorrowedFd<'_>, diagnosis: Diagnosis) -> Outcome {
        fallbacks::note(fd, self.is_server, diagnosis, false);
        Outcome::Tcp
    }

    /// Ends at a phase of the handshake; more of its messages may be on their way.
    fn end_at(&mut self, fd: BorrowedFd<'_>, phase: Phase) -> Outcome {
        let (diagnosis, is_of_peer) = match phase {
            Phase::Tcp(Fallback::Own(diagnosis)) => (diagnosis, false),
            Phase::Tcp(Fallback::Peer { diagnosis, .. }) => (diagnosis, true),
            _ => {
                // What follows in the stream is uncertain.
                let _ = rustix::net::shutdown(fd, rustix::net::Shutdown::Both);
                (Diagnosis::SYNCHRONISATION, false)
            }
        };
        self.skip_from_here(fd, diagnosis, is_of_peer)
    }

    /// Stays with TCP, behind messages of the rendezvous that may come still.
    fn skip_from_here(&mut self, fd: BorrowedFd<'_>, diagnosis: Diagnosis, is_of_peer: bool) -> Outcome {
        fallbacks::note(fd, self.is_server, diagnosis, is_of_peer);
        self.stage = Stage::Skip;
        Outcome::Pending
    }

    /// Returns whether octets can be sent over TCP before the rendezvous is over.
    pub fn can_send(&self) -> bool {
        match &self.stage {
            Stage::AwaitProposal | Stage::Skip => true,
            Stage::AwaitAccept { since, .. } | Stage::AwaitConfirm { since, .. } => {
                since.elapsed() >= *PATIENCE
            }
            Stage::Connecting | Stage::Over => false,
        }
    }

    /// Decides for TCP where octets can be sent over it; returns whether they can.
    pub fn may_send(&mut self, fd: BorrowedFd<'_>) -> bool {
        self.can_send() && self.give_up(fd)
    }

    /// Decides for TCP where no proposal was taken: over RoCE an accept cannot be taken back.
    pub fn give_up_unproposed(&mut self, fd: BorrowedFd<'_>) {
        if matches!(self.stage, Stage::AwaitProposal) {
            self.give_up(fd);
        }
    }

    /// Decides for TCP where nothing else is settled; returns whether that could be done.
    pub fn give_up(&mut self, fd: BorrowedFd<'_>) -> bool {
        let diagnosis = match &self.stage {
            Stage::Skip => return true,
            Stage::AwaitProposal => Diagnosis::SENT_FIRST,
            Stage::AwaitAccept { .. } => {
                send(fd, &decline(Diagnosis::NO_ANSWER));
                Diagnosis::NO_ANSWER
            }
            Stage::AwaitConfirm { offer, .. } if offer.withdraw() => {
                send(fd, &decline(Diagnosis::NO_ANSWER));
                Diagnosis::NO_ANSWER
            }
            Stage::Connecting | Stage::AwaitConfirm { .. } | Stage::Over => return false,
        };
        fallbacks::note(fd, self.is_server, diagnosis, false);
        self.stage = Stage::Skip;
        true
    }

    /// Returns whether TCP is being connected still.
    pub const fn is_unconnected(&self) -> bool {
        matches!(self.stage, Stage::Connecting)
    }

    /// Returns the events of the kernel that are waited for.
    pub const fn awaited(&self) -> PollFlags {
        match self.stage {
            Stage::Connecting => PollFlags::OUT,
            _ => PollFlags::IN,
        }
    }

    /// Returns the milliseconds until the peer is not waited for any more by whoever sends.
    pub fn patience_left_ms(&self) -> Option<u64> {
        match &self.stage {
            Stage::AwaitAccept { since, .. } | Stage::AwaitConfirm { since, .. } => {
                let left = PATIENCE.saturating_sub(since.elapsed());
                Some(left.as_millis() as u64 + u64::from(!left.is_zero()))
            }
            _ => None,
        }
    }
}

fn send(fd: BorrowedFd<'_>, message: &Clc) -> bool {
    let octets = message.encode();
    let sent = rustix::net::send(fd, &octets, SendFlags::DONTWAIT | SendFlags::NOSIGNAL);
    // Buffers of a connection without octets have room for messages this short.
    sent == Ok(octets.len())
}

/// Returns the time for the rendezvous, whose waits are bounded elsewhere: the peer's program may be busy as long as it likes.
const fn now() -> Time {
    Time::ZERO
}
