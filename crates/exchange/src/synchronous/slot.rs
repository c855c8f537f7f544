//! The control unit's end of a slot. It keeps no state of its own, and copies what the host has written before it checks it.

use halftrack_wire::synchronous::{
    ANSWER_WORD, DATA_MAX, MalformedRequest, REQUEST_WORD, RemoteReject, SlotState, SlotWord,
    SynchronousAnswer, SynchronousRequest, data_check,
};

use super::slot_memory::SlotMemory;

/// Request that the control unit has taken, to be answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TakenRequest {
    sequence: u64,
    /// The request, as far as its words are one.
    pub request: Result<SynchronousRequest, MalformedRequest>,
}

/// Takes the request of a slot, if there is one: the host cannot take it back any more.
#[inline]
pub fn take(memory: &impl SlotMemory) -> Option<TakenRequest> {
    let bits = memory.load_state();
    let word = SlotWord::from_bits(bits).filter(|word| word.state == SlotState::Posted)?;
    let taken = SlotWord { state: SlotState::Taken, ..word };
    if !memory.exchange_state(bits, taken.to_bits()) {
        return None;
    }
    let request = SynchronousRequest::from_words(&memory.load_message(REQUEST_WORD));
    Some(TakenRequest { sequence: word.sequence, request })
}

/// Loads the data that a request writes.
///
/// # Errors
/// [`RemoteReject::DamagedData`] when they do not fit their check word.
#[inline]
pub fn load_written<'b>(
    memory: &impl SlotMemory,
    request: &SynchronousRequest,
    buffer: &'b mut [u8; DATA_MAX],
) -> Result<&'b [u8], RemoteReject> {
    let data = &mut buffer[..(request.data_bytes as usize).min(DATA_MAX)];
    memory.load_data(data);
    if data_check(data) == request.check { Ok(data) } else { Err(RemoteReject::DamagedData) }
}

/// Stores the data that were read; returns the answer that goes with them.
#[inline]
pub fn store_read(memory: &impl SlotMemory, data: &[u8]) -> SynchronousAnswer {
    memory.store_data(data);
    SynchronousAnswer { result: Ok(()), data_bytes: data.len() as u32, check: data_check(data) }
}

/// Answers a request. A host that has changed the state meanwhile gets nothing.
#[inline]
pub fn answer(memory: &impl SlotMemory, taken: &TakenRequest, answer: &SynchronousAnswer) {
    memory.store_message(ANSWER_WORD, &answer.to_words());
    let word = |state| SlotWord::new(state, taken.sequence).to_bits();
    // Nobody but a host against the rules has changed it.
    let _ = memory.exchange_state(word(SlotState::Taken), word(SlotState::Answered));
}
