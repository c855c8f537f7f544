//! Parts of a rendezvous that the fabric has: the own end, what goes to the peer, and the connection that comes of it.

use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Arc;

use halftrack_smc::buffer::ElementSize;
use halftrack_smc::message::clc::{Diagnosis, Endpoint, Proposal};
use halftrack_smc::message::{Gid, Mac};
use halftrack_smc_host::{Attendance, EndMemory, Invitation, high_and_lasting};

use super::Carried;
use crate::fabrics::{self, RoceFabric};
use crate::names::{Addresses, Peer, element_size, end, endpoint, mac, relayed_end};

/// Memory of the own end, and its file.
pub struct Own {
    memory: EndMemory,
    file: OwnedFd,
}

impl Own {
    fn new(size: ElementSize) -> io::Result<Self> {
        let (memory, file) = EndMemory::create(size)?;
        Ok(Self { memory, file: high_and_lasting(file) })
    }
}

/// Returns without an error where the peer can be reached over links, whose addresses are of loopback.
fn reach(addresses: &Addresses) -> Result<(), Diagnosis> {
    if addresses.are_of_one_host() { Ok(()) } else { Err(Diagnosis::CONFIGURATION) }
}

/// Offer of a client.
pub enum ClientOffer {
    /// Memory that both share: the client invites to it.
    Memory {
        /// Own end.
        own: Own,
        /// As a confirm has it.
        endpoint: Endpoint,
        /// Meeting of both.
        invitation: Invitation,
        /// Memory of the server, and its process.
        met: Option<(OwnedFd, u32)>,
    },
    /// RoCE: the end of the group with the server is made when that has answered.
    Roce {
        /// End of the group with the server, and as the confirm has it.
        fabric: Option<(Arc<RoceFabric>, Endpoint)>,
    },
}

impl ClientOffer {
    /// Makes an offer.
    ///
    /// # Errors
    /// No memory.
    pub fn new() -> Result<Self, Diagnosis> {
        if fabrics::is_roce() {
            return Ok(Self::Roce { fabric: None });
        }
        let own = Own::new(element_size()).map_err(|_| Diagnosis::NO_MEMORY)?;
        let invitation = Invitation::new().map_err(|_| Diagnosis::NO_MEMORY)?;
        let endpoint = endpoint(&own.memory, invitation.name());
        Ok(Self::Memory { own, endpoint, invitation, met: None })
    }

    /// Returns the port of the proposal.
    pub fn port(&self) -> (Gid, Mac) {
        match self {
            Self::Memory { invitation, .. } => (invitation.name(), mac()),
            Self::Roce { .. } => (fabrics::PROPOSED, mac()),
        }
    }

    /// Makes the own end for the server's.
    ///
    /// # Errors
    /// The server has sent no memory, or cannot be reached; its end does not fit.
    pub fn own_end(&mut self, accept: &Endpoint, addresses: &Addresses) -> Result<Endpoint, Diagnosis> {
        match self {
            Self::Memory { own, endpoint, invitation, met } => {
                *met = Some(invitation.exchange(&own.file).map_err(|_| Diagnosis::REMOTE_TOKEN)?);
                Ok(*endpoint)
            }
            Self::Roce { fabric } => {
                reach(addresses)?;
                let found = fabrics::of_client(accept.peer, accept.is_first_contact)?;
                let endpoint = found.confirm(accept)?;
                *fabric = Some((found, endpoint));
                Ok(endpoint)
            }
        }
    }

    /// Returns the connection with the server's end; none where the server has withdrawn.
    ///
    /// # Errors
    /// An error of the operating system.
    pub fn carried(self, fd: BorrowedFd<'_>, accept: &Endpoint) -> io::Result<Option<Carried>> {
        match self {
            Self::Memory { own, endpoint, met, .. } => {
                let (file, process) = met.ok_or(io::ErrorKind::NotFound)?;
                let peer = Peer { endpoint: *accept, file, process };
                let carried = end(fd, (own.memory, own.file), &endpoint, peer, false)?;
                Ok(carried.end().confirm().then_some(carried))
            }
            Self::Roce { fabric } => {
                let (fabric, endpoint) = fabric.ok_or(io::ErrorKind::NotFound)?;
                relayed_end(fd, &fabric, endpoint.token, accept.peer, false).map(Some)
            }
        }
    }
}

/// Offer of a server.
pub enum ServerOffer {
    /// Memory that both share: the server brings its own to the client's meeting.
    Memory {
        /// Own end.
        own: Own,
        /// As the accept has it.
        endpoint: Endpoint,
        /// Meeting of both.
        attendance: Attendance,
    },
    /// RoCE.
    Roce {
        /// End of the group with the client.
        fabric: Arc<RoceFabric>,
        /// As the accept has it.
        endpoint: Endpoint,
    },
}

impl ServerOffer {
    /// Makes the offer for a proposal.
    ///
    /// # Errors
    /// No memory; a client with another fabric, or that cannot be reached; a first contact that is under way.
    pub fn new(proposal: &Proposal, addresses: &Addresses) -> Result<Self, Diagnosis> {
        if fabrics::is_roce() {
            if proposal.gid != fabrics::PROPOSED {
                return Err(Diagnosis::CONFIGURATION);
            }
            reach(addresses)?;
            let fabric = fabrics::of_server(proposal.peer)?;
            let endpoint = fabric.accept()?;
            return Ok(Self::Roce { fabric, endpoint });
        }
        let own = Own::new(element_size()).map_err(|_| Diagnosis::NO_MEMORY)?;
        let attendance = Attendance::attend(proposal.gid, &own.file).map_err(|_| Diagnosis::CONFIGURATION)?;
        let endpoint = endpoint(&own.memory, proposal.gid);
        Ok(Self::Memory { own, endpoint, attendance })
    }

    /// Returns the own end.
    pub const fn endpoint(&self) -> &Endpoint {
        match self {
            Self::Memory { endpoint, .. } | Self::Roce { endpoint, .. } => endpoint,
        }
    }

    /// Takes the offer back; false where that cannot be settled, or the client has taken it.
    pub fn withdraw(&self) -> bool {
        match self {
            Self::Memory { own, .. } => own.memory.withdraw(),
            Self::Roce { .. } => false,
        }
    }

    /// Returns the connection with the client's end.
    ///
    /// # Errors
    /// The client's end does not fit; an error of the operating system.
    pub fn carried(self, fd: BorrowedFd<'_>, confirm: &Endpoint) -> io::Result<Carried> {
        match self {
            Self::Memory { own, endpoint, attendance } => {
                let (file, process) = attendance.memory()?;
                let peer = Peer { endpoint: *confirm, file, process };
                end(fd, (own.memory, own.file), &endpoint, peer, true)
            }
            Self::Roce { fabric, endpoint } => {
                fabric.confirmed(endpoint.token, confirm).map_err(|_| io::ErrorKind::InvalidData)?;
                relayed_end(fd, &fabric, endpoint.token, confirm.peer, true)
            }
        }
    }
}
