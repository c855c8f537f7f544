//! Numbers of the messages about operators' commands.

/// The command is not one, or wrong at the place underlined.
pub const NO_SUCH_COMMAND: u16 = 988;
/// The command is one of z/OS, but nothing in the twin could answer it.
pub const NO_ANSWER: u16 = 989;
