//! Recovery at the target: the answers to REC, SRR and ABTS (FCP reference sections 2.2 and 2.3).

use halftrack_base::{Decision, Time};
use halftrack_wire::els::{LsReject, RejectExplanation};
use halftrack_wire::fcp::{FcpCategory, FcpIu};

use super::device::ScsiDevice;
use super::message::FcpMessage;
use super::target::{FcpTarget, Kept, State};
use crate::outcome::Cause;
use crate::port::ExchangeState;

/// Rejection of a service about an exchange that the target does not have.
pub(super) const UNKNOWN_EXCHANGE: LsReject =
    LsReject { reason: RejectExplanation::LogicalError, explanation: LsReject::NO_SUCH_EXCHANGE, vendor: 0 };

/// Rejection of an SRR for what cannot be sent again.
const CANNOT_SUPPLY: LsReject =
    LsReject { reason: RejectExplanation::UnableToPerform, explanation: LsReject::CANNOT_SUPPLY, vendor: 0 };

impl FcpTarget {
    /// Returns the state of the exchange, as an initiator that requests it is answered; none when it is not here.
    #[must_use]
    pub const fn exchange_state(&self) -> Option<ExchangeState> {
        let (has_initiative, is_complete, received_bytes) = match &self.state {
            State::Waiting(_) => (true, false, 0),
            State::Collecting(write) => (false, false, write.received_bytes()),
            State::Ended(kept) => (false, true, kept.moved_bytes),
            State::Idle | State::Over => return None,
        };
        Some(ExchangeState { has_initiative, is_complete, received_bytes })
    }

    pub(super) fn answer_state_request(&mut self) {
        let answer = self.exchange_state().ok_or(UNKNOWN_EXCHANGE);
        self.outbox.push(FcpMessage::State(answer));
    }

    /// Sends again what the initiator lacks, in the exchange itself. What waits to be sent is replaced by it.
    pub(super) fn answer_retransmission(
        &mut self,
        device: &mut impl ScsiDevice,
        category: FcpCategory,
        relative_offset: u32,
    ) {
        let answer = |answer| FcpMessage::RetransmissionAnswer(answer);
        if matches!(self.state, State::Idle | State::Over) {
            Decision::RetransmissionRefused.count();
            return self.outbox.push(answer(Err(UNKNOWN_EXCHANGE)));
        }
        let data = match (category, &self.state) {
            (FcpCategory::Data, State::Ended(kept)) => {
                self.data_again(device, kept).filter(|data| relative_offset as usize <= data.len())
            }
            _ => None,
        };
        let response = match (category, &self.state) {
            (FcpCategory::Data, _) if data.is_none() => None,
            (FcpCategory::Data | FcpCategory::Response, State::Ended(kept)) => Some(kept.response.clone()),
            _ => None,
        };
        let is_burst = category == FcpCategory::TransferReady && self.begins_burst(relative_offset);
        if response.is_none() && !is_burst {
            Decision::RetransmissionRefused.count();
            return self.outbox.push(answer(Err(CANNOT_SUPPLY)));
        }
        Decision::Retransmitted.count();
        self.outbox.retain(|message| !matches!(message, FcpMessage::Iu(_)));
        self.outbox.push(answer(Ok(())));
        if let Some(data) = data {
            self.send_data(data, relative_offset);
        }
        match response {
            Some(response) => self.send(FcpIu::Response(response)),
            None => self.request_burst_again(),
        }
    }

    /// Returns the data of a read that has ended, as long as they are when they were sent.
    fn data_again(&self, device: &mut impl ScsiDevice, kept: &Kept) -> Option<Vec<u8>> {
        let data = device.read_again(self.initiator, &kept.command?)?;
        (data.len() == kept.moved_bytes as usize).then_some(data)
    }

    /// Accepts ABTS, in every state.
    pub(super) fn take_abort(&mut self, device: &mut impl ScsiDevice, now: Time) {
        self.cut_off(device, now, Cause::Cancelled);
        let (ox_id, rx_id) = self.ids;
        self.send(FcpIu::AbortAccept { ox_id, rx_id });
    }
}
