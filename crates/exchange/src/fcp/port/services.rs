//! Link services about exchanges, each in an exchange of its own: REC, RRQ and SRR (FCP reference section 2.2).
//!
//! Our choice: the id of a service is that of its exchange, moved to the ids that a control unit has in command mode, which no
//! FCP port uses. So an answer names its exchange, and no table of services is kept.

use std::collections::VecDeque;

use halftrack_wire::choices::CONTROL_UNIT_EXCHANGES;
use halftrack_wire::els::{Els, ExchangeIds, LsReject};
use halftrack_wire::fc_header::{FcHeader, FrameControl, NO_EXCHANGE, fc_type, routing};
use halftrack_wire::fcp::{FcpCategory, FcpIu, Retransmission};
use halftrack_wire::heading::{FromSide, Heading};
use halftrack_wire::{Eof, FrameSink, Sof};

use super::peer::FcpPeer;

const ELS_REQUEST: Heading = Heading {
    r_ctl: routing::ELS_REQUEST,
    fc_type: fc_type::EXTENDED_LINK_SERVICE,
    f_ctl: FrameControl::FIRST_SEQUENCE.with(FrameControl::INITIATIVE),
    parameter: 0,
};

/// Returns the exchange that a service is about, by the id of the service; none for another id.
pub(super) fn exchange_of_service(id: u16) -> Option<u16> {
    CONTROL_UNIT_EXCHANGES.contains(&id).then(|| id - CONTROL_UNIT_EXCHANGES.start())
}

/// Single-frame sequences that wait to be sent.
#[derive(Debug, Default)]
pub(super) struct Services {
    frames: VecDeque<(FcHeader, Vec<u8>)>,
}

impl Services {
    /// Sends the next frame; false when there is none.
    pub fn poll_frame(&mut self, sink: &mut impl FrameSink) -> bool {
        let Some((header, payload)) = self.frames.pop_front() else { return false };
        sink.frame(Sof::Initiate3, &header, &[&payload], Eof::Terminate);
        true
    }

    /// Returns whether there is none.
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }

    /// Drops those for a port.
    pub fn forget(&mut self, peer: u32) {
        self.frames.retain(|(header, _)| header.d_id != peer);
    }

    /// Drops all.
    pub fn clear(&mut self) {
        self.frames.clear();
    }

    /// Requests the state of an exchange (REC).
    pub fn request_state(&mut self, peer: &FcpPeer, ids: (u16, u16)) {
        self.request(peer, ids.0, ELS_REQUEST, Els::Rec(exchange_ids(peer, ids)).emit());
    }

    /// Reinstates the ids of an exchange that was aborted (RRQ).
    pub fn reinstate(&mut self, peer: &FcpPeer, ids: (u16, u16)) {
        self.request(peer, ids.0, ELS_REQUEST, Els::Rrq(exchange_ids(peer, ids)).emit());
    }

    /// Requests a part of an exchange again (SRR).
    pub fn request_again(
        &mut self,
        peer: &FcpPeer,
        (ox_id, rx_id): (u16, u16),
        category: FcpCategory,
        relative_offset: u32,
    ) {
        let request = Retransmission { ox_id, rx_id, relative_offset, category };
        self.request(peer, ox_id, Retransmission::heading(), request.emit().to_vec());
    }

    /// Answers an SRR, whose exchange has this id.
    pub fn answer_again(&mut self, (own, peer): (u32, u32), srr_id: u16, answer: Result<(), LsReject>) {
        let header =
            FcHeader { s_id: own, d_id: peer, ox_id: srr_id, rx_id: NO_EXCHANGE, ..FcHeader::default() };
        self.push(Retransmission::answer_heading(), header, Retransmission::emit_answer(answer));
    }

    /// Answers a basic link service about an exchange that has no machine any more.
    pub fn answer_basic(&mut self, request: &FcHeader, answer: FcpIu) {
        let header = FcHeader {
            s_id: request.d_id,
            d_id: request.s_id,
            ox_id: request.ox_id,
            rx_id: request.rx_id,
            ..FcHeader::default()
        };
        let heading = answer.heading(FromSide::ControlUnit);
        let (parts, _) = answer.into_parts();
        self.push(heading, header, parts.before().to_vec());
    }

    fn request(&mut self, peer: &FcpPeer, ox_id: u16, heading: Heading, payload: Vec<u8>) {
        let header = FcHeader {
            s_id: peer.own,
            d_id: peer.address,
            ox_id: CONTROL_UNIT_EXCHANGES.start() + ox_id,
            rx_id: NO_EXCHANGE,
            ..FcHeader::default()
        };
        self.push(heading, header, payload);
    }

    fn push(&mut self, heading: Heading, header: FcHeader, payload: Vec<u8>) {
        let Heading { r_ctl, fc_type, parameter, .. } = heading;
        let header = FcHeader { r_ctl, fc_type, parameter, f_ctl: heading.frame_control(true), ..header };
        self.frames.push_back((header, payload));
    }
}

fn exchange_ids(peer: &FcpPeer, (ox_id, rx_id): (u16, u16)) -> ExchangeIds {
    ExchangeIds { originator: peer.own, ox_id, rx_id }
}
