//! Information units of FCP as sequences of frames, and back (FCP reference sections 1.1, 1.4).

use halftrack_wire::ParseError;
use halftrack_wire::fc_header::{FcHeader, FrameControl, fc_type, routing};
use halftrack_wire::fcp::{FcpIu, command, response};
use halftrack_wire::heading::FromSide;
use halftrack_wire::transfer_ready::TRANSFER_READY_BYTES;
use halftrack_wire::transport_iu::ABORT_ACCEPT_BYTES;

use crate::sequence::{Sequence, SequenceSender};

/// Most octets of a response, with response information of 8 and all the sense there may be.
const RESPONSE_MAX_BYTES: usize = response::RESPONSE_BYTES + 8 + response::SENSE_MAX_BYTES;

/// Returns the most octets of a sequence whose frames have this header, when data may have `data_room`.
#[must_use]
pub fn most_bytes(header: &FcHeader, data_room: impl FnOnce() -> u32) -> usize {
    match header.r_ctl {
        routing::DATA => data_room() as usize,
        routing::COMMAND => command::COMMAND_MAX_BYTES,
        routing::DATA_DESCRIPTOR => TRANSFER_READY_BYTES,
        routing::STATUS => RESPONSE_MAX_BYTES,
        routing::BA_ACC | routing::BA_RJT => ABORT_ACCEPT_BYTES,
        _ => 0,
    }
}

/// Returns the information unit in a whole sequence. Data of a single frame are put into a buffer that `buffer` gives.
///
/// # Errors
/// The octets are no unit of their kind.
pub fn read(sequence: Sequence<'_>, buffer: impl FnOnce() -> Vec<u8>) -> Result<FcpIu, ParseError> {
    let header = sequence.header;
    let is_data = (header.fc_type, header.r_ctl) == (fc_type::FCP, routing::DATA);
    if is_data && header.f_ctl.has(FrameControl::RELATIVE_OFFSET) && sequence.bytes() > 0 {
        let data = sequence.into_octets_of(buffer);
        return Ok(FcpIu::Data { relative_offset: header.parameter, data });
    }
    FcpIu::parse(&header, sequence.octets())
}

/// Begins the sequence of an information unit in frames of at most `frame_payload_bytes`. Of `header` the addresses, exchange
/// ids and SEQ_ID count.
pub fn begin(
    sender: &mut SequenceSender,
    iu: FcpIu,
    from: FromSide,
    header: FcHeader,
    frame_payload_bytes: u32,
) {
    let heading = iu.heading(from);
    let (parts, data) = iu.into_parts();
    sender.begin_parts(parts, data, heading, header, frame_payload_bytes);
}

#[cfg(test)]
mod tests {
    use halftrack_wire::fcp::{DataDirection, FcpCommand, FcpResponse, ScsiStatus};
    use halftrack_wire::{Eof, FcFrame, FrameSink, Sof, TransferReady};

    use super::super::rig::{UNIT, cdb};
    use super::*;
    use crate::sequence::{Received, SequenceFault, SequenceReceiver};

    /// Frames of a sequence as they arrive.
    #[derive(Default)]
    struct Fibre(Vec<(FcHeader, Vec<u8>)>);

    impl FrameSink for Fibre {
        fn frame(&mut self, _: Sof, header: &FcHeader, parts: &[&[u8]], _: Eof) {
            self.0.push((*header, parts.concat()));
        }
    }

    fn frames(iu: FcpIu, from: FromSide) -> Fibre {
        let (mut sender, mut fibre) = (SequenceSender::default(), Fibre::default());
        let header = FcHeader { s_id: 1, d_id: 2, ox_id: 7, rx_id: 8, seq_id: 3, ..FcHeader::default() };
        begin(&mut sender, iu, from, header, 2048);
        while sender.is_sending() {
            sender.send_frame(&mut fibre);
        }
        fibre
    }

    fn take(fibre: &Fibre, data_room: u32) -> Result<Option<FcpIu>, SequenceFault> {
        let mut receiver = SequenceReceiver::default();
        for (header, payload) in &fibre.0 {
            let frame = FcFrame { header: *header, optional: &[], payload };
            if let Received::Whole(sequence) = receiver.take(&frame, most_bytes(header, || data_room))? {
                return Ok(Some(read(sequence, Vec::new).expect("a sound unit")));
            }
        }
        Ok(None)
    }

    #[test]
    fn every_unit_comes_out_of_its_frames() {
        use FromSide::{Channel, ControlUnit};
        let block = cdb(0x28, 0, 8);
        let command = FcpCommand::simple(UNIT, block, DataDirection::In, 4096);
        let status = ScsiStatus::CHECK_CONDITION;
        let check = FcpResponse { status, sense: vec![0x70; 252], ..FcpResponse::default() };
        let ready = TransferReady { relative_offset: 8, burst_bytes: 4 };
        for (iu, from) in [
            (FcpIu::Command(command), Channel),
            (FcpIu::TransferReady(ready), ControlUnit),
            (FcpIu::Response(check), ControlUnit),
            (FcpIu::Confirmation, Channel),
            (FcpIu::Abort, Channel),
            (FcpIu::AbortAccept { ox_id: 7, rx_id: 8 }, ControlUnit),
        ] {
            let fibre = frames(iu.clone(), from);
            assert_eq!((fibre.0.len(), take(&fibre, 0)), (1, Ok(Some(iu))));
        }
    }

    /// The offset runs on from frame to frame, and only the last frame passes the initiative.
    #[test]
    fn data_take_several_frames_and_a_lost_one_is_found() {
        let data: Vec<u8> = (0..5001).map(|octet| octet as u8).collect();
        let iu = FcpIu::Data { relative_offset: 1024, data };
        let mut fibre = frames(iu.clone(), FromSide::Channel);
        let headers = fibre
            .0
            .iter()
            .map(|(header, payload)| (header.f_ctl.0 & !3, header.parameter, header.seq_cnt, payload.len()));
        let expected = [(0x08, 1024, 0, 2048), (0x08, 3072, 1, 2048), (0x09_0008, 5120, 2, 905)];
        assert_eq!(headers.collect::<Vec<_>>(), expected);
        assert_eq!(take(&fibre, 5001), Ok(Some(iu)));
        assert_eq!(take(&fibre, 5000), Err(SequenceFault::TooLong));
        fibre.0.remove(1);
        assert_eq!(take(&fibre, 5001), Err(SequenceFault::Lost));
    }
}
