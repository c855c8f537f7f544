//! Sending half of an FCP exchange: the sequence in progress and the number of the next.

use halftrack_wire::FrameSink;
use halftrack_wire::fc_header::FcHeader;
use halftrack_wire::fcp::FcpIu;
use halftrack_wire::heading::FromSide;

use super::super::frames;
use crate::sequence::SequenceSender;

/// The sending half of an exchange at a port.
#[derive(Debug)]
pub(super) struct FcpOutgoing {
    sender: SequenceSender,
    /// Sequences begun.
    begun: u8,
    from: FromSide,
    /// Addresses and exchange ids of every frame.
    header: FcHeader,
    frame_payload_bytes: u32,
}

impl FcpOutgoing {
    /// Returns the sending half of an exchange with these addresses and ids.
    pub fn new(from: FromSide, header: FcHeader, frame_payload_bytes: u32) -> Self {
        Self { sender: SequenceSender::default(), begun: 0, from, header, frame_payload_bytes }
    }

    /// Returns the ids of the exchange.
    pub const fn ids(&self) -> (u16, u16) {
        (self.header.ox_id, self.header.rx_id)
    }

    /// Notes the responder's id.
    pub const fn set_rx_id(&mut self, rx_id: u16) {
        self.header.rx_id = rx_id;
    }

    /// Returns true when frames of a sequence are left.
    pub fn is_sending(&self) -> bool {
        self.sender.is_sending()
    }

    /// Begins the sequence of an IU.
    pub fn begin(&mut self, iu: FcpIu) {
        let header = FcHeader { seq_id: self.begun, ..self.header };
        self.begun = self.begun.wrapping_add(1);
        frames::begin(&mut self.sender, iu, self.from, header, self.frame_payload_bytes);
    }

    /// Sends a frame of the sequence in progress. When it was the last, the buffer of the sequence's data.
    pub fn send_frame(&mut self, sink: &mut impl FrameSink) -> Option<Vec<u8>> {
        self.sender.send_frame(sink);
        (!self.sender.is_sending()).then(|| self.sender.take_data())
    }

    /// Gives the sequence in progress up, and returns the buffer of its data.
    pub fn give_up(&mut self) -> Vec<u8> {
        self.sender.give_up();
        self.sender.take_data()
    }
}
