//! Data-out of one command: immediate data, then sequences that the gateway is ready for, one at a time.

use super::connection::Refused;
use super::pdu::{FINAL, Pdu, answer};

/// Data-out that is on its way.
#[derive(Debug, PartialEq, Eq)]
pub struct Gathering {
    wanted: u32,
    burst_bytes: u32,
    data: Vec<u8>,
    /// End of the sequence.
    burst_end: u32,
    /// Sequences so far, of which the last one's tag is this number.
    sequences: u32,
    /// Number of the next PDU in the sequence.
    next_data: u32,
}

/// Outcome of a PDU of data.
#[derive(Debug, PartialEq, Eq)]
pub enum Gathered {
    /// More comes in this sequence.
    More,
    /// The next sequence is to be requested.
    SequenceOver,
    /// All data is there.
    Whole,
    /// A PDU of the sequence is missing.
    OutOfOrder,
}

impl Gathering {
    /// Begins with immediate data.
    pub fn new(mut immediate: Vec<u8>, wanted: u32, burst_bytes: u32) -> Self {
        immediate.truncate(wanted as usize);
        Self { wanted, burst_bytes, data: immediate, burst_end: 0, sequences: 0, next_data: 0 }
    }

    /// Returns whether all data is there.
    pub fn is_whole(&self) -> bool {
        self.data.len() == self.wanted as usize
    }

    /// Returns the data.
    pub fn into_data(self) -> Vec<u8> {
        self.data
    }

    /// Returns the readiness for the next sequence.
    pub fn ready(&mut self, lun: [u8; 8], tag: u32) -> Pdu {
        let begin = self.data.len() as u32;
        let bytes = self.burst_bytes.min(self.wanted - begin);
        (self.burst_end, self.next_data) = (begin + bytes, 0);
        let number = self.sequences;
        self.sequences += 1;
        let mut pdu = Pdu::new(answer::READY_TO_TRANSFER, FINAL, tag)
            .with_word(20, self.sequences)
            .with_word(36, number)
            .with_word(40, begin)
            .with_word(44, bytes);
        pdu.header[8..16].copy_from_slice(&lun);
        pdu
    }

    /// Takes in a PDU of data.
    ///
    /// # Errors
    /// It is of no sequence that the gateway is ready for, or goes beyond it.
    pub fn take(&mut self, pdu: &Pdu) -> Result<Gathered, Refused> {
        let end = self.data.len() + pdu.data.len();
        if self.sequences == 0 || pdu.word(20) != self.sequences || end > self.burst_end as usize {
            return Err(Refused::ProtocolError);
        }
        let is_last = pdu.flags() & FINAL != 0;
        let is_in_order = pdu.word(36) == self.next_data && pdu.word(40) as usize == self.data.len();
        if !is_in_order || is_last != (end == self.burst_end as usize) {
            return Ok(Gathered::OutOfOrder);
        }
        self.next_data += 1;
        self.data.extend(&pdu.data);
        Ok(match (is_last, self.is_whole()) {
            (_, true) => Gathered::Whole,
            (true, false) => Gathered::SequenceOver,
            (false, false) => Gathered::More,
        })
    }
}

#[test]
fn sequences_follow_one_another_and_a_number_that_is_skipped_is_found() {
    let mut gathering = Gathering::new(vec![1; 10], 30, 12);
    let data_out = |transfer: u32, number: u32, offset: u32, bytes: usize, flags: u8| {
        let mut pdu = Pdu::new(super::pdu::request::DATA_OUT, flags, 1)
            .with_word(20, transfer)
            .with_word(36, number)
            .with_word(40, offset);
        pdu.data = vec![2; bytes];
        pdu
    };
    let ready = gathering.ready([0; 8], 1);
    assert_eq!((ready.word(36), ready.word(40), ready.word(44)), (0, 10, 12));
    assert_eq!(gathering.take(&data_out(1, 0, 10, 6, 0)), Ok(Gathered::More));
    assert_eq!(gathering.take(&data_out(1, 2, 16, 6, FINAL)), Ok(Gathered::OutOfOrder));
    assert_eq!(gathering.take(&data_out(1, 1, 16, 7, FINAL)), Err(Refused::ProtocolError));
    assert_eq!(gathering.take(&data_out(1, 1, 16, 6, FINAL)), Ok(Gathered::SequenceOver));
    let ready = gathering.ready([0; 8], 1);
    assert_eq!((ready.word(36), ready.word(40), ready.word(44)), (1, 22, 8));
    assert_eq!(gathering.take(&data_out(2, 0, 22, 8, FINAL)), Ok(Gathered::Whole));
    assert_eq!(gathering.into_data()[9..11], [1, 2]);
}
