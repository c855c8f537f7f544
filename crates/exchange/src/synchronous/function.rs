//! A function: the host's end of a slot.

use halftrack_wire::synchronous::{
    ANSWER_WORD, REQUEST_WORD, RemoteReject, SlotState, SlotWord, SynchronousAnswer, SynchronousRequest,
    data_check,
};

use super::completion::{Completion, LinkError};
use super::slot_memory::SlotMemory;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Free,
    /// The answer to a request is waited for; of a read, so many octets are expected.
    Posted {
        reads_bytes: u32,
    },
    /// The host has given the request up, and the control unit had taken it.
    GivenUp,
}

/// End of a request that the host has given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GivenUp {
    /// The host has taken it back: it was not executed and never will be.
    Withdrawn,
    /// The control unit has taken it: it is over when [`Function::poll_over`] has found its answer.
    Taken,
}

/// A function of a host, which does one request at a time. It decides by what it remembers, not by the memory.
#[derive(Debug, Clone)]
pub struct Function {
    sequence: u64,
    state: State,
}

impl Default for Function {
    /// Creates the function of a slot that is new.
    fn default() -> Self {
        Self { sequence: 0, state: State::Free }
    }
}

impl Function {
    /// Returns whether a request may be posted.
    #[must_use]
    pub fn is_free(&self) -> bool {
        self.state == State::Free
    }

    /// Posts a request, with the data that it writes, in a function that is free.
    #[inline]
    pub fn post(&mut self, memory: &impl SlotMemory, request: &SynchronousRequest, written: &[u8]) {
        debug_assert!(self.is_free());
        self.sequence += 1;
        memory.store_message(REQUEST_WORD, &request.to_words());
        if request.writes() {
            memory.store_data(written);
        }
        let reads_bytes = if request.writes() { 0 } else { request.data_bytes };
        self.state = State::Posted { reads_bytes };
        memory.store_state(self.word(SlotState::Posted));
    }

    /// Returns the end of the request that was posted, when its answer is there; what it has read is put into `read`.
    #[inline]
    pub fn poll(&mut self, memory: &impl SlotMemory, read: &mut Vec<u8>) -> Option<Completion> {
        let State::Posted { reads_bytes } = self.state else { return None };
        if memory.load_state() != self.word(SlotState::Answered) {
            return None;
        }
        let answer = SynchronousAnswer::from_words(&memory.load_message(ANSWER_WORD));
        let completion = match answer.map(|answer| (answer.result, answer)) {
            Some((Ok(()), answer)) if reads_bytes == 0 || answer.data_bytes == reads_bytes => {
                read.resize(reads_bytes as usize, 0);
                memory.load_data(read);
                // Checked where nobody else can change them any more.
                let is_right = reads_bytes == 0 || data_check(read) == answer.check;
                if is_right { Completion::Done } else { Completion::Failed(LinkError::Crc) }
            }
            Some((Err(RemoteReject::DamagedData), _)) => Completion::Failed(LinkError::Crc),
            Some((Err(reason), _)) => Completion::Remote(reason),
            _ => Completion::Failed(LinkError::Answer),
        };
        self.release(memory);
        Some(completion)
    }

    /// Gives the request up that was posted.
    pub fn give_up(&mut self, memory: &impl SlotMemory) -> GivenUp {
        let (posted, free) = (self.word(SlotState::Posted), self.word(SlotState::Free));
        if memory.exchange_state(posted, free) {
            self.state = State::Free;
            GivenUp::Withdrawn
        } else {
            self.state = State::GivenUp;
            GivenUp::Taken
        }
    }

    /// Returns whether a request that was given up is over by now.
    pub fn poll_over(&mut self, memory: &impl SlotMemory) -> bool {
        if self.state == State::GivenUp && memory.load_state() == self.word(SlotState::Answered) {
            self.release(memory);
        }
        self.is_free()
    }

    fn release(&mut self, memory: &impl SlotMemory) {
        self.state = State::Free;
        memory.store_state(self.word(SlotState::Free));
    }

    fn word(&self, state: SlotState) -> u64 {
        SlotWord::new(state, self.sequence).to_bits()
    }
}
