//! Physical port of a link with its virtual ports (NPIV): each is an N_Port with a name, an address, registrations and
//! logins of its own, and all share the link and its credits.
//!
//! ```text
//! physical: FLOGI ─ACC: several ids─► each virtual port: FDISC ─ACC─► SCR, name server, PLOGI and PRLI of its own
//!                 └─ACC without, point to point─► virtual ports are refused
//! ```

use halftrack_base::Time;
use halftrack_wire::{FcFrame, FcHeader, FrameSink, WorldWideName};
use thiserror::Error;

use super::event::{Discard, PortEvent, Refusal};
use super::{Attachment, NPort, NPortParameters, Role};
use crate::address;
use crate::sequence::{self, ExchangeIds};

/// Index of the physical port.
const PHYSICAL: usize = 0;

/// Two ports of one link have the same name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("two ports of one link have the name {0}")]
pub struct DoubleName(pub WorldWideName);

/// A port of the link.
#[derive(Debug)]
struct Member {
    port: NPort,
    /// It is to be in the fabric when the physical port is.
    is_wanted: bool,
}

/// Ports of a link, sans IO: frames and time come in by `handle_*`, frames and events go out by `poll_*`. Ports have
/// numbers: 0 is the physical port, the virtual ones follow.
#[derive(Debug)]
pub struct PhysicalPort {
    members: Vec<Member>,
    /// Exchange ids of all ports: FLOGI and the FDISCs all come from the address 0, so each is lent them for a call.
    ids: ExchangeIds,
    /// Whether the other end of the link assigns several addresses; none before its FLOGI.
    has_several_ids: Option<bool>,
    /// It was reported that virtual ports have no address.
    was_refused: bool,
    /// The physical port logs out when the virtual ones have.
    is_leaving: bool,
    /// The port that sends next.
    sender: usize,
}

impl PhysicalPort {
    /// Creates the ports of a link that is down.
    ///
    /// # Errors
    /// A name that two of them have.
    pub fn new(physical: NPortParameters, virtual_ports: Vec<NPortParameters>) -> Result<Self, DoubleName> {
        let ids = ExchangeIds::of(physical.role, physical.port_name);
        let mut members = vec![Member { port: NPort::new(physical), is_wanted: true }];
        for parameters in virtual_ports {
            let name = parameters.port_name;
            if members.iter().any(|member| member.port.name() == name) {
                return Err(DoubleName(name));
            }
            members.push(Member { port: NPort::of_virtual(parameters), is_wanted: true });
        }
        Ok(Self {
            members,
            ids,
            has_several_ids: None,
            was_refused: false,
            is_leaving: false,
            sender: PHYSICAL,
        })
    }

    /// Returns a port.
    #[must_use]
    pub fn port(&self, index: usize) -> Option<&NPort> {
        self.members.get(index).map(|member| &member.port)
    }

    /// Returns the number of the port with this address, of which a frame is or for which it is.
    #[must_use]
    pub fn index_at(&self, port_address: u32) -> Option<usize> {
        let known = |member: &Member| member.port.address == port_address;
        self.members.iter().position(known).filter(|_| port_address != address::UNASSIGNED)
    }

    /// Lets a port do something other than what this type has methods for. None when there is no such port.
    pub fn with_port<R>(&mut self, index: usize, action: impl FnOnce(&mut NPort) -> R) -> Option<R> {
        let port = &mut self.members.get_mut(index)?.port;
        port.requests.swap_ids(&mut self.ids);
        let result = action(port);
        port.requests.swap_ids(&mut self.ids);
        Some(result)
    }

    /// Begins the login to the other end of a link that has come up.
    pub fn handle_link_up(&mut self, now: Time) {
        self.handle_link_down();
        self.with_port(PHYSICAL, |port| port.handle_link_up(now));
    }

    /// Ends every login of every port: the link is down.
    pub fn handle_link_down(&mut self) {
        (self.has_several_ids, self.was_refused, self.is_leaving) = (None, false, false);
        self.members.iter_mut().for_each(|member| member.port.handle_link_down());
    }

    /// Takes a frame of TYPE extended link service or common transport, for whichever of the ports it is.
    ///
    /// # Errors
    /// Why the frame had no effect. Class 3 needs no answer to such a frame; the ports stay what they were.
    pub fn handle_frame(&mut self, now: Time, frame: &FcFrame<'_>) -> Result<(), Discard> {
        let index = self.receiver(&frame.header).unwrap_or(PHYSICAL);
        let handled = self.with_port(index, |port| port.handle_frame(now, frame));
        self.follow(now);
        handled.unwrap_or(Err(Discard::Address(frame.header.d_id)))
    }

    /// Returns the port that a frame is for. The answer to FDISC is for an address that no port has yet.
    fn receiver(&self, header: &FcHeader) -> Option<usize> {
        let asks = |member: &Member| {
            let port = &member.port;
            port.address == address::UNASSIGNED && port.requests.expects(header.s_id, header.ox_id)
        };
        let asker = || self.members.iter().position(asks).filter(|_| sequence::is_reply(header));
        self.index_at(header.d_id).or_else(asker)
    }

    /// Sends at most one frame; false when there is nothing to send. The caller holds a buffer credit for it. The ports
    /// send in turn.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        let count = self.members.len();
        for offset in 0..count {
            let index = (self.sender + offset) % count;
            if self.members[index].port.poll_frame(sink) {
                self.sender = (index + 1) % count;
                return true;
            }
        }
        false
    }

    /// Returns whether a frame waits to be sent.
    #[must_use]
    pub fn has_frame(&self) -> bool {
        self.members.iter().any(|member| member.port.has_frame())
    }

    /// Returns the next event, with the number of its port.
    pub fn poll_event(&mut self) -> Option<(usize, PortEvent)> {
        let mut members = self.members.iter_mut().enumerate();
        members.find_map(|(index, member)| Some((index, member.port.poll_event()?)))
    }

    /// Returns the time at which [`PhysicalPort::handle_timeout`] is due.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.members.iter().filter_map(|member| member.port.poll_timeout()).min()
    }

    /// Asks again what was not answered or refused, as far as its time has come.
    pub fn handle_timeout(&mut self, now: Time) {
        for index in 0..self.members.len() {
            self.with_port(index, |port| port.handle_timeout(now));
        }
        self.follow(now);
    }

    /// Logs every port out of its peers and of the fabric, before the link is closed in order. The virtual ports go first:
    /// their addresses end with the login of the physical one.
    pub fn log_out(&mut self, now: Time) {
        for index in PHYSICAL + 1..self.members.len() {
            self.with_port(index, |port| match port.attachment {
                Attachment::Fabric(_) => port.log_out(now),
                _ => port.handle_link_down(),
            });
        }
        self.is_leaving = true;
        self.follow(now);
    }

    /// Returns whether requests of a port are not answered yet.
    #[must_use]
    pub fn awaits_answers(&self) -> bool {
        self.is_leaving || self.members.iter().any(|member| member.port.awaits_answers())
    }

    /// Logs a virtual port out; it stays out, over any link, until [`PhysicalPort::log_in_virtual`].
    pub fn log_out_virtual(&mut self, now: Time, index: usize) {
        if let Some(member) = self.members.get_mut(index).filter(|member| member.port.is_virtual) {
            member.is_wanted = false;
            self.leave(now, index);
        }
    }

    /// Logs a virtual port in that was logged out.
    pub fn log_in_virtual(&mut self, now: Time, index: usize) {
        let several = self.has_several_ids == Some(true);
        let Some(member) = self.members.get_mut(index).filter(|member| member.port.is_virtual) else {
            return;
        };
        member.is_wanted = true;
        if several {
            self.with_port(index, |port| port.handle_link_up(now));
        }
    }

    /// Logs a virtual port out. One whose FDISC is not answered yet may have an address, and leaves with the answer.
    fn leave(&mut self, now: Time, index: usize) {
        self.with_port(index, |port| match port.attachment {
            Attachment::Fabric(_) if !port.is_leaving_fabric() => port.log_out(now),
            Attachment::Refused(_) if port.refusal != Some(Refusal::NoAnswer) => port.handle_link_down(),
            _ => {}
        });
    }

    /// Does what follows from the login of the physical port, and from the logouts of the virtual ones.
    fn follow(&mut self, now: Time) {
        let physical = &self.members[PHYSICAL].port;
        let several = match physical.attachment {
            Attachment::Fabric(_) => Some(physical.has_several_ids),
            Attachment::AwaitingAddress(_) | Attachment::PointToPoint(_) => Some(false),
            Attachment::Down | Attachment::LoggingIn | Attachment::Refused(_) => None,
        };
        let waits = physical.parameters.role == Role::Channel
            && self.members[PHYSICAL + 1..].iter().any(|member| member.port.awaits_answers());
        if self.is_leaving && !waits {
            self.is_leaving = false;
            self.with_port(PHYSICAL, |port| port.log_out(now));
        }
        if several != std::mem::replace(&mut self.has_several_ids, several) {
            self.follow_physical(now);
        }
        for index in PHYSICAL + 1..self.members.len() {
            if !self.members[index].is_wanted {
                self.leave(now, index);
            }
        }
    }

    /// Begins the logins of the virtual ports, ends or refuses them.
    fn follow_physical(&mut self, now: Time) {
        let several = self.has_several_ids;
        for index in PHYSICAL + 1..self.members.len() {
            let is_wanted = self.members[index].is_wanted;
            self.with_port(index, |port| match several {
                Some(true) if is_wanted => port.handle_link_up(now),
                _ => port.handle_link_down(),
            });
        }
        if several == Some(false) && !std::mem::replace(&mut self.was_refused, true) {
            for Member { port, .. } in
                self.members[PHYSICAL + 1..].iter_mut().filter(|member| member.is_wanted)
            {
                let name = port.name();
                port.report(PortEvent::Refused { name, why: Refusal::NoVirtualPorts });
            }
        }
    }
}
