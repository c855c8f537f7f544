//! Frames put together to one information unit again; what does not fit is a fault of the sequence.

use halftrack_wire::FcFrame;
use halftrack_wire::fc_header::{FcHeader, FrameControl};
use thiserror::Error;

use super::{HEAD_MAX_BYTES, head_bytes};

/// Why frames make no sequence.
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
pub struct Sequence {
    /// Header of its first frame.
    pub header: FcHeader,
    head: [u8; HEAD_MAX_BYTES],
    head_bytes: u8,
    /// The octets behind the head.
    pub rest: Vec<u8>,
}

impl Sequence {
    /// The octets that are no data of the IU: at most as many as the kind of sequence has, fewer in a short one.
    #[must_use]
    pub fn head(&self) -> &[u8] {
        &self.head[..usize::from(self.head_bytes)]
    }

    /// All octets of its payload.
    #[must_use]
    pub fn bytes(&self) -> usize {
        usize::from(self.head_bytes) + self.rest.len()
    }
}

/// What came of a frame.
#[derive(Debug)]
pub enum Received {
    /// More frames of its sequence are to come.
    More,
    /// The sequence is whole.
    Whole(Sequence),
}

/// The sequences of one direction of an exchange, one after the other.
#[derive(Debug, Default)]
pub struct SequenceReceiver {
    state: State,
    /// A buffer for the next sequence.
    spare: Vec<u8>,
}

#[derive(Debug, Default)]
enum State {
    /// Between two sequences.
    #[default]
    Between,
    /// Frames of a sequence have come.
    Open { sequence: Sequence, next_count: u16 },
    /// What still comes of the sequence with this SEQ_ID counts no more.
    GivenUp { seq_id: u8 },
}

impl SequenceReceiver {
    /// Gives a buffer in which the next long sequence can be put together.
    pub fn lend(&mut self, mut buffer: Vec<u8>) {
        if buffer.capacity() > self.spare.capacity() {
            buffer.clear();
            self.spare = buffer;
        }
    }

    /// Whether a buffer is at hand.
    #[must_use]
    pub fn has_buffer(&self) -> bool {
        self.spare.capacity() > 0
    }

    /// True when `frame` belongs to another sequence than the one that is incomplete, whose last frames are lost
    /// therefore. That one is forgotten.
    pub fn is_interrupted_by(&mut self, frame: &FcFrame<'_>) -> bool {
        match &self.state {
            State::Open { sequence, .. } if sequence.header.seq_id != frame.header.seq_id => {
                self.state = State::Between;
                true
            }
            State::Open { .. } | State::Between | State::GivenUp { .. } => false,
        }
    }

    /// Takes a frame of a sequence that has at most `most_bytes` octets.
    ///
    /// # Errors
    /// The frame does not fit, so the sequence is given up; [`SequenceFault::GivenUp`] for each frame of it that
    /// still comes.
    pub fn take(&mut self, frame: &FcFrame<'_>, most_bytes: usize) -> Result<Received, SequenceFault> {
        let result = self.add(frame, most_bytes);
        if result.is_err() {
            self.state = State::GivenUp { seq_id: frame.header.seq_id };
        }
        result
    }

    fn add(&mut self, frame: &FcFrame<'_>, most_bytes: usize) -> Result<Received, SequenceFault> {
        let header = &frame.header;
        let is_last = header.f_ctl.has(FrameControl::END_SEQUENCE);
        let is_short = !is_last && (frame.payload.is_empty() || header.f_ctl.fill() != 0);
        if is_short {
            return Err(SequenceFault::Header);
        }
        let (mut sequence, count) = match std::mem::take(&mut self.state) {
            State::Open { sequence, next_count } => {
                go_on(&sequence, next_count, header)?;
                (sequence, next_count)
            }
            State::GivenUp { seq_id } if seq_id == header.seq_id => return Err(SequenceFault::GivenUp),
            State::Between | State::GivenUp { .. } if header.seq_cnt != 0 => return Err(SequenceFault::Lost),
            State::Between | State::GivenUp { .. } => {
                let rest = std::mem::take(&mut self.spare);
                (Sequence { header: *header, head: [0; HEAD_MAX_BYTES], head_bytes: 0, rest }, 0)
            }
        };
        if sequence.bytes() + frame.payload.len() > most_bytes {
            return Err(SequenceFault::TooLong);
        }
        let have = usize::from(sequence.head_bytes);
        let (head, rest) = frame.payload.split_at(frame.payload.len().min(head_bytes(header) - have));
        sequence.head[have..have + head.len()].copy_from_slice(head);
        sequence.head_bytes += head.len() as u8;
        sequence.rest.extend_from_slice(rest);
        if is_last {
            return Ok(Received::Whole(sequence));
        }
        // A sequence of more frames than can be counted is longer than any IU.
        self.state = State::Open { sequence, next_count: count.wrapping_add(1) };
        Ok(Received::More)
    }
}

/// Whether a frame with this header is the next of `sequence`.
fn go_on(sequence: &Sequence, next_count: u16, header: &FcHeader) -> Result<(), SequenceFault> {
    let first = &sequence.header;
    if header.seq_cnt != next_count {
        return Err(SequenceFault::Lost);
    }
    let offset = first.parameter.wrapping_add(sequence.bytes() as u32);
    let offsets_run_on = !header.f_ctl.has(FrameControl::RELATIVE_OFFSET) || header.parameter == offset;
    let alike = (header.r_ctl, header.fc_type) == (first.r_ctl, first.fc_type);
    if alike && offsets_run_on { Ok(()) } else { Err(SequenceFault::Header) }
}

#[cfg(test)]
mod tests {
    use halftrack_wire::fc_header::{fc_type, routing};

    use super::*;

    fn header(seq_cnt: u16, last: bool) -> FcHeader {
        let f_ctl = if last { FrameControl::END_SEQUENCE } else { FrameControl::default() };
        FcHeader { fc_type: fc_type::SB_CHANNEL, r_ctl: routing::DATA, seq_cnt, f_ctl, ..FcHeader::default() }
    }

    fn take(
        receiver: &mut SequenceReceiver,
        header: FcHeader,
        payload: &[u8],
        most: usize,
    ) -> Result<Option<Sequence>, SequenceFault> {
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
        assert_eq!(
            (whole.head().len(), whole.rest, whole.head[19..21].to_vec()),
            (32, vec![2; 8], vec![1, 2])
        );
        let short = take(&mut receiver, header(0, true), &[3; 5], 99).unwrap().unwrap();
        assert_eq!((short.head(), short.bytes()), (&[3; 5][..], 5));
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
        assert!(!receiver.is_interrupted_by(&interrupts));
        assert!(take(&mut receiver, header(0, false), &[0; 4], 99).unwrap().is_none());
        assert!(receiver.is_interrupted_by(&interrupts));
        assert!(take(&mut receiver, next, &[0; 4], 99).unwrap().is_some());
    }

    #[test]
    fn a_lent_buffer_is_used() {
        let mut receiver = SequenceReceiver::default();
        receiver.lend(Vec::with_capacity(5000));
        receiver.lend(vec![0; 10]);
        let whole = take(&mut receiver, header(0, true), &[0; 36], 99).unwrap().unwrap();
        assert_eq!((whole.rest.capacity(), whole.rest.len()), (5000, 4));
        assert!(!receiver.has_buffer());
    }
}
