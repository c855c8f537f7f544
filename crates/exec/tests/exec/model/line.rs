//! Bytes of a command: parameters, data, and the outcome.

use crate::model::fault::{Fault, SHORT_COUNT};

/// Where the bytes of a command come from and go to.
pub trait Line {
    /// Gives a byte read, or one of unknown value; false when it is not taken.
    fn give(&mut self, byte: Option<u8>) -> bool;
    /// Takes a byte to write; nothing when there are no more.
    fn take(&mut self) -> Option<u8>;
}

/// Result of a command without a fault: its status besides channel end and device end, and the bytes of the device.
pub struct Done {
    /// Status modifier or unit exception.
    pub status: u8,
    /// Bytes that the device had to send or could take.
    pub device_bytes: u32,
}

/// A command's outcome.
pub type Outcome = Result<Done, Fault>;

/// Returns an ending with nothing besides.
pub fn done(device_bytes: usize) -> Outcome {
    Ok(Done { status: 0, device_bytes: device_bytes as u32 })
}

/// Returns the bytes of parameters of a control command in its fixed part.
fn fixed_bytes(command: u8) -> usize {
    match command {
        0x07 | 0x0B | 0x1B => 6,
        0x1F | 0x23 => 1,
        0x47 | 0x63 => 16,
        0x4B => 20,
        0xE7 => 64,
        _ => 0,
    }
}

/// Takes the parameters of a control command as far as they come. They are taken before anything is checked: a
/// choice.
pub fn parameters(command: u8, line: &mut impl Line) -> Vec<u8> {
    let mut bytes: Vec<u8> = std::iter::from_fn(|| line.take()).take(fixed_bytes(command)).collect();
    if bytes.len() == fixed_bytes(command) {
        let more = further_bytes(command, &bytes);
        bytes.extend(std::iter::from_fn(|| line.take()).take(more));
    }
    bytes
}

/// Returns the bytes that follow the fixed part, from its contents.
pub fn further_bytes(command: u8, bytes: &[u8]) -> usize {
    let more = match command {
        0x63 if bytes[7] & 0x0A != 0 => 16,
        0x4B => usize::from(bytes[18]) << 8 | usize::from(bytes[19]),
        0xE7 if bytes[0] != 0 => usize::from(bytes[62]) << 8 | usize::from(bytes[63]),
        _ => 0,
    };
    // A choice: no more than 64 bytes of extended parameters have a meaning.
    more.min(64)
}

/// Takes exactly `N` bytes.
pub fn exactly<const N: usize>(line: &mut impl Line) -> Result<[u8; N], Fault> {
    let mut bytes = [0; N];
    for byte in &mut bytes {
        *byte = line.take().ok_or(SHORT_COUNT)?;
    }
    Ok(bytes)
}

/// Gives bytes of unknown value.
pub fn unknown(bytes: usize, line: &mut impl Line) -> Outcome {
    for _ in 0..bytes {
        if !line.give(None) {
            break;
        }
    }
    done(bytes)
}
