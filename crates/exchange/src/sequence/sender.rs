//! One information unit cut into frames, a frame at a time, so that each can wait for its buffer credit.

use halftrack_base::SharedOctets;
use halftrack_wire::crc::Crc;
use halftrack_wire::fc_frame::PAYLOAD_MAX_BYTES;
use halftrack_wire::fc_header::FcHeader;
use halftrack_wire::heading::Heading;
use halftrack_wire::{EmitError, Eof, FrameControl, FrameSink, Iu, IuData, IuParts, Sof};

/// Octets of a check word.
const CHECK_WORD_BYTES: usize = 4;
/// Least octets of payload in a frame that is not the last.
const FRAME_LEAST_BYTES: u32 = 256;

/// A sequence on its way out. Its data are sent from where they lie. One sender serves many sequences, one after the
/// other.
#[derive(Debug, Default)]
pub struct SequenceSender {
    /// Header of the next frame, F_CTL and parameter apart.
    header: FcHeader,
    heading: Heading,
    parts: IuParts,
    data: Vec<u8>,
    /// Data instead, where they are shared.
    shared: Option<SharedOctets>,
    frame_payload_bytes: usize,
    /// Octets of the payload that are in frames sent, and all of them.
    sent: usize,
    total: usize,
    /// Frames are left.
    is_sending: bool,
}

impl SequenceSender {
    /// Begins the sequence of `iu` in frames of at most `frame_payload_bytes`; one in progress is given up. Of `header`
    /// the addresses, exchange ids and SEQ_ID count; the rest follows from `heading`.
    ///
    /// # Errors
    /// Data that this kind of IU does not take.
    pub fn begin(
        &mut self,
        iu: Iu,
        heading: Heading,
        header: FcHeader,
        frame_payload_bytes: u32,
    ) -> Result<(), EmitError> {
        self.is_sending = false;
        let parts = iu.parts()?;
        let (data, shared) = match iu.data {
            IuData::None => (Vec::new(), None),
            IuData::Bytes(bytes) => (bytes, None),
            IuData::Shared(octets) => (Vec::new(), Some(octets)),
            IuData::Count(count) => (vec![0; count as usize], None),
        };
        self.begin_parts(parts, data, heading, header, frame_payload_bytes);
        self.shared = shared;
        Ok(())
    }

    /// Begins the sequence of an IU in its parts, as [`SequenceSender::begin`] does.
    pub fn begin_parts(
        &mut self,
        parts: IuParts,
        data: Vec<u8>,
        heading: Heading,
        header: FcHeader,
        frame_payload_bytes: u32,
    ) {
        (self.parts, self.data, self.shared) = (parts, data, None);
        let check = if self.parts.has_check_word { CHECK_WORD_BYTES } else { 0 };
        self.sent = 0;
        self.total =
            self.parts.before().len() + self.parts.data_bytes as usize + self.parts.behind().len() + check;
        // In whole words, for only the last frame of a sequence may have fill octets.
        let frame_payload_bytes = frame_payload_bytes.max(FRAME_LEAST_BYTES) as usize;
        self.frame_payload_bytes = frame_payload_bytes.min(PAYLOAD_MAX_BYTES) / 4 * 4;
        self.heading = heading;
        self.header = FcHeader { r_ctl: heading.r_ctl, fc_type: heading.fc_type, seq_cnt: 0, ..header };
        self.is_sending = true;
    }

    /// Returns true when frames are left.
    #[inline]
    #[must_use]
    pub fn is_sending(&self) -> bool {
        self.is_sending
    }

    /// Returns whether the last frame of the sequence gives the initiative to the other end.
    #[inline]
    #[must_use]
    pub fn passes_initiative(&self) -> bool {
        self.heading.frame_control(true).has(FrameControl::INITIATIVE)
    }

    /// Sends the next frame; nothing happens when none is left.
    pub fn send_frame(&mut self, sink: &mut impl FrameSink) {
        if !self.is_sending {
            return;
        }
        let end = self.total.min(self.sent + self.frame_payload_bytes);
        let is_last = end == self.total;
        let sof = if self.sent == 0 { Sof::Initiate3 } else { Sof::Normal3 };
        let eof = if is_last { Eof::Terminate } else { Eof::Normal };
        self.header.f_ctl = self.heading.frame_control(is_last);
        self.header.parameter = self.heading.frame_parameter(self.sent as u32);
        let (before, data) = (self.parts.before(), &self.octets()[..self.parts.data_bytes as usize]);
        let is_within_data = self.sent >= before.len() && end <= before.len() + data.len();
        if is_within_data {
            let data = &data[self.sent - before.len()..end - before.len()];
            sink.frame(sof, &self.header, &[data], eof);
        } else {
            let check = if is_last && self.parts.has_check_word { self.check_word() } else { [0; 4] };
            let check: &[u8] = if self.parts.has_check_word { &check } else { &[] };
            // What of each piece lies in this frame.
            let mut begin = 0;
            let parts = [before, data, self.parts.behind(), check].map(|piece| {
                let within = |at: usize| at.clamp(begin, begin + piece.len()) - begin;
                let cut = &piece[within(self.sent)..within(end)];
                begin += piece.len();
                cut
            });
            sink.frame(sof, &self.header, &parts, eof);
        }
        self.header.seq_cnt = self.header.seq_cnt.wrapping_add(1);
        self.sent = end;
        self.is_sending = !is_last;
    }

    /// Drops the frames of the sequence that are left.
    pub fn give_up(&mut self) {
        self.is_sending = false;
    }

    /// Returns the buffer of the data of the last sequence, to be used again.
    #[must_use]
    pub fn take_data(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.data)
    }

    fn octets(&self) -> &[u8] {
        self.shared.as_deref().unwrap_or(&self.data)
    }

    fn check_word(&self) -> [u8; CHECK_WORD_BYTES] {
        let mut check = Crc::default();
        check.update(&self.octets()[..self.parts.data_bytes as usize]);
        check.update(self.parts.behind());
        check.word().to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use halftrack_wire::heading::{FromSide, Place, heading};
    use halftrack_wire::{Address, Body, CommandMode, DataFlags, Dib};

    use super::*;

    /// A frame as it went out.
    struct Sent {
        delimiters: (Sof, Eof),
        header: FcHeader,
        payload: Vec<u8>,
    }

    #[derive(Default)]
    struct Frames(Vec<Sent>);

    impl FrameSink for Frames {
        fn frame(&mut self, sof: Sof, header: &FcHeader, parts: &[&[u8]], eof: Eof) {
            self.0.push(Sent { delimiters: (sof, eof), header: *header, payload: parts.concat() });
        }
    }

    fn frames(iu: &Iu, from: FromSide, frame_payload_bytes: u32) -> Vec<Sent> {
        let heading = heading(iu, from, Place::default());
        let header = FcHeader { ox_id: 7, seq_id: 3, ..FcHeader::default() };
        let mut sender = SequenceSender::default();
        sender.begin(iu.clone(), heading, header, frame_payload_bytes).unwrap();
        let mut frames = Frames::default();
        while sender.is_sending() {
            sender.send_frame(&mut frames);
        }
        let count = frames.0.len();
        sender.send_frame(&mut frames);
        assert_eq!(frames.0.len(), count, "nothing is left");
        frames.0
    }

    /// The frames of a 4K read as sections 6.4 and 6.6 of the reference have them.
    #[test]
    fn a_4k_read_takes_the_frames_of_the_reference() {
        let data = IuData::Bytes((0..4096_u32).map(|octet| octet as u8).collect());
        let fields = CommandMode { flags: DataFlags::END, ccw: 2, iu_count: 2, dib: Dib::Data };
        let command = Iu { address: Address::default(), body: Body::CommandMode(fields), data };
        let body = Body::TransportData { relative_offset: 0, inserted_bytes: 0, ends_transfer: true };
        let transport = Iu { body, ..command.clone() };
        for (iu, frame_payload_bytes, expected) in [
            (&command, 2112, vec![2112, 2020]),
            (&command, 2048, vec![2048, 2048, 36]),
            (&transport, 2112, vec![2112, 1988]),
            (&transport, 2048, vec![2048, 2048, 4]),
        ] {
            let sent = frames(iu, FromSide::ControlUnit, frame_payload_bytes);
            let lengths: Vec<usize> = sent.iter().map(|frame| frame.payload.len()).collect();
            assert_eq!(lengths, expected);
            let payload: Vec<u8> = sent.iter().flat_map(|frame| frame.payload.clone()).collect();
            assert_eq!(payload, iu.emit().unwrap());
            for (index, frame) in sent.iter().enumerate() {
                assert_eq!((frame.header.seq_cnt, frame.header.ox_id), (index as u16, 7));
                let is_last = index + 1 == sent.len();
                assert_eq!(frame.header.f_ctl.has(FrameControl::END_SEQUENCE), is_last);
                let sof = if index == 0 { Sof::Initiate3 } else { Sof::Normal3 };
                assert_eq!(frame.delimiters, (sof, if is_last { Eof::Terminate } else { Eof::Normal }));
            }
        }
        let offsets = frames(&transport, FromSide::ControlUnit, 2048);
        let offsets: Vec<u32> = offsets.iter().map(|frame| frame.header.parameter).collect();
        assert_eq!(offsets, [0, 2048, 4096]);
    }

    #[test]
    fn a_sequence_without_payload_is_one_frame() {
        let abort = Iu { address: Address::default(), body: Body::Abort, data: IuData::None };
        let sent = frames(&abort, FromSide::Channel, 2112);
        assert_eq!((sent.len(), sent[0].payload.len()), (1, 0));
    }

    #[test]
    fn data_that_are_not_known_go_out_as_zeros() {
        let body = Body::TransportData { relative_offset: 0, inserted_bytes: 0, ends_transfer: false };
        let burst = Iu { address: Address::default(), body, data: IuData::Count(300) };
        let sent = frames(&burst, FromSide::Channel, 0);
        assert_eq!(sent.iter().map(|frame| frame.payload.len()).collect::<Vec<_>>(), [256, 44]);
    }
}
