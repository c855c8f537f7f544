//! Sense of the adapter, and its state as Sense Adapter State gives it.

use halftrack_program::SENSE_BYTES;

use super::function::Mode;
use super::side::State;

/// Byte 0: intervention required. The other side is not ready.
pub const INTERVENTION_REQUIRED: u8 = 0x40;
/// Byte 0 when a system reset of the other side has ended the command. The manual of the adapter is not public; a public
/// driver of an operating system takes intervention required alone for this.
pub const SYSTEM_RESET_OF_OTHER_SIDE: u8 = INTERVENTION_REQUIRED;
/// Byte 0 when a selective reset or a halt of the other side has ended the command. The manual of the adapter is not public; a
/// public driver of an operating system takes this bit beside intervention required for the loss of the other side's channel
/// program. That a halt has it as well is our choice.
pub const SELECTIVE_RESET_OF_OTHER_SIDE: u8 = INTERVENTION_REQUIRED | 0x01;

/// Bytes of the answer to Sense Adapter State: byte 0 of sense, and the state. Not public; our choice.
pub const ADAPTER_STATE_BYTES: usize = 2;
/// Bit of the state for extended mode of the side whose command it is. The low four bits are what the other side waits in. Not public; our
/// choice.
pub const EXTENDED_MODE_STATE: u8 = 0x80;

/// Returns the low four bits of the state for what the other side waits in. Not public; our choice.
const fn state_code(other: State) -> u8 {
    match other {
        State::Available => 0,
        State::Prepare => 1,
        State::Control => 2,
        State::Read => 3,
        State::Write => 4,
        State::NotReady => 5,
    }
}

/// Returns the answer to Sense Adapter State.
pub const fn adapter_state(sense: u8, mode: Mode, other: State) -> [u8; ADAPTER_STATE_BYTES] {
    let mode = match mode {
        Mode::Basic => 0,
        Mode::Extended => EXTENDED_MODE_STATE,
    };
    [sense, mode | state_code(other)]
}

/// Returns the sense with this byte 0.
pub const fn sense(byte: u8) -> [u8; SENSE_BYTES] {
    let mut bytes = [0; SENSE_BYTES];
    bytes[0] = byte;
    bytes
}
