//! Requests of a port that wait for their answers.

use halftrack_base::Time;
use halftrack_wire::WorldWideName;

use super::Role;
use crate::sequence::ExchangeIds;
use crate::timing::{ANSWER_TIMEOUT, TRIES};

/// Purpose of a request. The number is the index of the peer in the port's list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// FLOGI; FDISC of a virtual port.
    FabricLogin,
    /// SCR.
    StateChanges,
    /// PLOGI to the name server.
    NameServerLogin,
    /// RFT_ID.
    RegisterTypes,
    /// RFF_ID.
    RegisterFeatures,
    /// GID_PN.
    FindPort(usize),
    /// GPN_ID.
    NameOf(usize),
    /// PLOGI.
    PortLogin(usize),
    /// RNID.
    Identify(usize),
    /// PRLI.
    ProcessLogin(usize),
    /// LIRR to the fabric.
    FabricIncidents,
    /// LIRR to a peer.
    PeerIncidents(usize),
    /// RLIR.
    ReportIncident(usize),
    /// LOGO to this address.
    Logout(u32),
    /// ECHO to this address: whether its port is still there.
    Probe(u32),
}

impl Purpose {
    /// Returns the peer that receives the request, or that it is about.
    pub(crate) fn peer(self) -> Option<usize> {
        match self {
            Self::FindPort(index)
            | Self::NameOf(index)
            | Self::PortLogin(index)
            | Self::Identify(index)
            | Self::ProcessLogin(index)
            | Self::PeerIncidents(index)
            | Self::ReportIncident(index) => Some(index),
            Self::FabricLogin
            | Self::StateChanges
            | Self::FabricIncidents
            | Self::NameServerLogin
            | Self::RegisterTypes
            | Self::RegisterFeatures
            | Self::Logout(_)
            | Self::Probe(_) => None,
        }
    }
}

/// A request on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Request {
    /// Purpose of the request.
    pub purpose: Purpose,
    /// Whom.
    pub d_id: u32,
    /// On which exchange.
    pub ox_id: u16,
    /// When it counts as not answered.
    deadline: Time,
    /// Number of tries, this one included.
    tries: u8,
}

/// Consequence of a request whose time is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Overdue {
    /// It is to be sent again, for the number of times given.
    Again(Purpose, u8),
    /// It is given up.
    GivenUp(Purpose),
}

/// Requests on their way, at most one for each purpose.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    open: Vec<Request>,
    ids: ExchangeIds,
}

impl Requests {
    /// Makes the empty list of requests of a port with this role and name.
    pub(crate) fn of(role: Role, name: WorldWideName) -> Self {
        Self { open: Vec::new(), ids: ExchangeIds::of(role, name) }
    }

    /// Enters a request; an earlier one for the same purpose is forgotten. Returns its exchange id.
    pub(crate) fn request(&mut self, now: Time, purpose: Purpose, d_id: u32, tries: u8) -> u16 {
        self.forget(|open| open == purpose);
        let ox_id = self.ids.next();
        let deadline = now.saturating_add(ANSWER_TIMEOUT);
        self.open.push(Request { purpose, d_id, ox_id, deadline, tries });
        ox_id
    }

    /// Returns whether a request for this purpose is on its way.
    pub(crate) fn has(&self, purpose: Purpose) -> bool {
        self.open.iter().any(|open| open.purpose == purpose)
    }

    /// Returns whether a request for one of these purposes is on its way.
    pub(crate) fn has_any(&self, which: impl Fn(Purpose) -> bool) -> bool {
        self.open.iter().any(|open| which(open.purpose))
    }

    /// Returns whether `s_id` has a request to answer on exchange `ox_id`.
    pub(crate) fn expects(&self, s_id: u32, ox_id: u16) -> bool {
        self.open.iter().any(|open| (open.d_id, open.ox_id) == (s_id, ox_id))
    }

    /// Swaps the exchange ids that come next with those of `other`.
    pub(crate) fn swap_ids(&mut self, other: &mut ExchangeIds) {
        std::mem::swap(&mut self.ids, other);
    }

    /// Takes the request that `s_id` answers on exchange `ox_id`.
    pub(crate) fn answered(&mut self, s_id: u32, ox_id: u16) -> Option<Purpose> {
        let at = self.open.iter().position(|open| (open.d_id, open.ox_id) == (s_id, ox_id))?;
        Some(self.open.swap_remove(at).purpose)
    }

    /// Takes one request whose time is over.
    pub(crate) fn overdue(&mut self, now: Time) -> Option<Overdue> {
        let at = self.open.iter().position(|open| open.deadline <= now)?;
        let request = self.open.remove(at);
        let tries = request.tries + 1;
        Some(if tries > TRIES {
            Overdue::GivenUp(request.purpose)
        } else {
            Overdue::Again(request.purpose, tries)
        })
    }

    /// Returns whether so many are on their way that one that can be left out should be: strangers may cause some.
    pub(crate) fn are_many(&self) -> bool {
        self.open.len() >= 2 * super::PEERS_MAX
    }

    /// Returns the earliest end of a wait.
    pub(crate) fn poll_timeout(&self) -> Option<Time> {
        self.open.iter().map(|open| open.deadline).min()
    }

    /// Forgets the requests of these purposes: answers to them come too late.
    pub(crate) fn forget(&mut self, which: impl Fn(Purpose) -> bool) {
        self.open.retain(|open| !which(open.purpose));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_asked_three_times() {
        let mut requests = Requests::default();
        let first = requests.request(Time::ZERO, Purpose::FabricLogin, 0xFF_FFFE, 1);
        assert_eq!(requests.overdue(Time::ZERO), None);
        for tries in 2..=TRIES {
            let now = requests.poll_timeout().unwrap();
            let again = Overdue::Again(Purpose::FabricLogin, tries);
            assert_eq!(requests.overdue(now), Some(again));
            requests.request(now, Purpose::FabricLogin, 0xFF_FFFE, tries);
        }
        let now = requests.poll_timeout().unwrap();
        assert_eq!(requests.overdue(now), Some(Overdue::GivenUp(Purpose::FabricLogin)));
        assert_eq!((requests.poll_timeout(), requests.answered(0xFF_FFFE, first)), (None, None));
    }

    #[test]
    fn only_whom_it_was_sent_to_answers_a_request() {
        let mut requests = Requests::default();
        let ox_id = requests.request(Time::ZERO, Purpose::PortLogin(0), 0x61_0200, 1);
        assert_eq!(requests.answered(0x61_0300, ox_id), None);
        assert_eq!(requests.answered(0x61_0200, ox_id), Some(Purpose::PortLogin(0)));
        assert_eq!(requests.answered(0x61_0200, ox_id), None, "an answer counts once");
    }
}
