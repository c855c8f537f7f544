//! Sending half of an exchange: the sequence in progress and the number of the next.

use halftrack_wire::fc_header::{FcHeader, NO_EXCHANGE};
use halftrack_wire::heading::{FromSide, Place, heading};
use halftrack_wire::{Body, FrameSink, Iu};

use crate::sequence::SequenceSender;

/// The sending half of an exchange at a port.
#[derive(Debug)]
pub struct Outgoing {
    sender: SequenceSender,
    /// Sequences begun.
    begun: u8,
    from: FromSide,
    /// Addresses and exchange id of every frame.
    header: FcHeader,
    /// Exchange id of its basic link services: of the exchange that the channel opened.
    channel_ox_id: u16,
    frame_payload_bytes: u32,
}

impl Outgoing {
    /// Returns the sending half of an exchange from (S_ID) to (D_ID) with this exchange id.
    #[must_use]
    pub fn new(from: FromSide, (s_id, d_id): (u32, u32), ox_id: u16, frame_payload_bytes: u32) -> Outgoing {
        let header = FcHeader { s_id, d_id, ox_id, rx_id: NO_EXCHANGE, ..FcHeader::default() };
        let sender = SequenceSender::default();
        Outgoing { sender, begun: 0, from, header, channel_ox_id: ox_id, frame_payload_bytes }
    }

    /// Returns this half of an exchange that answers the channel's of this id.
    #[must_use]
    pub fn answering(mut self, channel_ox_id: u16) -> Outgoing {
        self.channel_ox_id = channel_ox_id;
        self
    }

    /// Returns true when frames of a sequence are left.
    #[must_use]
    pub fn is_sending(&self) -> bool {
        self.sender.is_sending()
    }

    /// Begins the sequence of an IU; `others_follow` when the next is there already, `is_last` when the exchange is
    /// over at this end with it. An IU without octets is one that no machine of this crate makes; it is not sent, and
    /// the other side's timer finds out.
    pub fn begin(&mut self, mut iu: Iu, others_follow: bool, is_last: bool) {
        let mut ids = self.header;
        if let Body::AbortAccept { ox_id, .. } = &mut iu.body {
            *ox_id = self.channel_ox_id;
        }
        if matches!(iu.body, Body::Abort | Body::AbortAccept { .. }) {
            ids.ox_id = self.channel_ox_id;
        }
        let place = Place { first: self.begun == 0, last: is_last, keeps_initiative: others_follow };
        let heading = heading(&iu, self.from, place);
        let header = FcHeader { seq_id: self.begun, ..ids };
        // The first is number 0, and none after it, which sets it apart from the others.
        self.begun = self.begun.checked_add(1).unwrap_or(1);
        let _ = self.sender.begin(iu, heading, header, self.frame_payload_bytes);
    }

    /// Sends a frame of the sequence in progress. When it was the last, the buffer of the sequence's data.
    pub fn send_frame(&mut self, sink: &mut impl FrameSink) -> Option<Vec<u8>> {
        self.sender.send_frame(sink);
        (!self.sender.is_sending()).then(|| self.sender.take_data())
    }

    /// Returns whether the last sequence gave the initiative to the other end.
    #[must_use]
    pub fn passed_initiative(&self) -> bool {
        self.sender.passes_initiative()
    }

    /// Gives the sequence in progress up: it is not sent to its end.
    pub fn give_up(&mut self) {
        self.sender.give_up();
    }
}
