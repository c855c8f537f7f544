//! Frames put together to one information unit again; a frame that does not fit is a fault of the sequence.

use halftrack_wire::FcFrame;
use halftrack_wire::fc_header::{FcHeader, FrameControl};
use thiserror::Error;

use super::{HEAD_MAX_BYTES, head_bytes};

/// Reason for which frames make no sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SequenceFault {
    /// A frame is missing before this one, or this one came before.
    #[error("a frame of the sequence is missing or came twice")]
    Lost,
    /// More octets than the information unit may have.
    #[error("the sequence is longer than its information unit may be")]
    TooLong,
    /// Relative offset, category or fill octets do not go on from the frame before.
    #[error("the frame does not go on from the one before")]
    Header,
    /// A frame of a sequence that was given up.
    #[error("the sequence was given up before")]
    GivenUp,
}

/// A whole sequence.
#[derive(Debug)]
pub struct Sequence<'f> {
    /// Header of its first frame.
    pub header: FcHeader,
    octets: SequenceOctets<'f>,
}

#[derive(Debug)]
enum SequenceOctets<'f> {
    /// Payload of its only frame.
    Frame(&'f [u8]),
    /// Put together from several frames: the octets before the data, and the rest.
    Frames([u8; HEAD_MAX_BYTES], Vec<u8>),
}

impl Sequence<'_> {
    /// Returns all octets of its payload.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match &self.octets {
            SequenceOctets::Frame(payload) => payload.len(),
            SequenceOctets::Frames(_, rest) => head_bytes(&self.header) + rest.len(),
        }
    }

    /// Returns the `N` octets that stand before its data, and its data. `None` for a sequence that is shorter, or has
    /// another number of octets there.
    #[must_use]
    pub fn split<const N: usize>(self) -> Option<([u8; N], Vec<u8>)> {
        match self.octets {
            SequenceOctets::Frame(payload) => {
                let (head, rest) = payload.split_first_chunk()?;
                Some((*head, rest.to_vec()))
            }
            SequenceOctets::Frames(head, rest) if N == head_bytes(&self.header) => {
                Some((*head.first_chunk()?, rest))
            }
            SequenceOctets::Frames(..) => None,
        }
    }

    /// Returns [`Sequence::octets`] as a buffer of their own.
    #[must_use]
    pub fn into_octets(self) -> Vec<u8> {
        match self.octets {
            SequenceOctets::Frame(payload) => payload.to_vec(),
            SequenceOctets::Frames(_, rest) => rest,
        }
    }

    /// Returns [`Sequence::octets`] as a buffer of their own; those of a single frame in one that `buffer` gives.
    #[must_use]
    pub fn into_octets_of(self, buffer: impl FnOnce() -> Vec<u8>) -> Vec<u8> {
        match self.octets {
            SequenceOctets::Frame(payload) => {
                let mut octets = buffer();
                octets.extend_from_slice(payload);
                octets
            }
            SequenceOctets::Frames(_, rest) => rest,
        }
    }

    /// Returns the octets of a sequence of which none stand before its data.
    #[must_use]
    pub fn octets(&self) -> &[u8] {
        match &self.octets {
            SequenceOctets::Frame(payload) => payload,
            SequenceOctets::Frames(_, rest) => rest,
        }
    }
}

/// State of a sequence after a frame of it.
#[derive(Debug)]
pub enum Received<'f> {
    /// More frames of its sequence are to come.
    More,
    /// The sequence is whole.
    Whole(Sequence<'f>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum State {
    /// Between two sequences.
    #[default]
    Between,
    /// Frames of a sequence have come.
    Open,
    /// The sequence was given up: frames of it that still come count no more.
    GivenUp,
}

/// The sequences of one direction of an exchange, one after the other.
#[derive(Debug, Default)]
pub struct SequenceReceiver {
    state: State,
    /// Header of the first frame of the sequence that is open.
    first: FcHeader,
    /// SEQ_CNT of its next frame.
    next_count: u16,
    /// Octets before its data that have come.
    head: [u8; HEAD_MAX_BYTES],
    head_got: u8,
    rest: Vec<u8>,
}

impl SequenceReceiver {
    /// Gives a buffer in which the next sequence of several frames can be put together.
    pub fn lend(&mut self, mut buffer: Vec<u8>) {
        if self.state != State::Open && buffer.capacity() > self.rest.capacity() {
            buffer.clear();
            self.rest = buffer;
        }
    }

    /// Returns true when a buffer for `frame` is missing.
    #[must_use]
    pub fn wants_buffer(&self, frame: &FcFrame<'_>) -> bool {
        self.rest.capacity() == 0 && !frame.header.f_ctl.has(FrameControl::END_SEQUENCE)
    }

    /// Forgets the incomplete sequence when `frame` belongs to another one: its last frames are lost. Returns true if
    /// so.
    pub fn take_interruption(&mut self, frame: &FcFrame<'_>) -> bool {
        let interrupted = self.state == State::Open && self.first.seq_id != frame.header.seq_id;
        if interrupted {
            self.state = State::Between;
        }
        interrupted
    }

    /// Takes a frame of a sequence that has at most `most_bytes` octets.
    ///
    /// # Errors
    /// The frame does not fit, so the sequence is given up; [`SequenceFault::GivenUp`] for each frame of it that
    /// still comes.
    pub fn take<'f>(
        &mut self,
        frame: &FcFrame<'f>,
        most_bytes: usize,
    ) -> Result<Received<'f>, SequenceFault> {
        let result = self.add(frame, most_bytes);
        if result.is_err() {
            self.state = State::GivenUp;
            self.first.seq_id = frame.header.seq_id;
        }
        result
    }

    fn add<'f>(&mut self, frame: &FcFrame<'f>, most_bytes: usize) -> Result<Received<'f>, SequenceFault> {
        let header = &frame.header;
        let is_last = header.f_ctl.has(FrameControl::END_SEQUENCE);
        let is_open = self.state == State::Open;
        if is_open {
            self.goes_on(header)?;
        } else if self.state == State::GivenUp && self.first.seq_id == header.seq_id {
            return Err(SequenceFault::GivenUp);
        } else if header.seq_cnt != 0 {
            return Err(SequenceFault::Lost);
        }
        let before = if is_open { self.got() } else { 0 };
        if before + frame.payload.len() > most_bytes {
            return Err(SequenceFault::TooLong);
        }
        if is_last && !is_open {
            self.state = State::Between;
            let octets = SequenceOctets::Frame(frame.payload);
            return Ok(Received::Whole(Sequence { header: *header, octets }));
        }
        if !is_last && (frame.payload.is_empty() || header.f_ctl.fill() != 0) {
            return Err(SequenceFault::Header);
        }
        if !is_open {
            self.begin(header);
        }
        self.append(frame.payload);
        // A sequence of more frames than can be counted is longer than any IU.
        self.next_count = self.next_count.wrapping_add(1);
        if !is_last {
            return Ok(Received::More);
        }
        self.state = State::Between;
        if usize::from(self.head_got) < head_bytes(&self.first) {
            // It ends within the head, and no IU is so short.
            return Err(SequenceFault::Header);
        }
        let octets = SequenceOctets::Frames(self.head, std::mem::take(&mut self.rest));
        Ok(Received::Whole(Sequence { header: self.first, octets }))
    }

    fn begin(&mut self, header: &FcHeader) {
        self.state = State::Open;
        self.first = *header;
        self.next_count = 0;
        self.head_got = 0;
        self.rest.clear();
    }

    fn got(&self) -> usize {
        usize::from(self.head_got) + self.rest.len()
    }

    fn append(&mut self, payload: &[u8]) {
        let have = usize::from(self.head_got);
        let missing = head_bytes(&self.first) - have;
        let (head, rest) = payload.split_at(payload.len().min(missing));
        self.head[have..have + head.len()].copy_from_slice(head);
        self.head_got += head.len() as u8;
        self.rest.extend_from_slice(rest);
    }

    /// Returns whether a frame with this header is the next of the open sequence.
    fn goes_on(&self, header: &FcHeader) -> Result<(), SequenceFault> {
        if header.seq_cnt != self.next_count {
            return Err(SequenceFault::Lost);
        }
        let offset = self.first.parameter.wrapping_add(self.got() as u32);
        let offsets_run_on = !header.f_ctl.has(FrameControl::RELATIVE_OFFSET) || header.parameter == offset;
        let alike = (header.r_ctl, header.fc_type) == (self.first.r_ctl, self.first.fc_type);
        if alike && offsets_run_on { Ok(()) } else { Err(SequenceFault::Header) }
    }
}

#[cfg(test)]
mod tests {
    use halftrack_wire::fc_header::{fc_type, routing};

    use super::*;

    fn header(seq_cnt: u16, last: bool) -> FcHeader {
        let f_ctl = if last { FrameControl::END_SEQUENCE } else { FrameControl::default() };
        FcHeader { fc_type: fc_type::SB_CHANNEL, r_ctl: routing::DATA, seq_cnt, f_ctl, ..FcHeader::default() }
    }

    fn take<'f>(
        receiver: &mut SequenceReceiver,
        header: FcHeader,
        payload: &'f [u8],
        most: usize,
    ) -> Result<Option<Sequence<'f>>, SequenceFault> {
        let frame = FcFrame { header, optional: &[], payload };
        receiver.take(&frame, most).map(|received| match received {
            Received::More => None,
            Received::Whole(sequence) => Some(sequence),
        })
    }

    #[test]
    fn the_head_is_split_off_though_it_lies_in_two_frames() {
        let mut receiver = SequenceReceiver::default();
        assert!(take(&mut receiver, header(0, false), &[1; 20], 99).unwrap().is_none());
        let whole = take(&mut receiver, header(1, true), &[2; 20], 99).unwrap().unwrap();
        assert_eq!(whole.bytes(), 40);
        let (head, rest) = whole.split::<32>().unwrap();
        assert_eq!((&head[19..21], rest), (&[1, 2][..], vec![2; 8]));
        let short = take(&mut receiver, header(0, true), &[3; 5], 99).unwrap().unwrap();
        assert_eq!((short.bytes(), short.octets()), (5, &[3; 5][..]));
        assert!(short.split::<32>().is_none());
        assert!(take(&mut receiver, header(0, false), &[1; 20], 99).unwrap().is_none());
        assert_eq!(take(&mut receiver, header(1, true), &[2; 8], 99).unwrap_err(), SequenceFault::Header);
    }

    #[test]
    fn what_does_not_fit_gives_the_sequence_up() {
        let mut receiver = SequenceReceiver::default();
        assert_eq!(take(&mut receiver, header(1, true), &[0; 4], 99).unwrap_err(), SequenceFault::Lost);
        assert_eq!(take(&mut receiver, header(2, true), &[0; 4], 99).unwrap_err(), SequenceFault::GivenUp);
        let next = FcHeader { seq_id: 1, ..header(0, false) };
        assert!(take(&mut receiver, next, &[0; 4], 99).unwrap().is_none());
        assert_eq!(take(&mut receiver, next, &[0; 4], 99).unwrap_err(), SequenceFault::Lost);
        let another = FcHeader { seq_id: 2, ..header(0, false) };
        assert_eq!(take(&mut receiver, another, &[0; 4], 3).unwrap_err(), SequenceFault::TooLong);
        let empty = FcHeader { seq_id: 3, ..header(0, false) };
        assert_eq!(take(&mut receiver, empty, &[], 99).unwrap_err(), SequenceFault::Header);
        let offset = FrameControl::RELATIVE_OFFSET;
        let data = FcHeader { seq_id: 4, f_ctl: offset, parameter: 8, ..header(0, false) };
        assert!(take(&mut receiver, data, &[0; 4], 99).unwrap().is_none());
        let wrong = FcHeader { seq_cnt: 1, parameter: 13, ..data };
        assert_eq!(take(&mut receiver, wrong, &[0; 4], 99).unwrap_err(), SequenceFault::Header);
    }

    #[test]
    fn another_sequence_shows_that_the_last_frames_are_lost() {
        let mut receiver = SequenceReceiver::default();
        let next = FcHeader { seq_id: 1, ..header(0, true) };
        let interrupts = FcFrame { header: next, optional: &[], payload: &[] };
        assert!(!receiver.take_interruption(&interrupts));
        assert!(take(&mut receiver, header(0, false), &[0; 4], 99).unwrap().is_none());
        assert!(receiver.take_interruption(&interrupts));
        assert!(take(&mut receiver, next, &[0; 4], 99).unwrap().is_some());
    }

    #[test]
    fn a_lent_buffer_is_used() {
        let mut receiver = SequenceReceiver::default();
        receiver.lend(Vec::with_capacity(5000));
        receiver.lend(vec![0; 10]);
        assert!(take(&mut receiver, header(0, false), &[0; 32], 99).unwrap().is_none());
        let whole = take(&mut receiver, header(1, true), &[0; 4], 99).unwrap().unwrap();
        let (_, rest) = whole.split::<32>().unwrap();
        assert_eq!((rest.capacity(), rest.len()), (5000, 4));
        let frame = |last| FcFrame { header: header(0, last), optional: &[], payload: &[] };
        assert!(receiver.wants_buffer(&frame(false)) && !receiver.wants_buffer(&frame(true)));
    }
}
