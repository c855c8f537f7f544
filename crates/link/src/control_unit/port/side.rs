//! The protocol of a host-adapter port: FICON or FCP, each with its exchanges.

use halftrack_base::Time;
use halftrack_exchange::PortCounts;
use halftrack_fabric::{ExchangeRequest, NPort, PortEvent};
use halftrack_wire::FrameSink;

use super::fcp_side::FcpSide;
use super::ficon_side::FiconSide;
use crate::control_unit::notice::NoticeKind;
use crate::control_unit::port_counters::PortCounters;
use crate::control_unit::units::UnitTable;
use crate::fibre::{Closing, Fibre};
use crate::transport::Transport;

/// Parts of a port that take part when frames are taken.
pub(super) struct PortParts<'a, T> {
    pub now: Time,
    pub number: u16,
    pub logins: &'a mut NPort,
    pub counters: &'a mut PortCounters,
    pub fibre: &'a mut Fibre<T>,
    /// The state machine of logins has had the event that the link is up.
    pub linked: &'a mut bool,
}

/// Frames that were taken at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Taken {
    /// All that have come.
    All,
    /// Up to one that is of logins or logical paths.
    Login,
    /// Some of those that have come.
    Some,
}

/// The exchanges of a port of either protocol.
pub(super) enum Side {
    /// Devices with channel programs.
    Ficon(Box<FiconSide>),
    /// Logical units.
    Fcp(Box<FcpSide>),
}

/// Evaluates `$body` with `$side` bound to the side of either protocol.
macro_rules! with_side {
    ($both:expr, $side:ident => $body:expr) => {
        match $both {
            Side::Ficon($side) => $body,
            Side::Fcp($side) => $body,
        }
    };
}

impl Side {
    /// Takes frames up to one that is of logins or logical paths.
    pub fn take_frames<T: Transport>(
        &mut self,
        parts: &mut PortParts<'_, T>,
        units: &mut UnitTable,
    ) -> Result<Taken, Closing> {
        with_side!(self, side => side.take_frames(parts, units))
    }

    /// Ends what a turn has left to be ended.
    pub fn end_turn(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        with_side!(self, side => side.end_turn(now, number, units));
    }

    /// Sends at most one frame; false when there is none to send.
    pub fn poll_frame(&mut self, now: Time, sink: &mut impl FrameSink) -> bool {
        match self {
            Self::Ficon(side) => side.poll_frame(sink),
            Self::Fcp(side) => side.poll_frame(now, sink),
        }
    }

    /// Notes the port's address.
    pub fn set_address(&mut self, address: u32) {
        with_side!(self, side => side.set_address(address));
    }

    /// Handles the login of a host; the notice of it, when the event is one of this protocol.
    pub fn log_in(
        &mut self,
        now: Time,
        number: u16,
        event: &PortEvent,
        units: &mut UnitTable,
    ) -> Option<NoticeKind<'static>> {
        with_side!(self, side => side.log_in(now, number, event, units))
    }

    /// Ends what is of the login of a host. Returns whether others are logged in.
    pub fn log_out(&mut self, now: Time, number: u16, peer: u32, units: &mut UnitTable) -> bool {
        with_side!(self, side => side.log_out(now, number, peer, units))
    }

    /// Answers a request for the state of an exchange.
    pub fn answer(&mut self, request: &ExchangeRequest, logins: &mut NPort) {
        with_side!(self, side => side.answer(request, logins));
    }

    /// Returns the next notice of its own: logical paths that came or went.
    pub fn poll_notice(
        &mut self,
        now: Time,
        number: u16,
        logins: &NPort,
        units: &mut UnitTable,
    ) -> Option<NoticeKind<'static>> {
        match self {
            Self::Ficon(side) => side.poll_notice(now, number, logins, units),
            Self::Fcp(_) => None,
        }
    }

    /// Checks the timers that are due.
    pub fn handle_timeout(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        with_side!(self, side => side.handle_timeout(now, number, units));
    }

    /// Returns the time at which [`Side::handle_timeout`] wants to be called.
    pub fn poll_timeout(&self) -> Option<Time> {
        with_side!(self, side => side.poll_timeout())
    }

    /// Ends every exchange, because the link is gone.
    pub fn handle_link_down(&mut self, now: Time, number: u16, units: &mut UnitTable) {
        with_side!(self, side => side.handle_link_down(now, number, units));
    }

    /// Forgets the hosts, when their logins are over.
    pub fn forget_hosts(&mut self) {
        with_side!(self, side => side.forget_hosts());
    }

    /// Returns the exchanges that are open.
    pub fn open(&self) -> usize {
        with_side!(self, side => side.open())
    }

    /// Returns how exchanges closed.
    pub fn counts(&self) -> PortCounts {
        with_side!(self, side => side.counts())
    }
}
