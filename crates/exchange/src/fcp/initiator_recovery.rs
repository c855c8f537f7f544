//! Recovery at the initiator: REC, then SRR for what is missing, or ABTS (FCP reference section 2.3).

use halftrack_base::{Decision, Time};
use halftrack_wire::els::LsReject;
use halftrack_wire::fcp::{DataDirection, FcpCategory};

use super::initiator::{FcpInitiator, State};
use super::message::FcpMessage;
use super::outcome::FcpOutcome;
use crate::deadline::Deadline;
use crate::outcome::Cause;
use crate::port::ExchangeState;

/// Most requests in a row for the state of an exchange, or for a part of it, that bring nothing.
const TRIES: u8 = 3;
/// Most times that ABTS is sent.
const ABORTS: u8 = 2;

/// A request about the exchange to which no answer has come, with the number of those sent since the last activity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Recovery {
    /// None is open.
    None,
    /// REC.
    State(u8),
    /// The target has the initiative: after another time REC is sent again.
    Waiting,
    /// SRR.
    Retransmission(u8),
}

impl FcpInitiator {
    /// Does what a time-out that is due demands.
    pub fn handle_timeout(&mut self, now: Time) {
        if !self.deadline.is_due(now) {
            return;
        }
        match self.state.clone() {
            State::Open if !self.agreement.is_retried || self.request.is_management() => {
                self.abort(now, Cause::Timeout);
            }
            State::Open => match self.recovery {
                Recovery::None | Recovery::Waiting => self.request_state(now, 1),
                Recovery::State(sent) | Recovery::Retransmission(sent) if sent < TRIES => {
                    self.request_state(now, sent + 1);
                }
                Recovery::State(_) | Recovery::Retransmission(_) => self.abort(now, Cause::Timeout),
            },
            State::Aborting { outcome, sent } if sent < ABORTS => {
                self.outbox.clear();
                self.send_abort(now, outcome, sent + 1);
            }
            State::Aborting { outcome, .. } => self.give_up(outcome),
            State::Closed => {}
        }
    }

    fn request_state(&mut self, now: Time, sent: u8) {
        Decision::StateRequested.count();
        self.outbox.push(FcpMessage::StateRequest);
        self.recovery = Recovery::State(sent);
        self.deadline = Deadline::of(self.agreement.timers.recovery, now);
    }

    /// Takes the answer to REC. One that was overtaken by an IU of the exchange counts no more.
    pub(super) fn take_state(&mut self, now: Time, answer: Result<ExchangeState, LsReject>) {
        let Recovery::State(sent) = self.recovery else { return };
        let Ok(state) = answer else {
            let is_unknown = answer.is_err_and(|reject| reject.explanation == LsReject::NO_SUCH_EXCHANGE);
            if is_unknown && self.moved == 0 && self.early_response.is_none() {
                Decision::CommandLost.count();
                self.outbox.clear();
                self.close(FcpOutcome::CommandLost);
            } else {
                self.abort(now, Cause::Timeout);
            }
            return;
        };
        if state.has_initiative && !state.is_complete {
            self.recovery = Recovery::Waiting;
            self.deadline = Deadline::of(self.agreement.timers.recovery, now);
            return;
        }
        let (direction, stated_bytes) = self.request.command().transfer();
        let (category, relative_offset) = match direction {
            DataDirection::In if self.moved < state.received_bytes => (FcpCategory::Data, self.moved),
            DataDirection::Out if !state.is_complete && state.received_bytes < stated_bytes => {
                (FcpCategory::TransferReady, state.received_bytes)
            }
            DataDirection::In | DataDirection::Out | DataDirection::None => (FcpCategory::Response, 0),
        };
        if self.retransmissions == TRIES {
            return self.abort(now, Cause::Timeout);
        }
        self.retransmissions += 1;
        Decision::RetransmissionRequested.count();
        self.outbox.push(FcpMessage::Retransmission { category, relative_offset });
        self.recovery = Recovery::Retransmission(sent);
        self.deadline = Deadline::of(self.agreement.timers.recovery, now);
    }

    /// Takes the answer to SRR.
    pub(super) fn take_retransmission_answer(&mut self, now: Time, answer: Result<(), LsReject>) {
        if !matches!(self.recovery, Recovery::Retransmission(_)) {
            return;
        }
        if answer.is_err() {
            self.abort(now, Cause::Timeout);
        } else {
            // What was requested follows; the tries count until it is here.
            self.deadline = Deadline::of(self.agreement.timers.recovery, now);
        }
    }
}
