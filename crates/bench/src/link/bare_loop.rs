//! The bare loop under everything: frames of 4 KiB transport-mode reads between two ends, octets out of a memory of a
//! volume's size, CRC and check word made and checked, credits both ways, every record compared; no state machine and no
//! channel program. What a working link is held against.

use std::collections::VecDeque;
use std::io;

use halftrack_base::{Span, Time};
use halftrack_link::{Clock, Fibre, FibreOptions, Poller, Transport};
use halftrack_wire::choices::closing_check_word;
use halftrack_wire::{Eof, FcHeader, FrameSink, Sof, WorldWideName};
use halftrack_workload::{Pattern, RecordId};

/// Octets of the command, which begins with the number of the record, and of the response.
const COMMAND_BYTES: usize = 108;
const RESPONSE: [u8; 64] = [9; 64];
/// Octets of a record, and of what a frame carries of it.
const RECORD_BYTES: usize = 4096;
const FRAME_BYTES: usize = 2048;
/// Frames of an answer: the record in two, its check word, the response.
const ANSWER_FRAMES: u64 = 4;
/// Records: 64 MiB, about what the working link of the benchmark has.
const RECORDS: u32 = 16_384;
/// Step from one record to the next: odd, so that all come in turn, and in no order that a processor would guess.
const STEP: u32 = 10_007;
/// Seed of what the records hold.
const SEED: u64 = 1;
/// Buffer credits of both ends.
const CREDITS: u16 = 1024;

/// Returns what both ends of a bare loop are.
#[must_use]
pub fn options(name: u64) -> FibreOptions {
    FibreOptions { own_name: WorldWideName(name), receive_credit: CREDITS, check_crc: true, clock: None }
}

fn record_id(number: u32) -> RecordId {
    RecordId { volume: 0, track: number, record: 1 }
}

/// Returns the records, one after the other.
fn records() -> Vec<u8> {
    let pattern = Pattern::new(SEED);
    let mut records = vec![0; RECORDS as usize * RECORD_BYTES];
    for (number, record) in (0..).zip(records.chunks_exact_mut(RECORD_BYTES)) {
        pattern.fill(record_id(number), 0, record);
    }
    records
}

/// Sends the next frame of the answer to a read of `record`; `frame` is its number.
fn send_frame<T: Transport>(fibre: &mut Fibre<T>, record: &[u8], frame: u64) {
    let check_word;
    let payload = match frame {
        0 => &record[..FRAME_BYTES],
        1 => &record[FRAME_BYTES..],
        2 => {
            check_word = closing_check_word(record).to_be_bytes();
            &check_word[..]
        }
        _ => &RESPONSE,
    };
    fibre.frame(Sof::Initiate3, &FcHeader::default(), &[payload], Eof::Terminate);
}

/// Answers every read until the other end leaves.
pub fn serve<T: Transport>(mut fibre: Fibre<T>, clock: &Clock) {
    let records = records();
    let mut poller = Poller::default();
    fibre.set_credit(CREDITS);
    let (mut owed, mut next) = (VecDeque::new(), 0);
    loop {
        let now = clock.now();
        let Ok(mut worked) = fibre.receive(now) else { return };
        loop {
            match fibre.next_frame() {
                Ok(Some(frame)) => {
                    owed.extend(frame.frame.payload.first_chunk().copied().map(u32::from_be_bytes))
                }
                Ok(None) => break,
                Err(_) => return,
            }
        }
        while let Some(&number) = owed.front()
            && fibre.can_send()
        {
            worked = true;
            let from = (number % RECORDS) as usize * RECORD_BYTES;
            send_frame(&mut fibre, &records[from..from + RECORD_BYTES], next);
            next = (next + 1) % ANSWER_FRAMES;
            if next == 0 {
                owed.pop_front();
            }
        }
        if fibre.flush(now, !worked).is_err() {
            return;
        }
        if poller.end_turn(worked || fibre.has_unsent(), now) {
            let until = fibre.poll_timeout();
            if poller.sleep(clock, Some(until), &mut [fibre.transport()], &[]).is_err() {
                return;
            }
        }
    }
}

/// The end that sends read requests.
pub struct ReadClient<T> {
    fibre: Fibre<T>,
    poller: Poller,
    pattern: Pattern,
    /// Reads begun and frames received, ever.
    sent: u64,
    frames: u64,
    /// Octets received of the record in progress.
    record: Vec<u8>,
}

impl<T: Transport> ReadClient<T> {
    /// Asks over `fibre`, which was opened with [`options`].
    pub fn new(mut fibre: Fibre<T>) -> Self {
        fibre.set_credit(CREDITS);
        let pattern = Pattern::new(SEED);
        Self { fibre, poller: Poller::default(), pattern, sent: 0, frames: 0, record: Vec::new() }
    }

    /// Does reads, `depth` at a time, until `reads` are done or `until` is past; how many.
    ///
    /// # Errors
    /// The other end has left, a record is wrong, or the operating system fails.
    pub fn read_until(&mut self, clock: &Clock, depth: u64, reads: u64, until: Time) -> io::Result<u64> {
        let before = self.sent;
        loop {
            let now = clock.now();
            let mut worked = self.fibre.receive(now).map_err(io::Error::other)?;
            self.take_frames()?;
            let done = self.frames / ANSWER_FRAMES;
            let over = now >= until || self.sent - before >= reads;
            if over && done == self.sent {
                return Ok(done - before);
            }
            while !over && self.sent - before < reads && self.sent - done < depth && self.fibre.can_send() {
                worked = true;
                let mut command = [7; COMMAND_BYTES];
                command[..4].copy_from_slice(&number_of(self.sent).to_be_bytes());
                self.sent += 1;
                self.fibre.frame(Sof::Initiate3, &FcHeader::default(), &[&command], Eof::Terminate);
            }
            self.fibre.flush(now, !worked).map_err(io::Error::other)?;
            if self.poller.end_turn(worked || self.fibre.has_unsent(), now) {
                let wake = until.max(now.saturating_add(Span::from_ms(1))).min(self.fibre.poll_timeout());
                self.poller.sleep(clock, Some(wake), &mut [self.fibre.transport()], &[])?;
            }
        }
    }

    /// Takes the frames that have come and compares each record that is whole.
    fn take_frames(&mut self) -> io::Result<()> {
        while let Some(frame) = self.fibre.next_frame().map_err(io::Error::other)? {
            let payload = frame.frame.payload;
            let number = number_of(self.frames / ANSWER_FRAMES);
            match self.frames % ANSWER_FRAMES {
                0 => {
                    self.record.clear();
                    self.record.extend_from_slice(payload);
                }
                1 => self.record.extend_from_slice(payload),
                2 => {
                    let checked = closing_check_word(&self.record).to_be_bytes() == payload;
                    let differs = self.pattern.first_difference(record_id(number), 0, &self.record).is_some();
                    if !checked || differs {
                        return Err(io::Error::other(format!("record {number} is wrong")));
                    }
                }
                _ => {}
            }
            self.frames += 1;
        }
        Ok(())
    }
}

/// Returns the record of the read with this number.
fn number_of(read: u64) -> u32 {
    (read as u32).wrapping_mul(STEP) % RECORDS
}

#[cfg(test)]
mod tests {
    use std::thread;

    use halftrack_link::InProcessTransport;

    use super::*;

    #[test]
    fn every_read_is_answered() {
        let (near, far) = InProcessTransport::pair().unwrap();
        let clock = Clock::start();
        let answering = thread::spawn(move || {
            let clock = Clock::start();
            serve(Fibre::accept(far, options(2), clock.now()), &clock);
        });
        let mut client = ReadClient::new(Fibre::open(near, options(1), 1, clock.now()));
        assert_eq!(client.read_until(&clock, 16, 1000, Time::MAX).unwrap(), 1000);
        assert_eq!(client.read_until(&clock, 16, u64::MAX, clock.now()).unwrap(), 0);
        drop(client);
        answering.join().unwrap();
    }
}
