//! Recovery at the target: the answers to REC, SRR and ABTS (FCP reference sections 2.2 and 2.3).

use halftrack_wire::els::{LsReject, RejectExplanation};
use halftrack_wire::fcp::{FcpCategory, FcpIu};

use super::message::FcpMessage;
use super::target::{FcpTarget, State};
use crate::outcome::Cause;
use crate::port::ExchangeState;

/// Rejection of a service about an exchange that the target does not have.
pub(super) const UNKNOWN_EXCHANGE: LsReject =
    LsReject { reason: RejectExplanation::LogicalError, explanation: LsReject::NO_SUCH_EXCHANGE, vendor: 0 };

/// Rejection of an SRR for what cannot be sent again.
const CANNOT_SUPPLY: LsReject =
    LsReject { reason: RejectExplanation::UnableToPerform, explanation: LsReject::CANNOT_SUPPLY, vendor: 0 };

impl FcpTarget {
    pub(super) fn answer_state_request(&mut self) {
        let state = |received_bytes, is_complete| {
            Ok(ExchangeState { has_initiative: false, is_complete, received_bytes })
        };
        let answer = match &self.state {
            State::Collecting(write) => state(write.received_bytes(), false),
            State::Ended(kept) => state(kept.received_bytes.max(kept.data.len() as u32), true),
            State::Idle | State::Over => Err(UNKNOWN_EXCHANGE),
        };
        self.outbox.push_back(FcpMessage::State(answer));
    }

    /// Sends again what the initiator lacks, in the exchange itself. What waits to be sent is replaced by it.
    pub(super) fn answer_retransmission(&mut self, category: FcpCategory, relative_offset: u32) {
        let answer = |answer| FcpMessage::RetransmissionAnswer(answer);
        if matches!(self.state, State::Idle | State::Over) {
            self.outbox.push_back(answer(Err(UNKNOWN_EXCHANGE)));
            return;
        }
        self.outbox.retain(|message| !matches!(message, FcpMessage::Iu(_)));
        self.outbox.push_back(answer(Ok(())));
        let is_supplied = match (category, &self.state) {
            (FcpCategory::TransferReady, State::Collecting(_)) => self.request_burst_again(relative_offset),
            (FcpCategory::Data, State::Ended(kept)) if relative_offset as usize <= kept.data.len() => {
                let kept = kept.clone();
                self.send_data(&kept.data, relative_offset);
                self.send(FcpIu::Response(kept.response));
                true
            }
            (FcpCategory::Response, State::Ended(kept)) => {
                let response = kept.response.clone();
                self.send(FcpIu::Response(response));
                true
            }
            _ => false,
        };
        if !is_supplied {
            self.outbox.pop_back();
            self.outbox.push_back(answer(Err(CANNOT_SUPPLY)));
        }
    }

    /// Accepts ABTS, in every state.
    pub(super) fn take_abort(&mut self) {
        self.cut_off(Cause::Cancelled);
        let (ox_id, rx_id) = self.ids;
        self.send(FcpIu::AbortAccept { ox_id, rx_id });
    }
}
