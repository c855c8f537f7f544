//! REC: the state of an exchange, which the owner of the port has.

use halftrack_wire::FcHeader;
use halftrack_wire::els::{ElsReply, ExchangeIds, ExchangeStatus};

use super::NPort;
use super::event::{Discard, ExchangeRequest, PortEvent};
use crate::reject::NO_SUCH_EXCHANGE;

impl NPort {
    /// Hands a request for the state of an exchange to the owner. One of neither port is unknown here.
    pub(super) fn request_exchange(&mut self, header: &FcHeader, ids: &ExchangeIds) -> Result<(), Discard> {
        let is_own = ids.originator == self.address;
        if !is_own && ids.originator != header.s_id {
            return self.reject(header, NO_SUCH_EXCHANGE);
        }
        let (ox_id, rx_id) = (ids.ox_id, ids.rx_id);
        let request = ExchangeRequest { header: *header, peer: header.s_id, ox_id, rx_id, is_own };
        self.report(PortEvent::ExchangeRequested(request));
        Ok(())
    }

    /// Answers a request for the state of an exchange; without one it is unknown here. Of the `state` given, the ids are
    /// those of the request.
    pub fn answer_exchange_request(&mut self, request: &ExchangeRequest, state: Option<ExchangeStatus>) {
        let ExchangeRequest { header, peer, ox_id, rx_id, is_own } = *request;
        let (originator, responder) = if is_own { (self.address, peer) } else { (peer, self.address) };
        let reply = match state {
            Some(state) => {
                let role = if is_own { 0 } else { ExchangeStatus::RESPONDER };
                let status = state.status | role;
                let ids = ExchangeStatus { ox_id, rx_id, originator, responder, ..state };
                ElsReply::ExchangeStatus(ExchangeStatus { status, ..ids })
            }
            None => ElsReply::Reject(NO_SUCH_EXCHANGE),
        };
        self.answer(&header, &reply);
    }
}
