//! State of a slot, and the number of the request that it is about, in one word that is exchanged as a whole.

/// Bits of the state; the number of the request is above them.
const STATE_BITS: u32 = 8;

/// State of a slot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SlotState {
    /// The host may put a request into it.
    Free,
    /// A request that nobody has taken: the host may still take it back.
    Posted,
    /// The control unit has the request, and nobody else changes the slot.
    Taken,
    /// The answer is there, for the host.
    Answered,
}

/// State of a slot with the number of its request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct SlotWord {
    /// State.
    pub state: SlotState,
    /// Number of the request; the highest 8 of the 64 bits are lost.
    pub sequence: u64,
}

impl SlotWord {
    /// Returns the word of `state` for request number `sequence`.
    #[must_use]
    pub const fn new(state: SlotState, sequence: u64) -> Self {
        Self { state, sequence: sequence & (u64::MAX >> STATE_BITS) }
    }

    /// Returns the word in memory.
    #[must_use]
    pub const fn to_bits(self) -> u64 {
        let state = match self.state {
            SlotState::Free => 0,
            SlotState::Posted => 1,
            SlotState::Taken => 2,
            SlotState::Answered => 3,
        };
        self.sequence << STATE_BITS | state
    }

    /// Returns the word in memory by its meaning; nothing of a state that there is not.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Option<Self> {
        let state = match bits as u8 {
            0 => SlotState::Free,
            1 => SlotState::Posted,
            2 => SlotState::Taken,
            3 => SlotState::Answered,
            _ => return None,
        };
        Some(Self { state, sequence: bits >> STATE_BITS })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_they_were_and_others_are_none() {
        for state in [SlotState::Free, SlotState::Posted, SlotState::Taken, SlotState::Answered] {
            for sequence in [0, 1, u64::MAX >> STATE_BITS] {
                let word = SlotWord::new(state, sequence);
                assert_eq!(SlotWord::from_bits(word.to_bits()), Some(word));
            }
        }
        assert_eq!(SlotWord::from_bits(4), None);
        assert_eq!(SlotWord::new(SlotState::Free, 1 << 56).sequence, 0, "numbers go round");
    }
}
