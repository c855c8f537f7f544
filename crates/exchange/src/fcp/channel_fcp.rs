//! The channel's end of an exchange of FCP: the initiator's machine, with the units of the other protocols.
//!
//! Units that the initiator has to send wait where those of the other protocols wait. An exchange of which nothing was sent
//! ends without ABTS.

use std::sync::Arc;

use halftrack_base::{Span, Time};
use halftrack_wire::fcp::{FcpIu, Lun};
use halftrack_wire::{Iu, IuData};

use super::agreement::FcpAgreement;
use super::initiator::FcpInitiator;
use super::message::FcpMessage;
use crate::end::Identity;
use crate::end_delegates::channel_outbox_methods;
use crate::outbox::Outbox;
use crate::outcome::{Cause, ChannelOutcome};
use crate::plan::Login;
use crate::program::ScsiRequest;
use crate::step::{Delay, Step};

/// The channel's end of an exchange of FCP.
#[derive(Debug)]
pub struct ChannelFcp {
    identity: Identity,
    initiator: FcpInitiator,
    outbox: Outbox,
    /// IUs from the control unit.
    received: u16,
    /// Only the lengths of data are known.
    is_counted: bool,
    outcome: Option<ChannelOutcome>,
}

impl ChannelFcp {
    /// Returns a channel that begins `request` now, to the logical unit that is the device.
    #[must_use]
    pub fn new(request: &Arc<ScsiRequest>, login: &Login, identity: Identity, now: Time) -> ChannelFcp {
        let unit = Lun::of_number(u32::from(identity.device)).unwrap_or_default();
        let mut channel = ChannelFcp {
            identity,
            initiator: FcpInitiator::new(request.exchange(unit), FcpAgreement::of_plan(login), now),
            outbox: Outbox::new(identity, login.frames()),
            received: 0,
            is_counted: request.is_counted(),
            outcome: None,
        };
        channel.collect();
        channel
    }

    channel_outbox_methods!();

    /// Withdraws the program.
    pub fn cancel(&mut self, now: Time) {
        self.withdraw(ChannelOutcome::Cancelled, |initiator| initiator.cancel(now));
    }

    /// Begins the recovery from an IU that cannot be read.
    pub fn handle_damaged(&mut self, now: Time, cause: Cause) {
        let outcome = ChannelOutcome::InterfaceControlCheck(cause);
        self.withdraw(outcome, |initiator| initiator.handle_damaged(now, cause));
    }

    /// Takes an IU from the peer. One that is none of FCP is out of place.
    pub fn handle_iu(&mut self, now: Time, iu: Iu) {
        self.received = self.received.saturating_add(1);
        self.is_counted |= matches!(iu.data, IuData::Count(_));
        match iu.into_fcp() {
            Some(iu) => {
                self.initiator.handle(now, FcpMessage::Iu(iu));
                self.collect();
            }
            None => self.handle_damaged(now, Cause::Protocol),
        }
    }

    /// Returns true when the exchange is over at this end.
    #[must_use]
    pub fn is_closed(&self) -> bool {
        self.initiator.is_closed()
    }

    /// Extends the deadline: frames of the exchange move, though no IU of it is complete.
    pub fn handle_progress(&mut self, now: Time) {
        self.initiator.handle_progress(now);
    }

    /// Returns the time at which `handle_timeout` wants to be called.
    #[must_use]
    pub fn poll_timeout(&self) -> Option<Time> {
        self.initiator.poll_timeout()
    }

    /// Returns how the exchange closed, once.
    pub fn poll_outcome(&mut self) -> Option<ChannelOutcome> {
        self.outcome.take()
    }

    /// Returns whether the control unit is known to have ended the exchange too, once it is closed.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        !self.outbox.has_sent() || self.initiator.is_settled()
    }

    /// Returns the octets that the data of one IU from the control unit may have now.
    #[must_use]
    pub fn data_room(&self) -> u32 {
        if self.is_closed() { 0 } else { self.initiator.data_room() }
    }

    /// Returns the octets read so far, where they are known; they are given once.
    #[must_use]
    pub fn take_read_data(&mut self) -> Vec<u8> {
        if self.is_counted { Vec::new() } else { self.initiator.take_read_data() }
    }

    /// Does what a time-out that is due demands.
    pub fn handle_timeout(&mut self, now: Time) {
        if self.poll_timeout().is_some_and(|at| at <= now) {
            let outcome = ChannelOutcome::InterfaceControlCheck(Cause::Timeout);
            self.withdraw(outcome, |initiator| initiator.handle_timeout(now));
        }
    }

    /// Shortens the wait for the next IU to this: something of the exchange may be lost.
    pub fn hasten(&mut self, now: Time, span_us: u64) {
        if !self.is_closed() && !self.initiator.was_aborted() {
            self.initiator.agreement.timers.command = Span::from_us(span_us);
            self.initiator.expect_activity(now);
        }
    }

    /// Ends the exchange, because the link is gone: nothing more will arrive and nothing can be sent.
    pub fn handle_link_down(&mut self) {
        self.outbox.clear();
        self.initiator.handle_link_down();
        self.collect();
    }

    /// Lets the initiator end the exchange, or ends it with `outcome` when nothing of it was sent.
    fn withdraw(&mut self, outcome: ChannelOutcome, end: impl FnOnce(&mut FcpInitiator)) {
        if self.outbox.has_sent() || self.is_closed() {
            end(&mut self.initiator);
            self.collect();
        } else {
            self.handle_link_down();
            self.outcome = Some(outcome);
        }
    }

    /// Takes from the initiator what can be sent, and how the exchange ended.
    fn collect(&mut self) {
        if let Some(outcome) = self.initiator.poll_outcome() {
            self.outbox.clear();
            self.outcome = Some(outcome.at_channel(self.initiator.is_settled()));
        }
        // Others than IUs are about recovery that is not agreed.
        while let Some(FcpMessage::Iu(iu)) = self.initiator.poll_transmit() {
            if iu == FcpIu::Abort {
                self.outbox.clear();
            }
            let iu = Iu::of_fcp(self.identity.into(), iu).with_known_data(self.is_counted);
            self.outbox.push(iu.body, iu.data, Delay::None, self.received);
        }
    }
}
